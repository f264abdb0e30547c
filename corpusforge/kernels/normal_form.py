"""What a Unicode normal form may change in a text, found without normalizing it.

A stable character is left alone, begins anew what can be composed, and has no place in an order
of marks: what stands before it and what stands from it on are normalized apart (Unicode Standard
Annex #15, section 9). So only runs of other characters, each with the one before it, need to be
shown to a normalizer. No character of ASCII is among them.
"""

import unicodedata
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.bare_arrays import bare, eight_bytes
from corpusforge.kernels.jit import jit
from corpusforge.kernels.utf8 import CODE_POINTS, decode

Form = Literal["NFC", "NFKC"]
_VOWELS, _FINALS = range(0x1161, 0x1176), range(0x11A8, 0x11C3)  # of Hangul, composed by rule
_NOT_ASCII = np.uint64(0x8080808080808080)


@cache
def stable_characters(form: Form) -> NDArray[np.bool_]:
    """Whether each code point is stable, shape (0x110000,).

    What Python's version of Unicode does not know is not: the normalizer may have a newer one. For
    what it does know the forms never change (Unicode's stability policy).
    """
    composing = {*_VOWELS, *_FINALS}
    for code in range(CODE_POINTS):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            composing.add(int(parts[1], 16))
    table = np.zeros(CODE_POINTS, np.bool_)
    for code in range(CODE_POINTS):
        character = chr(code)
        table[code] = (
            code not in composing
            and unicodedata.category(character) not in ("Cn", "Cs")
            and unicodedata.combining(character) == 0
            and unicodedata.normalize(form, character) == character
        )
    return table


@jit
def unstable_spans(
    data: NDArray[np.uint8], bounds: NDArray[np.int64], stable: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Where the texts have to be normalized, as (start, end) in bytes, (n, 2) ascending.

    Args:
        data: Valid UTF-8.
        bounds: Text i is data[bounds[i]:bounds[i + 1]], shape (D + 1,).
        stable: From `stable_characters`.
    """
    spans = np.empty((64, 2), np.int64)
    count = 0
    for text in range(len(bounds) - 1):
        at, end = bounds[text], bounds[text + 1]
        while at < end:
            start, stop = _next_span(data, at, end, stable)
            if stop > start:
                if count == len(spans):
                    longer = np.empty((2 * count, 2), np.int64)
                    longer[:count] = spans
                    spans = longer
                spans[count, 0], spans[count, 1] = start, stop
                count += 1
            at = stop
    return spans[:count].copy()


@jit
def _next_span(
    data: NDArray[np.uint8], at: int, end: int, stable: NDArray[np.bool_]
) -> tuple[int, int]:
    """The first span of data[at:end] to be normalized; (end, end) if there is none."""
    data, stable = bare(data), bare(stable)
    before = i = at
    while i < end:
        if i + 8 <= end and eight_bytes(data, i) & _NOT_ASCII == 0:
            before = i + 7
            i += 8
            continue
        code, width = decode(data, i)
        if not stable[code]:
            break
        before = i
        i += width
    if i == end:
        return end, end
    while i < end:
        code, width = decode(data, i)
        if stable[code]:
            break
        i += width
    return before, i


@jit
def replaced(
    data: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    spans: NDArray[np.int64],
    others: NDArray[np.uint8],
    other_bounds: NDArray[np.int64],
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The texts with others[other_bounds[j]:other_bounds[j + 1]] in the place of span j.

    Returns:
        Their bytes, and bounds (D + 1,) that start with 0.
    """
    removed = (spans[:, 1] - spans[:, 0]).sum()
    made = np.empty(bounds[-1] - bounds[0] - removed + len(others), np.uint8)
    made_bounds = np.zeros(len(bounds), np.int64)
    used = j = 0
    for text in range(len(bounds) - 1):
        at, end = bounds[text], bounds[text + 1]
        while j < len(spans) and spans[j, 0] < end:  # of no width: at the start of a text
            kept, other = spans[j, 0] - at, other_bounds[j + 1] - other_bounds[j]
            made[used : used + kept] = data[at : spans[j, 0]]
            used += kept
            made[used : used + other] = others[other_bounds[j] : other_bounds[j + 1]]
            used += other
            at = spans[j, 1]
            j += 1
        made[used : used + end - at] = data[at:end]
        used += end - at
        made_bounds[text + 1] = used
    return made, made_bounds
