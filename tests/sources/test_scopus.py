"""What a Scopus fetch promises: all of it, once, and told exactly what did not come."""

from dataclasses import replace
from random import Random

import pytest
from emulators.documents import generate
from emulators.scopus import ScopusEmulator
from emulators.scopus_records import eid_of
from emulators.server import Reply

from corpusforge.errors import QuotaStop, SourceError
from corpusforge.reasons import Reason
from corpusforge.sources.answers import Answer
from corpusforge.sources.http import Client, Identity
from corpusforge.sources.landing import Landing
from corpusforge.sources.network import NetworkConfig
from corpusforge.sources.parts import Part
from corpusforge.sources.records import Found, Lost
from corpusforge.sources.replay import Replay
from corpusforge.sources.scopus import fetch_scopus
from corpusforge.sources.scopus_plan import (
    ScopusConfig,
    Step,
    batches,
    estimate_scopus,
    kind_of_id,
    normal_id,
    retrieval_request,
    search_request,
)
from corpusforge.sources.scopus_records import read_scopus
from corpusforge.sources.secrets import Credential, Secret
from sources.fake_clock import FakeClock

KEY = "emulator-key-0001"
PAPERS = generate(110)
EIDS = {eid_of(paper) for paper in PAPERS}


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def scopus(clock):
    with ScopusEmulator(PAPERS, clock=clock.now) as server:
        yield server


class Fetch:
    """A fetch into a folder; each call is another run.

    One request at a time, so that a script of faults meets the requests that a test means.
    """

    def __init__(self, server, folder, clock, key=KEY, concurrency=1):
        self.server, self.folder, self.clock, self.key = server, folder, clock, key
        self.network = NetworkConfig(per_second=1000.0, concurrency=concurrency)

    def __call__(self, ids=(), **settings):
        config = ScopusConfig(
            **{"address": self.server.url, "ids": list(ids)}
            | ({} if ids else {"query": "KEY(carbon)"})
            | settings
        )
        credentials = (Credential("X-ELS-APIKey", Secret(self.key)),)
        client = Client(
            self.network,
            self.folder / "limits",
            Random(0),
            Identity(self.server.url, credentials),
            self.clock.clock,
        )
        replay = Replay(client, Landing(self.folder / "landing"), self.clock.now)
        return fetch_scopus(config, ids, replay)

    def records(self):
        return [
            record
            for path in Landing(self.folder / "landing").files()
            for record in read_scopus(path)
        ]

    def eids(self):
        return [record.paper.source_id for record in self.records()]


@pytest.fixture
def fetch(scopus, tmp_path, clock):
    return Fetch(scopus, tmp_path, clock)


@pytest.mark.parametrize("paging", ["cursor", "start"])
def test_a_search_brings_every_record_once_with_the_fewest_requests(fetch, paging):
    summary = fetch(paging=paging)
    assert (summary.sent, summary.records, summary.repeated) == (5, 110, 0)
    assert sorted(fetch.eids()) == sorted(EIDS)
    assert summary.without_abstract == 5
    assert summary.missing == ()


def test_what_is_read_is_what_was_served(fetch):
    fetch()
    papers = {record.paper.source_id: record.paper for record in fetch.records()}
    for wanted in PAPERS:
        got = papers[eid_of(wanted)]
        assert (got.title, got.abstract, got.year) == (wanted.title, wanted.abstract, wanted.year)
        assert (got.doi, got.pmid) == (wanted.doi.lower(), wanted.pmid)
        assert got.authors == tuple(family for family, _ in wanted.authors)


def test_what_is_landed_is_never_asked_for_again(fetch, scopus):
    fetch()
    again = fetch()
    assert (again.sent, again.replayed, again.records) == (0, 5, 110)
    assert len(scopus.seen) == 5


def test_t23_a_cursor_is_sent_as_it_came(fetch, scopus):
    fetch()
    cursors = [seen.params["cursor"] for seen in scopus.seen]
    assert cursors[0] == "*"
    assert all("+" in cursor and cursor.endswith("=") for cursor in cursors[1:])
    assert "%2B" in scopus.seen[1].target
    assert "%252B" not in scopus.seen[1].target


@pytest.mark.parametrize("fault", ["429", "500", "502", "drop", "truncate", "empty"])
def test_t04_a_fault_in_the_middle_goes_on_with_the_same_cursor(fetch, scopus, fault):
    scopus.script.extend(["", "", fault, fault])
    summary = fetch()
    assert (summary.sent, summary.records, summary.repeated) == (7, 110, 0)
    targets = [seen.target for seen in scopus.seen]
    assert targets[2] == targets[3] == targets[4]
    assert sorted(fetch.eids()) == sorted(EIDS)


