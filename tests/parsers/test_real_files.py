"""Real files, where there are any: everything is read or refused, and reads like the paper."""

import gzip
from collections import Counter

import pytest
from lxml import etree

from corpusforge.errors import ParseError
from corpusforge.kernels.marks import REFERENCE, SUB_ARTICLE, TABLE
from corpusforge.kernels.structure import restructure
from corpusforge.parsers.jats import parse_jats
from corpusforge.parsers.paper import MissingIdentifier
from corpusforge.parsers.pubmed import parse_article
from corpusforge.parsers.pubmed_records import Kind, split_records

JATS = ["samples/jats", "demo/elife_jats", "demo/plos_jats", "demo/elife_versions"]
RESIDUE = [
    "\\documentclass",
    "\\begin{document}",
    "<mml:",
    "</",
    "In the interests of transparency",
]


@pytest.fixture(scope="module")
def full_texts(real_data):
    """Each JATS file's name, to its bytes."""
    paths = [path for folder in JATS for path in sorted((real_data / folder).iterdir())]
    paths += sorted((real_data / "demo/jose_pdf_jats").glob("*.jats"))
    return {path.name: path.read_bytes() for path in paths}


def pubmed_records(path):
    data = path.read_bytes()
    return list(split_records([gzip.decompress(data) if path.suffix == ".gz" else data]))


def default_text(paper):
    """What is left of a body by the policy that is usual."""
    return restructure(paper.body, "keep", REFERENCE + TABLE + SUB_ARTICLE)[0]


def test_every_full_text_is_read(full_texts):
    papers = {name: parse_jats(document) for name, document in full_texts.items()}
    assert len(papers) == 45
    for name, paper in papers.items():
        assert paper.title, name
        assert paper.authors, name
        assert len(paper.body) > 5000, name
        assert paper.doi, name


def test_no_markup_and_no_review_is_left_in_a_full_text(full_texts):
    for name, document in full_texts.items():
        paper = parse_jats(document)
        for residue in RESIDUE:
            assert residue not in paper.abstract + default_text(paper), (name, residue)


def test_every_paragraph_outside_floats_reaches_the_body(full_texts):
    """An independent look at the source: the first words of each plain paragraph of a section."""
    for name, document in full_texts.items():
        text = " ".join(default_text(parse_jats(document)).split())
        root = etree.fromstring(document)
        for paragraph in root.xpath(
            "/article/body//sec/p[not(ancestor::fig|ancestor::table-wrap)]"
        ):
            start = " ".join((paragraph.text or "").split())
            assert start in text, name


def test_formulas_given_twice_are_told_once(full_texts):
    """Each of the four formulas is there as TeX and as MathML."""
    text = default_text(parse_jats(full_texts["PMC7417471.nxml"]))
    assert text.count(r"${\text{T}}_{\text{g}}$") == 1
    assert text.count(r"${\text{T}}_{\text{HRI}}$") == 1
    assert text.count("T_g") == 0


def test_a_digest_is_not_the_abstract_and_letters_are_not_the_body(full_texts):
    paper = parse_jats(full_texts["elife.xml"])
    assert paper.abstract.count("\n\n") == 0
    assert "DOI:" not in paper.abstract
    text, gone = restructure(paper.body, "keep", SUB_ARTICLE)
    assert "## Decision letter" in paper.body
    assert "## Author response" in paper.body
    assert "Decision letter" not in text
    assert gone["sub_articles"] > 10


def test_the_records_of_a_pubmed_file_are_all_read(real_data):
    records = pubmed_records(real_data / "samples/pubmed/pubmedsample_2019.xml.gz")
    kinds = Counter(record.kind for record in records)
    papers = [parse_article(record.content) for record in records if record.kind is Kind.ARTICLE]
    assert kinds == {Kind.ARTICLE: 176, Kind.DELETION: 7}
    assert sum(bool(paper.abstract) for paper in papers) >= 115
    assert all(paper.title and paper.venue and paper.year for paper in papers)
    assert not any(paper.title.startswith("[") for paper in papers)


def test_the_record_without_a_pmid_is_refused(real_data):
    [record] = pubmed_records(real_data / "samples/pubmed/pubmedsample_no_pmid_2019.xml.gz")
    with pytest.raises(MissingIdentifier, match="Hospital debt management"):
        parse_article(record.content)


def test_inline_markup_of_a_pubmed_title_is_kept_as_text(real_data):
    [record] = pubmed_records(real_data / "samples/pubmed/example-medline-31388315.xml")
    assert "patients with RAS wild-type" in parse_article(record.content).title


def test_an_answer_that_is_no_set_of_articles_is_foreign(real_data):
    [record] = pubmed_records(real_data / "samples/pubmed/esearch.xml")
    assert record.kind is Kind.FOREIGN


def test_a_full_text_cut_anywhere_is_refused(full_texts):
    document = full_texts["elife00270.xml"]
    for end in range(0, len(document) - 1, 499):
        with pytest.raises(ParseError, match=f"record of {end:,} bytes"):
            parse_jats(document[:end])
