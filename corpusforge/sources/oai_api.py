"""An OAI-PMH repository: everything that a config names, into the landing zone."""

from collections.abc import Sequence
from datetime import UTC, datetime

from corpusforge.errors import ConfigError, SourceError
from corpusforge.parsers.oai import OaiPage, OaiRecord
from corpusforge.parsers.oai_record import parse_oai_record
from corpusforge.sources.answers import Answer, describe
from corpusforge.sources.collection import MAX_IN_A_ROW, Collection
from corpusforge.sources.http import GaveUpError
from corpusforge.sources.oai_plan import (
    DAY,
    OaiConfig,
    Progress,
    Window,
    first_day,
    identify_request,
    list_request,
    months,
    rest_of,
)
from corpusforge.sources.oai_records import earliest_of, judge_oai, page_of
from corpusforge.sources.replay import FetchSummary, Replay
from corpusforge.sources.secrets import Credential, FindSecret

NOTHING = "noRecordsMatch"
ADVICE = {
    "cannotDisseminateFormat": "set `metadata_prefix` to oai_dc, which every repository has",
    "noSetHierarchy": "it has no sets: leave `set` out",
    "badVerb": "check `address`",
    "badArgument": "check `set`, `from` and `until`",
}
Name = tuple[str | bytes, str]  # identifier and datestamp
CIRCLE = "its resumption token leads back to what had come"


def fetch_oai(config: OaiConfig, _ids: Sequence[str], replay: Replay) -> FetchSummary:
    """Bring everything that the config names into the landing zone.

    Args:
        config: What to bring.
        _ids: None: records are named by dates.
        replay: Asks for what is not landed.

    Raises:
        ConfigError: The last day is not over.
        SourceError: The repository refuses, or answers nothing.
        QuotaStop: It wants too long a pause; the same call later goes on.
    """
    yesterday = datetime.fromtimestamp(replay.now(), UTC).date() - DAY
    if config.until > yesterday:
        raise ConfigError(
            f"until: {config.until} is not over, so its records are not all there; "
            f"set it to {yesterday} or an earlier day"
        )
    collection = Collection(replay, judge_oai)
    fetch = _Fetch(config, collection)
    for month in fetch.months():
        fetch.bring(month)
    return fetch.finish()


def oai_credentials(_config: OaiConfig, _find: FindSecret) -> tuple[Credential, ...]:
    """None: a repository's records are open."""
    return ()


class _Fetch:
    """How a repository is gone through, and what its answers mean."""

    def __init__(self, config: OaiConfig, collection: Collection) -> None:
        self._config = config
        self._collection = collection
        self._short = 0  # records that did not come
        self._answered = False  # to any list
        self._given_up: GaveUpError | None = None  # on the latest request
        self._lost_in_a_row = 0  # days, with no answer between them

    def months(self) -> list[Window]:
        """The lists to ask for."""
        since, until = self._config.since, self._config.until
        if since is not None:
            return list(months(since, until))
        answer = self._collection.answer(identify_request(self._config))
        earliest = earliest_of(answer)
        if earliest is None:
            raise SourceError(
                f"{self._config.address} does not say since when it has records "
                f"({describe(answer)}): check `address`, or give `from`"
            )
        return list(months(min(first_day(earliest), until), until, is_open=True))

    def bring(self, month: Window) -> None:
        """All records of a month."""
        came, total = self._window(month)
        if len(came) < total:
            self._short += total - len(came)
            why = f"{total - len(came)} of {total} records did not come"
            self._collection.miss(str(month), why)

    def _window(self, window: Window) -> tuple[set[Name], int]:
        """What came of a window, in one list or by parts; and how many there are, if it is known.

        Parts are smaller than the whole, so the recursion is not deeper than a month has days.
        """
        came, progress, fault = self._list(window)
        if fault is None:
            return came, progress.total or len(came)
        rest = rest_of(window, progress)
        if rest is None:
            self._lose(window, fault)
            return came, progress.total or len(came)
        totals = [self._part(part, came) for part in rest.windows]
        total = sum(totals) if progress.total is None else progress.total
        if rest.passed is not None and len(came) < total:
            self._part(rest.passed, came)  # the list was not in order, or the total is wrong
        return came, total

    def _part(self, part: Window, came: set[Name]) -> int:
        """Add what comes of a part; how many there are in it."""
        names, total = self._window(part)
        came |= names
        return total

    def finish(self) -> FetchSummary:
        """What came of all months.

        Raises:
            GaveUpError: Nothing was answered at all.
        """
        if self._given_up is not None and not self._answered:
            raise self._given_up
        self._collection.expected = self._collection.records + self._short
        return self._collection.summary()

    def _list(self, window: Window) -> tuple[set[Name], Progress, str | None]:
        """Page through one list; and what ended it, if that was not its end."""
        progress, token = Progress(), ""
        came: set[Name] = set()
        while True:
            page = self._page(window, token)
            if isinstance(page, str):  # after the last record, some repositories still give a token
                return came, progress, None if progress.is_complete else page
            names = {name_of(record) for record in page.records}
            for record in page.records:
                if not record.deleted:
                    self._collection.take(record.content, parse_oai_record)
            new = names - came
            came |= new
            progress = progress.after(page, len(new), window)
            token = page.token
            if not names or not token:
                return came, progress, None
            if not new:
                return came, progress, None if progress.is_complete else CIRCLE

    def _page(self, window: Window, token: str) -> OaiPage | str:
        """A page, an empty one where there are no records, or why it is not to be had.

        Raises:
            SourceError: The repository refuses the list.
        """
        try:
            answer = self._collection.answer(list_request(self._config, window, token))
        except GaveUpError as error:
            self._given_up = error
            return str(error)
        self._given_up, self._answered, self._lost_in_a_row = None, True, 0
        page = page_of(answer)
        if page is not None and (page.records or not page.errors):
            return page
        if page is not None and any(code == NOTHING for code, _ in page.errors):
            return OaiPage()
        if token and answer.status not in (401, 403):
            return f"the rest of its list is refused ({_words(page, answer)})"
        code = "" if page is None else page.errors[0][0]
        raise SourceError(
            f"{self._config.address} refuses the records of {window} ({_words(page, answer)}): "
            f"{ADVICE.get(code, 'check `address`')}; what is fetched is kept"
        )

    def _lose(self, window: Window, fault: str) -> None:
        """Note a day that cannot be had.

        Raises:
            GaveUpError: So many in a row that it is not the days.
        """
        if self._given_up is not None:
            self._lost_in_a_row += 1
            if self._lost_in_a_row >= MAX_IN_A_ROW:
                raise self._given_up
        self._collection.miss(str(window), fault)


def name_of(record: OaiRecord) -> Name:
    """What tells a state of a record from all others."""
    return record.identifier or record.content, record.datestamp


def _words(page: OaiPage | None, answer: Answer) -> str:
    if page is None:
        return describe(answer)
    return "; ".join(f"{code}: {words}" if words else code for code, words in page.errors)