@pytest.mark.parametrize("form", ["s", "ms", "text"])
def test_t02_t03_a_used_up_quota_stops_and_a_later_run_goes_on(fetch, scopus, clock, form):
    scopus.scopus.quota = {"search": 2}
    scopus.scopus.reset_format = form
    with pytest.raises(QuotaStop, match="run it again after 2023-11-16 00:00:00 UTC") as stop:
        fetch()
    assert sum(clock.slept) < 60
    assert len(fetch.eids()) == 50
    clock.time = stop.value.come_back + 1
    scopus.spent.clear()
    scopus.scopus.quota = {"search": 99}
    summary = fetch()
    assert (summary.replayed, summary.records) == (2, 110)
    assert len(scopus.seen) == 5


def test_t02_a_quota_that_is_used_up_at_the_start_is_xml_and_still_understood(fetch, scopus):
    scopus.scopus.quota = {"search": 0}
    with pytest.raises(QuotaStop, match=r"QUOTA_EXCEEDED.*run it again after 2023-11-16"):
        fetch()


def test_t02_a_throttle_is_slept(fetch, scopus, clock):
    scopus.scopus.per_second = 2
    summary = fetch()
    assert summary.records == 110
    assert scopus.statuses[429] > 0
    assert clock.slept


def test_t06_an_empty_result_is_no_record(fetch):
    summary = fetch(query='TITLE-ABS-KEY("no such words")')
    assert (summary.sent, summary.records, summary.expected) == (1, 0, 0)
    assert fetch.records() == []


def test_without_the_right_to_cursors_start_is_used(fetch, scopus):
    scopus.scopus.keys[KEY] = False
    summary = fetch(view="STANDARD", max_without_abstract=1.0)
    assert (summary.sent, summary.records) == (2, 110)
    assert scopus.statuses == {403: 1, 200: 1}


def test_a_cursor_that_is_left_out_is_replaced_by_a_start(fetch, scopus):
    scopus.scopus.omit_cursor = True
    summary = fetch()
    assert (summary.sent, summary.records) == (5, 110)


def test_a_search_beyond_the_window_is_split_by_years(tmp_path, clock):
    papers = generate(5_600, years=8)
    with ScopusEmulator(papers, clock=clock.now) as server:
        fetch = Fetch(server, tmp_path, clock)
        summary = fetch(view="STANDARD", paging="start", years=(2000, 2007))
        assert (summary.records, summary.expected, summary.missing) == (5_600, 5_600, ())
        assert summary.sent == 1 + 2 * 14
        with pytest.raises(SourceError, match=r"finds 5,600 records .* give `years`"):
            fetch(view="STANDARD", paging="start")


def test_a_year_beyond_the_window_is_an_error_that_says_what_to_do(tmp_path, clock, monkeypatch):
    monkeypatch.setattr("corpusforge.sources.scopus_plan.WINDOW", 30)
    with ScopusEmulator(generate(60, years=1), clock=clock.now) as server:
        fetch = Fetch(server, tmp_path, clock)
        with pytest.raises(SourceError, match=r"finds 60 records .* in 2000, .* narrow `query`"):
            fetch(paging="start", years=(1999, 2002))


def test_a_split_search_brings_the_years_asked_for_and_no_others(fetch, monkeypatch):
    monkeypatch.setattr("corpusforge.sources.scopus_plan.WINDOW", 30)
    summary = fetch(paging="start", years=(2000, 2009))
    assert summary.records == summary.expected == 60
    assert {record.paper.year for record in fetch.records()} == set(range(2000, 2010))


@pytest.mark.parametrize(
    ("prepare", "settings", "message"),
    [
        ({"keys": {}}, {}, "APIKEY_INVALID: .*check the key in SCOPUS_API_KEY"),
        ({"keys": {KEY: False}}, {}, "AUTHORIZATION_ERROR.*network or with .* SCOPUS_INSTTOKEN"),
        ({"on_campus": False}, {}, "AUTHORIZATION_ERROR.*network"),
        (
            {"on_campus": False},
            {"ids": ["10.1/a"], "ids_by": "retrieval", "retrieval_view": "FULL"},
            "AUTHORIZATION_ERROR",
        ),
    ],
)
def test_a_refusal_says_what_to_do(fetch, scopus, prepare, settings, message):
    for name, value in prepare.items():
        setattr(scopus.scopus, name, value)
    with pytest.raises(SourceError, match=message):
        fetch(**settings)
    assert len(scopus.seen) == 1


def test_a_refusal_is_not_remembered(fetch, scopus):
    scopus.scopus.on_campus = False
    with pytest.raises(SourceError):
        fetch()
    scopus.scopus.on_campus = True
    assert fetch().records == 110


