"""What to ask Scopus for, and what next: decisions only.

A search is paged through with a cursor (subscribers) or by start and count, within a window of
5,000 results. A larger one without cursor is split into ranges of years until each part fits.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal
from urllib.parse import quote

from msgspec import Meta, Struct

from corpusforge.parsers.identifiers import arxiv_doi, normal_arxiv, normal_doi
from corpusforge.parsers.scopus import SearchPage
from corpusforge.sources.answers import Request
from corpusforge.sources.network import Address
from corpusforge.sources.parts import Part, check_either, check_years
from corpusforge.sources.replay import Estimate
from corpusforge.sources.secrets import KeyName

SEARCH, ABSTRACT = "/content/search/scopus", "/content/abstract"
WINDOW = 5_000  # results that may be paged through without a cursor
PAGE = {"COMPLETE": 25, "STANDARD": 200}  # most results of one request
MIN_DOUBT = 3  # records; fewer may well have no abstract
BATCH = 25  # ids of one search: as many as COMPLETE shows at once
MAX_QUERY = 2_000  # characters of a batch; far longer ones are refused with 414
WEEKLY = {"search": "20,000 searches a week", "retrieval": "5,000 or 10,000 abstracts a week"}
JSON = (("Accept", "application/json"),)
SEARCHABLE = {"doi": "DOI", "eid": "EID", "pubmed_id": "PMID"}
PREFIX = re.compile(r"(?:scopus_id|eid|pmid|pubmed|pii)[:\s]\s*", re.I)
EID = re.compile(r"[12]-s2\.0-[0-9]+")
DOI = re.compile(r"10\.[0-9][^/\s]*/\S.*")
PII = re.compile(r"[SB][0-9X]{14,22}", re.I)  # of an article: S, ISSN, year, number, check digit
NO_ID = "is no DOI, EID, PubMed id, Scopus id or publisher item id"


class ScopusConfig(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="scopus", tag_field="kind"
):
    """Records of Scopus: those of a query, or those of a list of ids. One of the two."""

    query: Annotated[
        str | None, Meta(description="In Scopus's advanced search language, such as KEY(graphene).")
    ] = None
    years: Annotated[
        tuple[int, int] | None,
        Meta(description="First and last year of the query; needed to split a large one."),
    ] = None
    ids: Annotated[
        list[str], Meta(description="DOIs, EIDs, PubMed, Scopus or publisher item ids.")
    ] = []
    ids_file: Annotated[
        str | None, Meta(description="File of them, one a line, relative to the pipeline file.")
    ] = None
    ids_by: Annotated[
        Literal["search", "retrieval"],
        Meta(description="25 ids a request, for subscribers; or one at a time."),
    ] = "search"
    view: Annotated[
        Literal["COMPLETE", "STANDARD"],
        Meta(description="Of search. STANDARD is open to every key and has no abstracts."),
    ] = "COMPLETE"
    retrieval_view: Annotated[Literal["META_ABS", "FULL"], Meta(description="Of retrieval.")] = (
        "META_ABS"
    )
    paging: Annotated[
        Literal["cursor", "start"],
        Meta(description="Without the right to use cursors, start is used by itself."),
    ] = "cursor"
    max_without_abstract: Annotated[
        float,
        Meta(ge=0, le=1, description="Share of records; above it the rights are taken for lost."),
    ] = 0.6
    key: Annotated[
        KeyName,
        Meta(description="Environment variable, or line of the key file, with the API key."),
    ] = "SCOPUS_API_KEY"
    token: Annotated[
        KeyName, Meta(description="The same for the institution's token, which not everyone has.")
    ] = "SCOPUS_INSTTOKEN"
    address: Annotated[Address, Meta(description="Of the API.")] = "https://api.elsevier.com"

    def __post_init__(self) -> None:
        check_either("scopus", self.query, self.ids, self.ids_file)
        check_years(self.years)


@dataclass(frozen=True)
class Step:
    """Where in a part a request stands."""

    start: int = 0  # results before it
    cursor: str | None = None  # None to page by start


def search_request(config: ScopusConfig, part: Part, step: Step) -> Request:
    """One page. A cursor holds + and =; it is encoded when sent, and only then."""
    params = [("query", part.query), ("view", config.view), ("count", str(PAGE[config.view]))]
    if part.years is not None:
        first, last = part.years
        params.append(("date", str(first) if first == last else f"{first}-{last}"))
    if step.cursor is None:
        params.append(("start", str(step.start)))
    else:
        params.append(("cursor", step.cursor))
    return Request(config.address + SEARCH, tuple(params), JSON)


def next_step(step: Step, page: SearchPage) -> Step | None:
    """Where to go on, or None at the end. A cursor that is left out is replaced by a start."""
    start = step.start + len(page.entries)
    if not page.entries or start >= page.total:
        return None
    return Step(start, page.cursor if step.cursor is not None else None)


def must_split(step: Step | None, page: SearchPage) -> bool:
    """Whether the next step leads, sooner or later, out of the window."""
    return step is not None and step.cursor is None and page.total > WINDOW


def kind_of_id(name: str) -> str | None:
    """What sort of identifier this is, as abstract retrieval names it; None for none it knows.

    >>> kind_of_id("10.1016/0014-5793(85)80257-(0)"), kind_of_id("85045740431")
    ('doi', 'scopus_id')
    """
    if name.isascii() and name.isdigit():
        return "pubmed_id" if len(name) < 10 else "scopus_id"
    for kind, form in (("eid", EID), ("doi", DOI), ("pii", PII)):
        if form.fullmatch(re.sub("[()-]", "", name) if form is PII else name):
            return kind
    return None


def normal_id(name: str) -> str:
    """One form for each id: lower-case DOIs, and EIDs instead of Scopus ids.

    An arXiv id becomes its DOI; what is no id stays as it is.

    >>> normal_id("PMID: 7"), normal_id("doi:10.1000/A"), normal_id("arXiv:2101.00001v2")
    ('7', '10.1000/a', '10.48550/arxiv.2101.00001')
    """
    name = name.strip()
    bare = PREFIX.sub("", name, count=1)
    kind = kind_of_id(bare)
    if kind == "scopus_id":
        return f"2-s2.0-{bare}"
    if kind in ("pubmed_id", "eid", "pii"):
        return bare
    if arxiv := normal_arxiv(name):
        return arxiv_doi(arxiv)
    return normal_doi(name) or (name.lower() if kind == "doi" else name)


def batches(ids: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Ids that one search asks for together; those that no search finds come alone."""
    batch: list[str] = []
    for name in ids:
        if kind_of_id(name) not in SEARCHABLE or '"' in name:
            yield (name,)
            continue
        if len(batch) == BATCH or (batch and len(ids_query((*batch, name))) > MAX_QUERY):
            yield tuple(batch)
            batch = []
        batch.append(name)
    if batch:
        yield tuple(batch)


