"""MAG, AMiner and OpenAlex: papers of the graphs, with abstracts from their indexes."""

import json

import pytest

from corpusforge.errors import ParseError
from corpusforge.parsers.oag import parse_aminer, parse_mag
from corpusforge.parsers.openalex import parse_openalex
from corpusforge.parsers.paper import MissingIdentifier
from corpusforge.parsers.placeholders import OnlyPlaceholder

INDEX = {"Cells": [0], "divide": [1, 4], "and": [2], "then": [3]}
WORK = {
    "id": "https://openalex.org/W42",
    "doi": "https://doi.org/10.1000/ABC.1",
    "ids": {"mag": "42", "pmid": "https://pubmed.ncbi.nlm.nih.gov/77", "pmcid": "PMC9"},
    "title": "On <i>cells</i>",
    "publication_year": 2014,
    "language": "en",
    "type": "article",
    "primary_location": {
        "source": {"display_name": "Journal of Cells"},
        "license": "cc-by",
        "version": "publishedVersion",
        "landing_page_url": "https://example.org/1",
    },
    "authorships": [{"author": {"display_name": "Ada van Dyck"}}, {"author": None}],
    "is_retracted": True,
    "abstract_inverted_index": INDEX,
}


def line(**fields):
    return json.dumps(fields).encode()


def test_a_real_mag_line(real_data):
    paper = parse_mag((real_data / "samples/oag/mag_paper.jsonl").read_bytes())
    assert paper.source_id == paper.mag == "2507145174"
    assert paper.doi == "10.1021/acs.jmedchem.6b00801"
    assert paper.abstract.startswith("To better understand the contribution of methyl-lysine")
    assert "reported the discovery of 1 (UNC3866), a chemical probe" in paper.abstract
    assert paper.authors[:2] == ("Stuckey", "Simpson")
    assert (paper.year, paper.venue, paper.version_kind) == (
        2016,
        "Journal of Medicinal Chemistry",
        "published",
    )


@pytest.mark.parametrize(
    "index", [json.dumps({"IndexLength": 5, "InvertedIndex": INDEX}), INDEX, json.dumps(INDEX)]
)
def test_an_index_in_a_string_or_as_an_object(index):
    paper = parse_mag(line(id=1, indexed_abstract=index))
    assert paper.abstract == "Cells divide and then divide"


def test_only_the_id_is_sure():
    paper = parse_mag(b'{"id": 5, "doi": "", "venue": "", "year": "", "authors": [null]}')
    assert (paper.source_id, paper.doi, paper.venue, paper.year) == ("5", None, None, None)


def test_an_abstract_that_is_no_index_is_refused():
    with pytest.raises(ParseError, match="inverted index"):
        parse_mag(line(id=1, indexed_abstract="a plain text"))


def test_aminer_has_plain_abstracts_and_ids_in_hexadecimal():
    paper = parse_aminer(
        line(
            id="53e99784b7602d9701f3e3f5",
            title="A title",
            venue={"raw": "KDD", "id": "x"},
            abstract="Abstract: We mine.",
            year="2008",
            lang="en",
            url=["", "http://a"],
        )
    )
    assert (paper.source_id, paper.mag) == ("53e99784b7602d9701f3e3f5", None)
    assert (paper.abstract, paper.venue, paper.year) == ("We mine.", "KDD", 2008)
    assert (paper.declared_language, paper.url) == ("en", "http://a")


def test_venues_of_the_first_version_are_strings():
    assert parse_aminer(line(id="a", venue="KDD")).venue == "KDD"


@pytest.mark.parametrize("key", [None, "", "two words"])
def test_aminer_needs_an_id(key):
    with pytest.raises(MissingIdentifier, match="AMiner paper titled 'T'"):
        parse_aminer(line(id=key, title="T"))


def test_a_work_of_openalex():
    paper = parse_openalex(json.dumps(WORK).encode())
    assert (paper.source_id, paper.openalex, paper.mag) == ("W42", "W42", "42")
    assert (paper.doi, paper.pmid, paper.pmcid) == ("10.1000/abc.1", "77", "PMC9")
    assert (paper.title, paper.abstract) == ("On cells", "Cells divide and then divide")
    assert (paper.authors, paper.venue) == (("van Dyck",), "Journal of Cells")
    assert (paper.licence, paper.licence_stated, paper.retracted) == ("CC-BY", "article", True)
    assert (paper.version_kind, paper.declared_language) == ("published", "en")
    assert paper.url == "https://example.org/1"


def test_a_real_record_of_openalex_as_the_api_gives_it(real_data):
    path = real_data / "samples/openalex/work_fields_pieper2014.json"
    paper = parse_openalex(path.read_bytes())
    assert (paper.source_id, paper.mag, paper.pmid) == ("W2090590132", "2090590132", "24581293")
    assert paper.title.startswith("Systematic review finds overlapping reviews")
    assert (paper.year, paper.venue) == (2014, "Journal of Clinical Epidemiology")
    assert not paper.retracted


@pytest.mark.parametrize(
    ("kind", "version", "expected"),
    [
        ("article", "acceptedVersion", "accepted"),
        ("article", "submittedVersion", "preprint"),
        ("preprint", "publishedVersion", "preprint"),
        ("article", None, "unknown"),
    ],
)
def test_version_kinds_of_openalex(kind, version, expected):
    work = WORK | {"type": kind, "primary_location": {"version": version}}
    assert parse_openalex(json.dumps(work).encode()).version_kind == expected


def test_a_doi_of_arxiv_names_the_arxiv_paper():
    work = WORK | {"doi": "https://doi.org/10.48550/arXiv.1706.03762"}
    assert parse_openalex(json.dumps(work).encode()).arxiv == "1706.03762"


def test_markup_that_became_words_of_the_index_is_dropped():
    words = "<jats:title>Abstract</jats:title><jats:p>We <jats:italic>do</jats:italic> it.</jats:p>"
    index = {word: [i] for i, word in enumerate(words.split())}
    paper = parse_openalex(json.dumps(WORK | {"abstract_inverted_index": index}).encode())
    assert paper.abstract == "We do it."


def test_an_index_that_says_there_is_no_abstract():
    index = {"No": [0], "abstract": [1], "available.": [2]}
    with pytest.raises(OnlyPlaceholder, match=r"record W42 has 'No abstract available\.'"):
        parse_openalex(json.dumps(WORK | {"abstract_inverted_index": index}).encode())


@pytest.mark.parametrize("key", [None, "https://openalex.org/A5023888391", "W", "W1x"])
def test_other_entities_of_openalex_are_no_works(key):
    with pytest.raises(MissingIdentifier):
        parse_openalex(json.dumps(WORK | {"id": key}).encode())
