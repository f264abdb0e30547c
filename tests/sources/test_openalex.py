"""What an OpenAlex fetch promises: all of it, once, and told exactly what did not come."""

from dataclasses import replace

import pytest
from emulators.documents import generate
from emulators.openalex import OpenAlexEmulator
from emulators.openalex_records import FIELDS, number_of, work_of
from emulators.server import Knobs

from corpusforge.errors import QuotaStop, SourceError
from corpusforge.reasons import Reason
from corpusforge.sources.landing_file import landed_responses
from corpusforge.sources.openalex_plan import (
    SELECT,
    OpenAlexConfig,
)
from corpusforge.sources.openalex_records import read_openalex_api
from corpusforge.sources.records import Lost
from sources.fake_clock import FakeClock
from sources.harvesting import Harvest

KEY = "emulator-key-0001"
MIDNIGHT = 1_700_006_400
PAPERS = generate(110)
KEYS = [f"W{number_of(paper)}" for paper in PAPERS]
SEARCH = {"filter": "publication_year:2000-2030", "per_page": 10}


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def openalex(clock):
    with OpenAlexEmulator(PAPERS, clock=clock.now) as server:
        yield server


@pytest.fixture
def fetch(openalex, tmp_path, clock):
    return Harvest(OpenAlexConfig, read_openalex_api, openalex, tmp_path, clock)


def test_a_search_brings_every_work_once_with_the_fewest_requests(fetch):
    summary = fetch(**SEARCH)
    assert (summary.sent, summary.records, summary.repeated) == (11, 110, 0)
    assert (summary.missing, summary.expected, summary.without_abstract) == ((), 110, 5)
    assert sorted(fetch.papers()) == KEYS


def test_what_is_read_is_what_was_served_though_only_some_fields_are_asked_for(fetch, openalex):
    fetch(**SEARCH)
    papers = fetch.papers()
    for wanted in PAPERS:
        got = papers[f"W{number_of(wanted)}"]
        assert (got.title, got.abstract, got.year) == (wanted.title, wanted.abstract, wanted.year)
        assert (got.doi, got.pmid) == (wanted.doi, wanted.pmid)
        assert got.authors == tuple(family for family, _ in wanted.authors)
        assert got.venue == (wanted.venue if wanted.number % 7 else None)
    assert {seen.params["select"] for seen in openalex.seen} == {SELECT}


def test_words_can_be_searched_for_inside_a_filter(fetch, openalex):
    year = PAPERS[7].year
    summary = fetch(search=PAPERS[7].title.split()[0], filter=f"publication_year:{year}")
    word = openalex.seen[0].params["search"].lower()
    texts = {p.number: f"{p.title} {p.abstract}".lower() for p in PAPERS if p.year == year}
    assert summary.records == sum(word in text for text in texts.values()) > 0


def test_what_is_landed_is_never_asked_for_again(fetch, openalex):
    fetch(**SEARCH)
    before = [path.read_bytes() for path in fetch.files]
    again = fetch(**SEARCH)
    assert (again.sent, again.replayed, again.records) == (0, 11, 110)
    assert [path.read_bytes() for path in fetch.files] == before
    assert len(openalex.seen) == 11


def test_t23_a_cursor_is_sent_as_it_came(fetch, openalex):
    fetch(**SEARCH)
    cursors = [seen.params["cursor"] for seen in openalex.seen]
    assert cursors[0] == "*"
    assert all({"+", "/", "="} <= set(cursor) for cursor in cursors[1:])
    assert "%2B%2B%2F%2F" in openalex.seen[1].target
    assert openalex.statuses == {200: 11}


@pytest.mark.parametrize("fault", ["429", "500", "502", "drop", "truncate", "empty"])
def test_a_fault_in_the_middle_loses_and_repeats_nothing(fetch, openalex, fault):
    openalex.script.extend(["", "", "", fault, fault])
    summary = fetch(**SEARCH)
    assert (summary.sent, summary.records, summary.repeated) == (13, 110, 0)
    assert sorted(fetch.papers()) == KEYS


@pytest.mark.parametrize("seed", range(4))
def test_with_one_fault_in_twenty_requests_nothing_is_lost_and_nothing_comes_twice(
    tmp_path, clock, seed
):
    papers = generate(1000)
    knobs = Knobs(seed=seed, fault_rate=0.05, faults=("429", "500", "drop", "truncate"))
    with OpenAlexEmulator(papers, knobs, clock=clock.now) as server:
        fetch = Harvest(OpenAlexConfig, read_openalex_api, server, tmp_path, clock)
        summary = fetch(**SEARCH)
    assert len(server.seen) == summary.sent > 100
    assert (summary.records, summary.repeated, summary.missing) == (1000, 0, ())
    assert len(fetch.papers()) == 1000


