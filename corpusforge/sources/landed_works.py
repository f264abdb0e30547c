"""Works out of the landing files of an API whose answers hold one work or a page of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

from corpusforge.errors import ParseError
from corpusforge.sources.answers import Answer, Verdict, judge_status
from corpusforge.sources.landing_file import landed_responses
from corpusforge.sources.parsed import Parser, parsed
from corpusforge.sources.records import Found, Record

WorksIn = Callable[[bytes], tuple[bytes, ...]]  # raises ParseError for what is no answer


def judge_works(answer: Answer, works_in: WorksIn) -> Verdict:
    """Whether to take an answer, or ask again, now or later."""
    if answer.status != 200:
        return judge_status(answer)
    try:
        works_in(answer.body)
    except ParseError:
        return Verdict.RETRY
    return Verdict.DONE


def read_works(path: Path, works_in: WorksIn, parse: Parser) -> Iterator[Record]:
    """The records of one landing file, in order; an identical copy of one is left out."""
    seen: set[tuple[str, int]] = set()
    for number, landed in enumerate(landed_responses(path)):
        if landed.answer.status != 200:
            continue  # it is in the list of what is missing
        try:
            works = works_in(landed.answer.body)
        except ParseError:
            continue  # it was asked again
        for place, work in enumerate(works):
            record = parsed(work, f"{path.name}@{number}.{place}", parse)
            if isinstance(record, Found):
                if (record.paper.source_id, record.digest) in seen:
                    continue
                seen.add((record.paper.source_id, record.digest))
            yield record
