"""Semantic Scholar's metadata, the full texts of S2ORC in five forms, and peS2o."""

import json

import pytest

from corpusforge.errors import ParseError
from corpusforge.kernels.marks import (
    ACKNOWLEDGEMENT,
    CITATION,
    END_CITATION,
    FIGURE,
    REFERENCE,
    TABLE,
)
from corpusforge.parsers.paper import MissingIdentifier
from corpusforge.parsers.pes2o import parse_pes2o
from corpusforge.parsers.s2orc import parse_s2orc
from corpusforge.parsers.semantic_scholar import parse_semantic_scholar


def parsed(parse, **fields):
    return parse(json.dumps(fields).encode())


def in_braces(body):
    """Its paragraphs, with citations in braces."""
    return body.replace(CITATION, "{").replace(END_CITATION, "}").split("\n\n")


def test_a_line_of_the_dataset_papers():
    paper = parsed(
        parse_semantic_scholar,
        corpusid=42,
        externalids={"DOI": "10.1000/A", "ArXiv": "1706.03762", "MAG": "7", "PubMed": None},
        title="On <i>cells</i>",
        authors=[{"authorId": "1", "name": "Ada van Dyck"}, {"name": None}],
        year=2017,
        venue="arXiv.org",
        publicationtypes=["JournalArticle"],
    )
    assert (paper.source_id, paper.doi, paper.arxiv, paper.mag) == (
        *("42", "10.1000/a"),
        *("1706.03762", "7"),
    )
    assert (paper.title, paper.authors) == ("On cells", ("van Dyck",))
    assert (paper.document_type, paper.version_kind) == ("JournalArticle", "preprint")


def test_a_line_of_the_dataset_abstracts():
    access = {"externalids": {}, "license": "CCBY", "status": "GOLD"}
    paper = parsed(parse_semantic_scholar, corpusid=1, abstract="We do.", openaccessinfo=access)
    assert (paper.source_id, paper.abstract, paper.licence) == ("1", "We do.", "CC-BY")


def test_a_record_of_the_api_is_named_by_its_corpus_id_where_it_is_told():
    ids = {"CorpusId": 9, "DOI": "10.1000/B"}
    assert parsed(parse_semantic_scholar, paperId="ab", externalIds=ids).source_id == "9"
    assert parsed(parse_semantic_scholar, paperId="ab", abstract=None).source_id == "ab"


def test_a_paper_without_any_id_is_refused():
    with pytest.raises(MissingIdentifier, match="titled 'T' has neither corpusid nor paperId"):
        parsed(parse_semantic_scholar, title="T")


def test_real_metadata_of_2020(real_data):
    path = real_data / "samples/s2/s2orc_2020_metadata_sample.jsonl"
    papers = [parse_semantic_scholar(line) for line in path.read_bytes().splitlines()]
    assert len(papers) == 302
    assert sum(bool(paper.abstract) for paper in papers) == 129
    assert sum(bool(paper.doi) for paper in papers) == 144
    assert sum(paper.year is None for paper in papers) == 6
    assert all(paper.title for paper in papers)


def test_a_real_answer_with_nulls(real_data):
    path = real_data / "samples/s2/ssapi_PaperWithNullValues.json"
    paper = parse_semantic_scholar(path.read_bytes())
    assert paper.source_id == "2d5673caa9e6af3a7b82a43f19ee920992db07ad"


TEXT = "Ünïcode 😀 title\nAda Dee\nWe abstract.\nIntro\nFirst one.\nSecond\none.\nRefs"


def places(*parts):
    found = [{"start": TEXT.index(part), "end": TEXT.index(part) + len(part)} for part in parts]
    return json.dumps(found)


ANNOTATIONS = {
    "title": places("Ünïcode 😀 title"),
    "authorlastname": places("Dee"),
    "abstract": places("We abstract."),
    "sectionheader": places("Intro"),
    "paragraph": places("Second\none.", "First one.", "We abstract."),
    "bibref": places("Second"),
    "bibentry": places("Refs"),
    "publisher": "[{]",
    "figure": None,
}


@pytest.mark.parametrize("key", ["content", "body"])
def test_a_full_text_with_places(key):
    content = {"text": TEXT, "annotations": ANNOTATIONS}
    paper = parsed(parse_s2orc, corpusid=5, externalids={"DOI": "10.1000/C"}, **{key: content})
    assert (paper.source_id, paper.doi, paper.title) == ("5", "10.1000/c", "Ünïcode 😀 title")
    assert (paper.abstract, paper.authors) == ("We abstract.", ("Dee",))
    assert in_braces(paper.body) == ["## Intro", "First one.", "{Second} one.", f"{REFERENCE}Refs"]


