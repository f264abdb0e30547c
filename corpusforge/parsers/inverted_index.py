"""An abstract from its inverted index: which word stands at which positions, to the text.

Publishers allow the index where they do not allow the text. OAG has it as a JSON string inside
the JSON, OpenAlex as an object, older exports of both with the length around it, BigQuery as two
lists.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from corpusforge.errors import ParseError

LONGEST = 16 << 20  # characters: an index can repeat a long word more often than memory has room
SAFE = 4096  # bytes of an index that cannot stand for so many: 2,048 positions of 4,096 characters
SHOWN = 80  # bytes of an index that a message quotes

Index = dict[str, list[Annotated[int, Meta(ge=0)]]]


class _WithLength(Struct):
    index: Index | None = msgspec.field(name="InvertedIndex")


class _Columns(Struct):
    keys: list[str]
    values: list[str | list[Annotated[int, Meta(ge=0)]]]


_PLAIN = msgspec.json.Decoder(Index)
_WITH_LENGTH = msgspec.json.Decoder(_WithLength)
_COLUMNS = msgspec.json.Decoder(_Columns)
_POSITIONS = msgspec.json.Decoder(list[Annotated[int, Meta(ge=0)]])


def read_index(raw: bytes | bytearray | memoryview) -> str:
    """The text of an index in any of its forms; "" for null and for an empty one.

    Raises:
        ParseError: It is no index, a position is not a whole number from 0 on, or the text would
            have more than `LONGEST` characters.
    """
    held = bytes(raw).strip()
    if held.startswith(b'"'):
        held = _inner(held)
    if held in (b"", b"null"):
        return ""
    try:
        index = _decoded(held)
        return _ordered(index) if len(held) <= SAFE else text_of(index)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ParseError(
            f"inverted index cannot be read: {error}; it starts with {held[:SHOWN]!r}; expected "
            f"words, each with a list of whole numbers from 0 on"
        ) from error


def text_of(index: Mapping[str, Sequence[int]]) -> str:
    """The words in the order of their positions, with one space between them.

    A position that no word claims leaves nothing: the source lost that word. Of two words at one
    position both are kept, in the order of the index.

    Raises:
        ParseError: The text would have more than `LONGEST` characters.

    >>> text_of({"the": [0, 2], "cat": [3], "and": [1]})
    'the and the cat'
    """
    count = sum(map(len, index.values()))
    if count * max(map(len, index), default=0) > LONGEST:
        size = sum((len(word) + 1) * len(positions) for word, positions in index.items())
        if size > LONGEST:
            raise ParseError(
                f"inverted index of {len(index):,} words stands for {size:,} characters; "
                f"no abstract has more than {LONGEST:,}"
            )
    return _ordered(index)


def _ordered(index: Mapping[str, Sequence[int]]) -> str:
    words: list[str | None] = [None] * sum(map(len, index.values()))
    try:
        for word, positions in index.items():
            for position in positions:
                words[position] = word
    except IndexError:
        return _sparse(index)
    if None in words:
        return _sparse(index)
    return " ".join(words)  # type: ignore[arg-type]  # no None is among them


def _sparse(index: Mapping[str, Sequence[int]]) -> str:
    """For an index with gaps, or with positions claimed twice."""
    claims = {
        (position, place): word
        for place, (word, positions) in enumerate(index.items())
        for position in positions
    }
    return " ".join(claims[claim] for claim in sorted(claims))


def _inner(quoted: bytes) -> bytes:
    """The JSON inside a JSON string."""
    try:
        return msgspec.json.decode(quoted, type=str).strip().encode()
    except (msgspec.DecodeError, UnicodeError) as error:
        raise ParseError(f"inverted index is a string that cannot be read: {error}") from error


def _decoded(held: bytes) -> Mapping[str, Sequence[int]]:
    """Decide by trying: a plain index may hold words such as "keys" and "InvertedIndex"."""
    try:
        return _PLAIN.decode(held)
    except msgspec.ValidationError:
        try:
            return _WITH_LENGTH.decode(held).index or {}
        except msgspec.ValidationError:
            return _of_columns(held)


def _of_columns(held: bytes) -> Mapping[str, Sequence[int]]:
    try:
        columns = _COLUMNS.decode(held)
    except msgspec.ValidationError:
        return _PLAIN.decode(held)  # for its message: this is what the index should have been
    if len(columns.keys) != len(columns.values):
        raise ParseError(
            f"inverted index has {len(columns.keys):,} words and {len(columns.values):,} lists "
            f"of positions; expected as many"
        )
    index: dict[str, list[int]] = {}
    for word, positions in zip(columns.keys, columns.values, strict=True):
        held_positions = _POSITIONS.decode(positions) if isinstance(positions, str) else positions
        index.setdefault(word, []).extend(held_positions)
    return index
