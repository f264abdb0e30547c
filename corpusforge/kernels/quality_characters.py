"""Measurements that follow from characters and from words between white space."""

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit
from corpusforge.kernels.utf8 import DIGIT, LETTER, SPACE, decode

GLUED = 40  # letters; no word of a dictionary has more, and chemical names have hyphens
DOLLAR, BACKSLASH, HASH, DOT, NEWLINE, ELLIPSIS = 36, 92, 35, 46, 10, 0x2026


@jit
def measure_characters(
    text: NDArray[np.uint8], classes: NDArray[np.uint8], out: NDArray[np.float32]
) -> None:
    """The first nine of `quality.MEASUREMENTS`, of one text, into `out`."""
    letters = digits = spaces = others = marks = words = lettered = glued = latex = 0
    i = run = 0  # letters in a row
    inside = has_letter = False  # a word; a word with a letter
    formula = -1  # characters before the open dollar, or -1
    while i < len(text):
        code, size = decode(text, i)
        kind = classes[code]
        if kind == LETTER:
            letters += 1
            run += 1
            inside = has_letter = True
            i += size
            continue
        if run > GLUED:
            glued += run
        run = 0
        if kind == SPACE:
            spaces += 1
            words += inside
            lettered += has_letter
            inside = has_letter = False
            if code == NEWLINE and i + 1 < len(text) and text[i + 1] == NEWLINE:
                formula = -1  # a dollar that is alone ends with its paragraph
        else:
            inside = True
            if kind == DIGIT:
                digits += 1
            else:
                others += 1
            if code == DOLLAR and (i == 0 or text[i - 1] != BACKSLASH):
                here = letters + digits + spaces + others
                latex += here - formula if formula >= 0 else 0
                formula = -1 if formula >= 0 else here - 1
            elif code in (HASH, ELLIPSIS) or (code == DOT and _is_dots(text, i)):
                marks += 1
        i += size
    words += inside
    lettered += has_letter
    glued += run if run > GLUED else 0
    characters = max(letters + digits + spaces + others, 1)
    out[0] = words
    out[1] = (letters + digits + others) / max(words, 1)
    out[2] = lettered / max(words, 1)
    out[3] = others / characters
    out[4] = digits / characters
    out[5] = marks / max(words, 1)
    out[6] = _spaced_letters(text, classes)
    out[7] = glued / characters
    out[8] = latex / characters


@jit
def _is_dots(text: NDArray[np.uint8], i: int) -> bool:
    """Whether three or more dots start at byte i."""
    if i + 2 >= len(text) or text[i] != DOT or text[i + 1] != DOT or text[i + 2] != DOT:
        return False
    return i == 0 or text[i - 1] != DOT


@jit
def _spaced_letters(text: NDArray[np.uint8], classes: NDArray[np.uint8]) -> int:
    r"""Matches of peS2o's `\b([A-Za-z]\s)([a-z]\s)*[A-Za-z]\b`, white space of ASCII only."""
    matches = 0
    i = 0
    while i < len(text):
        if not (i + 2 < len(text) and _is_blank(text[i + 1]) and _starts_run(text, i, classes)):
            i += 1
            continue
        last = -1  # the last letter that may end a match
        j = i
        while j + 2 < len(text) and _is_blank(text[j + 1]) and _is_ascii_letter(text[j + 2]):
            j += 2
            if _is_edge(text, j + 1, classes):
                last = j
            if text[j] < 97:  # only small letters stand in the middle
                break
        if last > 0:
            matches += 1
            i = last + 1
        else:
            i += 1
    return matches


@jit
def _starts_run(text: NDArray[np.uint8], i: int, classes: NDArray[np.uint8]) -> bool:
    return _is_ascii_letter(text[i]) and _is_edge(text, i - 1, classes)


@jit
def _is_ascii_letter(byte: int) -> bool:
    return 65 <= byte <= 90 or 97 <= byte <= 122


@jit
def _is_blank(byte: int) -> bool:
    return byte == 32 or 9 <= byte <= 13


@jit
def _is_edge(text: NDArray[np.uint8], i: int, classes: NDArray[np.uint8]) -> bool:
    """Whether byte i is no part of a word, as outside the text."""
    if i < 0 or i >= len(text):
        return True
    while text[i] & 0xC0 == 0x80:
        i -= 1
    code, _ = decode(text, i)
    return not (classes[code] == LETTER or classes[code] == DIGIT or code == 95)
