"""The lines of a dump, one record each, without ever holding more than one of them.

A line ends at b"\\n" and nowhere else: U+0085 and U+2028, at which `str.splitlines` cuts, are
characters of abstracts. Blank lines are no records.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.compressed import CutShortError
from corpusforge.sources.records import Lost
from corpusforge.sources.streams import read_stream

LONGEST = 256 << 20  # bytes; the longest full text in any dump is a few MB


class Line(Struct, frozen=True, gc=False):
    """One line without its end, and where it starts, in decompressed bytes."""

    offset: int
    content: bytes
    ended: bool = True  # False: the last line of a file that does not end in a newline


def read_lines(path: Path, longest: int = LONGEST) -> Iterator[Line | Lost]:
    """Every line of one file that is not blank; at damage or an early end, one loss at last.

    Args:
        path: Plain, gzip, xz, bzip2 or zstd, of any number of members.
        longest: A line of more bytes is lost, and is not held in memory.
    """
    yield from split_lines(read_stream(path), path.name, longest)


def split_lines(
    blocks: Iterable[bytes], name: str, longest: int = LONGEST
) -> Iterator[Line | Lost]:
    """The same of blocks of bytes that may raise CutShortError; `name` is what losses call them."""
    offset, size = 0, 0  # of the line that the blocks so far leave open
    opened: list[bytes] = []
    try:
        for block in blocks:
            first, *pieces = block.split(b"\n")
            size += len(first)
            if size <= longest:
                opened.append(first)
            else:
                opened.clear()
            if not pieces:
                continue
            last = pieces.pop()
            yield from _whole(b"".join(opened), offset, size, name, longest)
            offset += size + 1
            for piece in pieces:
                if len(piece) > longest:
                    yield _overlong(name, offset, len(piece), longest)
                elif piece and not piece.isspace():
                    yield Line(offset, piece)
                offset += len(piece) + 1
            opened, size = [last], len(last)
    except CutShortError as error:
        detail = f"{name} {error}; fetch it again"
        yield Lost(f"{name}@{offset}", Rejection(Reason.TRUNCATED, detail=detail))
        return
    for line in _whole(b"".join(opened), offset, size, name, longest):
        yield Line(offset, line.content, ended=False) if isinstance(line, Line) else line


def _whole(
    content: bytes, offset: int, size: int, name: str, longest: int
) -> Iterator[Line | Lost]:
    """One line, or none if it is blank; `content` is not all of it where `size` is too much."""
    if size > longest:
        yield _overlong(name, offset, size, longest)
    elif content and not content.isspace():
        yield Line(offset, content)


def _overlong(name: str, offset: int, size: int, longest: int) -> Lost:
    detail = f"a line of {size:,} bytes; no record of a dump has more than {longest:,}"
    return Lost(f"{name}@{offset}", Rejection(Reason.UNREADABLE, size, longest, detail))
