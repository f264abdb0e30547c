"""What a Crossref fetch promises: all of it, once, though its cursors lose pages and are lost."""

from dataclasses import replace
from urllib.parse import quote

import pytest
from emulators.crossref import CROSSREF_FAULTS, CrossrefEmulator
from emulators.documents import generate
from emulators.server import Knobs, Reply

from corpusforge.errors import QuotaStop, SourceError
from corpusforge.reasons import Reason
from corpusforge.sources.crossref_plan import (
    CrossrefConfig,
)
from corpusforge.sources.crossref_records import read_crossref_api
from corpusforge.sources.landing_file import landed_responses
from corpusforge.sources.records import Lost
from sources.fake_clock import FakeClock
from sources.harvesting import Harvest

TOKEN = "emulator-key-0001"
PAPERS = generate(110)
DOIS = sorted(paper.doi for paper in PAPERS)
SEARCH = {"filter": "from-pub-date:2000", "rows": 10}


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def crossref(clock):
    with CrossrefEmulator(PAPERS, clock=clock.now) as server:
        yield server


@pytest.fixture
def fetch(crossref, tmp_path, clock):
    return Harvest(CrossrefConfig, read_crossref_api, crossref, tmp_path, clock)


@pytest.mark.parametrize("stateful", [True, False])
def test_a_search_brings_every_work_once_with_the_fewest_requests(fetch, crossref, stateful):
    crossref.crossref.stateful = stateful
    summary = fetch(**SEARCH)
    assert (summary.sent, summary.records, summary.repeated) == (11, 110, 0)
    assert (summary.missing, summary.expected, summary.without_abstract) == ((), 110, 5)
    assert sorted(fetch.papers()) == DOIS


def test_what_is_read_is_what_was_served(fetch):
    fetch(**SEARCH)
    papers = fetch.papers()
    for wanted in PAPERS:
        got = papers[wanted.doi]
        assert (got.title, got.abstract, got.year) == (wanted.title, wanted.abstract, wanted.year)
        assert got.authors == tuple(family for family, _ in wanted.authors)
        assert got.venue == (wanted.venue if wanted.number % 6 else None)
        assert got.licence == ("CC-BY-4.0" if wanted.number % 2 else None)


def test_pages_that_have_the_same_cursor_are_told_apart_when_they_are_landed(fetch, crossref):
    fetch(**SEARCH)
    assert len({seen.params["cursor"] for seen in crossref.seen}) == 2  # "*" and the scroll's
    before = [path.read_bytes() for path in fetch.files]
    again = fetch(**SEARCH)
    assert (again.sent, again.replayed, again.records) == (0, 11, 110)
    assert [path.read_bytes() for path in fetch.files] == before


def test_t23_a_cursor_is_sent_as_it_came(fetch, crossref):
    fetch(**SEARCH)
    assert "cursor=%2B%2B%2F%2F" in crossref.seen[1].target
    assert crossref.seen[1].target.endswith("%3D%3D")
    assert crossref.statuses == {200: 11}


@pytest.mark.parametrize("fault", ["429", "500", "502"])
def test_a_fault_before_the_answer_loses_and_repeats_nothing(fetch, crossref, fault):
    crossref.script.extend(["", "", "", fault, fault])
    summary = fetch(**SEARCH)
    assert (summary.sent, summary.records, summary.repeated) == (13, 110, 0)
    assert sorted(fetch.papers()) == DOIS


@pytest.mark.parametrize("fault", ["drop", "truncate", "empty"])
def test_a_page_that_was_lost_on_the_way_comes_with_a_second_pass(fetch, crossref, fault):
    crossref.script.extend(["", "", "", fault, fault])
    summary = fetch(**SEARCH)
    assert (summary.records, summary.missing) == (110, ())
    assert summary.sent == 12 + 5  # to the empty end, and again until the lost two are there
    assert sorted(fetch.papers()) == DOIS
    assert fetch(**SEARCH).sent == 0


@pytest.mark.parametrize("seed", range(4))
def test_with_one_fault_in_twenty_requests_nothing_is_lost_and_nothing_comes_twice(
    tmp_path, clock, seed
):
    papers = generate(400)
    knobs = Knobs(seed=seed, fault_rate=0.05, faults=CROSSREF_FAULTS)
    with CrossrefEmulator(papers, knobs, clock=clock.now) as server:
        fetch = Harvest(CrossrefConfig, read_crossref_api, server, tmp_path, clock)
        summary = fetch(**SEARCH)
    assert len(server.seen) == summary.sent > 40
    assert (summary.records, summary.missing) == (400, ())
    assert len(fetch.papers()) == 400