@pytest.mark.parametrize("by", ["search", "retrieval"])
def test_t01_a_silent_loss_of_abstracts_is_noticed_before_the_quota_is_gone(fetch, scopus, by):
    scopus.scopus.on_campus = False
    scopus.scopus.silent_strip = True
    ids = [eid_of(paper) for paper in PAPERS]
    with pytest.raises(SourceError, match=r"50 of 50 records came without abstract, .* 0\.6"):
        fetch(ids, ids_by=by)
    assert len(scopus.seen) == (2 if by == "search" else 50)
    scopus.scopus.on_campus = True
    summary = fetch(ids, ids_by=by)
    assert (summary.records, summary.without_abstract) == (110, 5)
    texts = {record.paper.source_id: record.paper.abstract for record in fetch.records()}
    assert texts == {eid_of(paper): paper.abstract for paper in PAPERS}


def test_t01_a_source_that_is_so_can_be_allowed(fetch, scopus):
    scopus.scopus.on_campus = False
    scopus.scopus.silent_strip = True
    summary = fetch([eid_of(paper) for paper in PAPERS], max_without_abstract=1.0)
    assert summary.without_abstract == 110


def test_ids_are_searched_25_at_a_time(fetch):
    ids = [paper.doi.upper() for paper in PAPERS[:60]] + [eid_of(p) for p in PAPERS[60:]]
    summary = fetch(["https://doi.org/" + ids[0], *ids])
    assert (summary.sent, summary.records, summary.expected) == (5, 110, 110)
    assert (summary.missing, sorted(fetch.eids())) == ((), sorted(EIDS))


@pytest.mark.parametrize("by", ["search", "retrieval"])
def test_ids_that_scopus_does_not_have_are_listed_with_the_reason(fetch, by):
    summary = fetch([PAPERS[0].doi, "10.9999/none", PAPERS[3].pmid], ids_by=by)
    assert summary.records == 2
    why = {
        "search": "no search result",
        "retrieval": "RESOURCE_NOT_FOUND: The resource specified cannot be found.",
    }[by]
    assert summary.missing == (("10.9999/none", why),)
    again = fetch([PAPERS[0].doi, "10.9999/none", PAPERS[3].pmid], ids_by=by)
    assert (again.sent, again.missing) == (0, summary.missing)


@pytest.mark.parametrize("by", ["search", "retrieval"])
def test_what_can_be_no_id_is_missing_without_a_request(fetch, scopus, by):
    summary = fetch(["graphene", "10.x", "PMID:x", PAPERS[0].doi], ids_by=by)
    assert (summary.sent, summary.records, summary.expected) == (1, 1, 4)
    assert [name for name, _ in summary.missing] == ["graphene", "10.x", "PMID:x"]
    assert {why for _, why in summary.missing} == {
        "is no DOI, EID, PubMed id, Scopus id or publisher item id"
    }
    assert len(scopus.seen) == 1


@pytest.mark.parametrize(
    ("name", "normal", "kind"),
    [
        ("PMID:12345", "12345", "pubmed_id"),
        ("pmid 12345", "12345", "pubmed_id"),
        ("SCOPUS_ID:85045740431", "2-s2.0-85045740431", "eid"),
        ("2-s2.0-85045740431", "2-s2.0-85045740431", "eid"),
        ("doi:10.1016/J.X.1", "10.1016/j.x.1", "doi"),
        ("arXiv:2101.00001v3", "10.48550/arxiv.2101.00001", "doi"),
        ("hep-th/9901001", "10.48550/arxiv.hep-th/9901001", "doi"),
        ("S0304-419X(21)00104-9", "S0304-419X(21)00104-9", "pii"),
        ("B9780128042960000057", "B9780128042960000057", "pii"),
        ("٣٤", "٣٤", None),
        ("https://example.org/a", "https://example.org/a", None),
    ],
)
def test_ids_are_understood_as_people_write_them(name, normal, kind):
    assert normal_id(name) == normal == normal_id(normal)
    assert kind_of_id(normal) == kind


@pytest.mark.parametrize("view", ["META_ABS", "FULL"])
def test_ids_are_retrieved_one_at_a_time(fetch, view):
    summary = fetch([paper.doi for paper in PAPERS], ids_by="retrieval", retrieval_view=view)
    assert (summary.sent, summary.records, summary.without_abstract) == (110, 110, 5)
    texts = {record.paper.source_id: record.paper.abstract for record in fetch.records()}
    assert texts == {eid_of(paper): paper.abstract for paper in PAPERS}
    assert {r.paper.declared_language for r in fetch.records()} == {
        "en" if view == "FULL" else None
    }


