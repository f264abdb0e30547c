"""Crossref works: a record of the REST API or of the public data file."""

import re

from msgspec import Raw, Struct

from corpusforge.parsers.fields import Number, licence_of, one_line, sane_year
from corpusforge.parsers.identifiers import normal_doi
from corpusforge.parsers.json_record import RecordDecoder
from corpusforge.parsers.languages import normal_language
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.placeholders import real_texts
from corpusforge.parsers.snippets import plain_line, plain_text

RETRACTED_TITLE = re.compile(r"\W*(?:RETRACTED|Retracted)(?:\s+(?:ARTICLE|[Aa]rticle))?\s*[:.\]-]")
RETRACTIONS = {"retraction", "withdrawal", "removal"}
PUBLISHED = ("journal-article", "proceedings-article", "book", "monograph", "reference-entry")

Dates = list[list[Number] | None] | None


class _Date(Struct, rename={"parts": "date-parts"}, gc=False):
    parts: Dates = None


class _Author(Struct, gc=False):
    family: str | None = None
    name: str | None = None
    given: str | None = None


class _Licence(Struct, gc=False, rename={"address": "URL", "version": "content-version"}):
    address: str | None = None
    version: str | None = None


class _Update(Struct, gc=False):
    type: str | None = None


KEYS = {"DOI": "doi", "URL": "url", "container-title": "container_title"}
KEYS |= {"update-to": "update_to", "updated-by": "updated_by"}
KEYS |= {f"published-{kind}": f"published_{kind}" for kind in ("print", "online")}


class _Work(Struct, rename={name: key for key, name in KEYS.items()}):
    doi: str | None = None
    url: str | None = None
    title: list[str | None] | str | None = None
    subtitle: list[str | None] | str | None = None
    container_title: list[str | None] | str | None = None
    abstract: str | None = None
    author: list[_Author | None] | None = None
    issued: _Date | None = None
    published_print: _Date | None = None
    published_online: _Date | None = None
    language: str | None = None
    license: list[_Licence | None] | None = None
    type: str | None = None
    subtype: str | None = None
    update_to: list[_Update | None] | None = None
    updated_by: list[_Update | None] | None = None
    message: Raw = Raw()  # what the API puts around a single work


DECODER = RecordDecoder(_Work, "one Crossref work")


def parse_crossref(record: bytes) -> Paper:
    """The paper of one work, with or without the API's envelope; its source id is its DOI.

    A notice that retracts another work is a document of its own, of type "retraction"; the work
    that it names is retracted where Crossref or its title says so.

    Raises:
        MissingIdentifier: There is no valid DOI.
        OnlyPlaceholder: The abstract only says that there is none.
        ParseError: The bytes are not a JSON object.
    """
    work = DECODER.decode(record)
    if work.doi is None and bytes(work.message).startswith(b"{"):
        work = DECODER.decode(bytes(work.message))
    doi, title = normal_doi(work.doi), plain_line(_first(work.title))
    if doi is None:
        raise MissingIdentifier(
            f"Crossref work titled {title!r} has DOI {work.doi!r}; expected one that starts with "
            f"'10.'"
        )
    [abstract] = real_texts(doi, plain_text(work.abstract))
    licence = _licence(work)
    notice = {update.type for update in work.update_to or () if update} & RETRACTIONS
    return Paper(
        source_id=doi,
        title=_with_subtitle(title, plain_line(_first(work.subtitle))),
        abstract=abstract,
        doi=doi,
        authors=_family_names(work),
        year=_year(work),
        venue=plain_line(_first(work.container_title)) or None,
        document_type="retraction" if notice else work.type,
        version_kind=_version_kind(work),
        declared_language=normal_language(work.language),
        licence=licence,
        licence_stated="article" if licence else None,
        retracted=not notice and _is_retracted(work, title),
        url=f"https://doi.org/{doi}",
    )


def _first(values: list[str | None] | str | None) -> str | None:
    return values if isinstance(values, str) else next(filter(None, values or ()), None)


def _with_subtitle(title: str, subtitle: str) -> str:
    if not subtitle or subtitle.lower() in title.lower():
        return title
    return f"{title} {subtitle}" if title.endswith((":", "?", "!", ".")) else f"{title}: {subtitle}"


def _family_names(work: _Work) -> tuple[str, ...]:
    people = [person for person in work.author or () if person]
    names = (one_line(person.family or person.name or person.given) for person in people)
    return tuple(filter(None, names))


def _year(work: _Work) -> int | None:
    """Of the date of issue, which Crossref makes the earlier of print and online."""
    for date in (work.issued, work.published_online, work.published_print):
        for parts in (date.parts or ()) if date else ():
            if year := sane_year(*(parts or ())[:1]):
                return year
    return None


def _version_kind(work: _Work) -> str:
    if work.type == "posted-content":
        return "preprint" if work.subtype in (None, "preprint") else "unknown"
    return "published" if (work.type or "").startswith(PUBLISHED) else "unknown"


def _licence(work: _Work) -> str | None:
    """The first open licence; that of the published version before that of another."""
    stated = [item for item in work.license or () if item]
    stated.sort(key=lambda item: item.version != "vor")
    return next(filter(None, (licence_of(item.address) for item in stated)), None)


def _is_retracted(work: _Work, title: str) -> bool:
    marks = {update.type for update in work.updated_by or () if update}
    return bool(marks & RETRACTIONS) or RETRACTED_TITLE.match(title) is not None
