"""The body of S2ORC's releases: paragraphs with places in them, and what they refer to."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from corpusforge.kernels.marks import FIGURE, HEADING, REFERENCE, TABLE
from corpusforge.parsers.fields import Number, one_line
from corpusforge.parsers.raw_text import cited
from corpusforge.parsers.section_kinds import kind_of_section

KINDS = {"figure": FIGURE, "table": TABLE}


class Place(Struct, gc=False):
    """A citation in a paragraph, in code points."""

    start: int | None = None
    end: int | None = None


class Paragraph(Struct, gc=False):
    text: str | None = None
    section: str | None = None
    cite_spans: list[Place | None] | None = None


class _Author(Struct, gc=False):
    first: str | None = None
    last: str | None = None


class Source(Struct, gc=False):
    """An entry of the list of references."""

    raw_text: str | None = None
    title: str | None = None
    authors: list[_Author | None] | None = None
    year: Number = None
    venue: str | None = None
    volume: str | None = None
    pages: str | None = None


class Float(Struct, gc=False):
    """A figure or a table: its caption."""

    text: str | None = None
    type: str | None = None


class Parse(Struct):
    abstract: list[Paragraph] | None = None
    body_text: list[Paragraph] | None = None
    back_matter: list[Paragraph] | None = None
    ref_entries: dict[str, Float | None] | None = None
    bib_entries: dict[str, Source | None] | None = None


def body_parts(parse: Parse) -> list[str]:
    """Paragraphs with the marks of their kinds: body, back, captions and references."""
    return [
        *_sections(parse.body_text or ()),
        *_sections(parse.back_matter or ()),
        *_captions(parse.ref_entries or {}),
        *_references(parse.bib_entries or {}),
    ]


def with_citations(text: str, places: Iterable[tuple[int, int]]) -> str:
    """The text with marks around its citations.

    Args:
        text: A paragraph.
        places: Start and end of each, in order; one that is not within the text behind the one
            before it is none.
    """
    parts: list[str] = []
    done = 0
    for start, end in places:
        if done <= start < end <= len(text) and text[start:end].strip():
            parts += (text[done:start], cited(text[start:end]))
            done = end
    return "".join([*parts, text[done:]])


def _sections(paragraphs: Iterable[Paragraph]) -> Iterator[str]:
    """Paragraphs, with the title of a section before the first of its own."""
    section, kind = "", ""
    for paragraph in paragraphs:
        title = one_line(paragraph.section)
        spans = [place for place in paragraph.cite_spans or () if place]
        places = [(p.start, p.end) for p in spans if p.start is not None and p.end is not None]
        text = one_line(with_citations(paragraph.text or "", sorted(places)))
        if title != section:
            kind = kind_of_section(title)
            if text and title:
                yield kind + HEADING + title
        section = title
        if text:
            yield kind + text


def _captions(entries: Mapping[str, Float | None]) -> Iterator[str]:
    for entry in entries.values():
        kind = KINDS.get(entry.type or "") if entry else None
        if entry and kind and (text := one_line(entry.text)):
            yield kind + text


def _references(entries: Mapping[str, Source | None]) -> Iterator[str]:
    for entry in entries.values():
        if entry and (text := one_line(entry.raw_text) or _composed(entry)):
            yield REFERENCE + text


def _composed(source: Source) -> str:
    """The fields as they would be printed: "Ito K, Ny L (2009). On cells. Cell 12: 34-45"."""
    people = [person for person in source.authors or () if person]
    names = (f"{one_line(p.last)} {(p.first or '')[:1]}".strip() for p in people)
    who = ", ".join(filter(None, names)) + (f" ({source.year})" if source.year else "")
    place = f"{one_line(source.venue)} {one_line(source.volume)}".strip()
    pages = one_line(source.pages).replace("--", "-")
    where = f"{place}: {pages}" if place and pages else place
    return ". ".join(filter(None, (who.strip(), one_line(source.title).rstrip("."), where)))
