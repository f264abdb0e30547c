"""Scopus over its APIs: everything that a config names, into the landing zone."""

from collections.abc import Sequence

from corpusforge.errors import ConfigError, SourceError
from corpusforge.parsers.scopus import SearchPage, parse_entry, parse_retrieval, parse_search
from corpusforge.parsers.scopus_envelope import Envelope, Kind
from corpusforge.sources.answers import Answer, Request
from corpusforge.sources.collection import Batch, Collection, each, walk
from corpusforge.sources.parts import Part, halves
from corpusforge.sources.replay import FetchSummary, Replay
from corpusforge.sources.scopus_plan import (
    NO_ID,
    WINDOW,
    ScopusConfig,
    Step,
    batch_request,
    by_search,
    kind_of_id,
    must_split,
    next_step,
    normal_id,
    plan_batches,
    search_request,
)
from corpusforge.sources.scopus_records import envelope_of, has_no_abstract, judge_scopus
from corpusforge.sources.secrets import KEY_FILE, Credential, FindSecret

MIN_ALARM = 50  # records; of fewer, chance alone may leave out most abstracts
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


class _AbstractsLeftOutError(SourceError):
    """What came must not be taken for all that Scopus has."""


def fetch_scopus(config: ScopusConfig, ids: Sequence[str], replay: Replay) -> FetchSummary:
    """Bring everything that the config names into the landing zone.

    Args:
        config: What to bring.
        ids: Those of `ids` and `ids_file` together.
        replay: Asks, with the key, for what is not landed.

    Raises:
        QuotaStop: The quota is used up; the same call later goes on.
        SourceError: Scopus refuses, or leaves abstracts out without saying so.
    """
    collection = Collection(replay, judge_scopus)
    try:
        _bring(config, ids, collection)
    except _AbstractsLeftOutError:
        replay.strike_out(has_no_abstract)
        raise
    return collection.summary()


def _bring(config: ScopusConfig, ids: Sequence[str], collection: Collection) -> None:
    fetch = _Fetch(config, collection)
    if config.query is not None:
        total = walk(Part(config.query, config.years), fetch.page_through)
        collection.expect(total, config.query)
    else:
        wanted = list(dict.fromkeys(map(normal_id, ids)))
        collection.expected = len(wanted)
        for name in wanted:
            if kind_of_id(name) is None:
                collection.miss(name, NO_ID)
        each(collection, plan_batches(config, wanted), fetch.request_of, fetch.take_batch)


def scopus_credentials(config: ScopusConfig, find: FindSecret) -> tuple[Credential, ...]:
    """The key, and the institution's token where there is one.

    Raises:
        ConfigError: There is no key.
    """
    key = find(config.key)
    if key is None:
        raise ConfigError(
            f"Scopus needs a key, but neither the environment nor a key file (named by {KEY_FILE}) "
            f"has {config.key}: get one from dev.elsevier.com and export it"
        )
    token = find(config.token)
    institution = () if token is None else (Credential("X-ELS-Insttoken", token),)
    return (Credential("X-ELS-APIKey", key), *institution)


class _Fetch:
    """How Scopus pages, and what its answers mean."""

    def __init__(self, config: ScopusConfig, collection: Collection) -> None:
        self._config = config
        self._collection = collection
        self._cursors = config.paging == "cursor"

    def page_through(self, part: Part) -> tuple[int, tuple[Part, ...]]:
        """Total of the part; and the parts to ask for instead, if it is too large."""
        step: Step | None = Step(cursor="*" if self._cursors else None)
        total = 0
        while step is not None:
            answer = self._collection.answer(search_request(self._config, part, step))
            envelope = envelope_of(answer)
            if envelope.kind is Kind.CURSOR and step.cursor is not None:
                self._cursors = False
                step = Step(step.start)
                continue
            if envelope.kind is Kind.WINDOW:
                return total, _split(part, total)
            if envelope.kind is not Kind.DATA:
                raise self._refused(envelope)
            page = parse_search(answer.body)
            total = max(total, page.total)
            step = next_step(step, page)
            if must_split(step, page):
                return total, _split(part, total)
            self._take_page(page)
        return total, ()

    def request_of(self, batch: Batch) -> Request:
        """One request for all ids of a batch."""
        return batch_request(self._config, batch)

    def take_batch(self, batch: Batch, answer: Answer) -> tuple[Batch, ...]:
        """Note what came for a batch; the smaller ones to ask for instead."""
        envelope = envelope_of(answer)
        if not by_search(self._config, batch):
            self._take_retrieved(batch[0], answer, envelope)
            return ()
        if envelope.kind in (Kind.TOO_LONG, Kind.QUERY, Kind.WINDOW):
            if len(batch) > 1:
                return _halved(batch)
            self._collection.miss(batch[0], envelope.words)
            return ()
        if envelope.kind is not Kind.DATA:
            raise self._refused(envelope)
        page = parse_search(answer.body)
        found = self._take_page(page)
        absent = [name for name in batch if name not in found]
        if absent and page.total > len(page.entries) and len(batch) > 1:
            return _halved(batch)  # ids that find more than one record pushed others out
        for name in absent:
            self._collection.miss(name, "no search result")
        return ()

    def _take_retrieved(self, name: str, answer: Answer, envelope: Envelope) -> None:
        if envelope.kind in (Kind.NOT_FOUND, Kind.QUERY):
            self._collection.miss(name, envelope.words)
        elif envelope.kind is not Kind.DATA:
            raise self._refused(envelope)
        else:
            self._collection.take(answer.body, parse_retrieval)
            self._check_rights()

    def _take_page(self, page: SearchPage) -> set[str]:
        """Note the records of a page; all the ids that they go by."""
        papers = [self._collection.take(entry, parse_entry) for entry in page.entries]
        if self._config.view == "COMPLETE":
            self._check_rights()
        names = {name for p in papers if p for name in (p.source_id, p.doi, p.pmid)}
        return {name for name in names if name}

    def _check_rights(self) -> None:
        """Off the subscriber's network Scopus answers 200 and leaves abstracts out, silently."""
        seen, without = self._collection.records, self._collection.without_abstract
        if seen >= MIN_ALARM and without > self._config.max_without_abstract * seen:
            raise _AbstractsLeftOutError(
                f"{without:,} of {seen:,} records came without abstract, more than "
                f"max_without_abstract {self._config.max_without_abstract}: outside the "
                f"subscriber's network Scopus leaves them out without a word. Fetch again from "
                f"there, they will be asked for anew; or raise the limit if that is how they are"
            )

    def _refused(self, envelope: Envelope) -> SourceError:
        advice = ADVICE[envelope.kind].format(key=self._config.key, token=self._config.token)
        return SourceError(f"Scopus refuses ({envelope.words}): {advice}; what is fetched is kept")


def _split(part: Part, total: int) -> tuple[Part, Part]:
    parts = halves(part)
    if parts is not None:
        return parts
    raise SourceError(
        f"Scopus finds {total:,} records for {part.query!r}"
        f"{f' in {part.years[0]}' if part.years else ''}, but without a cursor shows only the "
        f"first {WINDOW:,}; "
        f"{'narrow `query`' if part.years else 'give `years`, so that it can be split'}"
    )


def _halved(batch: Batch) -> tuple[Batch, Batch]:
    middle = len(batch) // 2
    return batch[:middle], batch[middle:]
