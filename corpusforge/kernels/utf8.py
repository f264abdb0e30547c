"""UTF-8, one code point at a time, for kernels that walk over Arrow buffers."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit

CODE_POINTS = 0x110000
LETTER, DIGIT, SPACE = 1, 2, 4  # classes of characters; 0 is any other


@jit
def decode(data: NDArray[np.uint8], i: int) -> tuple[np.int64, int]:
    """The code point that starts at byte i of valid UTF-8, and how many bytes it has."""
    # Signed: Numba compares unsigned with signed integers as floats.
    lead = np.int64(data[i])
    if lead < 0x80:
        return lead, 1
    second = np.int64(data[i + 1]) & 0x3F
    if lead < 0xE0:
        return ((lead & 0x1F) << 6) | second, 2
    third = np.int64(data[i + 2]) & 0x3F
    if lead < 0xF0:
        return ((lead & 0x0F) << 12) | (second << 6) | third, 3
    fourth = np.int64(data[i + 3]) & 0x3F
    return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | fourth, 4


@cache
def character_classes() -> NDArray[np.uint8]:
    """`LETTER`, `DIGIT`, `SPACE` or 0 for each code point, shape (0x110000,)."""
    table = np.zeros(CODE_POINTS, np.uint8)
    for code in range(CODE_POINTS):
        character = chr(code)
        if character.isalpha():
            table[code] = LETTER
        elif character.isdecimal():
            table[code] = DIGIT
        elif character.isspace():
            table[code] = SPACE
    return table
