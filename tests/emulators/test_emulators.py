"""What the emulators promise: to behave like the services, difficult sides included."""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from emulators.core import CoreEmulator, CoreKnobs
from emulators.documents import Document, generate, load
from emulators.files import FileEmulator
from emulators.scopus import ScopusEmulator, ScopusKnobs
from emulators.server import Knobs

KEY = "emulator-key-0001"
SEARCH = "/content/search/scopus"
SIGNED = {"X-ELS-APIKey": KEY, "Accept": "application/json"}


@pytest.fixture
def scopus():
    with ScopusEmulator(generate(42)) as server:
        yield server


@pytest.fixture
def core():
    with CoreEmulator(generate(42)) as server:
        yield server


def get(server, path, headers=SIGNED, **params):
    return requests.get(server.url + path, params=params, headers=headers, timeout=10)


def test_the_two_refusals_of_a_key_come_in_different_envelopes(scopus):
    none = get(scopus, SEARCH, {"Accept": "application/json"}, query="q")
    wrong = get(scopus, SEARCH, SIGNED | {"X-ELS-APIKey": "x"}, query="q")
    assert (none.status_code, wrong.status_code) == (401, 401)
    assert none.headers["X-ELS-Status"] == "AUTHENTICATION_ERROR - Invalid API Key"
    assert none.json()["service-error"]["status"]["statusText"] == "Invalid API Key"
    assert wrong.json()["error-response"]["error-code"] == "APIKEY_INVALID"
    assert "X-ELS-Status" not in wrong.headers


def test_scopus_answers_in_xml_unless_json_is_asked_for(scopus):
    assert get(scopus, SEARCH, {"X-ELS-APIKey": KEY}, query="q").content.startswith(b"<?xml")
    asked = get(scopus, SEARCH, {"X-ELS-APIKey": KEY}, query="q", httpAccept="application/json")
    assert asked.json()["search-results"]["opensearch:totalResults"] == "42"


def test_the_last_link_is_not_on_the_edge_of_a_page_and_holds_the_key(scopus):
    results = get(scopus, SEARCH, query="q", count=25).json()["search-results"]
    links = {link["@ref"]: parse_qs(urlsplit(link["@href"]).query) for link in results["link"]}
    assert links["last"]["start"] == ["17"]
    assert links["self"]["apiKey"] == [KEY]
    assert set(links) == {"self", "first", "next", "last"}


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ({"count": 26, "view": "COMPLETE"}, 400),
        ({"count": 201}, 400),
        ({"start": 5000}, 400),
        ({"count": 25, "view": "COMPLETE"}, 200),
        ({"cursor": "AoJR%2B"}, 400),
        ({"cursor": "*"}, 200),
    ],
)
def test_scopus_keeps_to_its_limits(scopus, params, status):
    assert get(scopus, SEARCH, query="q", **params).status_code == status


def test_a_key_without_rights(scopus):
    scopus.scopus.keys[KEY] = False
    assert get(scopus, SEARCH, query="q", view="COMPLETE").status_code == 401
    assert get(scopus, SEARCH, query="q", cursor="*").status_code == 403
    assert get(scopus, SEARCH, query="q").status_code == 200


def test_more_than_100_authors_are_cut_off_with_a_message():
    paper = Document(1, "T", "A", authors=tuple(("Berg", "A") for _ in range(109)))
    with ScopusEmulator([paper]) as server:
        [entry] = get(server, SEARCH, query="q", view="COMPLETE").json()["search-results"]["entry"]
    assert (len(entry["author"]), entry["author-count"]["$"]) == (100, "109")
    assert entry["message"].startswith("Author list of 109 truncated at 100")
    assert (entry["openaccessFlag"], entry["openaccess"]) == (False, "0")


def test_lists_of_one_collapse_in_a_retrieval(scopus):
    path = "/content/abstract/eid/2-s2.0-8500000000"
    shapes = [
        type(get(scopus, f"{path}{number}").json()["abstracts-retrieval-response"]["affiliation"])
        for number in (0, 1, 2)
    ]
    assert shapes == [type(None), dict, list]
    assert get(scopus, f"{path}99").status_code == 404


def test_core_redirects_to_the_slash_and_counts_down():
    with CoreEmulator(generate(5), core=CoreKnobs(tokens=2)) as server:
        first = get(server, "/v3/search/works", {}, q="x", limit=2)
        assert first.history[0].status_code == 301
        assert (first.json()["limit"], first.headers["X-RateLimit-Remaining"]) == ("2", "1")
        last = get(server, "/v3/search/works/", {}, q="x")
        assert last.headers["X-RateLimit-Remaining"] == "0"
        beyond = get(server, "/v3/search/works/", {}, q="x")
        assert (beyond.status_code, beyond.content) == (429, b"")
        assert beyond.headers["X-RateLimit-Retry-After"].endswith("+0000")


def test_core_fails_on_what_core_fails_on(core):
    assert get(core, "/v3/search/works/", {}, q='"exact phrase"').status_code == 500
    assert get(core, "/v3/search/works/", {}, q="x", offset=9_999, limit=2).status_code == 500
    download = get(core, "/v3/outputs/500/download", {})
    assert (download.status_code, download.history[0].status_code) == (404, 301)
    assert b"BlobNotFound" in download.content