def test_a_heading_says_what_its_paragraphs_are():
    text = "Funding\nBy us.\nFig. 1. A mouse.\nResults\nTen."
    spans = {"paragraph": ("By us.", "Ten."), "section_header": ("Funding", "Results")}
    spans |= {"figure_caption": ("Fig. 1. A mouse.",)}
    held = {
        name: json.dumps([{"start": text.index(p), "end": text.index(p) + len(p)} for p in parts])
        for name, parts in spans.items()
    }
    paper = parsed(parse_s2orc, corpusid=5, content={"text": text, "annotations": held})
    assert paper.body.split("\n\n") == [
        f"{ACKNOWLEDGEMENT}## Funding",
        f"{ACKNOWLEDGEMENT}By us.",
        f"{FIGURE}Fig. 1. A mouse.",
        "## Results",
        "Ten.",
    ]


@pytest.mark.parametrize(
    "held", ['[{"start": 3, "end": 1000}]', '[{"start": -1, "end": 3}]', "[{]", '[{"start": "x"}]']
)
def test_places_outside_the_text_are_refused(held):
    with pytest.raises(ParseError, match="S2ORC record 5: "):
        parsed(parse_s2orc, corpusid=5, content={"text": TEXT, "annotations": {"paragraph": held}})


def test_a_text_without_places_is_the_body():
    paper = parsed(parse_s2orc, corpusid=5, content={"text": "One.\n\nTwo.", "annotations": None})
    assert paper.body == "One.\n\nTwo."


RELEASES = {
    "s2orc_20190928_10002293.json": ("10002293", "Antimicrobial Photodynamic"),
    "s2orc_20200705_18980380.json": ("18980380", ""),
    "s2orc_20200705_94551546.json": ("94551546", ""),
    "s2orc_20210101_24e6b80e338a4e543de6b.json": ("24e6b80e338a4e543de6b49c", "Niche Partition"),
    "doc2json_N18-3011.json": ("N18-3011", "Construction of the Literature Graph"),
}


@pytest.mark.parametrize("name", RELEASES)
def test_real_full_texts_of_the_releases(real_data, name):
    paper = parse_s2orc((real_data / "samples/s2" / name).read_bytes())
    source_id, title = RELEASES[name]
    assert paper.source_id.startswith(source_id)
    assert paper.title.startswith(title)
    assert len(paper.body) > 10_000
    assert paper.abstract


def test_a_title_parts_sections_once():
    body = [{"section": s, "text": t} for s, t in [("A", "1"), ("A", "2"), ("", "3"), ("A", "")]]
    paper = parsed(parse_s2orc, paper_id="7", body_text=body)
    assert paper.body == "## A\n\n1\n\n2\n\n3"


def test_what_a_release_tells_beside_its_paragraphs():
    spans = [{"start": 5, "end": 12}, {"start": 13, "end": 18}, {"start": 9, "end": 20}]
    spans += [{"start": 90, "end": 99}, {"start": None, "end": None}, None]
    paper = parsed(
        parse_s2orc,
        paper_id="7",
        body_text=[{"section": "A", "text": "Seen (Ito 9; Ny 8) so.", "cite_spans": spans}],
        back_matter=[{"section": "ACKNOWLEDGEMENTS", "text": "We thank."}],
        ref_entries={
            "FIGREF0": {"type": "figure", "text": "F"},
            "TABREF0": {"type": "table", "text": "T"},
            "EQREF0": {"type": "equation", "text": "E"},
            "FIGREF1": None,
        },
        bib_entries={
            "BIBREF0": {"raw_text": "As  printed."},
            "BIBREF1": {
                **{
                    "authors": [{"first": "Kazuo", "last": "Ito"}],
                    "year": 2009,
                    "title": "On cells",
                },
                **{"venue": "Cell", "volume": "12", "pages": "34--45"},
            },
        },
    )
    assert in_braces(paper.body) == [
        *("## A", "Seen ({Ito 9}; {Ny 8}) so."),
        *(f"{ACKNOWLEDGEMENT}## ACKNOWLEDGEMENTS", f"{ACKNOWLEDGEMENT}We thank."),
        *(f"{FIGURE}F", f"{TABLE}T", f"{REFERENCE}As printed."),
        f"{REFERENCE}Ito K (2009). On cells. Cell 12: 34-45",
    ]


def test_pes2o_has_the_title_on_its_first_line():
    text = "A title\nFirst\nline.\n\nSecond."
    paper = parsed(parse_pes2o, id="42", source="s2orc/train", text=text, created="2010-01-01")
    assert (paper.source_id, paper.title, paper.abstract) == ("42", "A title", "")
    assert (paper.body, paper.year) == ("First line.\n\nSecond.", 2010)
    paper = parsed(parse_pes2o, id=42, source="s2ag/valid", text=text)
    assert (paper.abstract, paper.body) == ("First line.\n\nSecond.", "")
