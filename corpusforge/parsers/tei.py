"""TEI as GROBID writes it: what it read of one PDF."""

import re
from collections.abc import Iterator

from lxml import etree

from corpusforge.errors import ParseError
from corpusforge.kernels.marks import HEADING, PARAGRAPH
from corpusforge.parsers.fields import licence_of, sane_year
from corpusforge.parsers.identifiers import normal_arxiv, normal_doi, normal_pmcid, normal_pmid
from corpusforge.parsers.languages import normal_language
from corpusforge.parsers.markup import flatten
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.xmldoc import attribute, first, local_name, read_xml

WHAT = "one TEI document of GROBID"
TEXTS = {"p", "formula", "ab", "quote"}
HOLDERS = {"div", "list"}
SECTION_NUMBER = re.compile(r"\d+(?:\.\d+)*")


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
        abstract=PARAGRAPH.join(_parts(first(header, "profileDesc/abstract"))),
        body=PARAGRAPH.join(_parts(first(root, "text/body"))),
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


def _parts(holder: etree._Element | None) -> Iterator[str]:
    """Paragraphs and headings. Figures, tables and notes are no part of the running text."""
    stack = [] if holder is None else [holder]
    while stack:
        node = stack.pop()
        kind = local_name(node)
        if kind == "head" and (text := flatten(node)):
            yield _heading(node, text)
        elif kind in TEXTS | {"item"}:
            if text := flatten(node):
                yield text
        elif node is holder or kind in HOLDERS:
            if not len(node) and (text := flatten(node)):
                yield text  # an abstract that is bare text
            stack.extend(reversed(node))


def _heading(node: etree._Element, text: str) -> str:
    """A number of its own, n="2.1.", says how deep it is."""
    number = SECTION_NUMBER.match(attribute(node, "n"))
    depth = number[0].count(".") if number else 0
    return "#" * depth + HEADING + text


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
