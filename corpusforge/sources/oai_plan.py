"""What to ask an OAI-PMH repository for, and what next: decisions only.

A harvest goes through the calendar months of its dates, one list of records each, so a later
harvest finds all months but the last in the landing zone. A list is a chain of pages, and only the
page before holds the token that leads to the next: a token that is forgotten ends it. The rest is
then asked for by dates, from the last day that was seen.
"""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Annotated, Literal

from msgspec import Meta, Struct

from corpusforge.parsers.oai import OaiPage
from corpusforge.sources.answers import Request
from corpusforge.sources.network import Address
from corpusforge.sources.replay import Estimate

EARLIEST = date(2001, 1, 1)  # the protocol is of January 2001
DAY = timedelta(days=1)
MAX_AGAIN = 3  # times that the list of one day is begun again
QUOTA = "none; the repository says when it wants a pause"
ADDRESS = "Of the repository's OAI-PMH interface, such as https://export.arxiv.org/oai2."
PREFIX = "Format of the records: oai_dc, which every repository has, or one of arXiv's."
SET = "One of the repository's sets, such as cs or physics:hep-th; else all records."
SINCE = "First day of the datestamps (of a record's latest change); else the repository's earliest."
UNTIL = "Last day of them, which must be over: a day brings records until it ends."


class OaiConfig(
    Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag="oai-pmh",
    tag_field="kind",
    rename={"since": "from", "set_spec": "set"},
):
    """Records of an OAI-PMH repository that were changed between two days.

    arXiv wants one request in three seconds: `network: {per_second: 0.33, concurrency: 1}`.
    """

    address: Annotated[Address, Meta(description=ADDRESS)]
    metadata_prefix: Annotated[Literal["oai_dc", "arXiv", "arXivRaw"], Meta(description=PREFIX)] = (
        "oai_dc"
    )
    set_spec: Annotated[str | None, Meta(description=SET)] = None
    since: Annotated[date | None, Meta(description=SINCE)] = None
    until: Annotated[date, Meta(description=UNTIL)]

    def __post_init__(self) -> None:
        if self.since is not None and self.since > self.until:
            raise ValueError(f"from: {self.since} is after until: {self.until}")


@dataclass(frozen=True)
class Window:
    """The days that one list is asked for, both included."""

    first: date
    last: date
    is_open: bool = False  # towards the past: whatever the repository has until `last`
    again: int = 0  # how often this list was begun before

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"

    def __contains__(self, day: date) -> bool:
        return day <= self.last and (self.is_open or self.first <= day)


@dataclass(frozen=True)
class Progress:
    """What the pages of one list brought until now."""

    pages: int = 0
    records: int = 0  # different ones
    latest: date | None = None  # of the days within the window
    in_order: bool = True  # by datestamp, as far as was seen
    total: int | None = None  # as the first page told

    def after(self, page: OaiPage, new: int, window: Window) -> "Progress":
        """The same with one more page, on which so many records are new."""
        days = [day_of(record.datestamp) for record in page.records]
        inside = [day for day in days if day is not None and day in window]
        known = [self.latest, *inside] if self.latest else inside
        return Progress(
            pages=self.pages + 1,
            records=self.records + new,
            latest=max(known, default=None),
            in_order=self.in_order and len(inside) == len(days) and known == sorted(known),
            total=page.total if self.total is None else self.total,
        )

    @property
    def is_complete(self) -> bool:
        """Whether as much came as the repository said there is."""
        return self.total is not None and self.records >= self.total


@dataclass(frozen=True)
class Rest:
    """What to ask for instead of a list that ended before its end."""

    windows: tuple[Window, ...]
    passed: Window | None = None  # before them; nothing of it seems to be left


def months(first: date, last: date, is_open: bool = False) -> Iterator[Window]:
    """The calendar months from one day to another, the first and the last cut there.

    Args:
        first: A day.
        last: Another one, not before it.
        is_open: Whether the first month is to have everything before it too.
    """
    while first <= last:
        end = first.replace(day=monthrange(first.year, first.month)[1])
        yield Window(first, min(end, last), is_open)
        first, is_open = end + DAY, False


def first_day(earliest: str) -> date:
    """Where to begin with a repository that promises this earliest datestamp.

    Some promise year 1, or 1970, and no record of it. One list takes whatever there is from before
    the protocol.
    """
    return max(EARLIEST, day_of(earliest) or EARLIEST)


def day_of(datestamp: str) -> date | None:
    """The day of a datestamp, or None if it has another form."""
    try:
        return date.fromisoformat(datestamp[:10])
    except ValueError:
        return None


def identify_request(config: OaiConfig) -> Request:
    """What the repository says of itself."""
    return Request(config.address, (("verb", "Identify"),))


def list_request(config: OaiConfig, window: Window, token: str) -> Request:
    """One page of a list; the first without a token.

    A list that is begun again has a header that no server knows, to be another request than the
    one whose answer is in the landing zone.
    """
    headers = (("X-Again", str(window.again)),) if window.again else ()
    verb = ("verb", "ListRecords")
    if token:  # the protocol allows no other parameter beside it
        return Request(config.address, (verb, ("resumptionToken", token)), headers)
    params = [verb, ("metadataPrefix", config.metadata_prefix)]
    if not window.is_open:
        params.append(("from", window.first.isoformat()))
    params.append(("until", window.last.isoformat()))
    if config.set_spec is not None:
        params.append(("set", config.set_spec))
    return Request(config.address, tuple(params), headers)


def rest_of(window: Window, progress: Progress) -> Rest | None:
    """How to go on where a list ended before its end; None where nothing is left to try.

    The last day seen parts the window. What is before it came, if the list is ordered by
    datestamps, which the protocol does not promise: so it is asked for too, unless the repository
    told how many records there are, for then a loss would be seen. Without such a day the window
    is halved. Every window is smaller than the one before, or is a day's that is begun again.
    """
    day = progress.latest
    if day is not None and day > window.first:
        before = replace(window, last=day - DAY)
        after = replace(window, first=day, is_open=False)
        if progress.in_order and progress.total is not None:
            return Rest((after,), passed=before)
        return Rest((before, after))
    if window.first < window.last:
        middle = window.first + (window.last - window.first) // 2
        earlier = replace(window, last=middle)
        return Rest((earlier, replace(window, first=middle + DAY, is_open=False)))
    if progress.pages and window.again < MAX_AGAIN:
        return Rest((replace(window, again=window.again + 1),))
    return None


def estimate_oai(config: OaiConfig, _ids: Sequence[str], per_second: float) -> Estimate:
    """What a fetch will ask for."""
    what = f"OAI-PMH records ({config.metadata_prefix}) of {config.address}"
    if config.since is None:
        return Estimate(f"{what} until {config.until}", None, QUOTA, None)
    count = sum(1 for _ in months(config.since, config.until))
    days = Window(config.since, config.until)
    return Estimate(f"{what}, {days}, by month", count, QUOTA, count / per_second)
