"""Records of OAI-PMH in arXiv's formats and in Dublin Core, to papers."""

from contextlib import suppress
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ParseError
from corpusforge.parsers.oai import parse_page
from corpusforge.parsers.oai_record import parse_oai_record, record_id
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.placeholders import OnlyPlaceholder

DC = 'xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
DC += 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
LONG = "A description that is long enough to be the abstract of a paper."
ELEMENTS = ["title", "creator", "description", "date", "identifier", "language", "rights", "type"]


def record(metadata, identifier="oai:example.org:7"):
    header = f"<header><identifier>{identifier}</identifier></header>" if identifier else ""
    return f"<record>{header}<metadata>{metadata}</metadata></record>".encode()


def dublin_core(*pairs, identifier="oai:example.org:7"):
    """The paper of a record with these elements, given as name (and attributes) and text."""
    elements = "".join(f"<dc:{n}>{escape(text)}</dc:{n.split()[0]}>" for n, text in pairs)
    return parse_oai_record(record(f"<oai_dc:dc {DC}>{elements}</oai_dc:dc>", identifier))


def arxiv(name, fields, identifier="oai:arXiv.org:0704.0001"):
    return parse_oai_record(record(f'<{name} xmlns="urn:a">{fields}</{name}>', identifier))


def test_arxiv_has_family_names_and_the_date_of_the_first_version():
    paper = arxiv(
        "arXiv",
        "<id>0704.0001</id><created>2007-04-02</created><updated>2011-01-01</updated><authors>"
        "<author><keyname>Balázs</keyname><forenames>C.</forenames></author><author><keyname>van "
        "Gool</keyname></author></authors><title>On\n  things</title><abstract>  We\nwrap.\n  And "
        "go on.\n</abstract><doi>10.1103/X</doi><license>"
        "http://creativecommons.org/licenses/by/4.0/</license>",
    )
    assert paper == Paper(
        source_id="0704.0001",
        title="On things",
        abstract="We\nwrap.\n\nAnd go on.",  # clean joins lines
        doi="10.1103/x",
        arxiv="0704.0001",
        authors=("Balázs", "van Gool"),
        year=2007,
        version_kind="preprint",
        licence="CC-BY-4.0",
        licence_stated="article",
        url="https://arxiv.org/abs/0704.0001",
    )


def test_arxiv_raw_has_versions_but_counts_as_version_one():
    paper = arxiv(
        "arXivRaw",
        '<id>hep-th/9901001</id><version version="v1"><date>Mon, 2 Jan 1999 19:18:42 GMT</date>'
        '</version><version version="v3"><date>Mon, 2 Jan 2001 19:18:42 GMT</date></version>'
        "<title>T</title><authors>J. Gray (CERN), A. Lovelace</authors><abstract>A.</abstract>",
        "oai:arXiv.org:hep-th/9901001",
    )
    assert (paper.source_id, paper.version, paper.year) == ("hep-th/9901001", 1, 1999)
    assert paper.authors == ("Gray", "Lovelace")


@pytest.mark.parametrize("name", ["arXiv", "arXivRaw"])
def test_a_withdrawn_paper_of_arxiv_is_a_placeholder(name):
    words = "<abstract>This paper has been withdrawn by the authors.</abstract>"
    with pytest.raises(OnlyPlaceholder, match=r"0704\.0001 has 'This paper has been withdrawn"):
        arxiv(name, f"<id>0704.0001</id><title>T</title>{words}")


def test_dublin_core_of_a_repository_in_the_openaire_form():
    paper = dublin_core(
        ("title", "On <i>things</i> &amp; more"),
        ("creator", "Gray, Jim; Lovelace, Ada"),
        ("creator", "Luc van Gool"),
        ("description", "Peer reviewed"),
        ("description", f"<p>{LONG}</p>"),
        ("date", "2019-05-02T11:12:13Z"),
        ("date", "2017-11"),
        ("identifier", "https://repository.example/handle/1/2"),
        ("identifier", "Journal of Things 12 (2017)"),
        ("relation", "info:eu-repo/semantics/altIdentifier/doi/10.1234/ABC.5"),
        ("relation", "info:eu-repo/semantics/altIdentifier/pmid/31388315"),
        ("relation", "https://doi.org/10.9999/cited"),
        ("language", "eng"),
        ("type", "info:eu-repo/semantics/acceptedVersion"),
        ("type", "Text"),
        ("type", "info:eu-repo/semantics/article"),
        ("rights", "info:eu-repo/semantics/openAccess"),
        ("rights", "https://creativecommons.org/licenses/by-nc/4.0/"),
    )
    assert paper == Paper(
        source_id="oai:example.org:7",
        title="On things & more",
        abstract=LONG,
        doi="10.1234/abc.5",
        pmid="31388315",
        authors=("Gray", "Lovelace", "van Gool"),
        year=2017,
        document_type="article",
        version_kind="accepted",
        declared_language="en",
        licence="CC-BY-NC-4.0",
        licence_stated="article",
        url="https://repository.example/handle/1/2",
    )


