"""Scopus over its APIs: everything that a config names, into the landing zone."""

from collections.abc import Callable, Sequence
from time import time

from corpusforge.errors import ParseError, SourceError
from corpusforge.parsers.paper import Paper
from corpusforge.parsers.scopus import SearchPage, parse_entry, parse_retrieval, parse_search
from corpusforge.parsers.scopus_envelope import Envelope, Kind
from corpusforge.sources.http import Client, GaveUpError
from corpusforge.sources.landing import Landing
from corpusforge.sources.replay import FetchSummary, Replay
from corpusforge.sources.scopus_plan import (
    WINDOW,
    Part,
    ScopusConfig,
    Step,
    batches,
    halves,
    ids_query,
    is_searchable,
    must_split,
    next_step,
    normal_id,
    retrieval_request,
    search_request,
)
from corpusforge.sources.scopus_records import envelope_of, has_no_abstract, judge_scopus

MIN_ALARM = 50  # records; of fewer, chance alone may leave out most abstracts
MAX_IN_A_ROW = 5  # ids that fail one after the other: then it is not the ids
ADVICE = {
    Kind.KEY: "check the key in {key}, or get one from dev.elsevier.com",
    Kind.VIEW: "ask from the subscriber's network or with an institution's token in {token}; "
    "`view: STANDARD` is open to every key, but has no abstracts",
    Kind.API: "the key in {key} may not use this API: ask Elsevier to enable it",
    Kind.QUERY: "correct `query`",
    Kind.TOO_LONG: "shorten `query`",
    Kind.WINDOW: "narrow `query`",
    Kind.NOT_FOUND: "check `address`",
    Kind.CURSOR: "set `paging: start`",
}


def fetch_scopus(
    config: ScopusConfig,
    ids: Sequence[str],
    client: Client,
    landing: Landing,
    now: Callable[[], float] = time,
) -> FetchSummary:
    """Bring everything that the config names into the landing zone.

    Args:
        config: What to bring.
        ids: Those of `ids` and `ids_file` together.
        client: Asks, with the key.
        landing: What it has is not asked for again.
        now: Seconds since the epoch.

    Raises:
        QuotaStop: The quota is used up; the same call later goes on.
        SourceError: Scopus refuses, or leaves abstracts out without saying so.
    """
    fetch = _Fetch(config, Replay(client, landing, now))
    if config.query is not None:
        fetch.search(Part(config.query, config.years))
    else:
        fetch.list_of(list(dict.fromkeys(map(normal_id, ids))))
    return fetch.summary()


