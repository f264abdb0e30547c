"""The OpenAlex API: everything that a config names, into the landing zone."""

from collections.abc import Sequence

from corpusforge.errors import SourceError
from corpusforge.parsers.cursor_pages import openalex_page
from corpusforge.parsers.openalex import parse_openalex
from corpusforge.parsers.paper import Paper
from corpusforge.sources.answers import Answer, Request, describe
from corpusforge.sources.collection import Batch, Collection, each
from corpusforge.sources.openalex_plan import (
    OpenAlexConfig,
    Step,
    batches,
    ids_request,
    kind_of_id,
    next_step,
    normal_id,
    page_request,
    search_text,
)
from corpusforge.sources.openalex_records import judge_openalex
from corpusforge.sources.replay import FetchSummary, Replay
from corpusforge.sources.secrets import Credential, FindSecret

NO_WORK = "OpenAlex has no work with it"


def fetch_openalex(config: OpenAlexConfig, ids: Sequence[str], replay: Replay) -> FetchSummary:
    """Bring everything that the config names into the landing zone.

    Args:
        config: What to bring.
        ids: Those of `ids` and `ids_file` together.
        replay: Asks, with the key if there is one, for what is not landed.

    Raises:
        QuotaStop: The day's budget is used up; the same call later goes on.
        SourceError: OpenAlex refuses.
    """
    collection = Collection(replay, judge_openalex)
    fetch = _Fetch(config, collection)
    if config.filter is not None or config.search is not None:
        collection.expect(fetch.search(), search_text(config))
    else:
        wanted = list(dict.fromkeys(map(normal_id, ids)))
        collection.expected = len(wanted)
        for name in wanted:
            if kind_of_id(name) is None:
                collection.miss(name, "is neither a work of OpenAlex nor a DOI nor a PubMed id")
        each(collection, batches(wanted), fetch.request_of, fetch.take_batch)
    return collection.summary()


def openalex_credentials(config: OpenAlexConfig, find: FindSecret) -> tuple[Credential, ...]:
    """The key, if there is one; without, OpenAlex answers for a few cents' worth a day."""
    key = find(config.key)
    return () if key is None else (Credential("Authorization", key, "Bearer "),)


class _Fetch:
    """How OpenAlex pages, and what its answers mean."""

    def __init__(self, config: OpenAlexConfig, collection: Collection) -> None:
        self._config = config
        self._collection = collection

    def search(self) -> int:
        """Page through the search; its total."""
        step: Step | None = Step()
        total = 0
        while step is not None:
            answer = self._collection.answer(page_request(self._config, step))
            if answer.status != 200:
                raise self._refused(answer)
            page = openalex_page(answer.body)
            total = max(total, page.total)
            for work in page.works:
                self._collection.take(work, parse_openalex)
            step = next_step(step, page, total)
        return total

    def request_of(self, batch: Batch) -> Request:
        """One request for all ids of a batch."""
        return ids_request(self._config, batch)

    def take_batch(self, batch: Batch, answer: Answer) -> tuple[Batch, ...]:
        """Note what came for a batch; the smaller ones to ask for instead."""
        if len(batch) == 1:
            self._take_single(batch[0], answer)
            return ()
        if answer.status in (400, 414):
            return _halved(batch)
        if answer.status != 200:
            raise self._refused(answer)
        page = openalex_page(answer.body)
        papers = [self._collection.take(work, parse_openalex) for work in page.works]
        found = {name for p in papers if p for name in (p.source_id, p.doi, p.pmid)}
        absent = [name for name in batch if name not in found]
        if absent and page.total > len(page.works):
            return _halved(batch)  # ids with more than one work pushed others out
        if kind_of_id(batch[0]) == "openalex":
            return tuple((name,) for name in absent)  # merged into another work, perhaps
        for name in absent:
            self._collection.miss(name, NO_WORK)
        return ()

    def _take_single(self, name: str, answer: Answer) -> None:
        if answer.status == 200:
            paper = self._collection.take(answer.body, parse_openalex)
            self._compare(name, paper)
        elif answer.status in (401, 403):
            raise self._refused(answer)
        else:
            self._collection.miss(name, NO_WORK if answer.status == 404 else describe(answer))

    def _compare(self, name: str, paper: Paper | None) -> None:
        """A work under another DOI than the one asked for is told."""
        if paper is not None and kind_of_id(name) == "doi" and paper.doi != name:
            why = f"OpenAlex answers with work {paper.source_id}, whose DOI is {paper.doi}"
            self._collection.miss(name, why)

    def _refused(self, answer: Answer) -> SourceError:
        advice = "correct `filter` or `search`"
        if answer.status in (401, 403):
            advice = f"check the key in {self._config.key}, or get one, which is free, from "
            advice += "openalex.org/settings/api"
        elif answer.status == 404:
            advice = "check `address`"
        return SourceError(
            f"OpenAlex refuses ({describe(answer)}): {advice}; what is fetched is kept"
        )


def _halved(batch: Batch) -> tuple[Batch, Batch]:
    middle = len(batch) // 2
    return batch[:middle], batch[middle:]