def test_t24_a_wait_of_hours_is_not_slept_but_stops_the_run(fetch, openalex, clock):
    clock.time = MIDNIGHT - 46_294  # as was once recorded
    openalex.script.extend(["", "", "budget"])
    message = (
        r"wants a pause of 46,29\d s, more than max_sleep_s 900.*after 2023-11-15 00:00:00 UTC"
    )
    with pytest.raises(QuotaStop, match=message) as stop:
        fetch(**SEARCH)
    assert stop.value.come_back == pytest.approx(MIDNIGHT, abs=1)
    assert sum(clock.slept) < 1
    assert len(openalex.seen) == 3


def test_a_used_up_budget_stops_and_a_later_run_asks_only_for_the_rest(fetch, openalex, clock):
    openalex.openalex.budget = 4
    with pytest.raises(QuotaStop) as stop:
        fetch(**SEARCH)
    clock.time = stop.value.come_back + 1
    openalex.openalex.budget = 100
    summary = fetch(**SEARCH)
    assert (summary.replayed, summary.sent, summary.records) == (4, 7, 110)
    assert sorted(fetch.papers()) == KEYS
    assert 429 not in openalex.statuses  # the last answer within the budget said so


@pytest.mark.parametrize("limit", [0, 40, 100])
def test_t13_a_search_that_ends_early_is_noticed_and_goes_on_where_it_was(fetch, openalex, limit):
    openalex.openalex.ends_early = limit
    summary = fetch(**SEARCH)
    assert (summary.records, summary.repeated, summary.missing) == (110, 0, ())
    assert sorted(fetch.papers()) == KEYS
    assert "9" in {seen.params["per_page"] for seen in openalex.seen}


def test_results_that_never_come_are_told(fetch, openalex):
    openalex.openalex.ends_early, openalex.openalex.early_ends = 30, 99
    summary = fetch(**SEARCH)
    assert (summary.sent, summary.records) == (3 + 4, 30)
    assert fetch.missing() == [
        ("filter 'publication_year:2000-2030'", "80 of 110 results did not come")
    ]


def test_works_come_by_id_doi_and_pubmed_id_many_a_request(fetch, openalex):
    ids = [f"https://openalex.org/{KEYS[0].lower()}", *KEYS[1:60]]
    ids += [f"https://doi.org/{paper.doi.upper()}" for paper in PAPERS[60:100]]
    ids += [paper.pmid for paper in PAPERS[100:] if paper.pmid]
    summary = fetch(ids=ids)
    assert (summary.sent, summary.records, summary.expected) == (2 + 1 + 1, 103, 103)
    assert summary.missing == ()
    assert openalex.seen[2].params["filter"].startswith("doi:10.5555/emu(60)")
    wanted = [*KEYS[:100], *(k for k, p in zip(KEYS, PAPERS, strict=True) if p.pmid)][:100]
    assert set(wanted) <= set(fetch.papers())


def test_ids_that_are_not_there_are_told_exactly(fetch, tmp_path):
    (tmp_path / "ids.txt").write_text(f"# wanted\n{KEYS[0]}\nW7\n10.9999/none\n12\nnonsense\n")
    summary = fetch(ids_file="ids.txt", ids=[PAPERS[1].doi])
    assert (summary.records, summary.expected) == (2, 6)
    assert dict(fetch.missing()) == {
        "nonsense": "is neither a work of OpenAlex nor a DOI nor a PubMed id",
        "W7": "OpenAlex has no work with it",
        "10.9999/none": "OpenAlex has no work with it",
        "12": "OpenAlex has no work with it",
    }
    assert fetch(ids_file="ids.txt", ids=[PAPERS[1].doi]).sent == 0


def test_a_merged_work_is_found_under_its_new_id(fetch, openalex):
    openalex.openalex.merged["W7"] = KEYS[3]
    summary = fetch(ids=[KEYS[0], "W7"])
    assert (summary.records, summary.missing) == (2, ())
    assert set(fetch.papers()) == {KEYS[0], KEYS[3]}


@pytest.mark.parametrize("doi", ["10.1/a,b", "10.1/a|b", "10.1/a b:c", "10.1/doi:x", "10.1/aé!"])
def test_a_doi_that_a_filter_cannot_hold_is_asked_for_alone(tmp_path, clock, doi):
    doi = doi.replace("10.1/", "10.1000/").replace(" ", "")
    papers = [replace(PAPERS[0], doi=doi), *PAPERS[1:5]]
    with OpenAlexEmulator(papers, clock=clock.now) as server:
        fetch = Harvest(OpenAlexConfig, read_openalex_api, server, tmp_path, clock)
        summary = fetch(ids=[paper.doi for paper in papers])
        assert (summary.sent, summary.records, summary.missing) == (2, 5, ())
        assert server.seen[1].path == f"/works/doi:{doi}"


