"""The Crossref API: everything that a config names, into the landing zone."""

from collections.abc import Sequence

from corpusforge.errors import SourceError
from corpusforge.parsers.crossref import parse_crossref
from corpusforge.parsers.cursor_pages import CursorPage, crossref_page, crossref_works
from corpusforge.sources.answers import Answer, Request, describe
from corpusforge.sources.collection import Batch, Collection, each
from corpusforge.sources.crossref_plan import (
    CrossrefConfig,
    End,
    Step,
    begin_again,
    is_doi,
    next_step,
    normal_id,
    page_request,
    search_text,
    work_request,
)
from corpusforge.sources.crossref_records import judge_crossref
from corpusforge.sources.http import GaveUpError
from corpusforge.sources.replay import FetchSummary, Replay
from corpusforge.sources.secrets import Credential, FindSecret

NOT_FOUND = 404


def fetch_crossref(config: CrossrefConfig, ids: Sequence[str], replay: Replay) -> FetchSummary:
    """Bring everything that the config names into the landing zone.

    Args:
        config: What to bring.
        ids: Those of `ids` and `ids_file` together.
        replay: Asks, with the token if there is one, for what is not landed.

    Raises:
        QuotaStop: Crossref wants a longer pause than allowed; the same call later goes on.
        SourceError: Crossref refuses.
    """
    collection = Collection(replay, judge_crossref)
    fetch = _Fetch(config, collection)
    if config.filter is not None or config.query is not None:
        collection.expect(fetch.search(), search_text(config))
    else:
        wanted = list(dict.fromkeys(map(normal_id, ids)))
        collection.expected = len(wanted)
        for name in wanted:
            if not is_doi(name):
                collection.miss(name, "is no DOI")
        batches = [(name,) for name in wanted if is_doi(name)]
        each(collection, batches, fetch.request_of, fetch.take_work)
        if fetch.not_found:  # Crossref loses some for a while: the next fetch asks for them again
            replay.strike_out(lambda answer: answer.status == NOT_FOUND)
    return collection.summary()


def crossref_credentials(config: CrossrefConfig, find: FindSecret) -> tuple[Credential, ...]:
    """The token of Metadata Plus, for those who pay for it."""
    token = find(config.token)
    return () if token is None else (Credential("Crossref-Plus-API-Token", token, "Bearer "),)


class _Fetch:
    """How Crossref pages, and what its answers mean."""

    def __init__(self, config: CrossrefConfig, collection: Collection) -> None:
        self._config = config
        self._collection = collection
        self.not_found = 0  # DOIs
        self._total = 0  # most results that Crossref has spoken of

    def search(self) -> int:
        """Page through the search until all of it has come; its total."""
        step: Step | None = Step()
        while step is not None:
            before = self._collection.records
            end = self._pass(step)
            if end is None:
                break
            step = begin_again(step, end, self._collection.records - before)
        return self._total

    def _pass(self, first: Step) -> End | None:
        """Page through the search once; how it ended, or None as soon as nothing is missing."""
        step: Step | None = first
        while step is not None:
            page = self._page(step)
            if page is None:
                return End.LOST
            self._total = max(self._total, page.total)
            for work in page.works:
                self._collection.take(work, parse_crossref)
            # A work that came twice in one pass is not one that is missing.
            if self._total <= max(step.taken + len(page.works), self._collection.records):
                return None
            step = next_step(step, page)
        return End.EMPTY

    def _page(self, step: Step) -> CursorPage | None:
        """A page, or None if its cursor is forgotten.

        Raises:
            SourceError: Crossref refuses the search.
        """
        begun = step.cursor != "*"
        try:
            answer = self._collection.answer(page_request(self._config, step))
        except GaveUpError:
            if begun:  # it answers 500 for some cursors
                return None
            raise
        if answer.status == 200:
            return crossref_page(answer.body)
        if begun and answer.status in (400, NOT_FOUND):
            return None
        raise self._refused(answer)

    def request_of(self, batch: Batch) -> Request:
        """One work."""
        return work_request(self._config, batch[0])

    def take_work(self, batch: Batch, answer: Answer) -> tuple[Batch, ...]:
        """Note what came for a DOI; nothing smaller can be asked for."""
        [name] = batch
        if answer.status in (401, 403):
            raise self._refused(answer)
        if answer.status != 200:
            self.not_found += answer.status == NOT_FOUND
            self._collection.miss(name, describe(answer))
            return ()
        [work] = crossref_works(answer.body)
        paper = self._collection.take(work, parse_crossref)
        if paper is not None and paper.doi != name:
            self._collection.miss(name, f"Crossref answers with {paper.doi}")
        return ()

    def _refused(self, answer: Answer) -> SourceError:
        advice = "correct `filter` or `query`"
        if answer.status in (401, 403):
            advice = f"check the token in {self._config.token}, or unset it"
        elif answer.status == NOT_FOUND:
            advice = "check `address`"
        return SourceError(
            f"Crossref refuses ({describe(answer)}): {advice}; what is fetched is kept"
        )
