"""What a CORE fetch promises: all of it, once, for the fewest tokens."""

from random import Random

import pytest
from emulators.core import CoreEmulator, work_number
from emulators.documents import generate

from corpusforge.errors import QuotaStop, SourceError
from corpusforge.reasons import Reason
from corpusforge.sources.answers import Answer, Request
from corpusforge.sources.core_api import fetch_core
from corpusforge.sources.core_plan import (
    CoreConfig,
    Step,
    after_scroll,
    estimate_core,
    is_id,
    normal_id,
    query_text,
    work_request,
)
from corpusforge.sources.core_records import read_core
from corpusforge.sources.http import Client, Identity
from corpusforge.sources.landing import Landing
from corpusforge.sources.network import NetworkConfig
from corpusforge.sources.parts import Part
from corpusforge.sources.records import Lost
from corpusforge.sources.replay import Replay
from corpusforge.sources.secrets import Credential, Secret
from sources.fake_clock import FakeClock

KEY = "emulator-key-0001"
PAPERS = generate(110)
IDS = sorted(str(work_number(paper)) for paper in PAPERS)


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def core(clock):
    with CoreEmulator(PAPERS, clock=clock.now) as server:
        yield server


class Fetch:
    """A fetch into a folder; each call is another run.

    One request at a time, so that a script of faults meets the requests that a test means.
    """

    def __init__(self, server, folder, clock, key=KEY, concurrency=1):
        self.server, self.folder, self.clock, self.key = server, folder, clock, key
        self.network = NetworkConfig(per_second=1000.0, concurrency=concurrency)

    def __call__(self, ids=(), **settings):
        config = CoreConfig(
            **{"address": f"{self.server.url}/v3", "ids": list(ids), "limit": 10}
            | ({} if ids else {"query": "carbon"})
            | settings
        )
        credentials = (Credential("Authorization", Secret(self.key), "Bearer "),)
        client = Client(
            self.network,
            self.folder / "limits",
            Random(0),
            Identity(self.server.url, credentials if self.key else ()),
            self.clock.clock,
        )
        replay = Replay(client, Landing(self.folder / "landing"), self.clock.now)
        return fetch_core(config, ids, replay)

    def records(self):
        return [r for path in Landing(self.folder / "landing").files() for r in read_core(path)]

    def ids(self):
        return sorted(record.paper.source_id for record in self.records())


@pytest.fixture
def fetch(core, tmp_path, clock):
    return Fetch(core, tmp_path, clock)


@pytest.mark.parametrize(("paging", "tokens"), [("auto", 11), ("offset", 11), ("scroll", 33)])
def test_a_search_brings_every_work_once_with_the_fewest_requests(fetch, core, paging, tokens):
    core.core.tokens = 1000
    summary = fetch(paging=paging)
    assert (summary.sent, summary.records, summary.repeated) == (11, 110, 0)
    assert (summary.missing, fetch.ids()) == ((), IDS)
    assert sum(core.spent.values()) == tokens


def test_what_is_read_is_what_was_served(fetch):
    fetch()
    papers = {record.paper.source_id: record.paper for record in fetch.records()}
    for wanted in PAPERS:
        got = papers[str(work_number(wanted))]
        assert (got.title, got.abstract, got.body) == (wanted.title, wanted.abstract, wanted.body)
        assert (got.doi, got.pmid, got.year) == (wanted.doi, wanted.pmid, wanted.year)


def test_t10_without_a_key_there_are_no_full_texts_and_no_placeholders(core, tmp_path, clock):
    fetch = Fetch(core, tmp_path, clock, key="")
    fetch()
    assert {record.paper.body for record in fetch.records()} == {""}
    assert "authorization" not in core.seen[0].headers


def test_full_texts_are_not_asked_for_when_not_wanted(fetch, core):
    fetch(full_text=False)
    assert core.seen[0].params["exclude"] == "fullText"
    assert {record.paper.body for record in fetch.records()} == {""}


@pytest.mark.parametrize("paging", ["offset", "scroll"])
@pytest.mark.parametrize("fault", ["429", "500", "502", "drop", "truncate", "empty"])
def test_a_fault_in_the_middle_loses_and_repeats_nothing(fetch, core, paging, fault):
    core.script.extend(["", "", "", fault, fault])
    summary = fetch(paging=paging)
    assert (summary.sent, summary.records, summary.repeated) == (13, 110, 0)
    assert fetch.ids() == IDS


@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_scroll_that_is_forgotten_is_taken_up_by_offset(fetch, core, status):
    core.core.expiry_status = status
    core.script.extend(["", "", "", "expire"])
    summary = fetch(paging="scroll")
    assert summary.sent == 11 + (6 if status == 500 else 1)
    assert (summary.records, summary.repeated, fetch.ids()) == (110, 0, IDS)
    assert [seen.params["offset"] for seen in core.seen[-8:]] == [
        str(n) for n in range(30, 110, 10)
    ]