def plan_batches(config: ScopusConfig, ids: Sequence[str]) -> list[tuple[str, ...]]:
    """The batches that ids are asked for in; what is no id is in none."""
    known = [name for name in ids if kind_of_id(name)]
    return list(batches(known)) if config.ids_by == "search" else [(name,) for name in known]


def batch_request(config: ScopusConfig, batch: Sequence[str]) -> Request:
    """One request for all ids of a batch."""
    if by_search(config, batch):
        return search_request(config, Part(ids_query(batch)), Step())
    return retrieval_request(config, batch[0])


def by_search(config: ScopusConfig, batch: Sequence[str]) -> bool:
    """Whether a batch is asked for in a search."""
    return config.ids_by == "search" and is_searchable(batch)


def ids_query(batch: Sequence[str]) -> str:
    """The search that finds these ids. Quotes, because DOIs may hold brackets."""
    return " OR ".join(f'{SEARCHABLE[kind_of_id(name) or ""]}("{name}")' for name in batch)


def is_searchable(batch: Sequence[str]) -> bool:
    """Whether a search can find these ids."""
    return all(kind_of_id(name) in SEARCHABLE and '"' not in name for name in batch)


def retrieval_request(config: ScopusConfig, name: str) -> Request:
    """One abstract. Everything in an id is encoded but the slash."""
    url = f"{config.address}{ABSTRACT}/{kind_of_id(name)}/{quote(name, safe='/')}"
    return Request(url, (("view", config.retrieval_view),), JSON)


def has_only_titles(config: ScopusConfig, records: int, without_abstract: int) -> bool:
    """Whether abstracts were left out of too few records for the alarm, but out of all of them."""
    searched = config.query is not None or config.ids_by == "search"
    meant = config.max_without_abstract == 1 or (searched and config.view == "STANDARD")
    return not meant and MIN_DOUBT <= records == without_abstract


def estimate_scopus(config: ScopusConfig, ids: Sequence[str], per_second: float) -> Estimate:
    """What a fetch will ask for."""
    if config.query is not None:
        what = f"Scopus search {config.query!r}, {PAGE[config.view]} records a request"
        return Estimate(what, None, WEEKLY["search"], None)
    by, wanted = config.ids_by, list(dict.fromkeys(map(normal_id, ids)))
    plan = plan_batches(config, wanted)
    asks = map(partial(batch_request, config), plan)
    what = f"{len(wanted):,} ids by {by}"
    return Estimate(what, len(plan), WEEKLY[by], len(plan) / per_second, asks)