def test_a_batch_that_is_too_long_or_not_understood_is_halved(fetch, scopus):
    refused = []

    def refuse_odd(seen, reply=scopus.reply):
        if seen.params["query"].count('("') > 2 or "poison" in seen.params["query"]:
            refused.append(seen)
            return Reply(400 if len(refused) % 2 else 414, b"no")
        return reply(seen)

    scopus.reply = refuse_odd
    wanted = [paper.doi for paper in PAPERS[:7]]
    summary = fetch([*wanted[:3], "10.9999/poison", *wanted[3:]])
    assert summary.records == 7
    assert [name for name, _ in summary.missing] == ["10.9999/poison"]
    assert len({seen.target for seen in scopus.seen}) == len(scopus.seen)


def test_an_id_that_finds_two_records_pushes_none_out(tmp_path, clock):
    twins = [*PAPERS[:30], *(replace(PAPERS[0], number=200 + n) for n in range(3))]
    with ScopusEmulator(twins[::-1], clock=clock.now) as server:
        fetch = Fetch(server, tmp_path, clock)
        summary = fetch([paper.doi for paper in PAPERS[:25]])
        assert summary.missing == ()
        assert {eid_of(paper) for paper in PAPERS[:25]} <= set(fetch.eids())


def test_an_id_that_always_fails_is_listed_and_the_others_come(fetch, scopus):
    scopus.script.extend(["", *["500"] * 6])
    summary = fetch([p.doi for p in PAPERS[:5]], ids_by="retrieval")
    assert summary.records == 4
    [(name, why)] = summary.missing
    assert name == PAPERS[1].doi
    assert "failed 6 times, the last time with HTTP 500" in why


def test_a_service_that_is_down_is_not_taken_for_bad_ids(fetch, scopus):
    scopus.script.extend(["500"] * 99)
    with pytest.raises(SourceError, match="failed 6 times"):
        fetch([p.doi for p in PAPERS], ids_by="retrieval")
    assert len(scopus.seen) == 30


def test_t09_the_key_is_nowhere_on_disk(fetch, scopus, tmp_path):
    fetch()
    landing = Landing(tmp_path / "landing")
    answers = [
        landing.find(
            search_request(
                ScopusConfig(query="KEY(carbon)", address=scopus.url),
                Part("KEY(carbon)"),
                Step(cursor="*"),
            )
        )
    ]
    assert answers[0].headers["x-els-apikey"] == "***"
    assert b"apiKey=***" in answers[0].body
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes()
    plain = [repr(record) for record in fetch.records()]
    assert not any(KEY in text for text in plain)


def test_a_record_without_eid_is_lost_with_its_place(fetch, tmp_path):
    fetch()
    landing = Landing(tmp_path / "landing")
    request = search_request(ScopusConfig(query="q"), Part("q"), Step())
    body = b'{"search-results": {"opensearch:totalResults": "1", "entry": [{"dc:title": "T"}]}}'
    landing.append(request, Answer(200, {}, body), 0)
    [lost] = [record for record in fetch.records() if isinstance(record, Lost)]
    assert (lost.key, lost.rejection.reason) == ("landing-00000.gz@5.0", Reason.NO_IDENTIFIER)
    assert sum(isinstance(record, Found) for record in fetch.records()) == 110


def test_plans():
    assert normal_id(" 85045740431 ") == "2-s2.0-85045740431"
    assert (
        normal_id("https://doi.org/10.1016/0014-5793(85)80257-(0)")
        == "10.1016/0014-5793(85)80257-(0)"
    )
    long = [f"10.1/{'x' * 700}{n}" for n in range(4)]
    assert [len(batch) for batch in batches(long)] == [2, 2]
    assert list(batches(["10.1/a", "S0304419X21001049", "10.1/b"])) == [
        ("S0304419X21001049",),
        ("10.1/a", "10.1/b"),
    ]
    url = retrieval_request(ScopusConfig(query="q"), "10.1016/0014-5793(85)80257-<0>#;").url
    assert url.endswith("/content/abstract/doi/10.1016/0014-5793%2885%2980257-%3C0%3E%23%3B")


def test_estimates():
    config = ScopusConfig(ids=["10.1/a"])
    estimate = estimate_scopus(config, [f"10.1/{n}" for n in range(6_000)], per_second=5.0)
    assert (estimate.requests, estimate.seconds) == (240, 48)
    assert estimate_scopus(ScopusConfig(query="q"), [], 5.0).requests is None


@pytest.mark.parametrize(
    "settings", [{}, {"query": "q", "ids": ["1"]}, {"query": "q", "years": (2005, 2001)}]
)
def test_settings_that_contradict_each_other_are_refused(settings):
    with pytest.raises(ValueError, match=r"needs either query|years: \(2005, 2001\)"):
        ScopusConfig(**settings)
