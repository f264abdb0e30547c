"""What the fetches of all APIs share: asking, noting what came, and two ways through a plan.

A fetch makes one `Collection`, goes through a search with `walk` or through ids with `each`, and
returns the collection's summary.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from itertools import tee
from typing import TypeVar

from corpusforge.errors import ParseError
from corpusforge.parsers.paper import Paper
from corpusforge.sources.answers import Answer, Judge, Request
from corpusforge.sources.http import GaveUpError
from corpusforge.sources.replay import FetchSummary, Replay

MAX_IN_A_ROW = 5  # requests for ids that fail one after the other: then it is not the ids
Batch = tuple[str, ...]  # ids that one request asks for
P = TypeVar("P")


class Collection:
    """What a fetch brought so far; all of it follows from the answers.

    Args:
        replay: Where answers come from.
        judge: Looks at each answer of this source.
    """

    def __init__(self, replay: Replay, judge: Judge) -> None:
        self._replay = replay
        self._judge = judge
        self._has_abstract: dict[str, bool] = {}  # by the source's own id
        self._repeated = 0
        self._missing: list[tuple[str, str]] = []
        self.without_abstract = 0
        self.expected = 0  # records; set by who knows

    @property
    def records(self) -> int:
        """Different ones that came."""
        return len(self._has_abstract)

    def answer(self, request: Request) -> Answer:
        """The answer to a request, landed or new.

        Raises:
            QuotaStop: The quota is used up.
            GaveUpError: Every attempt failed.
        """
        return self._replay.answer(request, self._judge)

    def ahead(self, requests: Iterable[Request]) -> AbstractContextManager[None]:
        """Inside the block, ask for these ahead of their turn; see `Replay.ahead`."""
        return self._replay.ahead(requests, self._judge)

    def take(self, content: bytes, parse: Callable[[bytes], Paper]) -> Paper | None:
        """Note a record. What cannot be parsed is told when it is read, with its place."""
        try:
            paper = parse(content)
        except ParseError:
            return None
        had = self._has_abstract.get(paper.source_id)
        has = self._has_abstract[paper.source_id] = bool(paper.abstract or had)
        self._repeated += had is not None
        self.without_abstract += (not has) - (had is False)
        return paper

    def miss(self, name: str, why: str) -> None:
        """Note an id, or a query, whose records did not come."""
        self._missing.append((name, why))

    def expect(self, total: int, query: str) -> None:
        """Compare what a search has brought with what the source said it would find."""
        self.expected = max(total, self.records)
        if self.records < total:
            self.miss(query, f"{total - self.records} of {total} results did not come")

    def summary(self) -> FetchSummary:
        """All of it, when the fetch has come to its end."""
        return FetchSummary(
            sent=self._replay.sent,
            replayed=self._replay.replayed,
            records=self.records,
            repeated=self._repeated,
            without_abstract=self.without_abstract,
            expected=self.expected,
            missing=tuple(self._missing),
            used=self._replay.used,
        )


def walk(whole: P, page_through: Callable[[P], tuple[int, tuple[P, ...]]]) -> int:
    """Page through a search, and through its parts where it has to be split.

    Args:
        whole: The search.
        page_through: Takes a part's records; its total, and the parts to ask for instead if it is
            too large.

    Returns:
        The total of the whole.
    """
    total, smaller = page_through(whole)
    parts = list(reversed(smaller))
    while parts:
        parts += reversed(page_through(parts.pop())[1])
    return total


def each(
    collection: Collection,
    batches: Iterable[Batch],
    request_of: Callable[[Batch], Request],
    take: Callable[[Batch, Answer], Sequence[Batch]],
) -> None:
    """Bring records by their ids: several batches in flight, one taken after the other.

    Args:
        collection: Asks, and notes the ids of a batch whose request fails as missing.
        batches: In the order of the plan.
        request_of: What to ask for a batch, whatever other answers say.
        take: Takes the answer to a batch; the smaller batches to ask for instead, mostly none.

    Raises:
        GaveUpError: Several requests failed one after the other, so it is not the ids.
    """
    failures = 0
    batches, foreseen = tee(batches)
    with collection.ahead(map(request_of, foreseen)):
        for whole in batches:
            rest = [whole]
            while rest:
                batch = rest.pop()
                try:
                    answer = collection.answer(request_of(batch))
                except GaveUpError as error:
                    failures += 1
                    if failures >= MAX_IN_A_ROW:
                        raise
                    for name in batch:
                        collection.miss(name, str(error))
                    continue
                failures = 0
                rest += reversed(take(batch, answer))
