"""What an OAI-PMH repository answered: whether to take it, and the records in it."""

from collections.abc import Iterator
from pathlib import Path

from corpusforge.errors import ParseError
from corpusforge.parsers.oai import OaiPage, OaiRecord, parse_identify, parse_page
from corpusforge.parsers.oai_record import parse_oai_record, record_id
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.answers import Answer, Verdict, judge_status
from corpusforge.sources.landing_file import landed_responses
from corpusforge.sources.parsed import parsed
from corpusforge.sources.records import Found, Lost, Record, Withdrawn


def judge_oai(answer: Answer) -> Verdict:
    """Whether to take an answer, or ask again, now or later.

    The protocol's errors come with status 200, and from some repositories with another one. A page
    that cannot be read is a fault: most are cut short, and are whole the next time.
    """
    if page_of(answer) is not None or earliest_of(answer) is not None:
        return Verdict.DONE
    return Verdict.RETRY if answer.status == 200 else judge_status(answer)


def page_of(answer: Answer) -> OaiPage | None:
    """The page of a list, or the protocol's error, that an answer is."""
    try:
        return parse_page(answer.body)
    except ParseError:
        return None


def earliest_of(answer: Answer) -> str | None:
    """The earliest datestamp, where an answer is what a repository says of itself."""
    try:
        return parse_identify(answer.body)
    except ParseError:
        return None


def read_oai(path: Path) -> Iterator[Record]:
    """The records of one landing file, in order; an identical copy of one is left out."""
    seen: set[tuple[str, int]] = set()
    for number, landed in enumerate(landed_responses(path)):
        page = page_of(landed.answer)
        if page is None:
            continue  # it was asked again, or it is in the list of what is missing
        for place, record in enumerate(page.records):
            for told in _told(record, f"{path.name}@{number}.{place}"):
                if isinstance(told, Found):
                    if (told.paper.source_id, told.digest) in seen:
                        continue
                    seen.add((told.paper.source_id, told.digest))
                yield told


def _told(record: OaiRecord, key: str) -> Iterator[Record]:
    """What a record says of its document: a paper, or that there is no longer one."""
    name = record_id(record.identifier)
    if record.deleted and not name:
        detail = "a deleted record has no identifier"
        yield Lost(key, Rejection(Reason.NO_IDENTIFIER, detail=detail))
        return
    if not record.deleted:
        found = parsed(record.content, key, parse_oai_record)
        yield found
        if isinstance(found, Found) or found.rejection.reason is not Reason.PLACEHOLDER:
            return
    yield Withdrawn(name, 1)  # what was said before, in another list, no longer holds