def test_a_scroll_gives_a_new_id_with_each_page(core):
    first = get(core, "/v3/search/works/", {}, q="x", limit=20, scroll="true").json()
    second = get(core, "/v3/search/works/", {}, q="x", limit=20, scrollId=first["scrollId"]).json()
    assert first["scrollId"] != second["scrollId"]
    assert {w["id"] for w in first["results"]}.isdisjoint(w["id"] for w in second["results"])


def test_a_search_may_be_posted(core):
    search = f"{core.url}/v3/search/works"
    asked = {"q": "x", "limit": 20, "offset": 10, "exclude": ["fullText"], "scroll": False}
    posted = requests.post(search, json=asked, timeout=10).json()
    got = get(core, "/v3/search/works/", {}, q="x", limit=20, offset=10, exclude="fullText").json()
    assert posted == got
    scrolled = requests.post(
        search, json={"q": "x", "limit": 20, "scroll": True}, timeout=10
    ).json()
    following = {"q": "x", "limit": 20, "scrollId": scrolled["scrollId"]}
    second = requests.post(search, json=following, timeout=10).json()
    assert [work["id"] for work in second["results"]] == list(range(100_020, 100_040))


def test_facets_count_works_by_value(core):
    facets = f"{core.url}/v3/search/works/aggregate"
    asked = {"q": "yearPublished>=2001", "aggregations": ["yearPublished", "authors"]}
    counts = requests.post(facets, json=asked, timeout=10).json()["aggregations"]
    assert sum(counts["yearPublished"].values()) == sum(d.year >= 2001 for d in core.documents)
    assert counts["yearPublished"]["2001"] == 3
    assert all("," in name for name in counts["authors"])
    default = requests.post(facets, json={"q": "x"}, timeout=10).json()["aggregations"]
    assert set(default) == {"year_published", "document_type"}


def test_an_original_file_is_redirected_to_and_costs_more_than_a_page():
    with CoreEmulator(generate(4), core=CoreKnobs(tokens=7)) as server:
        there = get(server, "/v3/outputs/500005/download", {})
        assert (there.status_code, there.history[0].status_code) == (200, 301)
        assert there.content.startswith(b"%PDF-")
        assert there.history[0].headers["X-RateLimit-Remaining"] == "4"
        missing = get(server, "/v3/works/100002/download", {})
        assert (missing.status_code, missing.history[0].status_code) == (404, 301)
        assert b"BlobNotFound" in missing.content
        assert get(server, "/v3/works/100001/download", {}).status_code == 429


def test_a_file_server_has_an_index_and_answers_for_the_head_alone():
    with FileEmulator({"/pub/a b.gz": b"12345", "/pub/x=1/c.gz": b"1"}) as server:
        index = get(server, "/pub/", {}).text
        assert 'href="a%20b.gz"' in index
        assert 'href="x%3D1/c.gz"' in index
        head = requests.head(f"{server.url}/pub/a b.gz", timeout=10)
        assert (head.headers["Content-Length"], head.content) == ("5", b"")
        rest = get(server, "/pub/a b.gz", {"Range": "bytes=3-"})
        assert (rest.status_code, rest.content) == (206, b"45")
        assert rest.headers["Content-Range"] == "bytes 3-4/5"


def test_random_faults_follow_their_seed_and_their_rate():
    def statuses(seed):
        knobs = Knobs(seed=seed, fault_rate=0.3, faults=("500", "502"))
        with CoreEmulator(generate(3), knobs) as server:
            return [get(server, "/v3/works/100000", {}).status_code for _ in range(60)]

    assert statuses(1) == statuses(1) != statuses(2)
    assert 6 <= sum(status != 200 for status in statuses(1)) <= 30


def test_documents_can_be_given(tmp_path):
    row = {"number": 7, "title": "T", "abstract": "A", "authors": [["Berg", "A"]], "year": 1999}
    (tmp_path / "papers.jsonl").write_text(json.dumps(row) + "\n")
    [paper] = load(tmp_path / "papers.jsonl")
    assert paper == Document(7, "T", "A", authors=(("Berg", "A"),), year=1999)


@pytest.mark.cluster
@pytest.mark.parametrize("name", ["core", "crossref", "files", "openalex", "scopus"])
def test_an_emulator_starts_from_the_command_line(name):
    command = [sys.executable, str(Path(__file__).parent), name, "--records", "12"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        process.terminate()
    base = "/v3" if name == "core" else ""
    assert re.fullmatch(rf"http://127\.0\.0\.1:\d+{base} serves 12 papers\n", line)


def test_noise_is_chosen(scopus):
    scopus.scopus = ScopusKnobs(noise="suffix")
    entry = get(scopus, SEARCH, query="q", view="COMPLETE").json()["search-results"]["entry"][0]
    assert entry["dc:description"].endswith("© 2000 Elsevier Ltd. All rights reserved.")
