"""Lines of texts that `ftfy` may change, found in their UTF-8 bytes.

`damage_table` says what is looked for, and why a line without it stays as it is.
"""

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.damage_table import DamageTable
from corpusforge.kernels.jit import jit

_BLOCK = 32  # bytes that are compared at once
_LF, _HASH, _AMPERSAND, _SEMICOLON, _LESS, _DELETE = b"\n#&;<\x7f"


def changeable(
    data: NDArray[np.uint8], bounds: NDArray[np.int64], table: DamageTable, max_length: int
) -> NDArray[np.int64]:
    """What has to be shown to ftfy; it leaves all other lines as they are.

    Args:
        data: UTF-8 bytes of all texts, such as an Arrow buffer; surrogates may be among them.
        bounds: (D + 1,) where each text starts and ends.
        table: What ftfy may change.
        max_length: Characters of a line from which on ftfy cuts it, its `max_decode_length`.

    Returns:
        (n, 4) in order: the text, its first byte to be shown and the byte after the last, counted
        in `data`, and 1 if there is a "<" before, from where on ftfy leaves entities alone. Each
        is one line with its line feed, or a whole text if one of its lines might be cut.
    """
    return _changeable(data, bounds, table.classes, table.pairs, max_length)


@jit
def _changeable(
    data: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    classes: NDArray[np.uint16],
    pairs: NDArray[np.bool_],
    max_length: int,
) -> NDArray[np.int64]:
    plain = classes[:256] != len(pairs) - 1  # bytes that nothing is to be done about
    plain[0x80:] = plain[_LF] = plain[_AMPERSAND] = plain[_LESS] = False
    found = np.empty((16, 4), np.int64)
    count = 0
    for t in range(len(bounds) - 1):
        text = data[bounds[t] : bounds[t + 1]]
        first = count
        tagged = False
        start = 0
        while start < len(text):
            stop, changes, unescapes, tags = _line(text, start, plain, classes, pairs)
            cut = stop - start > max_length  # more bytes than that may be less characters
            if changes or (unescapes and (cut or not (tagged or tags))):
                if cut:  # and a "<" counts from its own part of the line on
                    count, start, stop, tagged = first, 0, len(text), False
                if count == len(found):
                    found = np.concatenate((found, np.empty_like(found)))
                found[count, 0] = t
                found[count, 1] = bounds[t] + start
                found[count, 2] = bounds[t] + stop
                found[count, 3] = tagged
                count += 1
            tagged |= tags
            start = stop
    return found[:count]


@jit
def _line(
    text: NDArray[np.uint8],
    start: int,
    plain: NDArray[np.bool_],
    classes: NDArray[np.uint16],
    pairs: NDArray[np.bool_],
) -> tuple[int, bool, bool, bool]:
    """Read a line: the byte after it, whether it may change, has an entity, has a "<".

    It looks at characters, neighbours and entities only, so that what is true of no part of a line
    that ftfy would cut out is found in none.
    """
    changes = unescapes = tags = False
    letter = classes[0x61]
    before = letter
    i = start
    while i < len(text):
        if plain[text[i]]:
            changes |= pairs[before, classes[text[i]]]
            before = letter  # after any ASCII nothing is suspected
            i = _after_plain(text, i + 1, plain)
            continue
        code, width = _character(text, i)
        kind = classes[code] if code < len(classes) else np.uint16(len(pairs) - 1)
        changes |= pairs[before, kind]
        before = kind
        i += width
        if code == _LF:
            break
        if code == _LESS:
            tags = True
        elif code == _AMPERSAND:
            unescapes |= _entity(text, i)
    return i, changes, unescapes, tags


@jit
def _after_plain(text: NDArray[np.uint8], start: int, plain: NDArray[np.bool_]) -> int:
    """The first byte from start on that is not plain. Printable ASCII but "&" and "<" is."""
    i = start
    while i + _BLOCK <= len(text):
        others = False
        for j in range(np.uint64(i), np.uint64(i + _BLOCK)):  # signed, it would not be vectorized
            byte = text[j]
            others |= (byte < 0x20) | (byte >= _DELETE) | (byte == _AMPERSAND) | (byte == _LESS)
        if others:
            break
        i += _BLOCK
    while i < len(text) and plain[text[i]]:
        i += 1
    return i


@jit
def _entity(text: NDArray[np.uint8], start: int) -> bool:
    """Whether letters, digits or "#" and then ";" follow: all that `HTML_ENTITY_RE` matches."""
    for i in range(start, len(text)):
        byte = text[i]
        if byte == _SEMICOLON:
            return True
        letter = 0x61 <= byte | 0x20 <= 0x7A
        if not (letter or 0x30 <= byte <= 0x39 or byte == _HASH):
            break
    return False


@jit
def _character(text: NDArray[np.uint8], i: int) -> tuple[int, int]:
    """The code point at a byte, and its number of bytes."""
    lead = text[i]
    if lead < 0x80:
        return int(lead), 1
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | text[i + 1] & 0x3F, 2
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | (text[i + 1] & 0x3F) << 6 | text[i + 2] & 0x3F, 3
    high = (lead & 0x07) << 18 | (text[i + 1] & 0x3F) << 12
    return high | (text[i + 2] & 0x3F) << 6 | text[i + 3] & 0x3F, 4
