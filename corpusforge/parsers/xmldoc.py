"""XML bytes to a tree: no DTD is loaded, no entity is expanded, nothing is fetched."""

import re
from collections.abc import Callable, Iterator, Mapping
from html.entities import html5
from typing import TypeVar

from lxml import etree

from corpusforge.errors import ParseError

UNDECLARED_PREFIX = etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE
SHOWN = 120  # bytes of a record that a message quotes
REFERENCE = re.compile(rb"&([A-Za-z][\w.-]*);")
PREDEFINED = {b"amp", b"lt", b"gt", b"quot", b"apos"}

Value = TypeVar("Value")


def read_xml(document: bytes, what: str) -> etree._Element:
    """The root element, without comments and processing instructions.

    libxml2's own limits stay on (256 levels, 10 MB per text, entity amplification): no paper
    comes near them and a hostile one is stopped by them.

    Args:
        document: One complete document.
        what: What the caller expects to find, for the message.

    Raises:
        ParseError: The bytes are not well-formed XML.
    """
    try:
        root = etree.fromstring(document, _parser(recover=False))
    except etree.XMLSyntaxError as error:
        recovered = _with_undeclared_prefixes(document)
        if recovered is None:
            raise ParseError(
                f"a record of {len(document):,} bytes cannot be read as XML: {error.msg}; it "
                f"starts with {document[:SHOWN]!r}; expected {what}"
            ) from error
        root = recovered
    if next(root.iter(etree.Entity), None) is None:
        return root
    return etree.fromstring(_with_characters(document), _parser(recover=True))


class ByName(dict[object, Value]):
    """Something for elements by their local names, looked up with tags, whatever their prefixes.

    Tags that were asked for are remembered: to cut a tag costs more than all else about most
    elements.
    """

    MOST = 10_000  # names: a hostile document may have any number of them

    def __init__(self, known: Mapping[str, Value], other: Callable[[str], Value]) -> None:
        super().__init__(known.items())
        self._other = other

    def __missing__(self, tag: object) -> Value:
        name = tag.rpartition("}")[2].rpartition(":")[2] if isinstance(tag, str) else ""
        value = self[name] if name != tag and name in self else self._other(name)
        if len(self) < self.MOST:
            self[tag] = value
        return value


NAMES = ByName[str]({}, str)


def local_name(element: etree._Element) -> str:
    """The tag without namespace or prefix; "" for comments, instructions and entities."""
    return NAMES[element.tag]


def attribute(element: etree._Element, name: str) -> str:
    """The value of the attribute of this local name, whatever its prefix, or ""."""
    for key, value in element.attrib.items():
        if str(key).rpartition("}")[2].rpartition(":")[2] == name:
            return str(value)
    return ""


def first(element: etree._Element, path: str) -> etree._Element | None:
    """The first element at this path of local names, in whatever namespace."""
    return element.find("/".join("{*}" + name for name in path.split("/")))


def children(element: etree._Element, name: str) -> Iterator[etree._Element]:
    """The children of this local name, in order."""
    return element.iterchildren("{*}" + name)


def _with_characters(document: bytes) -> bytes:
    """The document with the characters that publishers' DTDs would give for its references.

    The entity sets of the JATS DTDs are those of HTML. A reference that is in neither, such as
    one declared by the document itself, stays as it was written.
    """

    def written(found: re.Match[bytes]) -> bytes:
        if found[1] in PREDEFINED:
            return found[0]
        characters = html5.get(found[1].decode("ascii") + ";")
        if characters is None:
            return b"&amp;" + found[0][1:]
        return "".join(f"&#{ord(character)};" for character in characters).encode()

    return REFERENCE.sub(written, document)


def _parser(recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


def _with_undeclared_prefixes(document: bytes) -> etree._Element | None:
    """The root if the only fault is a prefix that was declared outside this record.

    The DTDs declare `mml` and `xlink` themselves, so a file may leave that out.
    """
    parser = _parser(recover=True)
    try:
        root = etree.fromstring(document, parser)
    except etree.XMLSyntaxError:
        return None
    faults = {entry.type for entry in parser.error_log}
    return root if faults == {UNDECLARED_PREFIX} else None
