"""arXiv's metadata, as JSON and as tables whose ids went through a float; unarXive on top."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.marks import (
    ACKNOWLEDGEMENT,
    CITATION,
    END_CITATION,
    FIGURE,
    REFERENCE,
    TABLE,
)
from corpusforge.parsers.arxiv import parse_arxiv, parse_arxiv_row, repaired_id, unwrapped
from corpusforge.parsers.paper import MissingIdentifier
from corpusforge.parsers.placeholders import OnlyPlaceholder
from corpusforge.parsers.unarxive import PLACE, parse_unarxive

months = st.integers(7, 30).flatmap(
    lambda year: st.integers(4 if year == 7 else 1, 12).map(lambda month: year * 100 + month)
)


@given(months, st.data())
def test_every_id_survives_its_way_through_a_float(month, data):
    digits = 5 if month >= 1501 else 4
    number = data.draw(st.integers(1, 10**digits - 1))
    whole = f"{month:04}.{number:0{digits}}"
    assert repaired_id(repr(float(whole))) == whole
    assert repaired_id(whole) == whole


@pytest.mark.parametrize(
    ("told", "whole"),
    [
        ("704.0082", "0704.0082"),
        ("704.044", "0704.0440"),
        ("1005.2", "1005.2000"),
        ("1501.0264300000001", "1501.02643"),
        ("1702.0181899999998", "1702.01819"),
        ("cond-mat/9508063", "cond-mat/9508063"),
    ],
)
def test_damaged_ids_of_the_tables(told, whole):
    assert repaired_id(told) == whole


HOPELESS = ["", "1702", "9809004", "703.0001", "1713.00001", "1702.0", "1409.12345", "1.5", "nan"]


@pytest.mark.parametrize("told", [*HOPELESS, "1702.018195", "2e3", "1702.01819x"])
def test_an_id_that_could_be_two_or_none_is_refused_with_what_it_is(told):
    with pytest.raises(MissingIdentifier, match=f"titled 'T' has id '{told}'"):
        parse_arxiv_row({"arxiv_id": told, "title": "T"})


def test_a_row_of_a_table():
    paper = parse_arxiv_row(
        {
            "arxiv_id": "704.001",
            "title": "On\n  tables",
            "abstract": "We\nwrap.",
            "author_text": "Jim Gray, Ada Lovelace and Luc van Gool",
            "created": "2007-04-02",
            "doi": "10.1000/X",
        }
    )
    assert (paper.source_id, paper.arxiv, paper.year) == ("0704.0010", "0704.0010", 2007)
    assert (paper.title, paper.abstract, paper.doi) == ("On tables", "We\nwrap.", "10.1000/x")
    assert paper.authors == ("Gray", "Lovelace", "van Gool")


def metadata(**fields):
    return json.dumps({"id": "hep-th/9901001", "title": "T", "abstract": "A."} | fields).encode()


def test_the_last_version_counts():
    versions = [{"version": f"v{n}", "created": f"Mon, 2 Apr 200{n} 19:18:42 GMT"} for n in (1, 2)]
    paper = parse_arxiv(metadata(versions=versions))
    assert (paper.source_id, paper.version, paper.year) == ("hep-th/9901001", 2, 2001)


def test_a_number_is_no_id_because_it_may_have_lost_zeros():
    with pytest.raises(MissingIdentifier):
        parse_arxiv(metadata(id=704.001))


def test_of_two_dois_the_first_counts():
    assert parse_arxiv(metadata(doi="10.1000/a 10.1000/b")).doi == "10.1000/a"


def test_names_without_a_parsed_list_lose_their_affiliations():
    paper = parse_arxiv(metadata(authors="A. Bee (CERN, Geneva), C. Dee and E. Eff (MIT)"))
    assert paper.authors == ("Bee", "Dee", "Eff")


def test_licences_of_arxiv():
    own = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"
    assert parse_arxiv(metadata(license=own)).licence == "LicenseRef-arXiv-nonexclusive-1.0"
    assert parse_arxiv(metadata(license=None)).licence is None


def test_a_withdrawn_paper_has_no_abstract():
    with pytest.raises(OnlyPlaceholder, match="withdrawn by the authors"):
        parse_arxiv(metadata(abstract="  This paper has been withdrawn by the authors.\n"))


def test_indented_lines_start_paragraphs_and_others_stay_lines():
    text = "  One line\nof $a\\\\b$ text.\n  Another\nparagraph.\n\nA third.\n"
    assert unwrapped(text) == "One line\nof $a\\\\b$ text.\n\nAnother\nparagraph.\n\nA third."


def test_the_head_of_the_real_snapshot(real_data):
    path = real_data / "samples/arxiv/kaggle_arxiv-metadata-oai-snapshot.head.jsonl"
    papers, withdrawn = [], 0
    for line in path.read_bytes().splitlines():
        try:
            papers.append(parse_arxiv(line))
        except OnlyPlaceholder:
            withdrawn += 1
    assert (len(papers), withdrawn) == (199, 1)
    assert all(paper.title and paper.abstract and paper.authors for paper in papers)
    assert all(paper.version_kind == "preprint" and paper.year == 2007 for paper in papers)
    assert sum("\n\n" in paper.abstract for paper in papers) == 14
    assert not any("\n" in paper.title for paper in papers)
    assert papers[0].authors == ("Balázs", "Berger", "Nadolsky", "Yuan")
    assert (papers[0].version, papers[0].doi) == (2, "10.1103/physrevd.76.013009")
    assert sum(paper.licence is None for paper in papers) == 180


def unarxive(*texts, **more):
    """The paragraphs of a paper of one section; citations in braces."""
    body = [{"section": "Intro", "sec_type": "section", "text": text} for text in texts]
    facts = {"id": "2212.00001", "title": "T", "abstract": "A."}
    record = {"paper_id": "2212.00001", "metadata": facts, "body_text": body, **more}
    marked = parse_unarxive(json.dumps(record).encode()).body
    return marked.replace(CITATION, "{").replace(END_CITATION, "}").split("\n\n")


ENTRIES = {
    "a-1": {"type": "formula", "latex": " x^2 "},
    "p": {"type": "formula", "latex": " chosen from a measure "},
    "t": {"type": "table", "caption": "C"},
    "f": {"type": "figure", "caption": "F"},
    "n": {"type": "figure", "caption": "NO_CAPTION"},
}


def test_formulas_of_unarxive_are_put_in_their_places():
    found = unarxive("Let {{formula:a-1}}  , and", "we {{formula:p}} end", ref_entries=ENTRIES)
    assert found[:3] == ["## Intro", "Let $x^2$, and", "we chosen from a measure end"]


def test_a_formula_on_a_line_of_its_own_is_a_paragraph():
    found = unarxive("Let\n{{formula:a-1}} ,\nwhere {{formula:a-1}}\nis", ref_entries=ENTRIES)
    assert found[:4] == ["## Intro", "Let", "$$x^2$$,", "where $x^2$ is"]
    assert unarxive("{{formula:a-1}}\n", ref_entries=ENTRIES)[1] == "$$x^2$$"


def test_citations_of_unarxive_are_numbers_in_the_order_of_the_text():
    sources = {"u": {"bib_entry_raw": "Uncited."}, "c": {"bib_entry_raw": "See  C."}, "d": {}}
    found = unarxive("see {{cite:c}}, {{cite:d}}.\nThen", "as {{cite:c}} says", bib_entries=sources)
    assert found[1:3] == ["see {[1]}, {[2]}. Then", "as {[1]} says"]
    assert found[3:] == [f"{REFERENCE}[1] See C.", f"{REFERENCE}[3] Uncited."]


def test_captions_follow_the_paragraph_that_their_figure_stands_in():
    found = unarxive("{{table:t}} {{figure:n}}One", "Two {{formula:no}} .", ref_entries=ENTRIES)
    assert found == ["## Intro", "One", f"{TABLE}C", "Two.", f"{FIGURE}F"]


def test_sections_of_unarxive_say_what_they_are():
    thanks = {"section": "Acknowledgments", "sec_type": "section", "text": "We thank."}
    steps = {"section": "Deep", "sec_type": "subsection", "content_type": "list", "text": "a\n\nb"}
    found = unarxive(body_text=[steps, thanks])
    assert found[:3] == ["### Deep", "- a", "- b"]
    assert found[3:] == [f"{ACKNOWLEDGEMENT}## Acknowledgments", f"{ACKNOWLEDGEMENT}We thank."]


def test_real_papers_of_unarxive_have_no_keys_left(real_data):
    path = real_data / "samples/unarxive/arXiv_src_2212_086.head.jsonl"
    papers = [parse_unarxive(line) for line in path.read_bytes().splitlines()]
    assert [paper.source_id for paper in papers][:1] == ["2212.11867"]
    assert len(papers) == 3
    for paper in papers:
        assert len(paper.body) > 20_000
        assert paper.body.startswith("## Introduction")
        assert not PLACE.search(paper.body)
        assert paper.licence
