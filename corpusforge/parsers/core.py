"""CORE: a record of the dumps of 2017, 2018 and 2020, or of the API."""

import re
from collections.abc import Iterator

from msgspec import Struct

from corpusforge.parsers.fields import (
    Number,
    family_name,
    language_code,
    licence_of,
    lined,
    one_line,
    sane_year,
    whole_id,
)
from corpusforge.parsers.identifiers import normal_arxiv, normal_doi, normal_pmid
from corpusforge.parsers.json_record import RecordDecoder
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.placeholders import real_texts
from corpusforge.parsers.snippets import plain_line, plain_text

BOM = b'"\xef\xbb\xbf'  # at the start of some keys
ARXIV_OAI = "oai:arxiv.org:"
# arXiv's comments end up behind the abstract, without a space: "deformation.Comment: 32 pages".
COMMENT = re.compile(r"\s*(?<=\S)Comments?:\s.{0,400}\Z", re.S)
# CORE lists cited authors among the authors of what it took from PDFs.
MANY = 100


class _Name(Struct, gc=False):
    name: str | None = None


class _Language(Struct, gc=False):
    code: str | None = None
    name: str | None = None


class _Journal(Struct, gc=False):
    title: str | None = None


class _Identifier(Struct, gc=False):
    identifier: str | int | None = None
    type: str | None = None


class _Kind(Struct, gc=False):
    type: str | None = None


class _Enrichments(Struct, rename="camel", gc=False):
    document_type: _Kind | str | None = None


class _Record(Struct, rename="camel"):
    core_id: int | str | None = None
    id: int | str | None = None
    doi: str | None = None
    oai: str | None = None
    oai_ids: list[str | None] | None = None
    identifiers: list[str | _Identifier | None] | None = None
    mag_id: int | str | None = None
    arxiv_id: str | None = None
    pubmed_id: int | str | None = None
    title: str | None = None
    authors: list[str | _Name | None] | None = None
    abstract: str | None = None
    description: str | None = None
    full_text: str | None = None
    year: Number = None
    year_published: Number = None
    date_published: Number = None
    published_date: Number = None
    language: _Language | str | None = None
    journals: list[str | _Journal | None] | str | None = None
    enrichments: _Enrichments | None = None
    document_type: str | None = None
    license: str | None = None
    download_url: str | None = None


DECODER = RecordDecoder(_Record, "one record of CORE")


def parse_core(record: bytes) -> Paper:
    """The paper of one record.

    Raises:
        MissingIdentifier: There is neither a coreId nor an id.
        OnlyPlaceholder: All its texts say that there is none.
        ParseError: The bytes are not a JSON object.
    """
    found = DECODER.decode(record.replace(BOM, b'"') if BOM in record else record)
    core = whole_id(found.core_id) or whole_id(found.id)
    if core is None:
        raise MissingIdentifier(
            f"CORE record titled {found.title!r} has coreId {found.core_id!r} and id "
            f"{found.id!r}; expected a whole number above 0 in one of them"
        )
    ids = dict(_identifiers(found))
    arxiv = normal_arxiv(ids.get("arxiv"))
    abstract = plain_text(found.abstract or found.description)
    if arxiv and "Comment" in abstract:
        abstract = COMMENT.sub("", abstract)
    abstract, body = real_texts(core, abstract, lined(found.full_text))
    licence = licence_of(found.license)
    return Paper(
        source_id=core,
        title=plain_line(found.title),
        abstract=abstract,
        body=body,
        doi=normal_doi(ids.get("doi")),
        arxiv=arxiv,
        pmid=normal_pmid(ids.get("pmid")),
        core=core,
        mag=whole_id(ids.get("mag")),
        authors=_family_names(found),
        year=sane_year(
            found.year, found.year_published, found.date_published, found.published_date
        ),
        venue=_venue(found),
        document_type=_document_type(found),
        declared_language=_language(found),
        licence=licence,
        licence_stated="article" if licence else None,
        url=found.download_url or None,
    )


def _identifiers(found: _Record) -> Iterator[tuple[str, str]]:
    """Kind and value; of several of one kind the last one yielded counts: a field of its own."""
    for item in found.identifiers or ():
        value = item.identifier if isinstance(item, _Identifier) else item
        text = str(value or "")
        if text.lower().startswith(ARXIV_OAI):
            yield "arxiv", text[len(ARXIV_OAI) :]
        elif isinstance(item, _Identifier) and item.type:
            yield item.type.removesuffix("_ID").lower(), text
    for oai in (found.oai, *(found.oai_ids or ())):
        if oai and oai.lower().startswith(ARXIV_OAI):
            yield "arxiv", oai[len(ARXIV_OAI) :]
    named = {"doi": found.doi, "mag": found.mag_id, "arxiv": found.arxiv_id}
    for kind, own in (*named.items(), ("pmid", found.pubmed_id)):
        if own:
            yield kind, str(own)


def _family_names(found: _Record) -> tuple[str, ...]:
    people = (found.authors or [])[:MANY]
    names = (person.name if isinstance(person, _Name) else person for person in people)
    return tuple(dict.fromkeys(filter(None, map(family_name, names))))


def _venue(found: _Record) -> str | None:
    journals = [found.journals] if isinstance(found.journals, str) else found.journals or []
    titles = (item.title if isinstance(item, _Journal) else item for item in journals)
    return next(filter(None, map(one_line, titles)), None)


def _document_type(found: _Record) -> str | None:
    kind = found.enrichments.document_type if found.enrichments else None
    return (kind.type if isinstance(kind, _Kind) else kind) or found.document_type or None


def _language(found: _Record) -> str | None:
    spoken = found.language
    return language_code(spoken.code or spoken.name if isinstance(spoken, _Language) else spoken)
