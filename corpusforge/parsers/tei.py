"""TEI as GROBID writes it: what it read of one PDF."""

from collections.abc import Iterator

from lxml import etree

from corpusforge.errors import ParseError
from corpusforge.kernels.marks import PARAGRAPH
from corpusforge.parsers.fields import licence_of, sane_year
from corpusforge.parsers.identifiers import normal_arxiv, normal_doi, normal_pmcid, normal_pmid
from corpusforge.parsers.languages import normal_language
from corpusforge.parsers.markup import flatten
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.tei_text import text_parts
from corpusforge.parsers.xmldoc import attribute, first, local_name, read_xml

WHAT = "one TEI document of GROBID"


def parse_tei(document: bytes, name: str) -> Paper:
    """The paper of one document.

    Args:
        document: One file.
        name: What names it: that of the PDF. GROBID knows no other sure id; a DOI in the header
            may be that of a cited paper, which would make two papers one.

    Raises:
        MissingIdentifier: The name is empty.
        ParseError: The bytes are not well-formed XML, or no TEI.
    """
    root = read_xml(document, WHAT)
    header = first(root, "teiHeader") if local_name(root) == "TEI" else None
    if header is None:
        raise ParseError(
            f"a document of {len(document):,} bytes is a <{local_name(root)}> without <teiHeader>; "
            f"expected {WHAT}"
        )
    if not name:
        raise MissingIdentifier("TEI document without a name: nothing identifies it")
    source = first(header, "fileDesc/sourceDesc/biblStruct")
    ids = {} if source is None else dict(_ids(source))
    licence = _licence(header)
    return Paper(
        source_id=name,
        title=_text(header, "fileDesc/titleStmt/title"),
        abstract=PARAGRAPH.join(text_parts(first(header, "profileDesc/abstract"))),
        body=PARAGRAPH.join(
            [*text_parts(first(root, "text/body")), *text_parts(first(root, "text/back"))]
        ),
        doi=normal_doi(ids.get("doi")),
        arxiv=normal_arxiv(ids.get("arxiv")),
        pmid=normal_pmid(ids.get("pmid")),
        pmcid=normal_pmcid(ids.get("pmcid")),
        authors=() if source is None else tuple(_family_names(source)),
        year=_year(header, source),
        venue=None if source is None else _text(source, "monogr/title") or None,
        declared_language=normal_language(attribute(header, "lang")),
        licence=licence,
        licence_stated="article" if licence else None,
    )


def _ids(source: etree._Element) -> Iterator[tuple[str, str]]:
    for item in source.iter("{*}idno"):
        yield attribute(item, "type").lower(), flatten(item)


def _family_names(source: etree._Element) -> Iterator[str]:
    """Of the persons; an author that is only an affiliation is none."""
    for author in source.iterfind("{*}analytic/{*}author"):
        if name := _text(author, "persName/surname"):
            yield name


def _year(header: etree._Element, source: etree._Element | None) -> int | None:
    places = [] if source is None else list(source.iterfind("{*}monogr/{*}imprint/{*}date"))
    places += header.iterfind("{*}fileDesc/{*}publicationStmt/{*}date")
    return sane_year(*(attribute(place, "when") or flatten(place) for place in places))


def _licence(header: etree._Element) -> str | None:
    place = first(header, "fileDesc/publicationStmt/availability/licence")
    if place is None:
        return None
    return licence_of(attribute(place, "target")) or licence_of(flatten(place))


def _text(element: etree._Element, path: str) -> str:
    found = first(element, path)
    return "" if found is None else flatten(found)
