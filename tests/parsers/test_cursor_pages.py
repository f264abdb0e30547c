"""What is in an answer of OpenAlex or of Crossref: works as they came, or a ParseError."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ParseError
from corpusforge.parsers.crossref import parse_crossref
from corpusforge.parsers.cursor_pages import (
    CursorPage,
    crossref_page,
    crossref_works,
    openalex_page,
    openalex_works,
)
from corpusforge.parsers.openalex import parse_openalex

READERS = [openalex_page, openalex_works, crossref_page, crossref_works]
WORKS = [{"id": "W1", "DOI": "10.1/a", "extra": [1.50, "é"]}, {"id": "W2", "DOI": "10.1/b"}]


def openalex_body(works, cursor):
    return {"meta": {"count": 7, "next_cursor": cursor}, "results": works, "group_by": []}


def crossref_body(works, cursor):
    message = {"total-results": 7, "items": works, "next-cursor": cursor}
    return {"status": "ok", "message-type": "work-list", "message": message}


SHAPES = [
    (openalex_body, openalex_page, openalex_works),
    (crossref_body, crossref_page, crossref_works),
]


@pytest.mark.parametrize(("body_of", "page_of", "works_of"), SHAPES)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_page_holds_its_works_byte_for_byte(body_of, page_of, works_of, indent):
    body = json.dumps(body_of(WORKS, "a+b=="), indent=indent, ensure_ascii=False).encode()
    page = page_of(body)
    assert (page.total, page.cursor, len(page.works)) == (7, "a+b==", 2)
    assert [json.loads(work) for work in page.works] == WORKS
    assert all(work in body for work in page.works)
    assert works_of(body) == page.works


@pytest.mark.parametrize(("body_of", "page_of", "_works_of"), SHAPES)
@pytest.mark.parametrize("cursor", [None, ""])
def test_the_last_page_has_no_cursor(body_of, page_of, _works_of, cursor):
    assert page_of(json.dumps(body_of([], cursor)).encode()) == CursorPage(7, (), None)


def test_a_single_work_of_openalex_is_the_whole_answer():
    body = json.dumps(WORKS[0]).encode()
    assert openalex_works(body) == (body,)


def test_a_single_work_of_crossref_comes_without_its_envelope():
    body = json.dumps({"status": "ok", "message-type": "work", "message": WORKS[0]}).encode()
    [work] = crossref_works(body)
    assert json.loads(work) == WORKS[0]


@given(st.sampled_from(READERS), st.binary(max_size=60))
def test_bytes_that_are_no_answer_raise_nothing_but_parse_error(read, body):
    with pytest.raises(ParseError, match=rf"an answer of {len(body)} bytes is not a"):
        read(body)


@pytest.mark.parametrize(("body_of", "page_of", "works_of"), SHAPES)
def test_an_answer_that_is_cut_short_is_none(body_of, page_of, works_of):
    body = json.dumps(body_of(WORKS, "c")).encode()
    for length in range(len(body)):
        for read in (page_of, works_of):
            with pytest.raises(ParseError):
                read(body[:length])


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": "Invalid query parameters error.", "message": "no"}',
        b'{"status": "failed", "message-type": "resource-failure", "message": [{"type": "x"}]}',
        b'{"meta": {"count": null}, "results": []}',
        b'{"message-type": "work", "message": {"title": ["no DOI"]}}',
    ],
)
def test_an_error_is_not_taken_for_an_answer(body):
    for read in READERS:
        with pytest.raises(ParseError, match="it starts with b"):
            read(body)


def test_real_answers_are_read(real_data):
    page = crossref_page((real_data / "samples/crossref/crossref_api_works.json").read_bytes())
    assert page.total == 2_473_850
    assert all(parse_crossref(work).doi for work in page.works)
    lines = (real_data / "samples/crossref/snapshot_line_entry1.json").read_bytes().splitlines()
    for line in lines:
        [single] = crossref_works(line)
        assert parse_crossref(single) == parse_crossref(line)
    [work] = openalex_works(
        (real_data / "samples/openalex/work_fields_pieper2014.json").read_bytes()
    )
    assert parse_openalex(work).openalex == "W2090590132"


def test_real_refusals_are_not_taken_for_works(real_data):
    for name in ("error_404_is_html.json", "error_429_budget.json"):
        recorded = json.loads((real_data / "samples/openalex" / name).read_bytes())["response"]
        body = recorded.get("body_text", json.dumps(recorded.get("body_json"))).encode()
        with pytest.raises(ParseError):
            openalex_works(body)
