"""Benchmark: the items of a test of language models, as JSON lines.

One JSON object a line; blank lines do not count. The file is plain, gzip or zstd, whatever its name
says. A text is the value of a field of the object: a string; the strings of a list, which may stand
in objects under `text`, as choices do; or those of an object under `text`. Numbers and null are no
text: the answer 2 of four choices is in every paper.
"""

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from corpusforge.errors import SourceError

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
SHOWN = 80  # bytes of a line that a message quotes
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Item:
    """What one item says."""

    line: int  # of the file, from 1
    question: tuple[str, ...]  # its texts, such as a passage and a question about it
    answer: tuple[str, ...]


def read_benchmark(path: Path, question: tuple[str, ...], answer: tuple[str, ...]) -> list[Item]:
    """The items of one benchmark.

    Args:
        path: Of its file.
        question: Fields whose texts are the question; an item needs one of them at least.
        answer: Fields whose texts are the answer, if an item has them.

    Raises:
        SourceError: The file cannot be read, is damaged or empty, or has a line that is no object
            with such a field.
    """
    items = [
        _item(line, f"{path}, line {number}", number, (question, answer))
        for number, line in enumerate(_content(path).split(b"\n"), start=1)
        if line and not line.isspace()
    ]
    if not items:
        raise SourceError(
            f"{path} has no items; expected a benchmark with a JSON object on each line; "
            f"fetch it again, or take it out of the pipeline file"
        )
    return items


def file_bytes(path: Path) -> bytes:
    """The file of a benchmark as it is on disk; raises SourceError if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(
            f"{path} cannot be read: {error.strerror}; expected a benchmark as JSON lines; "
            f"put it there or change `file`, which is relative to the pipeline file"
        ) from error


def _content(path: Path) -> bytes:
    content = file_bytes(path)
    try:
        if content.startswith(GZIP):
            content = gzip.decompress(content)
        elif content.startswith(ZSTD):
            content = _decompressed(content)
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        raise SourceError(f"{path} is damaged or cut short: {error}; fetch it again") from error
    return content.removeprefix(BYTE_ORDER_MARK)


def _decompressed(content: bytes) -> bytes:
    """All frames of a zstd file; its own `decompress` reads the first and drops the rest."""
    made = []
    while content:
        frame = zstandard.ZstdDecompressor().decompressobj()
        made.append(frame.decompress(content))
        if not frame.eof:
            raise EOFError("it ends inside a zstd frame")
        content = frame.unused_data
    return b"".join(made)


def _item(
    line: bytes, where: str, number: int, fields: tuple[tuple[str, ...], tuple[str, ...]]
) -> Item:
    try:
        values = msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SourceError(
            f"{where} cannot be read: {error}; it starts with {line[:SHOWN]!r}; expected one JSON "
            f"object, the item of a benchmark"
        ) from error
    if not values.keys() & set(fields[0]):
        raise SourceError(
            f"{where} has the fields {', '.join(sorted(values)) or 'none'}; expected "
            f"{' or '.join(fields[0])}; say in `question` which of its fields to look for"
        )
    return Item(number, *(tuple(_texts([values.get(n) for n in names])) for names in fields))


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    if isinstance(value, dict):
        return _texts(value.get("text"))
    return []
