"""What to ask OpenAlex for, and what next: decisions only.

A search is paged through with a cursor, which names a place in the order of the results and not
something that the server remembers: a page may be asked for again, and a stopped run goes on
tomorrow. A page that ends the search before as many results came as were promised is asked for
again, a little smaller, so that it is another request.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated
from urllib.parse import quote

from msgspec import Meta, Struct

from corpusforge.parsers.cursor_pages import CursorPage
from corpusforge.parsers.identifiers import normal_doi, normal_pmid
from corpusforge.sources.answers import Request
from corpusforge.sources.network import Address
from corpusforge.sources.replay import Estimate
from corpusforge.sources.secrets import KeyName

WORKS = "/works"
MAX_AGAIN = 3  # times that one page is asked for again because it ended the search too early
BATCH = 50  # ids of one request; newer documentation allows 100
MAX_FILTER = 2_000  # characters of a batch; far longer addresses are refused with 414
PAGE_OF_IDS = 100  # results of one request for ids: some DOIs have more than one work
# What the parser reads. The references alone, which it does not, are half of a work.
SELECT = (
    "id,doi,ids,title,display_name,publication_year,language,primary_location,type,authorships,"
    "is_retracted,abstract_inverted_index"
)
QUOTA = (
    "$1 a day with a key, a tenth without: a page costs $0.0001, one of a `search` $0.001, a "
    "single work nothing"
)
WORK = re.compile(r"(?:https?://(?:api\.)?openalex\.org/(?:works/)?)?(W\d+)", re.I)
PUBMED = re.compile(r"(?:https?://(?:www\.)?(?:pubmed\.)?ncbi\.nlm\.nih\.gov/(?:pubmed/)?|pmid:)")
# A comma separates filters, | and a space the values of one, ! negates and : names a field.
PLAIN = re.compile(r"[\w./()<>;-]+", re.ASCII)


class OpenAlexConfig(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="openalex", tag_field="kind"
):
    """Works of OpenAlex: those of a filter or a search, or those of a list of ids."""

    filter: Annotated[
        str | None,
        Meta(description="Conditions with commas between, such as type:article,language:en."),
    ] = None
    search: Annotated[
        str | None, Meta(description="Words in title, abstract or full text; costs ten times more.")
    ] = None
    ids: Annotated[list[str], Meta(description="Ids of works, DOIs or PubMed ids.")] = []
    ids_file: Annotated[
        str | None, Meta(description="File of them, one a line, relative to the pipeline file.")
    ] = None
    per_page: Annotated[
        int, Meta(ge=10, le=200, description="Works of a page; 100 is what OpenAlex documents.")
    ] = 100
    key: Annotated[
        KeyName,
        Meta(description="Environment variable, or line of the key file, with the API key."),
    ] = "OPENALEX_API_KEY"
    address: Annotated[Address, Meta(description="Of the API.")] = "https://api.openalex.org"

    def __post_init__(self) -> None:
        searches = self.filter is not None or self.search is not None
        if searches == (bool(self.ids) or self.ids_file is not None):
            raise ValueError("openalex needs either filter or search, or ids or ids_file")


@dataclass(frozen=True)
class Step:
    """Where in a search a request stands."""

    cursor: str = "*"
    taken: int = 0  # results before it
    again: int = 0  # times that this page was asked for already


def search_text(config: OpenAlexConfig) -> str:
    """A search in words, for messages."""
    parts = {"filter": config.filter, "search": config.search}
    return ", ".join(f"{name} {value!r}" for name, value in parts.items() if value is not None)


def page_request(config: OpenAlexConfig, step: Step) -> Request:
    """One page of a search. A cursor holds + and =; it is encoded when sent, and only then."""
    params = [("select", SELECT), ("per_page", str(config.per_page - step.again))]
    if config.filter is not None:
        params.append(("filter", config.filter))
    if config.search is not None:
        params.append(("search", config.search))
    return Request(config.address + WORKS, (*params, ("cursor", step.cursor)))


def next_step(step: Step, page: CursorPage, total: int) -> Step | None:
    """Where to go on, or None at the end.

    Args:
        step: That brought the page.
        page: What came.
        total: Most results that OpenAlex has spoken of in this search.
    """
    taken = step.taken + len(page.works)
    if taken >= total:
        return None
    if page.works and page.cursor:
        return Step(page.cursor, taken)
    return None if step.again == MAX_AGAIN else replace(step, again=step.again + 1)


def kind_of_id(name: str) -> str | None:
    """What sort of identifier this is, as OpenAlex's filters name it; None for none it knows.

    >>> kind_of_id("W2741809807"), kind_of_id("10.7717/peerj.4375"), kind_of_id("29456894")
    ('openalex', 'doi', 'pmid')
    """
    if WORK.fullmatch(name):
        return "openalex"
    if normal_doi(name) == name:
        return "doi"
    return "pmid" if normal_pmid(name) == name else None


def normal_id(name: str) -> str:
    """One form for each id; what is none stays as it is.

    >>> normal_id("https://openalex.org/w1"), normal_id("pmid:7")
    ('W1', '7')
    """
    name = name.strip()
    if found := WORK.fullmatch(name):
        return found[1].upper()
    return normal_doi(name) or normal_pmid(PUBMED.sub("", name, count=1).strip("/")) or name


def batches(ids: Sequence[str]) -> list[tuple[str, ...]]:
    """Known ids that one request asks for together, all of one kind; odd ones come alone."""
    alone: list[tuple[str, ...]] = []
    plain: dict[str, list[str]] = {"openalex": [], "doi": [], "pmid": []}
    for name in ids:
        kind = kind_of_id(name)
        if kind and PLAIN.fullmatch(name):
            plain[kind].append(name)
        elif kind:
            alone.append((name,))
    return [batch for names in plain.values() for batch in _cut(names)] + alone


def _cut(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Names of one kind in batches that a filter can hold."""
    cut: list[tuple[str, ...]] = []
    for name in names:
        if cut and len(cut[-1]) < BATCH and len("|".join((*cut[-1], name))) <= MAX_FILTER:
            cut[-1] += (name,)
        else:
            cut.append((name,))
    return cut


def ids_request(config: OpenAlexConfig, batch: Sequence[str]) -> Request:
    """The works of a batch. One alone is asked for by its address, which finds merged works too."""
    if len(batch) == 1:
        [name] = batch
        kind = kind_of_id(name)
        path = name if kind == "openalex" else f"{kind}:{quote(name, safe='/')}"
        return Request(f"{config.address}{WORKS}/{path}", (("select", SELECT),))
    wanted = f"{kind_of_id(batch[0])}:{'|'.join(batch)}"
    params = (("select", SELECT), ("per_page", str(PAGE_OF_IDS)), ("filter", wanted))
    return Request(config.address + WORKS, params)


def estimate_openalex(config: OpenAlexConfig, ids: Sequence[str], per_second: float) -> Estimate:
    """What a fetch will ask for."""
    if not ids:
        what = f"OpenAlex {search_text(config)}, {config.per_page} works a request"
        return Estimate(what, None, QUOTA, None)
    wanted = list(dict.fromkeys(map(normal_id, ids)))
    plan = batches(wanted)
    asks = map(partial(ids_request, config), plan)
    return Estimate(f"{len(wanted):,} works by id", len(plan), QUOTA, len(plan) / per_second, asks)
