"""PubMed baseline and update files, as NLM publishes them: gzip or plain XML.

A folder of them is read in the order of the names, which is NLM's order of publication; a later
file's record or deletion of a PMID counts against the earlier ones.
"""

from collections.abc import Iterator
from pathlib import Path

import xxhash

from corpusforge.errors import ParseError
from corpusforge.parsers.paper import MissingIdentifier
from corpusforge.parsers.pubmed import parse_article
from corpusforge.parsers.pubmed_records import Kind, split_records
from corpusforge.parsers.pubmed_records import Record as Stretch
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.compressed import CutShortError, read_blocks
from corpusforge.sources.records import Found, Lost, Record, Withdrawn


def read_pubmed(path: Path) -> Iterator[Record]:
    """Every record of one file. A damaged file gives what precedes the damage, and one loss."""
    tail = _Tail(path)
    told = False
    for stretch in split_records(tail):
        key = f"{path.name}@{stretch.offset}"
        told |= stretch.kind in (Kind.TRUNCATED, Kind.FOREIGN)
        yield _judge(stretch, key, tail.damage)
    if tail.damage and not told:
        yield Lost(f"{path.name}@end", Rejection(Reason.TRUNCATED, detail=tail.damage))


class _Tail:
    """The blocks of a file as far as they are good; `damage` says afterwards what is wrong."""

    def __init__(self, path: Path) -> None:
        self.damage = ""
        self._path = path

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from read_blocks(self._path)
        except CutShortError as error:
            self.damage = f"{self._path.name} {error}; fetch it again"


def _judge(stretch: Stretch, key: str, damage: str) -> Record:
    if stretch.kind is Kind.DELETION:
        return Withdrawn(stretch.content.decode("ascii", "replace"), stretch.version)
    if stretch.kind is Kind.TRUNCATED or (stretch.kind is Kind.FOREIGN and damage):
        return Lost(key, Rejection(Reason.TRUNCATED, detail=damage or "the file ends in a record"))
    if stretch.kind is Kind.FOREIGN:
        head = stretch.content[:60].decode("utf-8", "replace")
        detail = f"not a PubMed file: it starts with {head!r}" if head else "the file is empty"
        return Lost(key, Rejection(Reason.UNREADABLE, detail=detail))
    try:
        paper = parse_article(stretch.content)
    except MissingIdentifier as error:
        return Lost(key, Rejection(Reason.NO_IDENTIFIER, detail=str(error)))
    except ParseError as error:
        return Lost(key, Rejection(Reason.UNREADABLE, detail=str(error)))
    return Found(paper, xxhash.xxh3_64_intdigest(stretch.content))
