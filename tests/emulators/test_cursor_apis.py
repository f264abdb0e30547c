"""What the emulators of OpenAlex and Crossref promise: to be as difficult as the services."""

import pytest
import requests
from sources.fake_clock import FakeClock

from emulators.crossref import CrossrefEmulator, CrossrefKnobs
from emulators.documents import generate
from emulators.openalex import OpenAlexEmulator, OpenAlexKnobs

PAPERS = generate(45)
KEY = "emulator-key-0001"


@pytest.fixture
def openalex():
    with OpenAlexEmulator(PAPERS) as server:
        yield server


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def crossref(clock):
    with CrossrefEmulator(PAPERS, clock=clock.now) as server:
        yield server


def get(server, path, headers=None, **params):
    return requests.get(server.url + path, params=params, headers=headers, timeout=10)


def test_openalex_pages_until_an_empty_page_without_a_cursor(openalex):
    cursor, sizes = "*", []
    while cursor:
        page = get(openalex, "/works", per_page=20, cursor=cursor).json()
        sizes.append(len(page["results"]))
        assert (page["meta"]["count"], page["meta"]["page"]) == (45, None)
        cursor = page["meta"]["next_cursor"]
    assert sizes == [20, 20, 5, 0]


def test_a_page_of_openalex_may_be_asked_for_again(openalex):
    cursor = get(openalex, "/works", per_page=20, cursor="*").json()["meta"]["next_cursor"]
    assert {"+", "/", "="} <= set(cursor)
    pages = [get(openalex, "/works", per_page=20, cursor=cursor).json() for _ in range(2)]
    assert pages[0]["results"] == pages[1]["results"]


def test_openalex_answers_404_in_html_and_other_errors_in_json(openalex):
    missing = get(openalex, "/works/doi:10.9999/none")
    assert (missing.status_code, missing.headers["Content-Type"]) == (
        404,
        "text/html; charset=utf-8",
    )
    assert missing.text.startswith("<!doctype html>")
    wrong = get(openalex, "/works", {"Authorization": "Bearer wrong"})
    assert (wrong.status_code, wrong.json()["message"]) == (401, "API key not found")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"per_page": 201}, "per-page parameter must be between 1 and 200"),
        ({"page": 51, "per_page": 200}, "Maximum results size of 10,000"),
        ({"cursor": "+/=="}, "Cursor value is invalid"),
        ({"filter": "pmid:" + "|".join(map(str, range(51)))}, "Decrease values to 50"),
        ({"filter": "doi:10.1/a,b"}, "Invalid query parameter in b"),
        ({"filter": "nonsense:1"}, "nonsense is not a valid field"),
        ({"select": "abstract"}, "abstract is not a valid select field"),
    ],
)
def test_openalex_keeps_to_its_limits(openalex, params, message):
    answer = get(openalex, "/works", **params)
    assert answer.status_code == 400
    assert message in answer.json()["message"]


def test_openalex_finds_by_filter_and_search_and_shows_what_is_selected(openalex):
    doi = PAPERS[3].doi.upper()
    [work] = get(openalex, "/works", filter=f"doi:{doi}|10.1/x", select="id,doi").json()["results"]
    assert work == {
        "id": "https://openalex.org/W2000000003",
        "doi": f"https://doi.org/{doi}".lower(),
    }
    years = get(openalex, "/works", filter="publication_year:2001-2002").json()["meta"]["count"]
    assert years == sum(2001 <= paper.year <= 2002 for paper in PAPERS)
    words = get(openalex, "/works", search=PAPERS[7].title).json()["results"]
    assert [work["title"] for work in words] == [PAPERS[7].title]


def test_openalex_redirects_from_a_merged_work(openalex):
    openalex.openalex.merged["W1"] = "W2000000004"
    answer = get(openalex, "/works/W1", select="id")
    assert answer.history[0].status_code == 301
    assert answer.json() == {"id": "https://openalex.org/W2000000004"}


def test_the_budget_of_openalex_ends_at_midnight(clock):
    with OpenAlexEmulator(PAPERS, openalex=OpenAlexKnobs(budget=11), clock=clock.now) as server:
        assert get(server, "/works").headers["X-RateLimit-Remaining"] == "10"
        assert get(server, "/works", search="a").headers["X-RateLimit-Remaining"] == "0"
        refused = get(server, "/works")
        assert get(server, "/works/W2000000001").status_code == 200  # costs nothing
        assert get(server, "/works", {"Authorization": f"Bearer {KEY}"}).status_code == 200
    seconds = refused.json()["retryAfter"]
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, str(seconds))
    assert (clock.now() + seconds) % 86_400 == 0


