"""Pre-tokens: the pieces of a text that byte-pair merges never cross.

A pattern is a regular expression whose matches follow on each other without a gap; `tokenizers`
splits by it with Oniguruma. The kernel here does the same by a table of character classes, in one
pass without going back. GPT2 is the expression of Radford et al. (2019), which `ByteLevel` has
built in. SCIENCE keeps LaTeX commands whole, letters with their combining marks, and digits in
groups of up to three.
"""

from enum import IntEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, normalizers

from corpusforge.kernels.jit import inlined
from corpusforge.kernels.utf8 import CODE_POINTS, decode

# Classes of characters, one bit each; 0 is any other.
LETTER, NUMBER, SPACE, MARK = 1, 2, 4, 8
_CLASSES = {LETTER: r"\p{L}", NUMBER: r"\p{N}", SPACE: r"\s", MARK: r"\p{M}"}
_SURROGATES = range(0xD800, 0xE000)  # no characters; UTF-8 has no bytes for them

_LF, _CR, _BLANK, _QUOTE, _BACKSLASH = map(ord, "\n\r '\\")
_D, _E, _L, _M, _R, _S, _T, _V = map(ord, "delmrstv")
MOST_DIGITS = 3  # of a number in SCIENCE


class Pattern(IntEnum):
    """Which expression splits a text; `REGEX` has it."""

    GPT2 = 0
    SCIENCE = 1


REGEX = {
    Pattern.GPT2: r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    Pattern.SCIENCE: (
        r" ?\\\p{L}+| ?[\p{L}\p{M}]+| ?\p{N}{1,3}| ?(?:\\(?!\p{L})|[^\s\p{L}\p{M}\p{N}\\])+"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
_GPT2 = int(Pattern.GPT2)


@cache
def unicode_classes() -> NDArray[np.uint8]:
    """`LETTER`, `NUMBER`, `SPACE`, `MARK` or 0 for each code point, shape (0x110000,).

    Asked of `tokenizers` itself: its version of Unicode is not Python's, and its white space is not
    `str.isspace`.
    """
    codes = np.array([code for code in range(CODE_POINTS) if code not in _SURROGATES], np.uint32)
    every = codes.tobytes().decode("utf-32-le")
    table = np.zeros(CODE_POINTS, np.uint8)
    for flag, expression in _CLASSES.items():
        # NUL, which is in no class, takes the place of every character of this one.
        marked = normalizers.Replace(Regex(expression), "\0").normalize_str(every)
        table[codes[np.frombuffer(marked.encode("utf-32-le"), np.uint32) != codes]] |= flag
    return table


@inlined
def next_pretoken(
    data: NDArray[np.uint8], at: int, end: int, pattern: int, classes: NDArray[np.uint8]
) -> int:
    """Where the pre-token that starts at byte `at` ends.

    Args:
        data: Valid UTF-8 of one or more texts.
        at: Where a pre-token starts, before `end`: the start of a text or an end of this function.
        end: Where the text ends.
        pattern: A `Pattern`.
        classes: From `unicode_classes`.
    """
    first = at
    code, width = _character(data, first)
    if code == _BLANK and at + 1 < end:  # the blank before a word belongs to it
        following, its_width = _character(data, at + 1)
        if not classes[following] & SPACE:
            first, code, width = at + 1, following, its_width
    if pattern == _GPT2:
        return _gpt2_end(data, at, first, end, classes)
    kind = classes[code]
    if kind & SPACE:
        return _science_space_end(data, at, end, classes)
    if kind & (LETTER | MARK):
        return _run_end(data, first + width, end, LETTER | MARK, classes)
    if kind & NUMBER:
        return _digits_end(data, first + width, end, classes)
    if code == _BACKSLASH and _letter_at(data, first + 1, end, classes):
        return _run_end(data, first + 1, end, LETTER, classes)
    return _symbols_end(data, first, end, classes)


@inlined
def _gpt2_end(
    data: NDArray[np.uint8], at: int, first: int, end: int, classes: NDArray[np.uint8]
) -> int:
    code, width = _character(data, first)
    kind = classes[code]
    if kind & LETTER:
        return _run_end(data, first + width, end, LETTER, classes)
    if kind & NUMBER:
        return _run_end(data, first + width, end, NUMBER, classes)
    if kind & SPACE:
        return _space_end(data, at, end, classes)
    if code == _QUOTE and first == at:
        contraction = _contraction(data, at, end)
        if contraction:
            return at + contraction
    i = first + width
    while i < end:
        code, width = _character(data, i)
        if classes[code] & (LETTER | NUMBER | SPACE):
            break
        i += width
    return i


@inlined
def _character(data: NDArray[np.uint8], i: int) -> tuple[np.int64, int]:
    lead = np.int64(data[i])
    if lead < 0x80:  # nearly always, and worth the branch before the general case
        return lead, 1
    return decode(data, i)


@inlined
def _run_end(
    data: NDArray[np.uint8], i: int, end: int, kinds: int, classes: NDArray[np.uint8]
) -> int:
    """Where the characters of some classes that go on at i end."""
    while i < end:
        code, width = _character(data, i)
        if not classes[code] & kinds:
            break
        i += width
    return i


@inlined
def _digits_end(data: NDArray[np.uint8], i: int, end: int, classes: NDArray[np.uint8]) -> int:
    for _ in range(MOST_DIGITS - 1):
        if i == end:
            break
        code, width = _character(data, i)
        if not classes[code] & NUMBER:
            break
        i += width
    return i


@inlined
def _symbols_end(data: NDArray[np.uint8], i: int, end: int, classes: NDArray[np.uint8]) -> int:
    """Where the symbols at i end; a backslash is one if no letter follows."""
    while i < end:
        code, width = _character(data, i)
        if classes[code] or (code == _BACKSLASH and _letter_at(data, i + 1, end, classes)):
            break
        i += width
    return i


@inlined
def _letter_at(data: NDArray[np.uint8], i: int, end: int, classes: NDArray[np.uint8]) -> bool:
    return bool(i < end and classes[_character(data, i)[0]] & LETTER)


@inlined
def _contraction(data: NDArray[np.uint8], at: int, end: int) -> int:
    """Bytes of the English contraction that the apostrophe starts, 0 if it starts none."""
    if at + 1 >= end:
        return 0
    second = np.int64(data[at + 1])
    if second in (_S, _T, _M, _D):
        return 2
    if at + 2 >= end:
        return 0
    third = np.int64(data[at + 2])
    pair = (second == _L and third == _L) or (third == _E and second in (_R, _V))
    return 3 if pair else 0


@inlined
def _space_end(data: NDArray[np.uint8], at: int, end: int, classes: NDArray[np.uint8]) -> int:
    """White space but for its last character, which goes with what follows, if something does."""
    last = i = at
    while i < end:
        code, width = _character(data, i)
        if not classes[code] & SPACE:
            return last if last > at else i
        last = i
        i += width
    return end


@inlined
def _science_space_end(
    data: NDArray[np.uint8], at: int, end: int, classes: NDArray[np.uint8]
) -> int:
    """White space up to its last line break; without one, as in GPT-2."""
    broken = 0
    i = at
    while i < end:
        code, width = _character(data, i)
        if not classes[code] & SPACE:
            break
        i += width
        if code in (_LF, _CR):
            broken = i
    return broken or _space_end(data, at, end, classes)
