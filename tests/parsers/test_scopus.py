"""What is promised of Scopus records, on recorded responses and on made ones."""

import json

import pytest

from corpusforge.errors import ParseError
from corpusforge.parsers.paper import MissingIdentifier
from corpusforge.parsers.scopus import (
    items_of,
    mapping_of,
    parse_entry,
    parse_retrieval,
    parse_search,
    text_of,
)


@pytest.fixture
def samples(real_data):
    return real_data / "samples" / "scopus"


def search(*entries, total="9", **more):
    results = {"opensearch:totalResults": total, "entry": list(entries)} | more
    return json.dumps({"search-results": results}).encode()


def retrieval(coredata, **more):
    response = {"coredata": {"eid": "2-s2.0-1"} | coredata} | more
    return json.dumps({"abstracts-retrieval-response": response}).encode()


def test_t05_the_overlapping_last_page_repeats_8_of_25(samples):
    pages = [
        parse_search((samples / name).read_bytes())
        for name in (
            "search_COMPLETE_page_start0.json",
            "search_COMPLETE_page_last_start17_overlaps.json",
        )
    ]
    eids = [[parse_entry(entry).source_id for entry in page.entries] for page in pages]
    assert [page.total for page in pages] == [42, 42]
    assert len(set(eids[0]) & set(eids[1])) == 8
    assert len(set(eids[0]) | set(eids[1])) == 42


def test_a_recorded_complete_entry(samples):
    page = parse_search((samples / "search_COMPLETE_page_start0.json").read_bytes())
    paper = parse_entry(page.entries[0])
    assert paper.source_id == "2-s2.0-85045740431"
    assert (paper.scopus, paper.doi) == ("85045740431", "10.1007/s00382-018-4183-6")
    assert paper.abstract.startswith("A detailed analysis is carried out")
    assert (paper.authors[0], len(paper.authors)) == ("Vautard", 25)
    assert (paper.year, paper.venue) == (2019, "Climate Dynamics")
    assert paper.document_type == "Article"


@pytest.mark.parametrize(
    ("name", "entries"),
    [("search_STANDARD_author_7006615561.json", 25), ("search_STANDARD_isbn_list.json", 2)],
)
def test_recorded_standard_entries_have_no_abstract(samples, name, entries):
    page = parse_search((samples / name).read_bytes())
    papers = [parse_entry(entry) for entry in page.entries]
    assert len(papers) == entries
    assert all(paper.title and not paper.abstract for paper in papers)
    assert all(len(paper.authors) == 1 and "." not in paper.authors[0] for paper in papers)


def test_recorded_retrievals_on_and_off_campus(samples):
    name = "abstract_retrieval_field_filter_{}campus.json"
    on = parse_retrieval((samples / name.format("on")).read_bytes())
    off = parse_retrieval(
        (samples / "abstract_retrieval_field_filter_offcampus_no_abstract.json").read_bytes()
    )
    assert on.abstract.startswith("The advancement of technology")
    assert off.abstract == ""
    assert on.authors == off.authors == ("de Oliveira",)
    assert on.source_id == off.source_id == "2-s2.0-85197125619"


def test_t06_result_set_was_empty_is_no_record():
    empty = search({"@_fa": "true", "error": "Result set was empty"}, total="0")
    assert (parse_search(empty).total, parse_search(empty).entries) == (0, ())
    assert parse_search(search(total=None)).total == 0


def test_t07_one_many_or_none_is_the_same():
    one, two = {"a": 1}, [{"a": 1}, {"a": 2}]
    assert [items_of(value) for value in (None, one, two, "x", [None])] == [[], [one], two, [], []]
    assert [mapping_of(value) for value in (None, one, two, [])] == [{}, one, one, {}]
    values = (None, "x", {"$": "x"}, [{"@_fa": "true", "$": "x"}], [None, "x"], {}, [], 7, True)
    assert [text_of(value) for value in values] == ["", *["x"] * 4, "", "", "7", ""]


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        (None, ()),
        ({"author": None}, ()),
        ({"author": {"ce:surname": "Berg"}}, ("Berg",)),
        ({"author": [{"ce:surname": "Berg"}, {"ce:surname": None}]}, ("Berg",)),
    ],
)
def test_t07_authors_in_every_shape(authors, names):
    assert parse_retrieval(retrieval({}, authors=authors)).authors == names


def test_t07_an_entry_that_is_not_in_a_list_is_one():
    body = json.dumps({"search-results": {"opensearch:totalResults": 1, "entry": {"eid": "x"}}})
    assert parse_search(body.encode()).entries == (b'{"eid": "x"}',)


@pytest.mark.parametrize(
    ("description", "abstracts", "text"),
    [
        ("One.", None, "One."),
        (None, "Two.", "Two."),
        ("", "Two.", "Two."),
        (None, {"ce:para": "<p>Three.</p>"}, "Three."),
        (None, None, ""),
    ],
)
def test_both_places_of_the_abstract_are_read(description, abstracts, text):
    item = {"bibrecord": {"head": {"abstracts": abstracts}}}
    assert parse_retrieval(retrieval({"dc:description": description}, item=item)).abstract == text


def test_the_cursor_is_read_where_there_is_one():
    page = parse_search(search(cursor={"@current": "*", "@next": "Ao+/=="}))
    assert page.cursor == "Ao+/=="
    assert parse_search(search()).cursor is None


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"{}", b'{"search-results": {"entry": 5', search(total="x")]
)
def test_what_is_no_page_is_told(body):
    with pytest.raises(ParseError, match=rf"a response of {len(body)} bytes is not a page"):
        parse_search(body)


def test_an_entry_without_eid_is_told_by_its_title():
    with pytest.raises(MissingIdentifier, match="titled 'Lost'"):
        parse_entry(b'{"dc:title": "Lost"}')
    assert parse_entry(b'{"dc:identifier": "SCOPUS_ID:7"}').source_id == "2-s2.0-7"


@pytest.mark.parametrize("entry", [b"", b"{", b"[]", b"5"])
def test_what_is_no_entry_is_told(entry):
    with pytest.raises(ParseError):
        parse_entry(entry)


@pytest.mark.parametrize(
    ("date", "year"),
    [("2019-01-24", 2019), ([{"$": "2019-01-01"}], 2019), ("Spring", None), (None, None)],
)
def test_cover_dates(date, year):
    assert (
        parse_entry(json.dumps({"eid": "2-s2.0-1", "prism:coverDate": date}).encode()).year == year
    )
