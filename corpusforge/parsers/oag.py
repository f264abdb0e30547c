"""Open Academic Graph, papers of MAG (v1 to v2.1) and of AMiner (v1 to v5), one JSON per line.

Any field may be missing, null or "". Only the id is sure. MAG's abstracts are inverted indexes.
"""

from msgspec import Raw, Struct

from corpusforge.parsers.fields import (
    Number,
    family_name,
    language_code,
    one_line,
    sane_year,
    whole_id,
)
from corpusforge.parsers.identifiers import normal_doi
from corpusforge.parsers.inverted_index import read_index
from corpusforge.parsers.json_record import RecordDecoder
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.placeholders import real_texts
from corpusforge.parsers.snippets import plain_line, plain_text


class _Author(Struct, gc=False):
    name: str | None = None


class _Venue(Struct, gc=False):
    raw: str | None = None
    name: str | None = None


class _Paper(Struct):
    id: int | str | None = None
    title: str | None = None
    authors: list[_Author | None] | None = None
    venue: str | _Venue | None = None
    year: Number = None
    doc_type: str | None = None
    doi: str | None = None
    lang: str | None = None
    url: list[str | None] | str | None = None
    abstract: str | None = None
    indexed_abstract: Raw = Raw()


DECODER = RecordDecoder(_Paper, "one paper of the Open Academic Graph")
# The words of doc_type that tell: a "Repository" paper is in arXiv, SSRN or another such place.
VERSION_KINDS = {"Journal": "published", "Conference": "published", "Book": "published"}
VERSION_KINDS |= {"BookChapter": "published", "Repository": "preprint"}


def parse_mag(record: bytes) -> Paper:
    """A paper of MAG; its id is the number that MAG and, with a "W", OpenAlex know it by.

    Raises:
        MissingIdentifier: There is no id, or it is no whole number.
        OnlyPlaceholder: The abstract only says that there is none.
        ParseError: The line is not a JSON object, or the index is none.
    """
    found = DECODER.decode(record)
    mag = whole_id(found.id)
    if mag is None:
        raise MissingIdentifier(
            f"MAG paper titled {found.title!r} has id {found.id!r}; expected a whole number"
        )
    return _paper(mag, found, mag)


def parse_aminer(record: bytes) -> Paper:
    """A paper of AMiner, or of the merged releases from v3 on; raises like `parse_mag`."""
    found = DECODER.decode(record)
    source_id = str(found.id or "").strip()
    if not source_id or " " in source_id:
        raise MissingIdentifier(
            f"AMiner paper titled {found.title!r} has id {found.id!r}; expected one word"
        )
    return _paper(source_id, found)


def _paper(source_id: str, found: _Paper, mag: str | None = None) -> Paper:
    abstract = plain_text(found.abstract) or plain_text(read_index(found.indexed_abstract))
    [abstract] = real_texts(source_id, abstract)
    names = (family_name(author.name) for author in found.authors or () if author)
    venue = found.venue
    if isinstance(venue, _Venue):
        venue = venue.name or venue.raw
    urls = [found.url] if isinstance(found.url, str) else found.url or []
    return Paper(
        source_id=source_id,
        title=plain_line(found.title),
        abstract=abstract,
        doi=normal_doi(found.doi),
        mag=mag,
        authors=tuple(filter(None, names)),
        year=sane_year(found.year),
        venue=one_line(venue) or None,
        document_type=found.doc_type or None,
        version_kind=VERSION_KINDS.get(found.doc_type or "", "unknown"),
        declared_language=language_code(found.lang),
        url=next(filter(None, urls), None),
    )
