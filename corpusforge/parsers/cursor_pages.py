"""Answers of the two APIs that are read with a cursor, OpenAlex's and Crossref's: what is in them.

Works stay the bytes that came, so that each can be parsed, and its digest taken, on its own.
"""

from dataclasses import dataclass

import msgspec
from msgspec import Raw, Struct

from corpusforge.errors import ParseError

SHOWN = 80  # bytes of an answer that a message quotes


@dataclass(frozen=True)
class CursorPage:
    """One page of a search."""

    total: int  # results of the whole search, as the source counts them
    works: tuple[bytes, ...]  # one JSON object each
    cursor: str | None  # of the next page; None at the end, or where there is none


class _Meta(Struct):
    count: int
    next_cursor: str | None = None


class _OpenAlexPage(Struct):
    meta: _Meta
    results: list[Raw]


class _OpenAlexWork(Struct):
    id: str


class _CrossrefAnswer(Struct):
    kind: str = msgspec.field(name="message-type")
    message: Raw


class _CrossrefList(Struct):
    total: int = msgspec.field(name="total-results")
    items: list[Raw]
    cursor: str | None = msgspec.field(name="next-cursor", default=None)


class _CrossrefWork(Struct):
    doi: str = msgspec.field(name="DOI")


FAULTS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def openalex_page(body: bytes) -> CursorPage:
    """An answer of /works.

    Raises:
        ParseError: It is not one.
    """
    try:
        page = msgspec.json.decode(body, type=_OpenAlexPage)
    except FAULTS as error:
        raise _not_one("a page of OpenAlex", body, error) from error
    return CursorPage(page.meta.count, _contents(page.results), page.meta.next_cursor or None)


def openalex_works(body: bytes) -> tuple[bytes, ...]:
    """The works in an answer of OpenAlex: of a page, or the only one.

    Raises:
        ParseError: It is neither.
    """
    try:
        return openalex_page(body).works
    except ParseError:
        pass
    try:
        msgspec.json.decode(body, type=_OpenAlexWork)
    except FAULTS as error:
        raise _not_one("a page or a work of OpenAlex", body, error) from error
    return (body,)


def crossref_page(body: bytes) -> CursorPage:
    """An answer of /works.

    Raises:
        ParseError: It is not one.
    """
    try:
        answer = msgspec.json.decode(body, type=_CrossrefAnswer)
        page = msgspec.json.decode(answer.message, type=_CrossrefList)
    except FAULTS as error:
        raise _not_one("a list of works of Crossref", body, error) from error
    return CursorPage(page.total, _contents(page.items), page.cursor or None)


def crossref_works(body: bytes) -> tuple[bytes, ...]:
    """The works in an answer of Crossref: of a list, or the only one without its envelope.

    Raises:
        ParseError: It is neither.
    """
    try:
        return crossref_page(body).works
    except ParseError:
        pass
    try:
        answer = msgspec.json.decode(body, type=_CrossrefAnswer)
        msgspec.json.decode(answer.message, type=_CrossrefWork)
    except FAULTS as error:
        raise _not_one("a list or a work of Crossref", body, error) from error
    return (bytes(answer.message),)


def _contents(raws: list[Raw]) -> tuple[bytes, ...]:
    return tuple(bytes(raw) for raw in raws)


def _not_one(what: str, body: bytes, error: Exception) -> ParseError:
    return ParseError(
        f"an answer of {len(body):,} bytes is not {what}: {error}; it starts with {body[:SHOWN]!r}"
    )
