"""Measurements that follow from lines: bullets, ellipses, repeats, and lists of references."""

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.hash_table import room, slot_of
from corpusforge.kernels.jit import jit
from corpusforge.kernels.mixing import mix64
from corpusforge.kernels.utf8 import decode

NEWLINE, DOT, COMMA, HYPHEN, STAR = 10, 46, 44, 45, 42
BULLETS = (0x2022, 0x2023, 0x25AA, 0x25CF, 0x25E6, 0x2023, 0x25A0)
ELLIPSIS = 0x2026
LONGEST_REFERENCE = 600  # bytes
MIN_INITIALS = 2  # "J. R. Ito" has two: a capital with a dot behind it


@jit
def measure_lines(text: NDArray[np.uint8], out: NDArray[np.float32]) -> None:
    """The five of `quality.MEASUREMENTS` from `paragraphs` on, of one text, into `out`."""
    lines = bullets = ellipses = repeated = references = 0
    keys, counts = room(1 + np.sum(text == NEWLINE))
    start = 0
    for end in range(len(text) + 1):
        if end < len(text) and text[end] != NEWLINE:
            continue
        if end > start:
            line = text[start:end]
            lines += 1
            bullets += _has_bullet(line)
            ellipses += _has_ellipsis(line)
            references += len(line) if _is_reference(line) else 0
            key = np.uint64(len(line))
            for byte in line:
                key = mix64(key ^ np.uint64(byte)) + np.uint64(1)
            slot = slot_of(keys, counts, key)
            repeated += len(line) if counts[slot] else 0
            keys[slot] = key
            counts[slot] += 1
        start = end + 1
    out[0] = lines
    out[1] = bullets / max(lines, 1)
    out[2] = ellipses / max(lines, 1)
    out[3] = repeated / max(len(text), 1)
    out[4] = references / max(len(text), 1)


@jit
def _has_bullet(line: NDArray[np.uint8]) -> bool:
    if line[0] == HYPHEN or line[0] == STAR:
        return len(line) > 1 and line[1] == 32
    return decode(line, 0)[0] in BULLETS


@jit
def _has_ellipsis(line: NDArray[np.uint8]) -> bool:
    if len(line) < 3:
        return False
    tail = line[len(line) - 3 :]
    dots = tail[0] == DOT and tail[1] == DOT and tail[2] == DOT
    return dots or (tail[0] == 0xE2 and tail[1] == 0x80 and tail[2] == 0xA6)


@jit
def _is_reference(line: NDArray[np.uint8]) -> bool:
    """Whether a line has a year, initials, and no more text than a bibliography's entry."""
    if len(line) > LONGEST_REFERENCE:
        return False
    initials = years = run = 0
    for i in range(len(line) + 1):
        byte = np.int64(line[i]) if i < len(line) else 0
        if 48 <= byte <= 57:
            run += 1
            continue
        if run == 4 and _is_century(line[i - 4], line[i - 3]):
            years += 1
        run = 0
        capital = i > 0 and 65 <= line[i - 1] <= 90 and (i == 1 or line[i - 2] in (32, DOT, HYPHEN))
        initials += capital and byte in (DOT, COMMA)
    return years > 0 and initials >= MIN_INITIALS


@jit
def _is_century(first: int, second: int) -> bool:
    return (first == 49 and second >= 55) or (first == 50 and second == 48)
