"""Records of CORE from three dumps and the API."""

import json

import pytest

from corpusforge.parsers.core import parse_core
from corpusforge.parsers.paper import MissingIdentifier
from corpusforge.parsers.placeholders import OnlyPlaceholder

DUMP_2020 = {
    "doi": "10.1000/A",
    "coreId": "228783",
    "oai": "oai:eprints.example.org:1",
    "identifiers": ["oai:x", None, "10.9/9"],
    "title": "On &amp; off",
    "authors": ["Blanuša, Nebojša", "Bovan, Kosta", "Bovan, Kosta"],
    "enrichments": {"references": [], "documentType": {"type": "RESEARCH", "confidence": "0.9"}},
    "datePublished": "9999-01-01",
    "abstract": "<p>We switch.</p>",
    "journals": [{"title": None}, {"title": "Switches"}],
    "language": {"code": "en", "name": "English", "id": 9},
    "year": 2014,
    "fullText": "Page one.\n\nPage\ntwo.",
    "downloadUrl": "https://core.ac.uk/download/pdf/228783.pdf",
}


def core(**fields):
    return parse_core(json.dumps(DUMP_2020 | fields).encode())


def test_a_record_of_2020():
    paper = core()
    assert (paper.source_id, paper.core, paper.doi) == ("228783", "228783", "10.1000/a")
    assert (paper.title, paper.abstract) == ("On & off", "We switch.")
    assert paper.body == "Page one.\n\nPage\ntwo."
    assert paper.authors == ("Blanuša", "Bovan")
    assert (paper.year, paper.venue, paper.document_type) == (2014, "Switches", "RESEARCH")
    assert (paper.declared_language, paper.licence) == ("en", None)


def test_a_record_of_2018_has_plainer_fields():
    paper = core(language="eng", journals=["Old Switches"], year=None, datePublished="2003")
    assert (paper.declared_language, paper.venue, paper.year) == ("en", "Old Switches", 2003)


def test_a_byte_order_mark_in_a_key_hides_no_field():
    record = json.dumps(DUMP_2020, ensure_ascii=False).replace('"fullText"', '"\ufefffullText"')
    assert parse_core(record.encode()).body == "Page one.\n\nPage\ntwo."


def test_a_field_of_another_type_costs_only_itself():
    paper = core(year={"a": 1}, authors="nobody", enrichments=[])
    assert (paper.year, paper.authors, paper.title) == (None, (), "On & off")


def test_the_comment_of_arxiv_behind_an_abstract_goes():
    paper = core(
        oai="oai:arXiv.org:1010.1833", abstract="It is deformed.Comment: 32 pages, 12 figure"
    )
    assert (paper.abstract, paper.arxiv) == ("It is deformed.", "1010.1833")
    assert core(abstract="It is. Comment: no.").abstract == "It is. Comment: no."


def test_a_placeholder_for_a_full_text_is_dropped():
    """T10."""
    assert core(fullText="Not available for public API users.").body == ""


@pytest.mark.parametrize("ids", [{}, {"coreId": None}, {"coreId": "x", "id": 0}, {"coreId": 0}])
def test_a_record_without_an_id_is_refused(ids):
    message = "CORE record titled 'T' has .* expected a whole number above 0 in one of them"
    with pytest.raises(MissingIdentifier, match=message):
        parse_core(json.dumps({"title": "T"} | ids).encode())


def works(path):
    answer = json.loads(path.read_bytes())
    return [json.dumps(work).encode() for work in answer.get("results", [answer])]


def test_real_works_of_the_api(real_data):
    folder = real_data / "samples/core"
    papers = [parse_core(work) for work in works(folder / "v3_search_works_response_2022.json")]
    assert [paper.core for paper in papers] == ["722934", "17167962", "44593094"]
    assert [paper.arxiv for paper in papers] == ["1010.1833", "1312.4233", "1708.06987"]
    assert papers[0].mag == "2001901553"
    for paper in papers:
        assert "Comment" not in paper.abstract
        assert "\n" not in paper.title
    assert papers[0].authors.count("Bigoni") == 1


def test_a_real_work_of_an_anonymous_caller_has_no_text(real_data):
    [work] = works(real_data / "samples/core/v3_fulltext_placeholder.json")
    with pytest.raises(OnlyPlaceholder, match="Not available for public API users"):
        parse_core(work)


def test_a_real_record_of_the_second_api(real_data):
    path = real_data / "samples/core/v2_batch_articles_get.json"
    records = [answer["data"] for answer in json.loads(path.read_bytes())]
    paper = parse_core(json.dumps(records[0]).encode())
    assert (paper.core, paper.year, paper.authors) == ("29429717", 2015, ("Blanuša", "Bovan"))
    assert paper.abstract.startswith("In the last thirty years uneasiness")
