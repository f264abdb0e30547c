"""What an OAI-PMH harvest promises over HTTP: all of it, once, through faults and dead tokens."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from random import Random

import pytest
from emulators.documents import generate
from emulators.oaipmh import NOTICE, OAI_FAULTS, OaiEmulator, OaiKnobs
from emulators.oaipmh_records import FORMATS, items_of
from stages.folders import rejects_of, run_stage, table_of

from corpusforge.errors import ConfigError, QuotaStop, SourceError
from corpusforge.sources.http import Client, GaveUpError
from corpusforge.sources.landing import Landing, copy_members
from corpusforge.sources.network import NetworkConfig
from corpusforge.sources.oai_api import fetch_oai
from corpusforge.sources.oai_plan import OaiConfig
from corpusforge.sources.oai_records import read_oai
from corpusforge.sources.records import Found, Withdrawn
from corpusforge.sources.replay import Replay
from corpusforge.stages import extract
from corpusforge.stages.extract import ExtractConfig, SourceConfig
from sources.fake_clock import FakeClock

PAPERS = generate(110)
ITEMS = items_of(PAPERS, days=59)  # January and February of 2023
NAMES = sorted(item.name for item in ITEMS)
UNTIL = date(2023, 2, 28)
TWENTIETH = datetime(2023, 2, 20, tzinfo=UTC)
JANUARY = sum(item.datestamp.month == 1 for item in ITEMS)
PAGES = -(-JANUARY // 10) - (-(110 - JANUARY) // 10)  # of ten records


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def server(clock):
    with OaiEmulator(ITEMS, oai=OaiKnobs(page=10), clock=clock.now) as server:
        yield server


class Fetch:
    """A fetch into a folder; each call is another run."""

    def __init__(self, server, folder, clock):
        self.server, self.folder, self.clock = server, folder, clock

    def __call__(self, address=None, **settings):
        defaults = {"address": self.server.address, "since": date(2023, 1, 1), "until": UNTIL}
        config = OaiConfig(**defaults | ({"address": address} if address else {}) | settings)
        network = NetworkConfig(per_second=1000.0, concurrency=1)
        client = Client(network, self.folder / "limits", Random(0), None, self.clock.clock)
        replay = Replay(client, Landing(self.folder / "zone"), self.clock.now)
        summary = fetch_oai(config, (), replay)
        copy_members(summary.used, self.folder / "files", file_bytes=20_000)
        return summary

    def files(self):
        return sorted((self.folder / "files").iterdir())

    def papers(self):
        """By name, as read from the files of the latest run."""
        records = [record for path in self.files() for record in read_oai(path)]
        return {r.paper.source_id: r.paper for r in records if isinstance(r, Found)}

    def extracted(self, name):
        """The papers and rejects of the extract stage on the files of the latest run."""
        out = self.folder / name
        source = SourceConfig(kind="oai-pmh", folder=str(self.folder / "files"), files="*.gz")
        run_stage(extract.STAGE, ExtractConfig(sources={"x": source}, partition_bytes=1), out, {})
        papers = {row["doc_id"].removeprefix("x:"): row for row in table_of(out)}
        return papers, [(row["doc_id"], row["reason"]) for row in rejects_of(out)]


@pytest.fixture
def fetch(server, tmp_path, clock):
    return Fetch(server, tmp_path, clock)


def asked(server, name="from"):
    return [seen.params[name] for seen in server.seen if name in seen.params]


@pytest.mark.parametrize("prefix", FORMATS)
def test_every_record_comes_once_with_one_request_a_page(fetch, server, prefix):
    summary = fetch(metadata_prefix=prefix)
    assert (summary.sent, summary.records, summary.repeated) == (PAGES, 110, 0)
    assert (summary.missing, summary.expected) == ((), 110)
    assert sorted(fetch.papers()) == NAMES
    assert asked(server, "metadataPrefix") == [prefix, prefix]
    assert asked(server) == ["2023-01-01", "2023-02-01"]


@pytest.mark.parametrize("prefix", FORMATS)
def test_what_is_read_is_what_was_served(fetch, prefix):
    fetch(metadata_prefix=prefix)
    papers = fetch.papers()
    for item in ITEMS:
        wanted, got = item.document, papers[item.name]
        # arXiv's abstracts are wrapped; clean joins their lines.
        assert (got.title, " ".join(got.abstract.split())) == (wanted.title, wanted.abstract)
        assert (got.doi, got.arxiv, got.year) == (wanted.doi, item.name, wanted.year)
        assert got.authors == tuple(family for family, _ in wanted.authors)
        assert (got.licence, got.version) == ("CC-BY-4.0", 1)


@pytest.mark.parametrize("fault", [fault for fault in OAI_FAULTS if fault != "expire"])
def test_a_fault_in_the_middle_loses_and_repeats_nothing(fetch, server, fault):
    server.script.extend(["", "", fault, fault])
    summary = fetch()
    assert (summary.sent, summary.records, summary.repeated) == (PAGES + 2, 110, 0)
    assert sorted(fetch.papers()) == NAMES


def test_t21_a_dead_token_is_made_up_for_from_the_last_day_seen(fetch, server):
    server.oai.totals, server.oai.stateless = True, False
    server.script.extend(["", "", "", "expire"])
    summary = fetch()
    last = sorted(item.datestamp for item in ITEMS)[29].date()
    assert asked(server) == ["2023-01-01", str(last), "2023-02-01"]
    same_day = sum(item.datestamp.date() == last for item in sorted(ITEMS, key=when)[:30])
    assert (summary.records, summary.repeated, summary.missing) == (110, same_day, ())
    assert summary.sent <= PAGES + 2
    assert sorted(fetch.papers()) == NAMES


def when(item):
    return item.datestamp, item.identifier


def test_t21_without_a_total_the_days_before_are_asked_for_too(fetch, server):
    server.script.extend(["", "", "expire"])
    summary = fetch()
    last = sorted(item.datestamp for item in ITEMS)[19].date()
    assert asked(server) == ["2023-01-01", "2023-01-01", str(last), "2023-02-01"]
    assert asked(server, "until")[1] == str(last - timedelta(days=1))
    assert (summary.records, summary.repeated, summary.missing) == (110, 20, ())
    assert sorted(fetch.papers()) == NAMES


@pytest.mark.parametrize(
    ("order", "totals", "error"),
    [
        ("datestamp", True, "badResumptionToken"),
        ("datestamp", False, "badArgument"),
        ("identifier", True, "databaseError"),
        ("identifier", False, "badResumptionToken"),
    ],
)
def test_t21_all_tokens_may_die_with_whatever_words(fetch, server, order, totals, error):
    knobs = {"order": order, "totals": totals, "error": error}
    server.oai = replace(server.oai, dies_after=1, stateless=False, **knobs)
    summary = fetch()
    assert (summary.records, summary.missing) == (110, ())
    assert sorted(fetch.papers()) == NAMES
    assert fetch().sent == 0


def test_t21_a_token_that_always_fails_is_taken_for_a_dead_one(fetch, server):
    server.script.extend(["", "", *["500"] * 6])
    summary = fetch()
    assert (summary.records, summary.missing) == (110, ())
    assert sorted(fetch.papers()) == NAMES


def test_t21_a_list_that_is_not_in_order_is_noticed_by_its_total(tmp_path, clock):
    """Its first page is in order by chance: the 25th first, and then the 3rd."""
    first = datetime(2023, 1, 1, tzinfo=UTC)
    days = [first.replace(day=day) for day in (24, 25, 3, 26)]
    items = [replace(item, datestamp=day) for item, day in zip(ITEMS, days, strict=False)]
    oai = OaiKnobs(page=2, order="identifier", totals=True, stateless=False)
    with OaiEmulator(items, oai=oai, clock=clock.now) as server:
        server.script.extend(["", "expire"])
        fetch = Fetch(server, tmp_path, clock)
        summary = fetch(until=date(2023, 1, 31))
        assert (summary.records, summary.missing) == (4, ())
        assert asked(server) == ["2023-01-01", "2023-01-25", "2023-01-01"]


def test_a_part_of_a_month_is_verified_by_its_own_total(tmp_path, clock):
    days = [datetime(2023, 1, day, tzinfo=UTC) for day in (4, 2)]
    items = [replace(item, datestamp=day) for item, day in zip(ITEMS, days, strict=False)]
    oai = OaiKnobs(page=1, order="identifier", totals=True, stateless=False, dies_after=1)
    with OaiEmulator(items, oai=oai, clock=clock.now) as server:
        server.script.extend(["500"] * 6)
        summary = Fetch(server, tmp_path, clock)(until=date(2023, 1, 31))
    assert (summary.records, summary.missing) == (2, ())


def test_a_day_whose_list_always_dies_is_named_after_a_few_tries(fetch, server):
    crowd = ITEMS[0].datestamp
    server.items = [replace(item, datestamp=crowd) for item in ITEMS]
    server.oai.dies_after, server.oai.stateless = 3, False
    summary = fetch()
    day, words = summary.missing[0]
    assert (day, summary.records) == (f"{crowd:%Y-%m-%d}", 30)
    assert words.startswith("the rest of its list is refused (badResumptionToken: ")
    assert len(server.seen) < 40


def test_the_list_of_one_day_is_begun_again_when_its_token_dies(fetch, server):
    crowd = ITEMS[0].datestamp
    server.items = [replace(item, datestamp=crowd) for item in ITEMS]
    day = crowd.date()
    server.oai.stateless = False
    server.script.extend(["", "", "expire", "", "expire"])
    summary = fetch(since=day, until=day)
    assert (summary.records, summary.missing) == (110, ())
    assert [seen.headers.get("x-again") for seen in server.seen[:3]] == [None, None, None]
    assert {seen.headers.get("x-again") for seen in server.seen[5:]} == {"2"}


@pytest.mark.parametrize("status", [200, 500])
def test_a_page_that_stays_broken_costs_one_day_which_is_named(fetch, server, status):
    poisoned = ITEMS[7]
    day = poisoned.datestamp.date()
    server.oai.poison, server.oai.poison_status = {7}, status
    summary = fetch()
    lost = {item.name for item in ITEMS} - set(fetch.papers())
    assert {item.datestamp.date() for item in ITEMS if item.name in lost} == {day}
    [(name, words)] = summary.missing
    assert (name, summary.records + len(lost)) == (str(day), 110)
    assert f"failed 6 times, the last time with HTTP {status}" in words
    server.oai.poison = set()
    again = fetch()
    assert (again.records, again.missing) == (110, ())


def test_a_total_that_is_not_reached_is_told(fetch, server):
    server.oai.totals, server.oai.off_by = True, 2
    summary = fetch()
    assert (summary.records, summary.expected) == (110, 114)
    assert summary.missing[0] == (
        "2023-01-01 to 2023-01-31",
        f"2 of {JANUARY + 2} records did not come",
    )


@pytest.mark.parametrize("end", ["empty", "absent", "nothing"])
def test_a_list_may_end_in_three_ways(fetch, server, end):
    server.oai.end = end
    summary = fetch()
    assert summary.sent == PAGES + 2 * (end == "nothing")
    assert (summary.records, summary.missing) == (110, ())


def test_a_token_that_leads_back_does_not_lead_on_for_ever(fetch, server):
    server.oai.circle = True
    summary = fetch(since=date(2023, 2, 20))
    assert len(server.seen) < 200
    assert {why for _, why in summary.missing} == {
        "its resumption token leads back to what had come"
    }
    named = {name for name, _ in summary.missing}
    assert named == {str(when(item)[0].date()) for item in ITEMS if when(item)[0] >= TWENTIETH}
    server.oai.totals = True
    server.seen.clear()
    assert fetch(set_spec="cs").missing == ()


def test_what_php_writes_behind_a_page_does_no_harm(fetch, server):
    server.oai.garbage = NOTICE
    summary = fetch()
    assert (summary.sent, summary.records) == (PAGES, 110)
    assert sorted(fetch.papers()) == NAMES


def test_a_pause_that_the_repository_wants_is_kept(fetch, server, clock):
    server.script.extend(["503", "", "503", "503"])
    start = clock.now()
    assert fetch().records == 110
    assert clock.now() - start >= 3 * server.oai.retry_s


def test_too_long_a_pause_ends_the_run_and_the_next_goes_on(fetch, server, clock):
    server.oai.retry_s = 3600
    server.script.extend(["", "", "", "503"])
    with pytest.raises(QuotaStop, match="wants a pause of 3,600 s"):
        fetch()
    clock.time += 3601
    summary = fetch()
    assert (summary.sent, summary.replayed, summary.records) == (PAGES - 3, 3, 110)


def test_a_run_that_goes_on_after_its_token_died_loses_nothing(fetch, server, clock):
    server.oai.retry_s, server.oai.stateless, server.oai.totals = 3600, False, True
    server.script.extend(["", "", "", "503"])
    with pytest.raises(QuotaStop):
        fetch()
    clock.time += 86_400
    server.oai.dead.update(server._lists)
    summary = fetch()
    assert (summary.replayed, summary.records, summary.missing) == (3, 110, ())
    assert sorted(fetch.papers()) == NAMES


def test_a_later_harvest_asks_only_for_the_months_that_are_not_landed(fetch, server):
    fetch()
    moved = items_of(generate(20), seed=3, first=datetime(2023, 3, 1, tzinfo=UTC), days=31)
    server.items = ITEMS[20:] + moved
    server.seen.clear()
    summary = fetch(until=date(2023, 3, 31))
    assert asked(server) == ["2023-03-01"]
    assert (summary.sent, summary.replayed, summary.records) == (2, PAGES, 110)


def test_the_latest_state_of_a_record_is_what_is_extracted(fetch, server):
    march = datetime(2023, 3, 10, tzinfo=UTC)
    fetch(metadata_prefix="arXivRaw")
    rewritten, deleted, revived = sorted(ITEMS, key=when)[:3]
    changes = [
        rewritten.changed(march, abstract="This is the text of the second state."),
        deleted.changed(march, deleted=True),
        revived.changed(march, deleted=True),
    ]
    server.items = [item for item in ITEMS if item not in (rewritten, deleted, revived)] + changes
    fetch(metadata_prefix="arXivRaw", until=date(2023, 3, 31))
    april = march + timedelta(days=30)
    server.items[-1] = revived.changed(april, title="It is back")
    fetch(metadata_prefix="arXivRaw", until=date(2023, 4, 30))
    papers, rejects = fetch.extracted("out")
    assert set(papers) == set(NAMES) - {deleted.name}
    assert papers[rewritten.name]["abstract"] == "This is the text of the second state."
    assert papers[revived.name]["title"] == "It is back"
    assert sorted(rejects) == sorted(
        [
            (f"x:{rewritten.name}", "superseded"),
            (f"x:{deleted.name}", "deleted"),
            (f"x:{revived.name}", "deleted"),
        ]
    )


def test_a_paper_that_is_withdrawn_later_takes_its_text_with_it(fetch, server):
    item = ITEMS[0]
    fetch(metadata_prefix="arXiv")
    words = "This paper has been withdrawn by the author due to an error."
    server.items[0] = item.changed(datetime(2023, 3, 10, tzinfo=UTC), abstract=words)
    fetch(metadata_prefix="arXiv", until=date(2023, 3, 31))
    papers, rejects = fetch.extracted("out")
    assert item.name not in papers
    assert (f"x:{item.name}", "deleted") in rejects
    assert sorted(reason for _, reason in rejects) == ["deleted", "placeholder"]


def test_records_that_come_again_are_one_document(fetch, server):
    server.oai = replace(server.oai, dies_after=1, stateless=False)
    fetch()
    papers, rejects = fetch.extracted("out")
    assert sorted(papers) == NAMES
    assert {reason for _, reason in rejects} <= {"superseded"}


def test_only_the_records_of_a_set_come(fetch):
    fetch(set_spec="physics")
    assert sorted(fetch.papers()) == sorted(i.name for i in ITEMS if i.set == "physics:hep-th")


def test_without_a_first_day_the_repository_says_when_to_begin(fetch, server):
    summary = fetch(since=None)
    assert [seen.params["verb"] for seen in server.seen[:2]] == ["Identify", "ListRecords"]
    assert asked(server) == ["2023-02-01"]
    assert (summary.sent, summary.records, summary.missing) == (PAGES + 1, 110, ())


def test_an_empty_month_costs_one_request_once(fetch):
    summary = fetch(since=date(2022, 11, 1))
    assert (summary.sent, summary.records, summary.missing) == (PAGES + 2, 110, ())
    assert fetch(since=date(2022, 11, 1)).sent == 0


def test_a_day_that_is_not_over_is_refused_before_anything_is_asked(fetch, server):
    with pytest.raises(ConfigError, match=r"until: 2023-11-14 is not over.* to 2023-11-13 or"):
        fetch(until=date(2023, 11, 14))
    assert server.seen == []
    fetch(until=date(2023, 11, 13))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"set_spec": "cs"}, r"noSetHierarchy: see the protocol\): it has no sets: leave `set`"),
        ({"metadata_prefix": "arXiv"}, r"cannotDisseminateFormat.*`metadata_prefix` to oai_dc"),
    ],
)
def test_a_refusal_says_what_to_do(fetch, server, monkeypatch, settings, message):
    monkeypatch.delitem(FORMATS, "arXiv")
    server.oai.sets = False
    with pytest.raises(SourceError, match=message):
        fetch(**settings)


@pytest.mark.parametrize("since", [None, date(2023, 1, 1)])
def test_an_address_that_is_no_repository_is_told(fetch, server, since):
    with pytest.raises(SourceError, match=r"HTTP 404: <html>.*check `address`"):
        fetch(address=f"{server.url}/other", since=since)


def test_a_service_that_is_down_is_not_taken_for_bad_days(fetch, server):
    server.script.extend(["", *["500"] * 999])
    with pytest.raises(GaveUpError, match="failed 6 times"):
        fetch()
    assert len(server.seen) < 150


def test_a_service_that_never_answers_is_an_error_even_for_one_day(fetch, server):
    server.script.extend(["500"] * 99)
    with pytest.raises(GaveUpError, match="failed 6 times"):
        fetch(since=UNTIL)


def test_a_deletion_is_read_as_a_withdrawal(fetch, server):
    server.items = [replace(ITEMS[0], deleted=True)]
    summary = fetch()
    [record] = [record for path in fetch.files() for record in read_oai(path)]
    assert record == Withdrawn(ITEMS[0].name, 1)
    assert (summary.records, summary.missing, summary.without_abstract) == (0, (), 0)


def test_papers_without_an_abstract_are_counted(fetch):
    assert fetch().without_abstract == sum(not paper.abstract for paper in PAPERS)
