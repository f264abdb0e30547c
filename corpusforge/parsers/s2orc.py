"""S2ORC full texts: the datasets s2orc and s2orc_v2, the releases of 2019 to 2021, and peS2o.

The datasets hold one text and the places in it, in Unicode code points: what is a paragraph and
what a heading, each list a JSON string inside the JSON. The releases hold lists of paragraphs.
"""

from collections.abc import Iterable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from corpusforge.errors import ParseError
from corpusforge.kernels.marks import HEADING, PARAGRAPH
from corpusforge.parsers.fields import family_name, one_line, paragraphed, sane_year, whole_id
from corpusforge.parsers.identifiers import normal_arxiv, normal_doi, normal_pmcid, normal_pmid
from corpusforge.parsers.json_record import RecordDecoder
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.placeholders import real_texts
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
    section_header: str | None = msgspec.field(default=None, name="section_header")
    authorlastname: str | None = None


class _Content(Struct, gc=False):
    text: str | None = None
    annotations: _Annotations | None = None


class _Author(Struct, gc=False):
    name: str | None = None
    last: str | None = None


class _Paragraph(Struct, gc=False):
    text: str | None = None
    section: str | None = None


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


class _Parse(Struct):
    abstract: list[_Paragraph] | None = None
    body_text: list[_Paragraph] | None = None


class _Record(_Metadata):
    corpusid: Id = None
    paper_id: Id = None
    externalids: _Ids | None = None
    content: _Content | None = None
    body: _Content | None = None
    metadata: _Metadata | None = None
    abstract: str | list[_Paragraph] | None = None  # type: ignore[assignment]
    body_text: list[_Paragraph] | None = None
    grobid_parse: _Parse | None = None
    pdf_parse: _Parse | None = None


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
    parse = found.grobid_parse or found.pdf_parse or _Parse(body_text=found.body_text)
    own = found.abstract if isinstance(found.abstract, list) else parse.abstract
    told = found.metadata.abstract if found.metadata else None
    told = found.abstract if isinstance(found.abstract, str) else told
    parts = (one_line(part.text) for part in own or ())
    return Paper(
        source_id=source_id,
        abstract=plain_text(told) or PARAGRAPH.join(filter(None, parts)),
        body=PARAGRAPH.join(_sections(parse.body_text or ())),
    )


def _sections(paragraphs: Iterable[_Paragraph]) -> list[str]:
    """Paragraphs, with the title of a section before the first of its own."""
    parts: list[str] = []
    section = ""
    for paragraph in paragraphs:
        title, text = one_line(paragraph.section), one_line(paragraph.text)
        if text and title and title != section:
            parts.append(HEADING + title)
        section = title
        if text:
            parts.append(text)
    return parts


def _of_content(source_id: str, content: _Content) -> Paper:
    text, notes = content.text or "", content.annotations or _Annotations()
    places = {
        start: (end, "") for start, end in _spans(source_id, notes.paragraph, text)
    }  # a heading that is a paragraph too is a heading
    headers = notes.sectionheader or notes.section_header
    places |= {start: (end, HEADING) for start, end in _spans(source_id, headers, text)}
    abstracts = _spans(source_id, notes.abstract, text)
    outside = [
        mark + flat
        for start, (end, mark) in sorted(places.items())
        if not any(first <= start < last for first, last in abstracts)
        and (flat := one_line(text[start:end]))
    ]
    body = PARAGRAPH.join(outside) if places else paragraphed(text)
    titles = [one_line(text[start:end]) for start, end in _spans(source_id, notes.title, text)]
    names = _spans(source_id, notes.authorlastname, text)
    return Paper(
        source_id=source_id,
        title=next(iter(titles), ""),
        abstract=PARAGRAPH.join(paragraphed(text[start:end]) for start, end in abstracts),
        body=body,
        authors=tuple(one_line(text[start:end]) for start, end in names),
    )


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
