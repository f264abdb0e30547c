"""XML bytes to a tree: no DTD is loaded, no entity is expanded, nothing is fetched."""

from collections.abc import Iterator
from html.entities import html5

from lxml import etree

from corpusforge.errors import ParseError

UNDECLARED_PREFIX = etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE
SHOWN = 120  # bytes of a record that a message quotes


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
        return etree.fromstring(document, _parser(recover=False))
    except etree.XMLSyntaxError as error:
        root = _with_undeclared_prefixes(document)
        if root is None:
            raise ParseError(
                f"a record of {len(document):,} bytes cannot be read as XML: {error.msg}; it "
                f"starts with {document[:SHOWN]!r}; expected {what}"
            ) from error
        return root


def local_name(element: etree._Element) -> str:
    """The tag without namespace or prefix; "" for comments, instructions and entities."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2] if isinstance(tag, str) else ""


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


def entity_text(node: etree._Element) -> str:
    """The character that a publisher's DTD would give for this reference; "" for other nodes.

    The entity sets of the JATS DTDs are those of HTML. A reference that is in neither, such as
    one declared by the document itself, stays as it was written.
    """
    if node.tag is not etree.Entity:
        return ""
    reference = node.text or ""
    return html5.get(reference[1:], reference)


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
