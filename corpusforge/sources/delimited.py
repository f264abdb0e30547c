"""Tables as text, CSV and TSV: their rows, whatever stands inside quotes, with bytes and place."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import xxhash
from msgspec import Struct

from corpusforge.errors import ParseError
from corpusforge.parsers.arxiv import parse_arxiv_row
from corpusforge.parsers.paper import Paper
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.compressed import CutShortError
from corpusforge.sources.parsed import loss_of
from corpusforge.sources.records import Found, Lost, Reader, Record
from corpusforge.sources.streams import read_stream

LONGEST = 64 << 20  # characters of a field; an opened quote must not swallow a whole file

RowParser = Callable[[Mapping[str, str]], Paper]


class Row(Struct, frozen=True):
    """One row by the names of the first, and the bytes it was read from."""

    offset: int
    content: bytes
    values: dict[str, str]


def read_delimited(path: Path, parse: RowParser) -> Iterator[Record]:
    """The record of every row of a CSV or TSV file with a row of names."""
    for row in read_rows(path):
        if isinstance(row, Lost):
            yield row
            continue
        try:
            yield Found(parse(row.values), xxhash.xxh3_64_intdigest(row.content))
        except ParseError as error:
            yield loss_of(error, f"{path.name}@{row.offset}")


def read_rows(path: Path) -> Iterator[Row | Lost]:
    """Every row after the first; at damage or an early end, one loss at last.

    Fields are parted by tabs if the first line has one, else by commas. A row with more or fewer
    fields than there are names is lost: its text would end up under another name.
    """
    csv.field_size_limit(LONGEST)  # the default, 128 KiB, is less than a full text
    feed = _Feed(path)
    delimiter = "\t" if "\t" in feed.first_line() else ","
    rows = csv.reader(feed, delimiter=delimiter)
    names: list[str] = []
    while True:
        start = feed.begin_row()
        try:
            fields = next(rows, None)
        except csv.Error as error:
            yield _lost(path, start, Reason.UNREADABLE, f"a row that is none: {error}")
            continue
        if feed.damage:
            yield _lost(path, start, Reason.TRUNCATED, f"{path.name} {feed.damage}; fetch it again")
        if fields is None or feed.damage:
            return
        if not names:
            names = [name.removeprefix("\ufeff").strip() for name in fields]
        elif feed.faulty:
            yield _lost(path, start, Reason.UNREADABLE, "a row that is not UTF-8")
        elif len(fields) != len(names) and fields:
            detail = f"a row of {len(fields)} fields; the first row names {len(names)}"
            ended = feed.content().endswith(b"\n")
            yield _lost(path, start, Reason.UNREADABLE if ended else Reason.TRUNCATED, detail)
        elif fields:
            yield Row(start, feed.content(), dict(zip(names, fields, strict=True)))


class _Feed:
    """The lines of a file with their ends, for `csv`, and what was given since a row began."""

    def __init__(self, path: Path) -> None:
        self.damage = ""
        self.faulty = False
        self._given: list[bytes] = []
        self._offset = 0
        self._lines = _lines(self._blocks(path))
        self._first = next(self._lines, None)

    def first_line(self) -> str:
        return (self._first or b"").decode("utf-8", "replace")

    def begin_row(self) -> int:
        self._given.clear()
        self.faulty = False
        return self._offset

    def content(self) -> bytes:
        return b"".join(self._given)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line, self._first = self._first or next(self._lines), None
        self._given.append(line)
        self._offset += len(line)
        try:
            return line.decode()
        except UnicodeDecodeError:
            self.faulty = True
            return line.decode("utf-8", "replace")

    def _blocks(self, path: Path) -> Iterator[bytes]:
        try:
            yield from read_stream(path)
        except CutShortError as error:
            self.damage = str(error)


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines with their ends; only b"\\n" ends one."""
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest


def _lost(path: Path, offset: int, reason: Reason, detail: str) -> Lost:
    return Lost(f"{path.name}@{offset}", Rejection(reason, detail=detail))


read_arxiv_table: Reader = partial(read_delimited, parse=parse_arxiv_row)