def test_descriptions_in_several_languages():
    german = "Eine Beschreibung, die lang genug ist, um die Zusammenfassung zu sein."
    told = [('description xml:lang="de"', german), ('description xml:lang="eng"', LONG)]
    for code, own, other in [("en", LONG, ("de", german)), ("ger", german, ("en", LONG))]:
        paper = dublin_core(("language", code), *told)
        assert (paper.abstract, paper.translations) == (own, (other,))
    assert dublin_core(*told).abstract == german  # the longer one, where no language is told


def test_a_note_in_the_papers_language_is_not_taken_for_the_abstract():
    note = "Includes bibliographical references."
    paper = dublin_core(
        ("language", "en"), ('description xml:lang="en"', note), ("description", 4 * LONG)
    )
    assert paper.abstract == 4 * LONG


@pytest.mark.parametrize("note", ["12 pages", "http://example.org/a/rather/long/address", "-"])
def test_what_is_no_text_is_no_abstract(note):
    assert dublin_core(("title", "T"), ("description", note)).abstract == ""


def test_a_description_that_says_there_is_none_is_a_placeholder():
    with pytest.raises(OnlyPlaceholder, match=r"oai:example\.org:7 has"):
        dublin_core(("description", "No abstract available for this article."))


@pytest.mark.parametrize(
    ("identifier", "doi", "arxiv_id"),
    [
        ("doi:10.1103/PhysRevD.76.013009", "10.1103/physrevd.76.013009", None),
        ("http://dx.doi.org/10.5281/zenodo.7", "10.5281/zenodo.7", None),
        ("http://arxiv.org/abs/0704.0001", None, "0704.0001"),
        ("urn:isbn:0451450523", None, None),
    ],
)
def test_identifiers_of_dublin_core(identifier, doi, arxiv_id):
    paper = dublin_core(("identifier", identifier))
    assert (paper.doi, paper.arxiv) == (doi, arxiv_id)


def test_records_of_arxiv_have_the_same_id_in_every_format():
    assert dublin_core(identifier="oai:arXiv.org:0704.0001").source_id == "0704.0001"
    assert record_id(" oai:arxiv.org:0704.0001 ") == "0704.0001"
    assert record_id("oai:arXiv.org:none") == "oai:arXiv.org:none"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<record><header/></record>", "record '' has no metadata, and is not marked"),
        (record(""), "record 'oai:example.org:7' has no metadata"),
        (record("<mods/>"), "as <mods>; expected <arXiv>, .* set `metadata_prefix`"),
        (b"<record>", "cannot be read as XML"),
    ],
)
def test_a_record_that_cannot_be_read_says_why(content, message):
    with pytest.raises(ParseError, match=message):
        parse_oai_record(content)


def test_a_record_that_nothing_names_is_refused_as_such():
    with pytest.raises(MissingIdentifier, match="<dc> has no identifier"):
        dublin_core(("title", "T"), identifier="")
    with pytest.raises(MissingIdentifier, match="id 'x'; expected"):
        arxiv("arXiv", "<id>x</id>")


texts = st.text(st.characters(exclude_categories=["C"], exclude_characters="\ufffe\uffff"))


@given(st.lists(st.tuples(st.sampled_from(ELEMENTS), texts), max_size=6))
def test_any_text_in_any_element_gives_a_paper_or_a_parse_error(pairs):
    with suppress(ParseError):
        assert isinstance(dublin_core(*pairs), Paper)


def test_the_real_records(real_data):
    samples = real_data / "samples"
    [raw] = parse_page((samples / "arxiv/oai_arXivRaw_1810.09584.xml").read_bytes()).records
    paper = parse_oai_record(raw.content)
    assert (paper.source_id, paper.doi) == ("1810.09584", "10.1209/0295-5075/124/60006")
    assert (paper.year, len(paper.authors)) == (2018, 4)
    assert paper.licence == "LicenseRef-arXiv-nonexclusive-1.0"
    assert paper.abstract.startswith("The housekeeping heat is the energy exchanged between a ")
    [_, dublin] = parse_page((samples / "oaipmh/ListRecords.xml").read_bytes()).records
    paper = parse_oai_record(dublin.content)
    assert (paper.title, paper.year, paper.document_type) == ("Sample Title", 2010, "article")
    assert paper.abstract.startswith("Lorem ipsum dolor sit amet, consectetur")
    assert paper.abstract.count("  ") == 0
