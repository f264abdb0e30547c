"""S2ORC full texts: the datasets s2orc and s2orc_v2, the releases of 2019 to 2021, and peS2o.

The datasets hold one text and the places in it, in Unicode code points: what is a paragraph and
what a heading, each list a JSON string inside the JSON. The releases hold lists of paragraphs.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import takewhile

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from corpusforge.errors import ParseError
from corpusforge.kernels.marks import FIGURE, HEADING, PARAGRAPH, REFERENCE
from corpusforge.parsers.fields import family_name, one_line, paragraphed, sane_year, whole_id
from corpusforge.parsers.identifiers import normal_arxiv, normal_doi, normal_pmcid, normal_pmid
from corpusforge.parsers.json_record import RecordDecoder
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.placeholders import real_texts
from corpusforge.parsers.s2orc_parse import (
    Float,
    Paragraph,
    Parse,
    Source,
    body_parts,
    with_citations,
)
from corpusforge.parsers.section_kinds import kind_of_section
from corpusforge.parsers.snippets import plain_line, plain_text

Id = int | str | None


class _Ids(
    Struct,
    gc=False,
    rename={
        **{"doi": "DOI", "arxiv": "ArXiv", "pmid": "PubMed", "pmcid": "PubMedCentral"},
        **{"mag": "MAG"},
    },
):
    doi: str | None = None
    arxiv: str | None = None
    pmid: Id = None
    pmcid: Id = None
    mag: Id = None


class _Annotations(Struct, rename="lower", gc=False):
    title: str | None = None
    abstract: str | None = None
    paragraph: str | None = None
    sectionheader: str | None = None
    authorlastname: str | None = None
    bibref: str | None = None
    bibentry: str | None = None
    figurecaption: str | None = None
    # As they are called in s2orc_v2.
    section_header: str | None = msgspec.field(default=None, name="section_header")
    bib_ref: str | None = msgspec.field(default=None, name="bib_ref")
    bib_entry: str | None = msgspec.field(default=None, name="bib_entry")
    figure_caption: str | None = msgspec.field(default=None, name="figure_caption")


class _Content(Struct, gc=False):
    text: str | None = None
    annotations: _Annotations | None = None


class _Author(Struct, gc=False):
    name: str | None = None
    last: str | None = None


class _Metadata(Struct):
    title: str | None = None
    authors: list[_Author] | None = None
    abstract: str | None = None
    year: int | str | None = None
    venue: str | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    pubmed_id: Id = None
    pmc_id: Id = None


class _Record(_Metadata):
    corpusid: Id = None
    paper_id: Id = None
    externalids: _Ids | None = None
    content: _Content | None = None
    body: _Content | None = None
    metadata: _Metadata | None = None
    abstract: str | list[Paragraph] | None = None  # type: ignore[assignment]
    body_text: list[Paragraph] | None = None
    back_matter: list[Paragraph] | None = None
    ref_entries: dict[str, Float | None] | None = None
    bib_entries: dict[str, Source | None] | None = None
    grobid_parse: Parse | None = None
    pdf_parse: Parse | None = None


class _Span(Struct, gc=False):
    start: int | str
    end: int | str


DECODER = RecordDecoder(_Record, "one full text of S2ORC")
SPANS = msgspec.json.Decoder(list[_Span])


def parse_s2orc(record: bytes) -> Paper:
    """The paper of one record; its source id is the corpus id, or the paper id of the releases.

    Raises:
        MissingIdentifier: There is neither.
        OnlyPlaceholder: All its texts say that there is none.
        ParseError: The bytes are not a JSON object, or its places are none of its text.
    """
    found = DECODER.decode(record)
    source_id = whole_id(found.corpusid) or str(found.paper_id or "")
    if not source_id:
        raise MissingIdentifier(f"S2ORC record titled {found.title!r} has no corpusid or paper_id")
    content = found.content or found.body
    paper = _of_parse(source_id, found) if content is None else _of_content(source_id, content)
    facts, ids = found.metadata or found, found.externalids or _Ids()
    names = [one_line(person.last) or family_name(person.name) for person in facts.authors or ()]
    abstract, body = real_texts(source_id, paper.abstract, paper.body)
    return replace(
        paper,
        title=plain_line(facts.title) or paper.title,
        abstract=abstract,
        body=body,
        doi=normal_doi(ids.doi or facts.doi),
        arxiv=normal_arxiv(ids.arxiv or facts.arxiv_id),
        pmid=normal_pmid(str(ids.pmid or facts.pubmed_id or "")),
        pmcid=normal_pmcid(str(ids.pmcid or facts.pmc_id or "")),
        mag=whole_id(ids.mag),
        authors=tuple(filter(None, names)) or paper.authors,
        year=sane_year(facts.year),
        venue=one_line(facts.venue) or None,
    )


def _of_parse(source_id: str, found: _Record) -> Paper:
    parse = found.grobid_parse or found.pdf_parse or _own_parse(found)
    own = found.abstract if isinstance(found.abstract, list) else parse.abstract
    told = found.metadata.abstract if found.metadata else None
    told = found.abstract if isinstance(found.abstract, str) else told
    parts = (one_line(part.text) for part in own or ())
    return Paper(
        source_id=source_id,
        abstract=plain_text(told) or PARAGRAPH.join(filter(None, parts)),
        body=PARAGRAPH.join(body_parts(parse)),
    )


def _own_parse(found: _Record) -> Parse:
    """Of the releases in which a record is what was parsed, and its metadata are elsewhere."""
    return Parse(
        body_text=found.body_text,
        back_matter=found.back_matter,
        ref_entries=found.ref_entries,
        bib_entries=found.bib_entries,
    )


def _of_content(source_id: str, content: _Content) -> Paper:
    text, notes = content.text or "", content.annotations or _Annotations()
    captions, headers = notes.figurecaption, notes.sectionheader or notes.section_header
    # A heading that is a paragraph too is a heading, and so on.
    places = {
        start: (end, mark)
        for held, mark in (
            (notes.bibentry or notes.bib_entry, REFERENCE),
            (notes.paragraph, ""),
            (captions or notes.figure_caption, FIGURE),
            (headers, HEADING),
        )
        for start, end in _spans(source_id, held, text)
    }
    abstracts = _spans(source_id, notes.abstract, text)
    citations = _spans(source_id, notes.bibref or notes.bib_ref, text)
    outside = [
        (start, end, mark)
        for start, (end, mark) in sorted(places.items(), key=_references_last)
        if not any(first <= start < last for first, last in abstracts)
    ]
    parts = [mark + _cited(text, start, end, citations) for start, end, mark in outside]
    body = (
        PARAGRAPH.join(_of_their_kinds(parts)) if notes.paragraph or headers else paragraphed(text)
    )
    titles = [one_line(text[start:end]) for start, end in _spans(source_id, notes.title, text)]
    names = _spans(source_id, notes.authorlastname, text)
    return Paper(
        source_id=source_id,
        title=next(iter(titles), ""),
        abstract=PARAGRAPH.join(paragraphed(text[start:end]) for start, end in abstracts),
        body=body,
        authors=tuple(one_line(text[start:end]) for start, end in names),
    )


def _references_last(place: tuple[int, tuple[int, str]]) -> tuple[bool, int]:
    start, (_, mark) = place
    return mark == REFERENCE, start


def _cited(text: str, start: int, end: int, citations: list[tuple[int, int]]) -> str:
    """The line from `start` to `end`, with marks around its citations."""
    at = bisect_left(citations, (start, start))
    inside = takewhile(lambda place: place[1] <= end, citations[at:])
    places = [(first - start, last - start) for first, last in inside]
    return one_line(with_citations(text[start:end], places))


def _of_their_kinds(parts: list[str]) -> Iterator[str]:
    """The parts that have text, those under a heading such as "Funding" with its mark."""
    kind = ""
    for part in parts:
        text = part.removeprefix(HEADING)
        if text != part:
            kind = kind_of_section(text)
        if text.strip(f"{FIGURE}{REFERENCE}"):
            yield part if part.startswith((FIGURE, REFERENCE)) else kind + part


def _spans(source_id: str, held: str | None, text: str) -> list[tuple[int, int]]:
    """Start and end of each place, in order."""
    if not held:
        return []
    try:
        spans = sorted((int(span.start), int(span.end)) for span in SPANS.decode(held) or ())
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ParseError(
            f"S2ORC record {source_id}: annotations are unreadable: {error}"
        ) from error
    for start, end in spans:
        if not 0 <= start <= end <= len(text):
            raise ParseError(
                f"S2ORC record {source_id}: a place from {start:,} to {end:,} lies outside its "
                f"text of {len(text):,} characters; expected code points of the text"
            )
    return spans
