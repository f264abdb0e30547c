"""Answers from the landing zone where it has them, and from the network where it has not.

A fetch is written as if it asked for everything from the beginning each time. What was asked
before costs a look into the landing zone instead of quota, so a run that was stopped anywhere goes
on where it stopped, with no other memory than the responses themselves.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from corpusforge.sources.ahead import Ahead
from corpusforge.sources.answers import Answer, Judge, Request, Verdict
from corpusforge.sources.http import Client
from corpusforge.sources.landing import STRUCK_OUT, Landing
from corpusforge.sources.landing_file import Place, read_member

# Of the refusals, those that say something of what was asked, not of who asked or when.
LASTING = (400, 404, 413, 414)


@dataclass(frozen=True, kw_only=True)
class FetchSummary:
    """What a fetch brought, and exactly what it did not."""

    sent: int  # requests over the network, retries included
    replayed: int  # answers that had been fetched before
    records: int  # different ones
    repeated: int  # came again, on an overlapping page
    without_abstract: int
    expected: int  # the source said it has, or were wanted by id
    missing: tuple[tuple[str, str], ...] = ()  # (id or query, why)
    used: tuple[Place, ...] = field(default=(), repr=False)  # the answers, in the order asked for

    @property
    def counts(self) -> dict[str, int]:
        """For a tally."""
        return {
            "requests": self.sent,
            "replayed": self.replayed,
            "records": self.records,
            "without_abstract": self.without_abstract,
            "expected": self.expected,
            "missing": len(self.missing),
        }


@dataclass(frozen=True)
class Estimate:
    """What a fetch will ask for, as far as it can be known before asking."""

    what: str
    requests: int | None  # at least; None if only the source knows
    quota: str  # which one they count against
    seconds: float | None  # at least
    asks: Iterable[Request] = field(default=(), repr=False)  # where they are known before asking


@dataclass(frozen=True)
class _Brought:
    """An answer, and where it came from."""

    answer: Answer
    place: Place | None  # in the landing zone
    replayed: bool


class Replay:
    """Where a fetch gets its answers.

    Args:
        client: Asks what is not landed.
        landing: Has what was asked before, and gets every new answer that cost quota.
        now: Seconds since the epoch.
    """

    def __init__(self, client: Client, landing: Landing, now: Callable[[], float]) -> None:
        self._client = client
        self._landing = landing
        self.now = now
        self.replayed = 0
        self._used: dict[bytes, Place] = {}
        self._brought: dict[bytes, Place] = {}  # and what was asked ahead, but not yet used
        self._ahead: Ahead[_Brought] | None = None

    @property
    def used(self) -> tuple[Place, ...]:
        """Where the answers lie, in the order in which they were first asked for."""
        return tuple(self._used.values())

    @property
    def sent(self) -> int:
        return self._client.attempts

    def answer(self, request: Request, judge: Judge) -> Answer:
        """The answer to a request.

        Raises:
            QuotaStop: The quota is used up.
            GaveUpError: Every attempt failed.
        """
        brought = self._bring(request, judge) if self._ahead is None else self._ahead.take(request)
        self.replayed += brought.replayed
        if brought.place is not None:
            self._used.setdefault(brought.place.key, brought.place)
        return brought.answer

    @contextmanager
    def ahead(self, requests: Iterable[Request], judge: Judge) -> Iterator[None]:
        """Inside the block, ask for these ahead of their turn, as many at once as allowed.

        Args:
            requests: That will be answered inside the block, in this order; others may be between
                them.
            judge: Looks at each answer that is asked for inside the block.
        """
        bring = partial(self._bring, judge=judge)
        width, works = self._client.config.concurrency, bool(self._used)
        with Ahead(bring, self._client.stop, requests, width, works) as ahead:
            self._ahead = ahead
            try:
                yield
            finally:
                self._ahead = None

    def strike_out(self, is_wrong: Callable[[Answer], bool]) -> None:
        """Let the answers of this fetch that turned out wrong be asked for again next time.

        Those asked ahead are among them, so nothing may be in flight: call it outside of `ahead`.
        """
        for place in self._brought.values():
            landed = read_member(place)
            if is_wrong(landed.answer):
                self._landing.append(landed.request, STRUCK_OUT, int(self.now() * 1000))

    def _bring(self, request: Request, judge: Judge) -> _Brought:
        """What lands or has landed; called from several threads, so it counts nothing."""
        landed = self._landing.find(request)
        replayed = landed is not None and judge(landed) is Verdict.DONE
        if landed is None or not replayed:
            landed = self._client.ask(request, judge, self._keep)
        place = self._landing.place(request)
        if place is not None:
            self._brought[place.key] = place
        return _Brought(landed, place, replayed)

    def _keep(self, request: Request, answer: Answer) -> None:
        if answer.status < 400 or answer.status in LASTING:
            self._landing.append(request, answer, int(self.now() * 1000))