def test_crossref_goes_on_for_ever_with_one_cursor_and_empty_pages(crossref):
    cursor, sizes, cursors = "*", [], set()
    for _ in range(5):
        message = get(crossref, "/works", rows=20, cursor=cursor).json()["message"]
        cursor = message["next-cursor"]
        cursors.add(cursor)
        sizes.append(len(message["items"]))
    assert (sizes, len(cursors)) == ([20, 20, 5, 0, 0], 1)
    assert {"+", "/", "="} <= set(cursor)


def test_a_page_of_crossref_that_was_lost_does_not_come_again(crossref):
    cursor = get(crossref, "/works", rows=20, cursor="*").json()["message"]["next-cursor"]
    crossref.script.append("empty")
    assert get(crossref, "/works", rows=20, cursor=cursor).content == b""
    again = get(crossref, "/works", rows=20, cursor=cursor).json()["message"]["items"]
    assert [item["title"] for item in again] == [[paper.title] for paper in PAPERS[40:]]


def test_until_2021_each_page_of_crossref_had_its_own_cursor():
    with CrossrefEmulator(PAPERS, crossref=CrossrefKnobs(stateful=False)) as server:
        first = get(server, "/works", rows=20, cursor="*").json()["message"]["next-cursor"]
        pages = [get(server, "/works", rows=20, cursor=first).json() for _ in range(2)]
    assert pages[0]["message"]["items"] == pages[1]["message"]["items"]
    assert pages[0]["message"]["next-cursor"] != first


def test_a_cursor_of_crossref_has_to_be_encoded_and_used_soon(crossref, clock):
    cursor = get(crossref, "/works", cursor="*").json()["message"]["next-cursor"]
    plain = requests.get(f"{crossref.url}/works?cursor={cursor}", timeout=10)
    assert (plain.status_code, plain.json()["status"]) == (500, "error")
    clock.time += 301
    late = get(crossref, "/works", cursor=cursor)
    assert (late.status_code, late.json()["message"][0]["type"]) == (404, "cursor-invalid")


def test_crossref_finds_a_doi_or_says_so_in_plain_text(crossref):
    doi = PAPERS[3].doi
    found = get(crossref, f"/works/{doi.upper().replace('/', '%2F')}").json()
    assert (found["message-type"], found["message"]["DOI"]) == ("work", doi)
    missing = get(crossref, "/works/10.9999%2Fnone")
    assert (missing.status_code, missing.text) == (404, "Resource not found.")
    assert missing.headers["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize(
    ("headers", "params", "pool"),
    [
        ({}, {}, "public"),
        ({}, {"mailto": "me@lab.example"}, "polite"),
        ({"User-Agent": "x/1 (mailto:me@lab.example)"}, {}, "polite"),
        ({"Crossref-Plus-API-Token": f"Bearer {KEY}"}, {}, "plus"),
    ],
)
def test_crossref_knows_its_callers_by_mail_address_and_token(crossref, headers, params, pool):
    assert get(crossref, "/works", headers, rows=0, **params).headers["X-Api-Pool"] == pool
    wrong = get(crossref, "/works", {"Crossref-Plus-API-Token": "Bearer wrong"})
    assert wrong.status_code == 401


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rows": 1001}, "must be at most 1000"),
        ({"rows": 10, "offset": 9_991}, "must be at most 10000"),
        ({"filter": "nonsense:1"}, "Filter nonsense specified but there is none"),
    ],
)
def test_crossref_keeps_to_its_limits(crossref, params, message):
    answer = get(crossref, "/works", **params)
    assert answer.status_code == 400
    assert message in answer.json()["message"][0]["message"]


def test_crossref_finds_by_filter_and_query(crossref):
    has = get(crossref, "/works", filter="has-abstract:1,from-pub-date:2010-01-01").json()
    wanted = sum(bool(paper.abstract) and paper.year >= 2010 for paper in PAPERS)
    assert has["message"]["total-results"] == wanted
    before = get(crossref, "/works", filter="until-pub-date:2009", query=PAPERS[7].title).json()
    assert [item["title"] for item in before["message"]["items"]] == [[PAPERS[7].title]]
    third = get(crossref, "/works", rows=1, offset=2).json()["message"]["items"]
    assert [item["title"] for item in third] == [[PAPERS[2].title]]


def test_crossref_throttles_in_html(crossref):
    crossref.crossref.per_second["public"] = 2
    statuses = [get(crossref, "/works", rows=0).status_code for _ in range(4)]
    assert statuses == [200, 200, 429, 429]
    assert get(crossref, "/works").text.startswith("<html>")
