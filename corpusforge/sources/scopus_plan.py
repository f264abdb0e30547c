"""What to ask Scopus for, and what next: decisions only.

A search is paged through with a cursor (subscribers) or by start and count, within a window of
5,000 results. A larger one without cursor is split into ranges of years until each part fits.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Annotated, Literal
from urllib.parse import quote

from msgspec import Meta, Struct

from corpusforge.parsers.identifiers import normal_doi
from corpusforge.parsers.scopus import SearchPage
from corpusforge.sources.answers import Request
from corpusforge.sources.network import Address
from corpusforge.sources.parts import Part, check_either, check_years
from corpusforge.sources.replay import Estimate
from corpusforge.sources.secrets import KeyName

SEARCH, ABSTRACT = "/content/search/scopus", "/content/abstract"
WINDOW = 5_000  # results that may be paged through without a cursor
PAGE = {"COMPLETE": 25, "STANDARD": 200}  # most results of one request
BATCH = 25  # ids of one search: as many as COMPLETE shows at once
MAX_QUERY = 2_000  # characters of a batch; far longer ones are refused with 414
WEEKLY = {"search": "20,000 searches a week", "retrieval": "5,000 or 10,000 abstracts a week"}
JSON = (("Accept", "application/json"),)
SEARCHABLE = {"doi": "DOI", "eid": "EID", "pubmed_id": "PMID"}


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


def kind_of_id(name: str) -> str:
    """What sort of identifier this is, as abstract retrieval names it.

    >>> kind_of_id("10.1016/0014-5793(85)80257-(0)"), kind_of_id("85045740431")
    ('doi', 'scopus_id')
    """
    if name.isdigit():
        return "pubmed_id" if len(name) < 10 else "scopus_id"
    if re.match(r"[12]-s2\.0-", name):
        return "eid"
    return "doi" if "/" in name or "." in name else "pii"


def normal_id(name: str) -> str:
    """One form for each id: lower-case DOIs, and EIDs instead of Scopus ids."""
    name = name.strip()
    kind = kind_of_id(name)
    if kind == "scopus_id":
        return f"2-s2.0-{name}"
    return (normal_doi(name) or name.lower()) if kind == "doi" else name


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


def ids_query(batch: Sequence[str]) -> str:
    """The search that finds these ids. Quotes, because DOIs may hold brackets."""
    return " OR ".join(f'{SEARCHABLE[kind_of_id(name)]}("{name}")' for name in batch)


def is_searchable(batch: Sequence[str]) -> bool:
    """Whether a search can find these ids."""
    return all(kind_of_id(name) in SEARCHABLE and '"' not in name for name in batch)


def retrieval_request(config: ScopusConfig, name: str) -> Request:
    """One abstract. Everything in an id is encoded but the slash."""
    url = f"{config.address}{ABSTRACT}/{kind_of_id(name)}/{quote(name, safe='/')}"
    return Request(url, (("view", config.retrieval_view),), JSON)


def estimate_scopus(config: ScopusConfig, ids: Sequence[str], per_second: float) -> Estimate:
    """What a fetch will ask for."""
    if config.query is not None:
        what = f"Scopus search {config.query!r}, {PAGE[config.view]} records a request"
        return Estimate(what, None, WEEKLY["search"], None)
    by = config.ids_by
    requests = len(ids) if by == "retrieval" else ceil(len(ids) / BATCH)
    return Estimate(f"{len(ids):,} ids by {by}", requests, WEEKLY[by], requests / per_second)
