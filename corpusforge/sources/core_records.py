"""What CORE answered: whether to take it, and the works in it."""

from collections.abc import Iterator
from pathlib import Path

import xxhash

from corpusforge.errors import ParseError
from corpusforge.parsers.core_api import parse_work, parse_works, work_id
from corpusforge.parsers.paper import MissingIdentifier
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.answers import Answer, Verdict, judge_status
from corpusforge.sources.landing_file import landed_responses
from corpusforge.sources.records import Found, Lost, Record


def judge_core(answer: Answer) -> Verdict:
    """Whether to take an answer, or ask again, now or later.

    A used-up quota is told apart from a throttle by how long CORE wants us to wait.
    """
    if answer.status != 200:
        return judge_status(answer)
    try:
        works_in(answer.body)
    except ParseError:
        return Verdict.RETRY
    return Verdict.DONE


def works_in(body: bytes) -> tuple[bytes, ...]:
    """The works in a body: of a page, or the only one.

    Raises:
        ParseError: It is neither a page nor a work.
    """
    try:
        return parse_works(body).works
    except ParseError:
        work_id(body)
        return (body,)


def read_core(path: Path) -> Iterator[Record]:
    """The records of one landing file, in order; an identical copy of one is left out."""
    seen: set[tuple[str, int]] = set()
    for number, landed in enumerate(landed_responses(path)):
        if landed.answer.status != 200 or judge_core(landed.answer) is not Verdict.DONE:
            continue  # it was asked again, or it is in the list of what is missing
        for place, work in enumerate(works_in(landed.answer.body)):
            record = _record(work, f"{path.name}@{number}.{place}")
            if isinstance(record, Found):
                if (record.paper.source_id, record.digest) in seen:
                    continue
                seen.add((record.paper.source_id, record.digest))
            yield record


def _record(work: bytes, key: str) -> Record:
    try:
        return Found(parse_work(work), xxhash.xxh3_64_intdigest(work))
    except MissingIdentifier as error:
        return Lost(key, Rejection(Reason.NO_IDENTIFIER, detail=str(error)))
    except ParseError as error:
        return Lost(key, Rejection(Reason.UNREADABLE, detail=str(error)))
