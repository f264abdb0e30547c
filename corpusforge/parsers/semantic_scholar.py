"""Semantic Scholar's facts about papers: the datasets papers and abstracts, the Graph API, and
the metadata of S2ORC 2020. Where two spell a field differently, both spellings are read.
"""

from msgspec import Struct

from corpusforge.parsers.fields import (
    Number,
    family_name,
    licence_of,
    one_line,
    sane_year,
    whole_id,
)
from corpusforge.parsers.identifiers import normal_arxiv, normal_doi, normal_pmcid, normal_pmid
from corpusforge.parsers.json_record import RecordDecoder
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.placeholders import real_texts
from corpusforge.parsers.snippets import plain_line, plain_text

Id = int | str | None


class _Author(Struct, gc=False):
    name: str | None = None
    last: str | None = None


class _Ids(
    Struct,
    gc=False,
    rename={
        **{"doi": "DOI", "arxiv": "ArXiv", "pmid": "PubMed", "pmcid": "PubMedCentral"},
        **{"mag": "MAG", "corpus": "CorpusId"},
    },
):
    doi: str | None = None
    arxiv: str | None = None
    pmid: Id = None
    pmcid: Id = None
    mag: Id = None
    corpus: Id = None


class _Journal(Struct, gc=False):
    name: str | None = None


class _OpenAccess(Struct, gc=False):
    license: str | None = None


class _Paper(Struct):
    corpusid: Id = None
    paper_id: Id = None
    corpusId: Id = None  # noqa: N815  (as the API spells it)
    paperId: str | None = None  # noqa: N815
    externalids: _Ids | None = None
    externalIds: _Ids | None = None  # noqa: N815
    title: str | None = None
    abstract: str | None = None
    authors: list[_Author | None] | None = None
    year: Number = None
    venue: str | None = None
    journal: _Journal | str | None = None
    publicationtypes: list[str] | None = None
    publicationTypes: list[str] | None = None  # noqa: N815
    openaccessinfo: _OpenAccess | None = None
    openAccessPdf: _OpenAccess | None = None  # noqa: N815
    url: str | None = None
    s2_url: str | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    pubmed_id: Id = None
    pmc_id: Id = None
    mag_id: Id = None


DECODER = RecordDecoder(_Paper, "one paper of Semantic Scholar")
ARXIV_VENUES = {"arxiv", "arxiv.org", "biorxiv", "medrxiv", "chemrxiv", "ssrn electronic journal"}


def parse_semantic_scholar(record: bytes) -> Paper:
    """The paper of one record; its source id is the corpus id, else the 40-digit paper id.

    Raises:
        MissingIdentifier: There is neither.
        OnlyPlaceholder: The abstract only says that there is none.
        ParseError: The bytes are not a JSON object.
    """
    found = DECODER.decode(record)
    ids = found.externalids or found.externalIds or _Ids()
    corpus = whole_id(found.corpusid or found.corpusId or ids.corpus or found.paper_id)
    source_id = corpus or found.paperId
    if not source_id:
        raise MissingIdentifier(
            f"Semantic Scholar paper titled {found.title!r} has neither corpusid nor paperId"
        )
    [abstract] = real_texts(source_id, plain_text(found.abstract))
    names = [one_line(person.last) or family_name(person.name) for person in _people(found)]
    access = found.openaccessinfo or found.openAccessPdf
    licence = licence_of(access.license) if access else None
    journal = found.journal.name if isinstance(found.journal, _Journal) else found.journal
    venue = one_line(found.venue) or one_line(journal)
    kinds = found.publicationtypes or found.publicationTypes or []
    return Paper(
        source_id=source_id,
        title=plain_line(found.title),
        abstract=abstract,
        doi=normal_doi(ids.doi or found.doi),
        arxiv=normal_arxiv(ids.arxiv or found.arxiv_id),
        pmid=normal_pmid(_text(ids.pmid or found.pubmed_id)),
        pmcid=normal_pmcid(_text(ids.pmcid or found.pmc_id)),
        mag=whole_id(ids.mag or found.mag_id),
        authors=tuple(filter(None, names)),
        year=sane_year(found.year),
        venue=venue or None,
        document_type=next(iter(kinds), None),
        version_kind="preprint" if venue.lower() in ARXIV_VENUES else "unknown",
        licence=licence,
        licence_stated="article" if licence else None,
        url=found.url or found.s2_url,
    )


def _people(found: _Paper) -> list[_Author]:
    return [person for person in found.authors or () if person]


def _text(value: Id) -> str | None:
    return None if value is None else str(value)