def test_t13_a_scroll_that_ends_early_is_noticed(fetch, core):
    core.core.ends_early = 40
    summary = fetch(paging="scroll")
    assert (summary.sent, summary.records, summary.missing) == (12, 110, ())
    assert fetch.ids() == IDS


def test_a_scroll_out_of_reach_of_offsets_is_begun_again(fetch, core, monkeypatch):
    monkeypatch.setattr("corpusforge.sources.core_plan.WINDOW", 30)
    core.script.extend(["", *[""] * 5, "expire"])
    summary = fetch()
    assert (summary.records, summary.missing, fetch.ids()) == (110, (), IDS)
    assert summary.repeated == 10 + 50  # the first look, and what the lost scroll had brought
    again = fetch()
    assert (again.sent, again.records) == (0, 110)


def test_a_scroll_that_is_lost_again_and_again_is_told_as_missing(fetch, core, monkeypatch):
    monkeypatch.setattr("corpusforge.sources.core_plan.WINDOW", 30)
    core.script.extend(["", *[*[""] * 5, "expire"] * 4])
    summary = fetch()
    assert summary.records == 50
    assert summary.missing == (("carbon", "60 of 110 results did not come"),)


def test_a_lost_scroll_can_be_begun_again_three_times_only():
    config = CoreConfig(query="q")
    step = Step(offset=20_000, scroll="x")
    for restarts in (1, 2, 3):
        step = after_scroll(config, step)
        assert step == Step(scroll="", restarts=restarts)
        step = Step(offset=20_000, scroll="x", restarts=restarts)
    assert after_scroll(config, step) is None


def test_a_search_beyond_the_window_is_split_by_years(fetch, core, monkeypatch):
    monkeypatch.setattr("corpusforge.sources.core_plan.WINDOW", 60)
    summary = fetch(years=(2000, 2019))
    assert (summary.records, summary.expected, summary.missing) == (110, 110, ())
    assert all("scroll" not in seen.params for seen in core.seen)
    assert fetch.ids() == IDS


def test_offsets_that_do_not_reach_are_an_error_that_says_what_to_do(fetch, monkeypatch):
    monkeypatch.setattr("corpusforge.sources.core_plan.WINDOW", 30)
    with pytest.raises(SourceError, match=r"finds 110 works .* or set `paging: auto`"):
        fetch(paging="offset")


def test_t11_an_empty_429_waits_until_the_moment_that_core_gives(fetch, core, clock):
    core.core.tokens = 4
    start = clock.now()
    core.core.window_s = 60
    summary = fetch()
    assert (summary.sent, summary.records) == (11, 110)
    assert 60 <= clock.now() - start <= 180
    assert core.statuses == {200: 11}  # the last token's answer says so: nobody runs into the wall


def test_t11_a_429_without_any_word_is_asked_again(fetch, core):
    core.core.retry_header = False
    core.script.extend(["", "429", "429"])
    assert fetch().records == 110


@pytest.mark.parametrize("skew", [-7200.0, 7200.0])
def test_t11_a_server_with_another_clock_is_waited_for_as_long_as_it_wants(
    fetch, core, clock, skew
):
    core.knobs.skew_s = skew
    core.core.tokens, core.core.window_s = 1000, 60
    core.script.extend(["", "429"])
    start = clock.now()
    assert fetch().records == 110
    assert 0 <= clock.now() - start <= 62


def test_t02_a_daily_quota_stops_and_a_later_run_goes_on(fetch, core, clock):
    core.core.tokens, core.core.window_s = 5, 86400
    with pytest.raises(QuotaStop, match=r"is used up.*again after 2023-11-15 00:00:00") as stop:
        fetch()
    assert len(fetch.ids()) == 50
    clock.time = stop.value.come_back + 1
    core.core.tokens = 100
    summary = fetch()
    assert (summary.sent, summary.replayed, summary.records) == (6, 5, 110)


def test_t12_a_query_that_always_fails_is_given_up(fetch, core):
    with pytest.raises(SourceError, match=r"failed 6 times, .*HTTP 500.*name a field or leave"):
        fetch(query='"exact phrase"')
    assert len(core.seen) == 6


def test_works_come_by_id_and_by_doi(fetch):
    ids = [IDS[0], f"https://doi.org/{PAPERS[1].doi}", PAPERS[2].doi.upper()]
    summary = fetch(ids)
    assert (summary.sent, summary.records, summary.missing) == (3, 3, ())
    assert fetch.ids() == IDS[:3]


