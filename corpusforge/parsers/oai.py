"""OAI-PMH responses: pages of records, the token that leads on, and errors.

The Open Archives Initiative Protocol for Metadata Harvesting, version 2.0, sections 3.2
(responses), 3.5 (flow control) and 3.6 (errors). Namespaces are not looked at: some repositories
leave them out.
"""

import re
from dataclasses import dataclass

from lxml import etree

from corpusforge.errors import ParseError
from corpusforge.parsers.fields import one_line
from corpusforge.parsers.xmldoc import attribute, children, first, local_name, read_xml

WHAT = "one <OAI-PMH>"
LISTS = ("ListRecords", "GetRecord")
START, END = (b"<?xml", b"<OAI-PMH"), b"</OAI-PMH>"
ENCODING = re.compile(rb"""<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)""")
REFERENCE = re.compile("&#(?:([0-9]{1,7})|[xX]([0-9a-fA-F]{1,6}));")
# What XML 1.0, section 2.2, does not allow.
FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
LAST = 0x10FFFF  # of Unicode


@dataclass(frozen=True)
class OaiRecord:
    """One <record>: its header, and all of it as XML."""

    identifier: str  # "" where the repository left it out
    datestamp: str  # of its latest change: a day, or a second in UTC
    deleted: bool
    content: bytes


@dataclass(frozen=True)
class OaiPage:
    """One response to ListRecords."""

    records: tuple[OaiRecord, ...] = ()
    token: str = ""  # of the next page; "" at the end
    total: int | None = None  # records of the whole list, where the repository counts them
    errors: tuple[tuple[str, str], ...] = ()  # code and words, such as ("noRecordsMatch", "")


def parse_page(body: bytes) -> OaiPage:
    """A response to ListRecords, or to GetRecord, which is a list of one.

    Raises:
        ParseError: It is not one, or not a whole one.
    """
    root = _envelope(body)
    errors = tuple((attribute(error, "code"), _text(error)) for error in children(root, "error"))
    listed = next((found for found in root if local_name(found) in LISTS), None)
    if listed is None:
        if not errors:
            raise ParseError(
                f"a response of {len(body):,} bytes holds neither records nor an error"
            )
        return OaiPage(errors=errors)
    token = first(listed, "resumptionToken")
    size = "" if token is None else attribute(token, "completeListSize").strip()
    return OaiPage(
        records=tuple(_record(record) for record in children(listed, "record")),
        token="" if token is None else (token.text or "").strip(),
        total=int(size) if re.fullmatch("[0-9]{1,12}", size) else None,
        errors=errors,
    )


def parse_identify(body: bytes) -> str:
    """The earliest datestamp that a repository promises in its response to Identify.

    Raises:
        ParseError: It is no such response.
    """
    found = first(_envelope(body), "Identify/earliestDatestamp")
    if found is None:
        raise ParseError(f"a response of {len(body):,} bytes has no <earliestDatestamp>")
    return _text(found)


def _envelope(body: bytes) -> etree._Element:
    """The root element of a response, repaired where that loses nothing.

    PHP writes its notices behind the last tag, and control characters come with pasted abstracts;
    neither is a reason to do without a page.
    """
    try:
        root = read_xml(body, WHAT)
    except ParseError:
        repaired = _repaired(body)
        if repaired == body:
            raise
        root = read_xml(repaired, WHAT)
    if local_name(root) != "OAI-PMH":
        raise ParseError(f"a response of {len(body):,} bytes is a <{local_name(root)}>, not {WHAT}")
    return root


def _repaired(body: bytes) -> bytes:
    """The bytes from the first tag to the last one, with what XML cannot hold made a space."""
    starts = [place for place in map(body.find, START) if place >= 0]
    end = body.rfind(END)
    if not starts or end < 0:
        return body
    page = body[min(starts) : end + len(END)]
    encoding = ENCODING.match(page)
    if encoding is not None and encoding[1].lower() != b"utf-8":
        return page
    text = FORBIDDEN.sub(" ", page.decode("utf-8", "replace"))
    return REFERENCE.sub(_allowed, text).encode()


def _allowed(reference: re.Match[str]) -> str:
    code = int(reference[1]) if reference[1] else int(reference[2], 16)
    return " " if code > LAST or FORBIDDEN.match(chr(code)) else reference[0]


def _record(record: etree._Element) -> OaiRecord:
    header = first(record, "header")
    return OaiRecord(
        identifier=_child(header, "identifier"),
        datestamp=_child(header, "datestamp"),
        deleted=header is not None and attribute(header, "status").strip() == "deleted",
        content=etree.tostring(record, encoding="utf-8", with_tail=False),
    )


def _child(element: etree._Element | None, name: str) -> str:
    found = None if element is None else first(element, name)
    return "" if found is None else _text(found)


def _text(element: etree._Element) -> str:
    return one_line("".join(map(str, element.itertext())))
