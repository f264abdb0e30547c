"""Collections of the ACL Anthology, and GROBID's TEI."""

import re

import pytest

from corpusforge.errors import ParseError
from corpusforge.kernels.marks import (
    ACKNOWLEDGEMENT,
    CITATION,
    END_CITATION,
    FIGURE,
    FOOTNOTE,
    REFERENCE,
    TABLE,
)
from corpusforge.kernels.structure import restructure
from corpusforge.parsers.acl import parse_collection
from corpusforge.parsers.paper import MissingIdentifier
from corpusforge.parsers.tei import parse_tei


def collection(key, volume, paper, body="<title>T</title>"):
    return (
        f'<collection id="{key}"><volume id="{volume}"><meta><booktitle>B <fixed-case>X'
        f"</fixed-case></booktitle><year>2018</year></meta><frontmatter/>"
        f'<paper id="{paper}">{body}</paper></volume></collection>'
    ).encode()


@pytest.mark.parametrize(
    ("key", "volume", "paper", "name"),
    [
        ("J18", "1", "2", "J18-1002"),
        ("W18", "1", "1", "W18-0101"),
        ("D19", "1", "30", "D19-1030"),
        ("D19", "57", "3", "D19-5703"),
        ("C69", "1", "2", "C69-0102"),
        ("2020.acl", "main", "1", "2020.acl-main.1"),
    ],
)
def test_papers_have_the_ids_of_the_anthology(key, volume, paper, name):
    [entry] = parse_collection(collection(key, volume, paper))
    assert entry.paper.source_id == name
    assert entry.paper.url == f"https://aclanthology.org/{name}"


def test_a_file_from_before_2019_is_one_volume():
    [entry] = parse_collection(
        b'<volume id="W18"><paper id="0101"><title>T</title></paper></volume>'
    )
    assert entry.paper.source_id == "W18-0101"


def test_what_a_paper_tells():
    body = (
        "<title>A <fixed-case>B</fixed-case> <i>c</i></title>"
        "<author><first>A</first><last>De Clercq</last></author>"
        "<author><first/><last>Bee</last></author><doi>10.1162/COLI_a_1</doi>"
        "<abstract>We <b>do</b>.</abstract><retracted date='2020-01-01'>Wrong.</retracted>"
    )
    [entry] = parse_collection(collection("J18", "1", "2", body))
    paper = entry.paper
    assert (paper.title, paper.abstract, paper.doi) == ("A B c", "We do.", "10.1162/coli_a_1")
    assert (paper.authors, paper.year, paper.venue) == (("De Clercq", "Bee"), 2018, "B X")
    assert paper.retracted
    assert entry.content.startswith(b"<paper id=")


def test_a_paper_without_a_number_is_refused_alone():
    document = collection("J18", "1", "x").replace(
        b"</volume>", b'<paper id="3"><title>U</title></paper></volume>'
    )
    bad, good = parse_collection(document)
    assert isinstance(bad.paper, MissingIdentifier)
    assert good.paper.source_id == "J18-1003"


@pytest.mark.parametrize("document", [b"", b"<html/>", b"<collection>", b"text"])
def test_what_is_no_collection_is_refused(document):
    with pytest.raises(ParseError):
        list(parse_collection(document))


def test_real_collections(real_data):
    """Every key is the one that the file's own addresses have."""
    papers, told = [], []
    for path in sorted((real_data / "demo/acl_xml").glob("*.xml")):
        papers += [entry.paper for entry in parse_collection(path.read_bytes())]
        told += re.findall(r"<paper.*?<url>(.*?)</url>", path.read_text(), re.S)
    assert [paper.source_id for paper in papers] == told
    assert len(papers) == 420
    assert all(paper.title and paper.venue and paper.year for paper in papers)
    assert sum(bool(paper.abstract) for paper in papers) == 155


TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader xml:lang="en"><fileDesc><titleStmt>
<title level="a" type="main">A title</title></titleStmt><publicationStmt><availability><licence
target="https://creativecommons.org/licenses/by/4.0/"/></availability></publicationStmt>
<sourceDesc><biblStruct><analytic><author><persName><surname>Dee</surname></persName></author>
<author><affiliation/></author></analytic><monogr><title level="j">Journal</title><imprint><date
type="published" when="2018-06-01">June</date></imprint></monogr><idno type="DOI">10.1000/A</idno>
<idno type="arXiv">arXiv:1805.02262v1</idno></biblStruct></sourceDesc></fileDesc><profileDesc>
<abstract>%s</abstract></profileDesc></teiHeader><text><body><div><head n="1">Intro</head><p>We
<ref type="bibr">[1]</ref> do (<ref type="bibr">Ito, 2009)</ref>.</p><formula>x=1<label>(1)</label>
</formula><list><item>One</item></list></div><figure><head>Figure 1:</head><figDesc>F</figDesc>
</figure><figure type="table"><figDesc>T</figDesc><table><row><cell>1</cell></row></table></figure>
<div><head n="1.2.">Deep</head><p>End.</p></div><note place="foot">N</note></body><back>
<div type="acknowledgement"><div><head>Thanks</head><p>To all.</p></div></div><div>
<head>Funding</head><p>By us.</p></div><div type="references"><listBibl><biblStruct>
<note type="raw_reference">Ito, 2009.</note></biblStruct>
<biblStruct><analytic><title>On cells</title><author><persName><forename>Kazuo</forename>
<surname>Ito</surname></persName></author></analytic><monogr><title>Cell</title><imprint>
<date when="2009-01"/></imprint></monogr></biblStruct></listBibl></div></back></text></TEI>"""


@pytest.mark.parametrize(
    "abstract", ["<p>In short.</p>", "<div><p>In short.</p></div>", "In short."]
)
def test_a_document_of_grobid(abstract):
    paper = parse_tei((TEI % abstract).encode(), "N18-1")
    assert (paper.source_id, paper.title, paper.abstract) == ("N18-1", "A title", "In short.")
    body = paper.body.replace(CITATION, "{").replace(END_CITATION, "}")
    assert body.split("\n\n") == [
        *("## Intro", "We {[1]} do ({Ito, 2009}).", "x=1", "- One"),
        *(f"{FIGURE}Figure 1: F", f"{TABLE}T", "### Deep", "End.", f"{FOOTNOTE}N"),
        *(f"{ACKNOWLEDGEMENT}## Thanks", f"{ACKNOWLEDGEMENT}To all."),
        *(f"{ACKNOWLEDGEMENT}## Funding", f"{ACKNOWLEDGEMENT}By us."),
        *(f"{REFERENCE}Ito, 2009.", f"{REFERENCE}Ito K (2009). On cells. Cell"),
    ]
    assert (paper.doi, paper.arxiv) == ("10.1000/a", "1805.02262")
    assert (paper.authors, paper.year, paper.venue) == (("Dee",), 2018, "Journal")
    assert (paper.licence, paper.declared_language) == ("CC-BY-4.0", "en")


@pytest.mark.parametrize("document", [b"<TEI/>", b"<html/>", b"", b"<TEI><teiHeader>"])
def test_what_is_no_tei_is_refused(document):
    with pytest.raises(ParseError):
        parse_tei(document, "name")


def test_a_document_without_a_name_is_refused():
    with pytest.raises(MissingIdentifier):
        parse_tei((TEI % "").encode(), "")


def test_a_real_document(real_data):
    path = real_data / "samples/s2/grobid_tei_N18-3011.tei.xml"
    paper = parse_tei(path.read_bytes(), "N18-3011")
    assert paper.title == "Construction of the Literature Graph in Semantic Scholar"
    assert len(paper.authors) == 23
    assert paper.abstract.startswith("We describe a deployed scalable system")
    assert paper.body.startswith("## Introduction\n\nThe goal of this work")
    text, gone = restructure(paper.body, "keep", REFERENCE)
    assert 20_000 < len(text) < 40_000
    assert gone == {"references": 27}
