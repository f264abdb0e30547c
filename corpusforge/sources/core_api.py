"""The CORE API: everything that a config names, into the landing zone."""

from collections.abc import Sequence
from contextlib import ExitStack

from corpusforge.errors import SourceError
from corpusforge.parsers.core_api import parse_work, parse_works
from corpusforge.parsers.paper import Paper
from corpusforge.sources.answers import Answer, Request, describe
from corpusforge.sources.collection import Batch, Collection, each, walk
from corpusforge.sources.core_plan import (
    NO_ID,
    WINDOW,
    CoreConfig,
    Step,
    after_scroll,
    first_step,
    is_id,
    is_out_of_reach,
    next_step,
    normal_id,
    page_request,
    pages_from,
    query_text,
    work_request,
)
from corpusforge.sources.core_records import judge_core
from corpusforge.sources.http import GaveUpError
from corpusforge.sources.parts import Part, halves
from corpusforge.sources.replay import FetchSummary, Replay
from corpusforge.sources.secrets import Credential, FindSecret

MAX_STEPS = 1_000_000  # of one part; more pages than CORE has


def fetch_core(config: CoreConfig, ids: Sequence[str], replay: Replay) -> FetchSummary:
    """Bring everything that the config names into the landing zone.

    Args:
        config: What to bring.
        ids: Those of `ids` and `ids_file` together.
        replay: Asks, with the key if there is one, for what is not landed.

    Raises:
        QuotaStop: The quota is used up; the same call later goes on.
        SourceError: CORE refuses.
    """
    collection = Collection(replay, judge_core)
    fetch = _Fetch(config, collection)
    if config.query is not None:
        whole = Part(config.query, config.years)
        collection.expect(walk(whole, fetch.page_through), query_text(whole))
    else:
        wanted = list(dict.fromkeys(map(normal_id, ids)))
        collection.expected = len(wanted)
        for name in wanted:
            if not is_id(name):
                collection.miss(name, NO_ID)
        batches = [(name,) for name in wanted if is_id(name)]
        each(collection, batches, fetch.request_of, fetch.take_work)
    return collection.summary()


def core_credentials(config: CoreConfig, find: FindSecret) -> tuple[Credential, ...]:
    """The key, if there is one: CORE answers without, but shows no full texts."""
    key = find(config.key)
    return () if key is None else (Credential("Authorization", key, "Bearer "),)


class _Fetch:
    """How CORE pages, and what its answers mean."""

    def __init__(self, config: CoreConfig, collection: Collection) -> None:
        self._config = config
        self._collection = collection

    def page_through(self, part: Part) -> tuple[int, tuple[Part, ...]]:
        """Total of the part; and the parts to ask for instead, if it is too large."""
        step: Step | None = first_step(self._config)
        total = 0
        with ExitStack() as block:
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
                    self._collection.take(work, parse_work)
                if step == Step():
                    later = pages_from(self._config, part, following, total)
                    block.enter_context(self._collection.ahead(later))
                step = following
        return total, ()

    def _page(self, part: Part, step: Step) -> Answer | None:
        """A page, or None if its scroll is lost.

        Raises:
            SourceError: CORE refuses the search.
        """
        try:
            answer = self._collection.answer(page_request(self._config, part, step))
        except GaveUpError as error:
            if step.scroll:
                return None
            if not error.answered:
                raise
            raise SourceError(
                f"{error}. CORE fails in the same way each time for some queries, such as a phrase "
                f"in quotes alone: if {query_text(part)!r} is one, name a field or leave the "
                f"quotes out"
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
            f"CORE finds {total:,} works for {query_text(part)!r}, but by offset shows only the "
            f"first {WINDOW:,}: give `years`, so that it can be split, or set `paging: auto`"
        )

    def request_of(self, batch: Batch) -> Request:
        """One work."""
        return work_request(self._config, batch[0])

    def take_work(self, batch: Batch, answer: Answer) -> tuple[Batch, ...]:
        """Note what came for an id; nothing smaller can be asked for."""
        [name] = batch
        if answer.status == 200:
            self._compare(name, self._collection.take(answer.body, parse_work))
        elif answer.status in (401, 403):
            raise self._refused(answer)
        else:
            self._collection.miss(name, describe(answer))
        return ()

    def _compare(self, name: str, paper: Paper | None) -> None:
        """A work may carry a DOI that it only cites; at least the one asked for must be its own."""
        if paper is not None and "/" in name and paper.doi != name:
            why = f"CORE answers with work {paper.source_id}, whose DOI is {paper.doi}"
            self._collection.miss(name, why)

    def _refused(self, answer: Answer) -> SourceError:
        return SourceError(
            f"CORE refuses ({describe(answer)}): check the key in {self._config.key}, or get one "
            f"from core.ac.uk/services/api; what is fetched is kept"
        )