class _Fetch:
    """The state of one fetch; all of it follows from the answers."""

    def __init__(self, config: ScopusConfig, replay: Replay) -> None:
        self._config = config
        self._replay = replay
        self._has_abstract: dict[str, bool] = {}  # by EID
        self._without = 0  # of them
        self._repeated = 0
        self._expected = 0
        self._missing: list[tuple[str, str]] = []
        self._cursors = config.paging == "cursor"

    def summary(self) -> FetchSummary:
        return FetchSummary(
            sent=self._replay.sent,
            replayed=self._replay.replayed,
            records=len(self._has_abstract),
            repeated=self._repeated,
            without_abstract=self._without,
            expected=self._expected,
            missing=tuple(self._missing),
            used=self._replay.used,
        )

    def search(self, whole: Part) -> None:
        """Page through a search, and through its parts where it has to be split."""
        parts = [whole]
        totals: list[int] = []
        while parts:
            part = parts.pop()
            total, smaller = self._page_through(part)
            totals.append(total)
            parts += reversed(smaller)
        found = len(self._has_abstract)
        self._expected = max(totals[0], found)
        if found < totals[0]:
            self._missing.append(
                (whole.query, f"{totals[0] - found} of {totals[0]} results did not come")
            )

    def _page_through(self, part: Part) -> tuple[int, tuple[Part, ...]]:
        """Total of the part; and the parts to ask for instead, if it is too large."""
        step: Step | None = Step(cursor="*" if self._cursors else None)
        total = 0
        while step is not None:
            answer = self._replay.answer(search_request(self._config, part, step), judge_scopus)
            envelope = envelope_of(answer)
            if envelope.kind is Kind.CURSOR and step.cursor is not None:
                self._cursors = False
                step = Step(step.start)
                continue
            if envelope.kind is Kind.WINDOW:
                return total, self._split(part, total)
            if envelope.kind is not Kind.DATA:
                raise self._refused(envelope)
            page = parse_search(answer.body)
            total = max(total, page.total)
            step = next_step(step, page)
            if must_split(step, page):
                return total, self._split(part, total)
            self._take_page(page)
        return total, ()

    def _split(self, part: Part, total: int) -> tuple[Part, ...]:
        parts = halves(part)
        if parts is not None:
            return parts
        raise SourceError(
            f"Scopus finds {total:,} records for {part.query!r}"
            f"{f' in {part.years[0]}' if part.years else ''}, but without a cursor shows only the "
            f"first {WINDOW:,}; "
            f"{'narrow `query`' if part.years else 'give `years`, so that it can be split'}"
        )

    def list_of(self, ids: list[str]) -> None:
        """Bring records by their ids."""
        self._expected = len(ids)
        failures = 0
        searching = self._config.ids_by == "search"
        for batch in batches(ids) if searching else ((name,) for name in ids):
            stack = [batch]
            while stack:
                part = stack.pop()
                try:
                    stack += self._bring(part)
                    failures = 0
                except GaveUpError as error:
                    failures += 1
                    if failures >= MAX_IN_A_ROW:
                        raise
                    self._missing += [(name, str(error)) for name in part]

    def _bring(self, batch: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Bring a batch with one request; or the smaller ones to ask for instead."""
        if self._config.ids_by == "retrieval" or not is_searchable(batch):
            self._retrieve(batch[0])
            return []
        request = search_request(self._config, Part(ids_query(batch)), Step())
        answer = self._replay.answer(request, judge_scopus)
        envelope = envelope_of(answer)
        if envelope.kind in (Kind.TOO_LONG, Kind.QUERY, Kind.WINDOW):
            if len(batch) > 1:
                return _halved(batch)
            self._missing.append((batch[0], envelope.words))
            return []
        if envelope.kind is not Kind.DATA:
            raise self._refused(envelope)
        page = parse_search(answer.body)
        found = self._take_page(page)
        absent = [name for name in batch if name not in found]
        if absent and page.total > len(page.entries) and len(batch) > 1:
            return _halved(batch)  # ids that find more than one record pushed others out
        self._missing += [(name, "no search result") for name in absent]
        return []

    def _retrieve(self, name: str) -> None:
        answer = self._replay.answer(retrieval_request(self._config, name), judge_scopus)
        envelope = envelope_of(answer)
        if envelope.kind in (Kind.NOT_FOUND, Kind.QUERY):
            self._missing.append((name, envelope.words))
        elif envelope.kind is not Kind.DATA:
            raise self._refused(envelope)
        else:
            self._take(answer.body, parse_retrieval)
            self._check_rights()

    def _take_page(self, page: SearchPage) -> set[str]:
        """Note the records of a page; all the ids that they go by."""
        papers = [self._take(entry, parse_entry) for entry in page.entries]
        if self._config.view == "COMPLETE":
            self._check_rights()
        names = {name for p in papers if p for name in (p.source_id, p.doi, p.pmid)}
        return {name for name in names if name}

    def _take(self, content: bytes, parse: Callable[[bytes], Paper]) -> Paper | None:
        """Note a record. What cannot be parsed is told when it is read, with its place."""
        try:
            paper = parse(content)
        except ParseError:
            return None
        had = self._has_abstract.get(paper.source_id)
        has = self._has_abstract[paper.source_id] = bool(paper.abstract or had)
        self._repeated += had is not None
        self._without += (not has) - (had is False)
        return paper

    def _check_rights(self) -> None:
        """Off the subscriber's network Scopus answers 200 and leaves abstracts out, silently."""
        seen, without = len(self._has_abstract), self._without
        if seen >= MIN_ALARM and without > self._config.max_without_abstract * seen:
            self._replay.strike_out(has_no_abstract)
            raise SourceError(
                f"{without:,} of {seen:,} records came without abstract, more than "
                f"max_without_abstract {self._config.max_without_abstract}: outside the "
                f"subscriber's network Scopus leaves them out without a word. Fetch again from "
                f"there, they will be asked for anew; or raise the limit if that is how they are"
            )

    def _refused(self, envelope: Envelope) -> SourceError:
        advice = ADVICE[envelope.kind].format(key=self._config.key, token=self._config.token)
        return SourceError(f"Scopus refuses ({envelope.words}): {advice}; what is fetched is kept")


def _halved(batch: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Second half first: the next one to do is taken from the end."""
    middle = len(batch) // 2
    return [batch[middle:], batch[:middle]]
