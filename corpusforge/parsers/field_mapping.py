"""A table or JSON of anyone's, to papers: which of its fields is which of a Paper's."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from corpusforge.errors import ParseError
from corpusforge.parsers.fields import (
    family_name,
    language_code,
    licence_of,
    lined,
    one_line,
    sane_year,
)
from corpusforge.parsers.identifiers import normal_arxiv, normal_doi, normal_pmcid, normal_pmid
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.placeholders import real_texts
from corpusforge.parsers.snippets import plain_text

BETWEEN_NAMES = re.compile(r"\s*;\s*|\s*\|\s*|\s+and\s+")
TRUE = {"true", "1", "yes", "y", "t"}
SHOWN = 80  # bytes of a record that a message quotes

Field = Annotated[
    str | None, Meta(description="Column, or path in JSON with dots: `ids.doi`, `title.0`.")
]


class FieldMapping(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where each field of a Paper stands. What is not named stays empty."""

    source_id: Annotated[str, Meta(description="Column or path of the source's own key.")]
    version: Field = None
    title: Field = None
    abstract: Field = None
    body: Field = None
    doi: Field = None
    arxiv: Field = None
    pmid: Field = None
    pmcid: Field = None
    authors: Field = None
    year: Field = None
    venue: Field = None
    document_type: Field = None
    language: Field = None
    licence: Field = None
    retracted: Field = None
    url: Field = None
    version_kind: Annotated[
        Literal["preprint", "accepted", "published", "unknown"],
        Meta(description="Of all records: no column, but the word itself."),
    ] = "unknown"

    def columns(self) -> set[str]:
        """Every name that a record may have at its top for this mapping to find its fields."""
        constants = ("version_kind",)
        names = [name for name in self.__struct_fields__ if name not in constants]
        paths = [path for name in names if (path := getattr(self, name))]
        return {*paths, *(path.partition(".")[0] for path in paths)}


def mapped_json(record: bytes, mapping: FieldMapping) -> Paper:
    """The paper of one JSON object; raises like `mapped_paper`."""
    try:
        parts = msgspec.json.decode(record, type=dict[str, Raw])
        names = mapping.columns() & parts.keys()
        values = {name: msgspec.json.decode(parts[name]) for name in names}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ParseError(
            f"a record of {len(record):,} bytes cannot be read as JSON: {error}; it starts with "
            f"{record[:SHOWN]!r}; expected one object"
        ) from error
    return mapped_paper(values, mapping)


def mapped_paper(values: Mapping[str, Any], mapping: FieldMapping) -> Paper:
    """The paper of one record.

    Raises:
        MissingIdentifier: The field of the key is absent or empty.
        OnlyPlaceholder: All its texts say that there is none.
    """

    def text(field: str | None) -> str:
        return next(filter(None, map(_text, _found(values, field))), "")

    source_id = one_line(text(mapping.source_id))
    if not source_id:
        raise MissingIdentifier(
            f"record has no {mapping.source_id!r}, which the mapping names as its key; it has "
            f"{', '.join(sorted(values)) or 'no fields'}"
        )
    abstract, body = real_texts(
        source_id, _plain(text(mapping.abstract)), _plain(text(mapping.body))
    )
    version, licence = text(mapping.version).removeprefix("v"), licence_of(text(mapping.licence))
    return Paper(
        source_id=source_id,
        version=int(version) if re.fullmatch("[0-9]{1,6}", version) else 1,
        title=one_line(_plain(text(mapping.title))),
        abstract=abstract,
        body=body,
        doi=normal_doi(text(mapping.doi)),
        arxiv=normal_arxiv(text(mapping.arxiv)),
        pmid=normal_pmid(text(mapping.pmid)),
        pmcid=normal_pmcid(text(mapping.pmcid)),
        authors=tuple(_family_names(_found(values, mapping.authors))),
        year=sane_year(text(mapping.year)),
        venue=one_line(text(mapping.venue)) or None,
        document_type=one_line(text(mapping.document_type)) or None,
        version_kind=mapping.version_kind,
        declared_language=language_code(text(mapping.language)),
        licence=licence,
        licence_stated="article" if licence else None,
        retracted=text(mapping.retracted).strip().lower() in TRUE,
        url=text(mapping.url) or None,
    )


def _plain(text: str) -> str:
    """The text with its lines, or without its tags: what has closing ones is HTML or JATS."""
    return plain_text(text) if "</" in text else lined(text)


def _found(values: Mapping[str, Any], path: str | None) -> Iterator[Any]:
    """What stands at a path; a step into a list without a number goes into each of its items."""
    if path is None:
        return
    if path in values:
        yield values[path]
        return
    held: list[Any] = [values]
    for step in path.split("."):
        below: list[Any] = []
        for value in held:
            if isinstance(value, Mapping):
                below += [value[step]] if step in value else []
            elif isinstance(value, list) and step.isdigit():
                below += value[int(step) : int(step) + 1]
            elif isinstance(value, list):
                below += [item[step] for item in value if isinstance(item, dict) and step in item]
        held = below
    yield from held


def _text(value: object) -> str:
    """A value as text: of a list its texts as paragraphs, of anything without text ""."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n\n".join(filter(None, map(_text, value)))
    if isinstance(value, bool | int):
        return str(value)
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else ""


def _family_names(values: Iterator[Any]) -> Iterator[str]:
    for value in values:
        names = value if isinstance(value, list) else BETWEEN_NAMES.split(_text(value))
        yield from filter(None, (family_name(_text(name)) for name in names))