def test_two_works_with_one_doi_push_no_other_out(tmp_path, clock, monkeypatch):
    monkeypatch.setattr("corpusforge.sources.openalex_plan.PAGE_OF_IDS", 4)
    papers = [replace(paper, doi=PAPERS[0].doi) for paper in PAPERS[:4]] + PAPERS[4:6]
    with OpenAlexEmulator(papers, clock=clock.now) as server:
        fetch = Harvest(OpenAlexConfig, read_openalex_api, server, tmp_path, clock)
        summary = fetch(ids=[PAPERS[0].doi, PAPERS[4].doi, PAPERS[5].doi])
        assert summary.missing == ()
        assert {KEYS[4], KEYS[5]} <= set(fetch.papers())


def test_a_work_under_another_doi_is_told(fetch, openalex):
    odd = "10.1000/a:b"
    openalex.documents = [replace(PAPERS[0], doi=odd), *PAPERS[1:]]
    openalex.openalex.merged[f"doi:{odd}"] = KEYS[1]
    fetch(ids=[odd])
    assert fetch.missing() == [
        (odd, f"OpenAlex answers with work {KEYS[1]}, whose DOI is {PAPERS[1].doi}")
    ]


def test_a_batch_that_is_refused_is_halved(fetch, openalex):
    openalex.openalex.max_values = 20
    summary = fetch(ids=KEYS[:50])
    assert (summary.records, summary.missing) == (50, ())
    assert openalex.statuses == {400: 3, 200: 4}


def test_a_service_that_is_down_is_not_taken_for_bad_ids(fetch, openalex):
    openalex.script.extend(["500"] * 99)
    with pytest.raises(SourceError, match="failed 6 times"):
        fetch(ids=[f"10.1000/a:{number}" for number in range(20)])
    assert len(openalex.seen) == 30


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"filter": "nonsense:1"}, r"HTTP 400.*not a valid field.*correct `filter` or `search`"),
        (
            {"ids": ["W1"]},
            r"HTTP 401.*check the key in OPENALEX_API_KEY, or get one",
        ),
        ({"search": "a"}, r"HTTP 401.*openalex\.org/settings/api; what is fetched is kept"),
        ({"ids": ["W1", "W2"]}, r"HTTP 401"),
    ],
)
def test_a_refusal_says_what_to_do(fetch, settings, message):
    if "401" in message:
        fetch.environment = {"OPENALEX_API_KEY": "wrong-key-0001"}
    with pytest.raises(SourceError, match=message):
        fetch(**settings)


def test_an_address_that_is_none_is_told(fetch, openalex):
    openalex.url += "/v1"
    with pytest.raises(SourceError, match=r"HTTP 404.*check `address`"):
        fetch(**SEARCH)


def test_t09_the_key_is_sent_in_a_header_and_kept_nowhere_though_it_is_echoed(
    fetch, openalex, tmp_path
):
    openalex.openalex.echo_key = True
    fetch.environment = {"OPENALEX_API_KEY": KEY}
    openalex.script.extend(["", "429", "500"])
    fetch(**SEARCH)
    assert sorted(fetch.papers()) == KEYS
    assert {seen.headers["authorization"] for seen in openalex.seen} == {f"Bearer {KEY}"}
    assert KEY not in "".join(seen.target for seen in openalex.seen)
    content = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    echoes = [answer.answer for path in fetch.files for answer in landed_responses(path)]
    assert all(KEY not in f"{echo.body!r}{echo.headers}" for echo in echoes)
    assert b"api_key=***" in echoes[0].body
    assert not [piece for piece in content if KEY.encode() in piece]


def test_the_contact_is_told_but_another_one_asks_for_nothing_again(fetch, openalex):
    fetch.network["contact"] = "me@lab.example"
    fetch(**SEARCH)
    assert openalex.seen[0].headers["user-agent"].endswith("(mailto:me@lab.example)")
    fetch.network["contact"] = "you@lab.example"
    assert fetch(**SEARCH).sent == 0


def test_a_work_without_id_is_lost_with_its_place(fetch, openalex):
    openalex.documents = PAPERS[:3]
    openalex.reply = broken(openalex.reply)
    fetch(**SEARCH)
    [lost] = [record for record in fetch.records() if isinstance(record, Lost)]
    assert (lost.key, lost.rejection.reason) == ("landing-00000.gz@0.1", Reason.NO_IDENTIFIER)
    assert len(fetch.papers()) == 2


def broken(reply):
    """The same answers, but for the second work's id."""

    def without_id(seen):
        answer = reply(seen)
        answer.body["results"][1]["id"] = None
        return answer

    return without_id


def test_the_emulators_work_has_the_fields_of_a_real_one():
    assert tuple(work_of(PAPERS[0])) == FIELDS