def test_a_wait_of_hours_stops_the_run_and_a_later_one_brings_the_rest(fetch, crossref, clock):
    def reply(seen):
        answer = usual(seen)
        if len(crossref.seen) == 5:
            answer.status, answer.headers["Retry-After"] = 503, 43_200
        return answer

    usual, crossref.reply = crossref.reply, reply
    with pytest.raises(QuotaStop, match="wants a pause of 43,200 s") as stop:
        fetch(**SEARCH)
    assert sum(clock.slept) < 1
    clock.time = stop.value.come_back + 1
    summary = fetch(**SEARCH)  # the cursor is forgotten by now
    assert (summary.records, summary.missing, summary.replayed) == (110, (), 4)
    assert summary.sent == 1 + 11
    assert sorted(fetch.papers()) == DOIS


def interrupted(reply, pages):
    """The same answers, but after so many pages a wait that no run sleeps."""
    left = [pages]

    def other(seen):
        left[0] -= 1
        return reply(seen) if left[0] >= 0 else Reply(503, b"", {"Retry-After": 3_600})

    return other


@pytest.mark.parametrize("pages", [range(3, 11), [9, 3, 3, 3, 3, 3, 3]])
def test_what_came_before_an_interruption_counts_though_its_cursor_is_forgotten(
    fetch, crossref, clock, pages
):
    usual = crossref.reply
    for number in pages:
        crossref.reply = interrupted(usual, number)
        with pytest.raises(QuotaStop):
            fetch(**SEARCH)
        clock.time += 3_601
    crossref.reply = usual
    assert fetch(**SEARCH).records == 110
    assert sorted(fetch.papers()) == DOIS


def test_a_service_that_forgets_every_cursor_at_once_is_given_up(fetch, crossref):
    crossref.crossref.lives_s = 0
    summary = fetch(**SEARCH)
    assert (summary.records, summary.sent) == (10, 2 * 21)
    assert fetch.missing() == [("filter 'from-pub-date:2000'", "100 of 110 results did not come")]


@pytest.mark.parametrize("status", [404, 400, 500])
def test_a_cursor_that_is_forgotten_is_replaced_by_a_second_pass(fetch, crossref, status):
    def reply(seen):
        answer = usual(seen)
        if answer.status == 404:
            answer.status = status
        return answer

    usual, crossref.reply = crossref.reply, reply
    crossref.script.extend(["", "", "", "expire"])
    summary = fetch(**SEARCH)
    assert (summary.records, summary.missing) == (110, ())
    assert summary.sent == 3 + (6 if status == 500 else 1) + 11
    assert sorted(fetch.papers()) == DOIS


def test_t13_a_search_that_ends_early_is_begun_again(fetch, crossref):
    crossref.crossref.ends_early = 40
    summary = fetch(**SEARCH)
    assert (summary.records, summary.missing) == (110, ())
    assert summary.sent == 5 + 11


def test_results_that_never_come_are_told_and_asked_for_twice_more(fetch, crossref):
    crossref.crossref.ends_early, crossref.crossref.early_ends = 40, 99
    summary = fetch(**SEARCH)
    assert (summary.sent, summary.records) == (3 * 5, 40)
    assert fetch.missing() == [("filter 'from-pub-date:2000'", "70 of 110 results did not come")]


def test_works_come_by_doi(fetch, crossref):
    ids = [DOIS[0], f"https://doi.org/{DOIS[1].upper()}", DOIS[0]]
    summary = fetch(ids=ids)
    assert (summary.sent, summary.records, summary.expected, summary.missing) == (2, 2, 2, ())
    assert sorted(fetch.papers()) == DOIS[:2]
    assert crossref.seen[0].target == f"/works/{quote(DOIS[0], safe='')}"


def test_several_are_asked_for_at_once_and_come_in_the_order_of_the_list(fetch, crossref):
    fetch.network["concurrency"] = 4
    crossref.knobs.fault_rate, crossref.knobs.faults = 0.05, ("429", "500", "drop", "truncate")
    summary = fetch(ids=DOIS[::-1])
    assert (summary.records, summary.repeated, summary.missing) == (110, 0, ())
    assert list(fetch.papers()) == DOIS[::-1]


def test_a_work_is_the_same_from_a_list_and_alone(fetch):
    fetch(**SEARCH)
    from_list = {r.paper.source_id: r for r in fetch.records()}
    fetch(ids=[PAPERS[1].doi])
    [alone] = fetch.records()
    assert alone == from_list[PAPERS[1].doi]


