"""What Scopus answered: whether to take it, and the records in it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import xxhash

from corpusforge.errors import ParseError
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.scopus import parse_entry, parse_retrieval, parse_search
from corpusforge.parsers.scopus_envelope import Envelope, Kind, read_envelope
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.answers import Answer, Verdict
from corpusforge.sources.landing_file import landed_responses
from corpusforge.sources.records import Found, Lost, Record

BEGINNING = 100  # bytes of a body that name its envelope

VERDICTS = {
    Kind.UNREADABLE: Verdict.RETRY,
    Kind.SERVER: Verdict.RETRY,
    Kind.THROTTLE: Verdict.WAIT,
    Kind.QUOTA: Verdict.STOP,
}


def envelope_of(answer: Answer) -> Envelope:
    """What an answer is."""
    envelope = read_envelope(answer.status, answer.headers, answer.body)
    if envelope.kind is Kind.DATA and b'"search-results"' in answer.body[:BEGINNING]:
        try:
            parse_search(answer.body)
        except ParseError as error:
            return Envelope(Kind.UNREADABLE, str(error))
    return envelope


def judge_scopus(answer: Answer) -> Verdict:
    """Whether to take an answer, or ask again, now or later."""
    return VERDICTS.get(envelope_of(answer).kind, Verdict.DONE)


def has_no_abstract(answer: Answer) -> bool:
    """Whether an answer with records has not one abstract among them."""
    return envelope_of(answer).kind is Kind.DATA and not any(
        isinstance(record, Found) and record.paper.abstract for record in _records(answer, "")
    )


def read_scopus(path: Path) -> Iterator[Record]:
    """The records of one landing file, in order; an identical copy of one is left out."""
    seen: set[tuple[str, int]] = set()
    for number, landed in enumerate(landed_responses(path)):
        if envelope_of(landed.answer).kind is not Kind.DATA:
            continue  # it was asked again, or it is in the list of what is missing
        for record in _records(landed.answer, f"{path.name}@{number}"):
            if isinstance(record, Found):
                if (record.paper.source_id, record.digest) in seen:
                    continue
                seen.add((record.paper.source_id, record.digest))
            yield record


def _records(answer: Answer, key: str) -> Iterator[Record]:
    """The records of an answer with data: a page of search results, or one retrieval."""
    searched = b'"search-results"' in answer.body[:BEGINNING]
    entries = parse_search(answer.body).entries if searched else (answer.body,)
    for place, entry in enumerate(entries):
        yield _record(entry, parse_entry if searched else parse_retrieval, f"{key}.{place}")


def _record(entry: bytes, parse: Callable[[bytes], Paper], key: str) -> Record:
    try:
        return Found(parse(entry), xxhash.xxh3_64_intdigest(entry))
    except MissingIdentifier as error:
        return Lost(key, Rejection(Reason.NO_IDENTIFIER, detail=str(error)))
    except ParseError as error:
        return Lost(key, Rejection(Reason.UNREADABLE, detail=str(error)))
