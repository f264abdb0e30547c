"""What to ask CORE for, and what next: decisions only.

A search is paged through by offset and limit, which costs one token a page and can be taken up
again anywhere, but only within the first 10,000 results. A larger one is split into ranges of
years, or else scrolled, which costs three to five tokens a page and ends when CORE forgets the
scroll, after some minutes. A scroll that is forgotten, or ends early, is taken up by offset
where that reaches, and otherwise begun again.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal
from urllib.parse import quote

from msgspec import Meta, Struct

from corpusforge.parsers.core_api import WorksPage
from corpusforge.parsers.identifiers import arxiv_doi, normal_arxiv, normal_doi
from corpusforge.sources.answers import Request
from corpusforge.sources.network import Address
from corpusforge.sources.parts import Part, check_either, check_years
from corpusforge.sources.replay import Estimate
from corpusforge.sources.secrets import KeyName

SEARCH, WORKS = "/search/works/", "/works/"  # without the last slash, CORE redirects
WINDOW = 10_000  # results that offset and limit reach
MAX_LIMIT = 100
CORE_ID = re.compile(r"[0-9]{1,19}|oai:\S+|10\.[0-9][^/\s]*/\S.*", re.ASCII)
NO_ID = "is neither an id of CORE nor a DOI, and CORE finds works by nothing else"
MAX_RESTARTS = 3  # of one scroll
QUOTA = (
    "1,000 to 200,000 tokens a day; a page or a work costs 1, a page of a scroll 3 to 5, an "
    "original file 3 to 5"
)


class CoreConfig(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="core", tag_field="kind"
):
    """Works of CORE: those of a query, or those of a list of ids. One of the two."""

    query: Annotated[
        str | None, Meta(description="In CORE's query language, such as title:graphene.")
    ] = None
    years: Annotated[
        tuple[int, int] | None,
        Meta(description="First and last year of the query; a large one is split by them."),
    ] = None
    ids: Annotated[list[str], Meta(description="Ids of works, or DOIs.")] = []
    ids_file: Annotated[
        str | None, Meta(description="File of them, one a line, relative to the pipeline file.")
    ] = None
    full_text: Annotated[
        bool, Meta(description="Bring full texts too. Without a key CORE shows none.")
    ] = True
    originals: Annotated[
        bool, Meta(description="Bring the original files (PDF) too, for 3 to 5 tokens each.")
    ] = False
    paging: Annotated[
        Literal["auto", "offset", "scroll"],
        Meta(description="auto: by offset, and by scroll where offset cannot reach."),
    ] = "auto"
    limit: Annotated[
        int, Meta(ge=10, le=MAX_LIMIT, description="Works of a page; full texts make it heavy.")
    ] = MAX_LIMIT
    key: Annotated[
        KeyName,
        Meta(description="Environment variable, or line of the key file, with the API key."),
    ] = "CORE_API_KEY"
    address: Annotated[Address, Meta(description="Of the API.")] = "https://api.core.ac.uk/v3"

    def __post_init__(self) -> None:
        check_either("core", self.query, self.ids, self.ids_file)
        check_years(self.years)


@dataclass(frozen=True)
class Step:
    """Where in a part a request stands."""

    offset: int = 0  # results before it
    scroll: str | None = None  # None by offset, "" to begin a scroll, or the scroll's latest id
    restarts: int = 0  # of the scroll


def query_text(part: Part) -> str:
    """The query of a part, with its years."""
    if part.years is None:
        return part.query
    first, last = part.years
    return f"({part.query}) AND yearPublished>={first} AND yearPublished<={last}"


def page_request(config: CoreConfig, part: Part, step: Step) -> Request:
    """One page. A scroll that is begun again asks for a little less, to be another request."""
    limit = config.limit - step.restarts
    params = [("q", query_text(part)), ("limit", str(limit))]
    if not config.full_text:
        params.append(("exclude", "fullText"))
    if step.scroll is None:
        params.append(("offset", str(step.offset)))
    elif step.scroll:
        params.append(("scrollId", step.scroll))
    else:
        params.append(("scroll", "true"))
    return Request(config.address + SEARCH, tuple(params))


def pages_from(config: CoreConfig, part: Part, step: Step | None, total: int) -> Iterator[Request]:
    """The pages that will be asked for by offset, if CORE fills them; of a scroll, none."""
    if step is not None and step.scroll is None:
        for offset in range(step.offset, total, config.limit):
            yield page_request(config, part, Step(offset))


def next_step(config: CoreConfig, step: Step, page: WorksPage, total: int) -> Step | None:
    """Where to go on, or None at the end.

    Args:
        config: How to page.
        step: That brought the page.
        page: What came.
        total: Most results that CORE has spoken of: it differs from page to page.
    """
    offset = step.offset + len(page.works)
    if offset >= total:
        return None
    if step.scroll is None:
        return replace(step, offset=offset) if page.works else None
    if page.works and page.scroll:
        return replace(step, offset=offset, scroll=page.scroll)
    return after_scroll(config, replace(step, offset=offset))  # it ended early


def after_scroll(config: CoreConfig, step: Step) -> Step | None:
    """How to go on when a scroll is lost; None when it was begun again too often."""
    if step.offset + config.limit <= WINDOW:
        return Step(step.offset)
    if step.restarts == MAX_RESTARTS:
        return None
    return Step(scroll="", restarts=step.restarts + 1)


def first_step(config: CoreConfig) -> Step:
    """Where a part begins."""
    return Step(scroll="" if config.paging == "scroll" else None)


def is_out_of_reach(step: Step | None, total: int) -> bool:
    """Whether paging by offset will not come to the end."""
    return step is not None and step.scroll is None and total > WINDOW


def work_request(config: CoreConfig, name: str) -> Request:
    """One work, by its id or its DOI."""
    return Request(config.address + WORKS + quote(name, safe="/"))


def file_address(config: CoreConfig, output: str) -> str:
    """Where the original file of an output is asked for."""
    return f"{config.address}/outputs/{output}/download"


def normal_id(name: str) -> str:
    """One form for each id; an arXiv id becomes its DOI, and what is no id stays as it is."""
    name = name.strip()
    arxiv = normal_arxiv(name)
    return arxiv_doi(arxiv) if arxiv else normal_doi(name) or name


def is_id(name: str) -> bool:
    """Whether CORE may have a work of this name, which is in its one form.

    >>> is_id("203165"), is_id("10.1000/a"), is_id("PMID:7")
    (True, True, False)
    """
    return CORE_ID.fullmatch(name) is not None


def estimate_core(config: CoreConfig, ids: Sequence[str], per_second: float) -> Estimate:
    """What a fetch will ask for."""
    if config.query is not None:
        files = ", and one for each file" if config.originals else ""
        what = f"CORE search {config.query!r}, {config.limit} works a request{files}"
        return Estimate(what, None, QUOTA, None)
    wanted = list(dict.fromkeys(map(normal_id, ids)))
    known = [name for name in wanted if is_id(name)]
    what, requests = f"{len(wanted):,} works by id", len(known)
    if config.originals:
        what, requests = f"{what}, and their files", 2 * len(known)
    asks = map(partial(work_request, config), known)
    return Estimate(what, requests, QUOTA, requests / per_second, asks)