def test_ids_that_core_does_not_have_are_listed_once_and_for_all(fetch):
    summary = fetch([IDS[0], "999"])
    assert summary.missing == (("999", 'HTTP 404: {"message": "Not found"}'),)
    assert fetch([IDS[0], "999"]).sent == 0


def test_a_work_that_only_cites_the_doi_is_told(fetch, core):
    core._by_id["10.9999/cited"] = PAPERS[0]
    [(name, why)] = fetch(["10.9999/cited"]).missing
    assert (name, why) == (
        "10.9999/cited",
        f"CORE answers with work {IDS[0]}, whose DOI is {PAPERS[0].doi}",
    )


def test_an_id_that_always_fails_is_listed_and_the_others_come(fetch, core):
    core.script.extend(["", *["500"] * 6])
    summary = fetch(IDS[:5])
    assert summary.records == 4
    assert summary.missing[0][0] == IDS[1]


def test_a_service_that_is_down_is_not_taken_for_bad_ids(fetch, core):
    core.script.extend(["500"] * 99)
    with pytest.raises(SourceError, match="failed 6 times"):
        fetch(IDS)
    assert len(core.seen) == 30


def test_a_wrong_key_is_told(core, tmp_path, clock):
    with pytest.raises(SourceError, match=r"Invalid API key.*check the key in CORE_API_KEY"):
        Fetch(core, tmp_path, clock, key="wrong-key-0001")()


def test_hits_that_vary_from_page_to_page_do_not_end_the_search(fetch, core):
    core.core.jitter = 3
    fetch()
    assert fetch.ids() == IDS


def test_t09_the_key_is_nowhere_on_disk(fetch, tmp_path):
    fetch()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


def test_a_work_without_id_is_lost_with_its_place(fetch, tmp_path):
    fetch()
    landing = Landing(tmp_path / "landing")
    landing.append(Request("u"), Answer(200, {}, b'{"results": [{"title": "T"}]}'), 0)
    [lost] = [record for record in fetch.records() if isinstance(record, Lost)]
    assert (lost.key, lost.rejection.reason) == ("landing-00000.gz@11.0", Reason.NO_IDENTIFIER)


def test_plans():
    assert query_text(Part("a OR b", (2001, 2003))) == (
        "(a OR b) AND yearPublished>=2001 AND yearPublished<=2003"
    )
    assert work_request(CoreConfig(query="q"), "10.1/a(b)#c").url.endswith(
        "/works/10.1/a%28b%29%23c"
    )
    estimate = estimate_core(CoreConfig(ids=["1"]), [str(n) for n in range(1000)], 5.0)
    assert (estimate.requests, estimate.seconds) == (1000, 200)
    assert estimate_core(CoreConfig(query="q"), [], 5.0).requests is None


def test_what_can_be_no_id_is_missing_without_a_request(fetch, core):
    summary = fetch([IDS[0], "PMID:12345", "graphene", "arXiv:2101.00001"])
    assert (summary.sent, summary.records, summary.expected) == (2, 1, 4)
    no_id = "is neither an id of CORE nor a DOI, and CORE finds works by nothing else"
    assert summary.missing[:2] == (("PMID:12345", no_id), ("graphene", no_id))
    assert [name for name, _ in summary.missing[2:]] == ["10.48550/arxiv.2101.00001"]
    assert [seen.path.removeprefix("/v3/works/") for seen in core.seen] == [
        IDS[0],
        "10.48550/arxiv.2101.00001",
    ]


@pytest.mark.parametrize(
    ("name", "normal"),
    [("doi:10.1000/A", "10.1000/a"), ("arXiv:2101.00001v2", "10.48550/arxiv.2101.00001")],
)
def test_ids_are_understood_as_people_write_them(name, normal):
    assert normal_id(name) == normal == normal_id(normal)
    assert is_id(normal)


def test_quotes_are_blamed_for_errors_of_core_and_not_for_a_host_that_is_not_there(fetch, core):
    core.script.extend(["500"] * 6)
    with pytest.raises(SourceError, match=r"HTTP 500.* such as a phrase in quotes alone"):
        fetch(query='"a phrase"')
    with pytest.raises(SourceError, match=r"failed 6 times, .* ConnectionError") as told:
        fetch(query='"a phrase"', address="http://127.0.0.1:1/v3")
    assert "quotes" not in str(told.value)


@pytest.mark.parametrize(
    "settings", [{}, {"query": "q", "ids": ["1"]}, {"query": "q", "years": (2005, 2001)}]
)
def test_settings_that_contradict_each_other_are_refused(settings):
    with pytest.raises(ValueError, match=r"needs either query|years: \(2005, 2001\)"):
        CoreConfig(**settings)
