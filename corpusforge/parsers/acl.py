"""ACL Anthology: one XML file holds the volumes of a venue and year, and their papers."""

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from corpusforge.errors import ParseError
from corpusforge.parsers.fields import sane_year
from corpusforge.parsers.identifiers import normal_doi
from corpusforge.parsers.languages import normal_language
from corpusforge.parsers.licences import licence_of_address
from corpusforge.parsers.markup import flatten
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.xmldoc import attribute, children, first, local_name, read_xml

WHAT = "one <collection> or <volume> of the ACL Anthology"
# Where paper and volume have two digits each, W18-0101; elsewhere they have one and three.
TWO_AND_TWO = ("W", "C69")
SECOND_HALF_OF_2019 = ("D19", 5)  # workshops of EMNLP 2019 are numbered like those under W


@dataclass(frozen=True)
class Entry:
    """One paper of a collection: its XML, and the paper or what is wrong with it."""

    content: bytes
    paper: Paper | ParseError


def parse_collection(document: bytes) -> Iterator[Entry]:
    """Every paper of one file, in order. Front matter, prefaces and indexes, is no paper.

    Raises:
        ParseError: The bytes are not well-formed XML, or no collection.
    """
    root = read_xml(document, WHAT)
    name = local_name(root)
    if name not in ("collection", "volume"):
        raise ParseError(f"a document of {len(document):,} bytes is a <{name}>; expected {WHAT}")
    for volume in children(root, "volume") if name == "collection" else [root]:
        meta = first(volume, "meta")  # once: to look for it is to pass all papers of the volume
        for paper in children(volume, "paper"):
            content = etree.tostring(paper, encoding="utf-8", with_tail=False)
            try:
                yield Entry(content, _paper(root, volume, meta, paper))
            except ParseError as error:
                yield Entry(content, error)


def _paper(
    root: etree._Element,
    volume: etree._Element,
    meta: etree._Element | None,
    paper: etree._Element,
) -> Paper:
    title = _text(paper, "title")
    key = _key(root, volume, paper)
    if key is None:
        raise MissingIdentifier(
            f"ACL Anthology paper titled {title!r} has number {attribute(paper, 'id')!r} in volume "
            f"{attribute(volume, 'id')!r}; expected numbers"
        )
    licence = licence_of_address(_text(paper, "license") or _text(meta, "license"))
    return Paper(
        source_id=key,
        title=title,
        abstract=_text(paper, "abstract"),
        doi=normal_doi(_text(paper, "doi")),
        authors=tuple(_family_names(paper)),
        year=sane_year(_text(paper, "year"), _text(meta, "year")),
        venue=_text(paper, "booktitle") or _text(meta, "booktitle") or None,
        version_kind="published",
        declared_language=normal_language(_text(paper, "language")),
        licence=licence,
        licence_stated="article" if licence else None,
        retracted=first(paper, "retracted") is not None,
        url=f"https://aclanthology.org/{key}",
    )


def _key(root: etree._Element, volume: etree._Element, paper: etree._Element) -> str | None:
    """The Anthology's id, such as "J18-1002" or "2020.acl-main.1"."""
    number, collection = attribute(paper, "id"), attribute(root, "id")
    if not (number.isascii() and number.isdigit() and collection):
        return None
    if local_name(root) == "volume":  # before 2019: <volume id="W18"> … <paper id="0101">
        return f"{collection}-{int(number):04}"
    part = attribute(volume, "id")
    if "." in collection:
        return f"{collection}-{part}.{int(number)}" if part else None
    if not (part.isascii() and part.isdigit()):
        return None
    short = collection.startswith(TWO_AND_TWO) or (
        collection == SECOND_HALF_OF_2019[0] and int(part) >= SECOND_HALF_OF_2019[1]
    )
    return (
        f"{collection}-{int(part):02}{int(number):02}"
        if short
        else (f"{collection}-{int(part)}{int(number):03}")
    )


def _family_names(paper: etree._Element) -> Iterator[str]:
    for author in children(paper, "author"):
        if name := _text(author, "last") or flatten(author):
            yield name


def _text(element: etree._Element | None, name: str) -> str:
    found = None if element is None else first(element, name)
    return "" if found is None else flatten(found)