def test_dois_that_are_not_there_are_told_and_asked_for_again_by_the_next_run(fetch, crossref):
    crossref.crossref.lost = {DOIS[1]}
    wanted = [DOIS[0], DOIS[1], "10.9999/none", "nonsense"]
    summary = fetch(ids=wanted)
    assert (summary.records, summary.expected) == (1, 4)
    text = "HTTP 404: Resource not found."
    never = [("nonsense", "is no DOI"), ("10.9999/none", text)]
    assert sorted(fetch.missing()) == sorted([*never, (DOIS[1], text)])
    crossref.crossref.lost = set()
    summary = fetch(ids=wanted)
    assert (summary.sent, summary.replayed, summary.records) == (2, 1, 2)
    assert fetch.missing() == never


def test_a_work_under_another_doi_is_told(fetch, crossref):
    def reply(seen):
        answer = usual(seen)
        answer.body["message"]["DOI"] = DOIS[5]
        return answer

    usual, crossref.reply = crossref.reply, reply
    fetch(ids=[DOIS[0]])
    assert fetch.missing() == [(DOIS[0], f"Crossref answers with {DOIS[5]}")]


@pytest.mark.parametrize(
    "doi", ["10.1002/(sici)1097<1661::aid>3.0.co;2-o", "10.1000/a#b?c=d&e%f+g"]
)
def test_odd_characters_of_a_doi_arrive(tmp_path, clock, doi):
    with CrossrefEmulator([replace(PAPERS[0], doi=doi)], clock=clock.now) as server:
        fetch = Harvest(CrossrefConfig, read_crossref_api, server, tmp_path, clock)
        assert fetch(ids=[doi]).missing == ()
        assert list(fetch.papers()) == [doi]


def test_a_service_that_is_down_is_not_taken_for_bad_ids(fetch, crossref):
    crossref.script.extend(["500"] * 99)
    with pytest.raises(SourceError, match="failed 6 times"):
        fetch(ids=DOIS)
    assert len(crossref.seen) == 30


def test_a_service_that_is_down_ends_a_search(fetch, crossref):
    crossref.script.extend(["500"] * 99)
    with pytest.raises(SourceError, match=r"failed 6 times.*clojure"):
        fetch(**SEARCH)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"filter": "nonsense:1"}, r"HTTP 400.*no(ne| such).*correct `filter` or `query`"),
        ({"ids": ["10.1000/a"]}, r"HTTP 401: Invalid token.*CROSSREF_PLUS_TOKEN, or unset it"),
        ({"query": "a"}, r"HTTP 401.*what is fetched is kept"),
    ],
)
def test_a_refusal_says_what_to_do(fetch, settings, message):
    if "401" in message:
        fetch.environment = {"CROSSREF_PLUS_TOKEN": "wrong-token-0001"}
    with pytest.raises(SourceError, match=message):
        fetch(**settings)


def test_an_address_that_is_none_is_told(fetch, crossref):
    crossref.url += "/v1"
    with pytest.raises(SourceError, match=r"HTTP 404: Resource not found.*check `address`"):
        fetch(**SEARCH)


def test_the_contact_is_told_as_the_polite_pool_wants_it(fetch, crossref):
    fetch(**SEARCH)
    assert set(crossref.pools) == {"public"}
    fetch.network["contact"] = "me@lab.example"
    fetch(query="carbon", rows=10)
    assert set(crossref.pools) == {"public", "polite"}
    assert fetch(**SEARCH).sent == 0  # who asks does not change what was landed


def test_a_throttle_without_a_word_is_waited_for(fetch, crossref, clock):
    crossref.crossref.per_second["public"] = 4
    summary = fetch(**SEARCH)
    assert (summary.records, summary.missing) == (110, ())
    assert crossref.statuses[429] > 0
    assert sum(clock.slept) > 2


def test_t09_the_token_is_sent_in_a_header_and_kept_nowhere_though_it_is_echoed(
    fetch, crossref, tmp_path
):
    crossref.crossref.echo_token = True
    fetch.environment = {"CROSSREF_PLUS_TOKEN": TOKEN}
    fetch(**SEARCH)
    assert set(crossref.pools) == {"plus"}
    first = next(iter(landed_responses(fetch.files[0]))).answer
    assert b'"echo": "***"' in first.body
    assert "***" in first.headers["crossref-plus-api-token"]
    content = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not [piece for piece in content if TOKEN.encode() in piece]
    assert all(TOKEN not in f"{r.answer.body!r}{r.answer.headers}" for r in landed(fetch))


def landed(fetch):
    return [response for path in fetch.files for response in landed_responses(path)]


def test_a_work_without_doi_is_lost_with_its_place(fetch, crossref):
    crossref.documents = [PAPERS[0], replace(PAPERS[1], doi=None), PAPERS[2]]
    fetch(**SEARCH)
    [lost] = [record for record in fetch.records() if isinstance(record, Lost)]
    assert (lost.key, lost.rejection.reason) == ("landing-00000.gz@0.1", Reason.NO_IDENTIFIER)
    assert len(fetch.papers()) == 2
