"""OpenAlex works: a line of the snapshot, or a record of the API."""

from msgspec import Raw, Struct

from corpusforge.parsers.fields import (
    Number,
    family_name,
    licence_of,
    one_line,
    sane_year,
    whole_id,
)
from corpusforge.parsers.identifiers import normal_arxiv, normal_doi, normal_pmcid, normal_pmid
from corpusforge.parsers.inverted_index import read_index
from corpusforge.parsers.json_record import RecordDecoder
from corpusforge.parsers.languages import normal_language
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.placeholders import real_texts
from corpusforge.parsers.snippets import plain_line, plain_text


class _Ids(Struct, gc=False):
    mag: int | str | None = None
    pmid: str | None = None
    pmcid: str | None = None


class _Source(Struct, gc=False):
    display_name: str | None = None


class _Location(Struct, gc=False):
    source: _Source | None = None
    landing_page_url: str | None = None
    license: str | None = None
    version: str | None = None


class _Name(Struct, gc=False):
    display_name: str | None = None


class _Authorship(Struct, gc=False):
    author: _Name | None = None
    raw_author_name: str | None = None


class _Work(Struct):
    id: str | None = None
    doi: str | None = None
    ids: _Ids | None = None
    title: str | None = None
    display_name: str | None = None
    publication_year: Number = None
    language: str | None = None
    primary_location: _Location | None = None
    type: str | None = None
    authorships: list[_Authorship] | None = None
    is_retracted: bool | None = None
    abstract_inverted_index: Raw = Raw()


DECODER = RecordDecoder(_Work, "one OpenAlex work")
VERSION_KINDS = {"submittedVersion": "preprint", "acceptedVersion": "accepted"}
VERSION_KINDS |= {"publishedVersion": "published"}
NOWHERE = _Location()


def parse_openalex(record: bytes) -> Paper:
    """The paper of one work; its source id is the key that starts with "W".

    Raises:
        MissingIdentifier: There is no id of a work.
        OnlyPlaceholder: The abstract only says that there is none.
        ParseError: The record is not a JSON object, or its index is none.
    """
    work = DECODER.decode(record)
    key = (work.id or "").rpartition("/")[2].upper()
    if not (key.startswith("W") and key[1:].isascii() and key[1:].isdigit()):
        raise MissingIdentifier(
            f"OpenAlex record titled {work.title or work.display_name!r} has id {work.id!r}; "
            f"expected one such as https://openalex.org/W2741809807"
        )
    ids, place = work.ids or _Ids(), work.primary_location or NOWHERE
    [abstract] = real_texts(key, plain_text(read_index(work.abstract_inverted_index)))
    doi, licence = normal_doi(work.doi), licence_of(place.license)
    return Paper(
        source_id=key,
        title=plain_line(work.title or work.display_name),
        abstract=abstract,
        doi=doi,
        arxiv=_arxiv(doi),
        pmid=normal_pmid((ids.pmid or "").rpartition("/")[2]),
        pmcid=normal_pmcid((ids.pmcid or "").rpartition("/")[2]),
        mag=whole_id(ids.mag),
        openalex=key,
        authors=tuple(filter(None, map(_family_name, work.authorships or ()))),
        year=sane_year(work.publication_year),
        venue=one_line(place.source.display_name if place.source else None) or None,
        document_type=work.type,
        version_kind=_version_kind(work.type, place.version),
        declared_language=normal_language(work.language),
        licence=licence,
        licence_stated="article" if licence else None,
        retracted=bool(work.is_retracted),
        url=place.landing_page_url or f"https://openalex.org/{key}",
    )


def _arxiv(doi: str | None) -> str | None:
    prefix = "10.48550/arxiv."
    return normal_arxiv(doi.removeprefix(prefix)) if doi and doi.startswith(prefix) else None


def _family_name(authorship: _Authorship) -> str:
    name = authorship.author.display_name if authorship.author else None
    return family_name(name or authorship.raw_author_name)


def _version_kind(kind: str | None, version: str | None) -> str:
    return "preprint" if kind == "preprint" else VERSION_KINDS.get(version or "", "unknown")
