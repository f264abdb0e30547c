"""The CORE API: everything that a config names, into the landing zone."""

from collections.abc import Callable, Sequence
from time import time

from corpusforge.errors import ParseError, SourceError
from corpusforge.parsers.core_api import parse_work, parse_works
from corpusforge.parsers.paper import Paper
from corpusforge.sources.answers import Answer, describe
from corpusforge.sources.core_plan import (
    WINDOW,
    CoreConfig,
    Part,
    Step,
    after_scroll,
    first_step,
    halves,
    is_out_of_reach,
    next_step,
    normal_id,
    page_request,
    work_request,
)
from corpusforge.sources.core_records import judge_core
from corpusforge.sources.http import Client, GaveUpError
from corpusforge.sources.landing import Landing
from corpusforge.sources.replay import FetchSummary, Replay

MAX_IN_A_ROW = 5  # ids that fail one after the other: then it is not the ids
MAX_STEPS = 1_000_000  # of one part; more pages than CORE has


def fetch_core(
    config: CoreConfig,
    ids: Sequence[str],
    client: Client,
    landing: Landing,
    now: Callable[[], float] = time,
) -> FetchSummary:
    """Bring everything that the config names into the landing zone.

    Args:
        config: What to bring.
        ids: Those of `ids` and `ids_file` together.
        client: Asks, with the key if there is one.
        landing: What it has is not asked for again.
        now: Seconds since the epoch.

    Raises:
        QuotaStop: The quota is used up; the same call later goes on.
        SourceError: CORE refuses.
    """
    fetch = _Fetch(config, Replay(client, landing, now))
    if config.query is not None:
        fetch.search(Part(config.query, config.years))
    else:
        fetch.list_of(list(dict.fromkeys(map(normal_id, ids))))
    return fetch.summary()


class _Fetch:
    """The state of one fetch; all of it follows from the answers."""

    def __init__(self, config: CoreConfig, replay: Replay) -> None:
        self._config = config
        self._replay = replay
        self._has_abstract: dict[str, bool] = {}  # by id of the work
        self._repeated = 0
        self._expected = 0
        self._missing: list[tuple[str, str]] = []

    def summary(self) -> FetchSummary:
        return FetchSummary(
            sent=self._replay.sent,
            replayed=self._replay.replayed,
            records=len(self._has_abstract),
            repeated=self._repeated,
            without_abstract=sum(not has for has in self._has_abstract.values()),
            expected=self._expected,
            missing=tuple(self._missing),
            used=self._replay.used,
        )

    def search(self, whole: Part) -> None:
        """Page through a search, and through its parts where it has to be split."""
        parts = [whole]
        totals: list[int] = []
        while parts:
            total, smaller = self._page_through(parts.pop())
            totals.append(total)
            parts += reversed(smaller)
        found = len(self._has_abstract)
        self._expected = max(totals[0], found)
        if found < totals[0]:
            self._missing.append(
                (whole.text, f"{totals[0] - found} of {totals[0]} results did not come")
            )

    def _page_through(self, part: Part) -> tuple[int, tuple[Part, ...]]:
        """Total of the part; and the parts to ask for instead, if it is too large."""
        step: Step | None = first_step(self._config)
        total = 0
        for _ in range(MAX_STEPS):
            if step is None:
                break
            answer = self._page(part, step)
            if answer is None:
                step = after_scroll(self._config, step)
                continue
            page = parse_works(answer.body)
            total = max(total, page.total)
            following = next_step(self._config, step, page, total)
            if is_out_of_reach(following, total) and step == Step():
                if smaller := halves(part):
                    return total, smaller
                following = self._scroll_instead(part, total)
            for work in page.works:
                self._take(work)
            step = following
        return total, ()

    def _page(self, part: Part, step: Step) -> Answer | None:
        """A page, or None if its scroll is lost.

        Raises:
            SourceError: CORE refuses the search.
        """
        try:
            answer = self._replay.answer(page_request(self._config, part, step), judge_core)
        except GaveUpError as error:
            if step.scroll:
                return None
            raise SourceError(
                f"{error}. CORE fails in the same way each time for some queries, such as a phrase "
                f"in quotes alone: if {part.text!r} is one, name a field or leave the quotes out"
            ) from None
        if answer.status == 200:
            return answer
        if step.scroll and answer.status not in (401, 403):
            return None
        raise self._refused(answer)

    def _scroll_instead(self, part: Part, total: int) -> Step:
        if self._config.paging == "auto":
            return Step(scroll="")
        raise SourceError(
            f"CORE finds {total:,} works for {part.text!r}, but by offset shows only the first "
            f"{WINDOW:,}: give `years`, so that it can be split, or set `paging: auto`"
        )

    def list_of(self, ids: list[str]) -> None:
        """Bring works by their ids."""
        self._expected = len(ids)
        failures = 0
        for name in ids:
            try:
                answer = self._replay.answer(work_request(self._config, name), judge_core)
            except GaveUpError as error:
                failures += 1
                if failures >= MAX_IN_A_ROW:
                    raise
                self._missing.append((name, str(error)))
                continue
            failures = 0
            if answer.status == 200:
                self._compare(name, self._take(answer.body))
            elif answer.status in (401, 403):
                raise self._refused(answer)
            else:
                self._missing.append((name, describe(answer)))

    def _compare(self, name: str, paper: Paper | None) -> None:
        """A work may carry a DOI that it only cites; at least the one asked for must be its own."""
        if paper is not None and "/" in name and paper.doi != name:
            why = f"CORE answers with work {paper.source_id}, whose DOI is {paper.doi}"
            self._missing.append((name, why))

    def _take(self, work: bytes) -> Paper | None:
        """Note a record. What cannot be parsed is told when it is read, with its place."""
        try:
            paper = parse_work(work)
        except ParseError:
            return None
        self._repeated += paper.source_id in self._has_abstract
        self._has_abstract[paper.source_id] = bool(paper.abstract)
        return paper

    def _refused(self, answer: Answer) -> SourceError:
        return SourceError(
            f"CORE refuses ({describe(answer)}): check the key in {self._config.key}, or get one "
            f"from core.ac.uk/services/api; what is fetched is kept"
        )
