"""What is promised of CORE's works, on recorded responses and on made ones."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ParseError
from corpusforge.parsers.core_api import output_with_file, parse_work, parse_works, work_id
from corpusforge.parsers.paper import MissingIdentifier


@pytest.fixture
def samples(real_data):
    return real_data / "samples" / "core"


def work(**fields):
    return json.dumps({"id": 7} | fields).encode()


def test_t10_the_recorded_placeholder_is_no_full_text(samples):
    page = parse_works((samples / "v3_fulltext_placeholder.json").read_bytes())
    [paper] = [parse_work(raw) for raw in page.works]
    assert (paper.body, paper.source_id, paper.year) == ("", "168955695", 2024)
    assert paper.authors == ("MOHAMMADI",)


def test_a_recorded_search(samples):
    page = parse_works((samples / "v3_search_works_response_2022.json").read_bytes())
    assert (page.total, page.scroll, len(page.works)) == (23027, None, 3)
    first, _, third = [parse_work(raw) for raw in page.works]
    assert first.abstract.endswith("continued plastic deformation.")
    assert third.abstract.endswith("are then discussed.")
    assert "\n" not in first.abstract
    assert first.authors == ("Piccolroaz", "Bigoni", "Willis")
    assert (first.arxiv, first.doi) == ("1010.1833", "10.1016/j.jmps.2006.05.005")


@pytest.mark.parametrize(
    ("name", "core", "doi"),
    [
        ("v3_work_authenticated_2024.json", "603903781", "10.59324/ejtas.2024.2(2).44"),
        ("v3_work_by_doi_2023.json", "555948398", "10.1007/s10207-021-00566-3"),
    ],
)
def test_recorded_works(samples, name, core, doi):
    paper = parse_work((samples / name).read_bytes())
    assert (paper.core, paper.doi, paper.declared_language) == (core, doi, "en")
    assert paper.title
    assert paper.authors


@pytest.mark.parametrize(
    ("full_text", "body"),
    [
        ("Not available for public API users.", ""),
        ("not available for public API users", ""),
        ("", ""),
        (None, ""),
        (
            "  Text.\n\nNot available for public API users.",
            "Text.\n\nNot available for public API users.",
        ),
    ],
)
def test_t10_only_the_placeholder_itself_is_dropped(full_text, body):
    assert parse_work(work(fullText=full_text)).body == body


@pytest.mark.parametrize(
    ("raw", "abstract"),
    [
        (None, ""),
        ("", ""),
        ("-", ""),
        ("None.", ""),
        ("No abstract available", ""),
        ("Abstract. We show it.", "We show it."),
        ("by unified\n  formulation", "by unified formulation"),
        ("the \\u27best\\u27 \\u3ci\\u3e one", "the 'best' one"),
        ("x \\u2264 2 and \\u22y", 'x \\u2264 2 and "y'),
        ("Smith &amp;apos;s law", "Smith 's law"),
        ("<jats:p>We show it.</jats:p>", "We show it."),
        ("p < 0.05 and x > 3 hold", "p < 0.05 and x > 3 hold"),
        ("We show it.Comment: 12 page", "We show it.Comment: 12 page"),
    ],
)
def test_abstracts_are_freed_of_what_core_adds(raw, abstract):
    assert parse_work(work(abstract=raw)).abstract == abstract


def test_arxivs_comment_is_not_the_abstract():
    raw = "We show it.Comment: 32 pages, 12 figure"
    assert parse_work(work(abstract=raw, arxivId="1010.1833")).abstract == "We show it."


@pytest.mark.parametrize(
    ("names", "families"),
    [
        (["Kipkirui, Edwin", "de Laat, C."], ("Kipkirui", "de Laat")),
        (["Bertoldi", "Bigoni", "Davide Bigoni"], ("Bigoni",)),
        (["Bertoldi", "Bigoni"], ("Bertoldi", "Bigoni")),
        (["Aristotle", "Aristotle"], ("Aristotle",)),
        ([None, ""], ()),
    ],
)
def test_cited_authors_are_not_the_papers(names, families):
    assert parse_work(work(authors=[{"name": name} for name in names])).authors == families


@pytest.mark.parametrize(
    ("fields", "year"),
    [
        ({"yearPublished": 2024}, 2024),
        ({"yearPublished": "2024"}, 2024),
        ({"yearPublished": None, "publishedDate": "2019-03-01T01:00:00"}, 2019),
        ({"yearPublished": 0, "publishedDate": ""}, None),
        ({}, None),
    ],
)
def test_years_in_every_type(fields, year):
    assert parse_work(work(**fields)).year == year


def test_an_address_that_holds_a_reference_list_is_none():
    assert parse_work(work(downloadUrl="https://a/b.pdf")).url == "https://a/b.pdf"
    assert parse_work(work(downloadUrl="http://" + "x" * 1900)).url is None
    assert parse_work(work(downloadUrl="see Smith 2001")).url is None


def test_numbers_of_a_page_may_be_strings():
    page = parse_works(b'{"totalHits": "12", "limit": "100", "scrollId": "x", "results": []}')
    assert (page.total, page.scroll, page.works) == (12, "x", ())


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"message": "x"}', b'{"results": 5}', b"[]"])
def test_what_is_no_page_is_told(body):
    with pytest.raises(ParseError, match=rf"a response of {len(body)} bytes is not a page"):
        parse_works(body)


def test_a_work_without_id_is_told_by_its_title():
    with pytest.raises(MissingIdentifier, match="titled 'Lost'"):
        parse_work(b'{"title": "Lost"}')
    assert work_id(work(id="12")) == "12"


def test_the_output_with_the_file_is_the_one_that_core_links_to_before_the_first():
    outputs = ["https://api.core.ac.uk/v3/outputs/1", "https://api.core.ac.uk/v3/outputs/2"]
    link = {"type": "download", "url": "https://core.ac.uk/download/pdf/3.pdf"}
    elsewhere = "http://arxiv.org/abs/1010.1833"
    at_core = "https://core.ac.uk/download/4.pdf"
    find = lambda **fields: output_with_file(work(**fields))  # noqa: E731
    assert find(outputs=outputs, links=[link], downloadUrl=at_core) == "4"
    assert find(outputs=outputs, links=[{}, link], downloadUrl=elsewhere) == "3"
    assert find(outputs=outputs, downloadUrl=elsewhere) == "1"
    assert find(downloadUrl=elsewhere) is None


def test_recorded_works_name_their_files(samples):
    page = parse_works((samples / "v3_search_works_response_2022.json").read_bytes())
    assert [output_with_file(raw) for raw in page.works] == ["2151540", "143956574", "93938051"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)
FIELDS = ["title", "abstract", "fullText", "authors", "doi", "identifiers", "outputs", "journals"]
FIELDS += ["links", "downloadUrl"]


@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_no_field_breaks_the_parser(fields):
    assert parse_work(work(**fields)).source_id == "7"
    output_with_file(work(**fields))
