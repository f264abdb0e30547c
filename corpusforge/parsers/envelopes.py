"""What is around several records in one JSON document: a page of an API, a file of Crossref."""

import msgspec
from msgspec import Raw, Struct

from corpusforge.errors import ParseError

SHOWN = 80  # bytes of a document that a message quotes
NULL = b"null"  # what Semantic Scholar has in the place of a paper that it does not know


class _Message(Struct):
    items: list[Raw] | None = None


class _Envelope(Struct):
    items: list[Raw] | None = None  # Crossref's public files
    results: list[Raw] | None = None  # OpenAlex, CORE
    data: list[Raw] | None = None  # Semantic Scholar
    message: _Message | None = None  # Crossref's API


_PAGE = msgspec.json.Decoder(_Envelope | list[Raw])


def records_in(document: bytes) -> list[bytes]:
    """The bytes of every record of a document, in order.

    Raises:
        ParseError: The bytes are not JSON, or neither an array nor a known envelope.
    """
    try:
        page = _PAGE.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unreadable(document, str(error)) from error
    found: list[Raw] | None = page if isinstance(page, list) else _listed(page)
    if found is None:
        raise _unreadable(document, "it has no list of records")
    return [record for raw in found if (record := bytes(raw).strip()) != NULL]


def _listed(page: _Envelope) -> list[Raw] | None:
    inner = page.message.items if page.message else None
    lists = (page.items, page.results, page.data, inner)
    return next((records for records in lists if records is not None), None)


def _unreadable(document: bytes, why: str) -> ParseError:
    return ParseError(
        f"a document of {len(document):,} bytes cannot be read: {why}; it starts with "
        f"{document[:SHOWN]!r}; expected an array, or one under items, results, data or "
        f"message.items"
    )
