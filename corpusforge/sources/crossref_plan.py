"""What to ask Crossref for, and what next: decisions only.

A cursor of Crossref is a scroll that the server remembers for five minutes. It stays the same from
page to page, so a request carries the number of its page, and the landing zone can tell two pages
apart. Each call moves the scroll on whether or not the answer arrives, so a call that is repeated
after a fault brings the page after the lost one. Crossref says how many results there are: while
there are fewer, the search is begun again, and what came before counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Annotated
from urllib.parse import quote

from msgspec import Meta, Struct

from corpusforge.parsers.cursor_pages import CursorPage
from corpusforge.parsers.identifiers import normal_doi
from corpusforge.sources.answers import Request
from corpusforge.sources.network import Address
from corpusforge.sources.replay import Estimate
from corpusforge.sources.secrets import KeyName

WORKS = "/works"
PAGE_HEADER = "X-Page"  # no parameter, because Crossref refuses those that it does not know
QUOTA = "none; 1 to 10 requests a second, more with a mail address in `network: {contact: …}`"


class CrossrefConfig(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="crossref", tag_field="kind"
):
    """Works of Crossref: those of a filter or a query, or those of a list of DOIs."""

    filter: Annotated[
        str | None,
        Meta(description="Conditions with commas between, such as has-abstract:1,type:book."),
    ] = None
    query: Annotated[
        str | None, Meta(description="Words in title, authors or journal; finds far too much.")
    ] = None
    ids: Annotated[list[str], Meta(description="DOIs.")] = []
    ids_file: Annotated[
        str | None, Meta(description="File of them, one a line, relative to the pipeline file.")
    ] = None
    rows: Annotated[
        int, Meta(ge=10, le=1000, description="Works of a page; heavy ones take Crossref long.")
    ] = 1000
    token: Annotated[
        KeyName,
        Meta(description="Environment variable, or line of the key file: Metadata Plus token."),
    ] = "CROSSREF_PLUS_TOKEN"
    address: Annotated[Address, Meta(description="Of the API.")] = "https://api.crossref.org"

    def __post_init__(self) -> None:
        searches = self.filter is not None or self.query is not None
        if searches == (bool(self.ids) or self.ids_file is not None):
            raise ValueError("crossref needs either filter or query, or ids or ids_file")


@dataclass(frozen=True)
class Step:
    """Where in a search a request stands."""

    cursor: str = "*"
    page: int = 0  # pages before it in this pass
    taken: int = 0  # results before it in this pass
    passes: int = 0  # before this one
    fruitless: int = 0  # of them, the last ones that brought nothing new


class End(Enum):
    """How a pass through the search came to its end, while something was missing."""

    EMPTY = "empty"  # a page without works: the scroll was at its end
    LOST = "lost"  # Crossref forgot the cursor: after a fault, or because a run was stopped


# Passes in a row that bring nothing new, the last one ending like this: the rest will not come.
PATIENCE = {End.EMPTY: 2, End.LOST: 20}


def search_text(config: CrossrefConfig) -> str:
    """A search in words, for messages."""
    parts = {"filter": config.filter, "query": config.query}
    return ", ".join(f"{name} {value!r}" for name, value in parts.items() if value is not None)


def page_request(config: CrossrefConfig, step: Step) -> Request:
    """One page. A cursor holds +, / and =; it is encoded when sent, and only then."""
    params = [("rows", str(config.rows))]
    if config.filter is not None:
        params.append(("filter", config.filter))
    if config.query is not None:
        params.append(("query", config.query))
    place = ((PAGE_HEADER, f"{step.passes}.{step.page}"),)
    return Request(config.address + WORKS, (*params, ("cursor", step.cursor)), place)


def next_step(step: Step, page: CursorPage) -> Step | None:
    """The next page of this pass, or None at its end, be it too early or not.

    Args:
        step: That brought the page.
        page: What came. Crossref goes on for ever with empty pages that have a cursor.
    """
    if not page.works or page.cursor is None:
        return None
    taken = step.taken + len(page.works)
    return replace(step, cursor=page.cursor, page=step.page + 1, taken=taken)


def begin_again(step: Step, end: End, new: int) -> Step | None:
    """The first step of another pass, or None where that is of no use.

    Args:
        step: Any of the pass that came to its end.
        end: Of the pass.
        new: Records that the pass brought first.
    """
    fruitless = 0 if new else step.fruitless + 1
    if fruitless >= PATIENCE[end]:
        return None
    return Step(passes=step.passes + 1, fruitless=fruitless)


def work_request(config: CrossrefConfig, doi: str) -> Request:
    """One work. Everything in a DOI is encoded, its slashes too."""
    return Request(f"{config.address}{WORKS}/{quote(doi, safe='')}")


def normal_id(name: str) -> str:
    """One form for each DOI; what is none stays as it is."""
    return normal_doi(name) or name.strip()


def is_doi(name: str) -> bool:
    """Whether a name in its one form is a DOI."""
    return normal_doi(name) == name


def estimate_crossref(config: CrossrefConfig, ids: Sequence[str], per_second: float) -> Estimate:
    """What a fetch will ask for."""
    if not ids:
        what = f"Crossref {search_text(config)}, {config.rows:,} works a request"
        return Estimate(what, None, QUOTA, None)
    wanted = list(dict.fromkeys(map(normal_id, ids)))
    known = [name for name in wanted if is_doi(name)]
    asks = map(partial(work_request, config), known)
    what = f"{len(wanted):,} works by DOI"
    return Estimate(what, len(known), QUOTA, len(known) / per_second, asks)
