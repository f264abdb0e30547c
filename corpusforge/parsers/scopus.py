"""Scopus records: search entries and abstract retrieval responses to papers.

Lists of one come as the bare thing, lists of none as null or not at all, and every scalar is a
string, sometimes wrapped as {"$": …}.
"""

import re
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import Raw, Struct

from corpusforge.errors import ParseError
from corpusforge.parsers.identifiers import normal_doi, normal_pmid
from corpusforge.parsers.languages import normal_language
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.scopus_text import plain_line, read_abstract

EID = re.compile(r"2-s2\.0-\d+")
INITIALS = re.compile(r"\s+(?:[^\W\d_]{1,2}\.[\s-]*)+$")  # of "Vautard R." and "Lee S.-H."


class _Results(Struct, frozen=True):
    total: Any = msgspec.field(name="opensearch:totalResults", default=None)
    cursor: Any = None
    entry: Raw = Raw(b"null")


class _Search(Struct, frozen=True):
    results: _Results = msgspec.field(name="search-results")


@dataclass(frozen=True)
class SearchPage:
    """One page of results: entries as they came, and what leads on."""

    total: int
    entries: tuple[bytes, ...]  # one JSON object each; the pseudo-entry of no result is not one
    cursor: str | None  # of the next page


def parse_search(body: bytes) -> SearchPage:
    """A search response.

    Raises:
        ParseError: It is not one.
    """
    try:
        results = msgspec.json.decode(body, type=_Search).results
        entries = _raw_items(results.entry)
        total = int(results.total or 0)
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, TypeError) as error:
        raise ParseError(
            f"a response of {len(body):,} bytes is not a page of search results: {error}; it "
            f"starts with {body[:80]!r}"
        ) from error
    cursor = results.cursor.get("@next") if isinstance(results.cursor, dict) else None
    return SearchPage(total, entries, cursor if isinstance(cursor, str) else None)


def _raw_items(raw: Raw) -> tuple[bytes, ...]:
    content = bytes(raw)
    raws = msgspec.json.decode(content, type=list[Raw]) if content.startswith(b"[") else [raw]
    items = (bytes(item) for item in raws)
    return tuple(item for item in items if item.startswith(b"{") and not _is_pseudo(item))


def _is_pseudo(entry: bytes) -> bool:
    """Whether this is {"error": "Result set was empty"}."""
    if len(entry) > 1000 or b'"error"' not in entry:
        return False
    content = msgspec.json.decode(entry)
    return "error" in content and "eid" not in content


def parse_entry(entry: bytes) -> Paper:
    """The paper of one search entry, of either view.

    Raises:
        MissingIdentifier: It has no EID.
        ParseError: It is not an entry.
    """
    fields = _object(entry)
    abstract = read_abstract(text_of(fields.get("dc:description")))
    listed = [text_of(author.get("surname")) for author in items_of(fields.get("author"))]
    authors = tuple(name for name in listed if name) or _creator(fields.get("dc:creator"))
    return _paper(fields, abstract.text, authors, None)


def parse_retrieval(body: bytes) -> Paper:
    """The paper of one abstract retrieval response, of any view.

    Raises:
        MissingIdentifier: It has no EID.
        ParseError: It is not a response.
    """
    response = mapping_of(_object(body).get("abstracts-retrieval-response"))
    core = mapping_of(response.get("coredata"))
    head = mapping_of(mapping_of(mapping_of(response.get("item")).get("bibrecord")).get("head"))
    raw = text_of(core.get("dc:description")) or text_of(head.get("abstracts"))
    abstract = read_abstract(raw, text_of(core.get("publishercopyright")))
    listed = items_of(mapping_of(response.get("authors")).get("author")) or items_of(
        mapping_of(core.get("dc:creator")).get("author")
    )
    names = [text_of(author.get("ce:surname")) for author in listed]
    language = text_of(mapping_of(response.get("language")).get("@xml:lang"))
    return _paper(core, abstract.text, tuple(name for name in names if name), language)


def items_of(value: object) -> list[dict[str, Any]]:
    """The objects of a field that is a list, one object, or nothing."""
    values = value if isinstance(value, list) else [value]
    return [item for item in values if isinstance(item, dict)]


def mapping_of(value: object) -> dict[str, Any]:
    """The field's object, the first of several, or an empty one."""
    return next(iter(items_of(value)), {})


def text_of(value: object) -> str:
    """The field's text: of a string, of {"$": …}, of the first of several; or ""."""
    if isinstance(value, list):
        return next((text for text in map(text_of, value) if text), "")
    if isinstance(value, dict):
        return text_of(value.get("$", value.get("ce:para")))
    return str(value) if isinstance(value, str | int | float) and value is not True else ""


def _object(content: bytes) -> dict[str, Any]:
    try:
        fields = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ParseError(f"not JSON: {error}; it starts with {content[:80]!r}") from error
    if not isinstance(fields, dict):
        raise ParseError(f"expected a JSON object, found {content[:80]!r}")
    return fields


def _paper(
    fields: dict[str, Any], abstract: str, authors: tuple[str, ...], language: str | None
) -> Paper:
    number = text_of(fields.get("dc:identifier")).removeprefix("SCOPUS_ID:")
    eid = text_of(fields.get("eid")) or (f"2-s2.0-{number}" if number.isdigit() else "")
    title = plain_line(text_of(fields.get("dc:title")))
    if not EID.fullmatch(eid):
        raise MissingIdentifier(f"no EID of Scopus ({eid!r}) in the record titled {title[:80]!r}")
    year = text_of(fields.get("prism:coverDate"))[:4]
    return Paper(
        source_id=eid,
        title=title,
        abstract=abstract,
        doi=normal_doi(text_of(fields.get("prism:doi"))),
        pmid=normal_pmid(text_of(fields.get("pubmed-id"))),
        scopus=eid.removeprefix("2-s2.0-"),
        authors=authors,
        year=int(year) if year.isdecimal() and year.isascii() and len(year) == 4 else None,
        venue=plain_line(text_of(fields.get("prism:publicationName"))) or None,
        document_type=text_of(fields.get("subtypeDescription")) or None,
        version_kind="published",
        declared_language=normal_language(language),
    )


def _creator(value: object) -> tuple[str, ...]:
    """The first author's family name, all that the STANDARD view gives."""
    name = INITIALS.sub("", plain_line(text_of(value)))
    return (name,) if name else ()
