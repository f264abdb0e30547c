"""The words of a text that tell its language, and the scripts that they are written in.

A scientific text is full of what is in no language: formulas, LaTeX commands, addresses, names of
genes, numbers. To a classifier of languages they are noise with an opinion. What stays is words of
letters, a blank after each.
"""

import unicodedata
from functools import cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit
from corpusforge.kernels.utf8 import CODE_POINTS, decode

# Of every script the blocks that its letters are in; a letter elsewhere is of no known language.
_BLOCKS = {
    "latin": ((0x41, 0x24F), (0x1E00, 0x1EFF)),
    "greek": ((0x370, 0x3FF), (0x1F00, 0x1FFF)),
    "cyrillic": ((0x400, 0x52F), (0xA640, 0xA69F)),
    "armenian": ((0x530, 0x58F),),
    "hebrew": ((0x590, 0x5FF),),
    "arabic": ((0x600, 0x6FF), (0x750, 0x77F), (0x8A0, 0x8FF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFE)),
    "thaana": ((0x780, 0x7BF),),
    "devanagari": ((0x900, 0x97F),),
    "bengali": ((0x980, 0x9FF),),
    "gurmukhi": ((0xA00, 0xA7F),),
    "gujarati": ((0xA80, 0xAFF),),
    "oriya": ((0xB00, 0xB7F),),
    "tamil": ((0xB80, 0xBFF),),
    "telugu": ((0xC00, 0xC7F),),
    "kannada": ((0xC80, 0xCFF),),
    "malayalam": ((0xD00, 0xD7F),),
    "sinhala": ((0xD80, 0xDFF),),
    "thai": ((0xE00, 0xE7F),),
    "lao": ((0xE80, 0xEFF),),
    "tibetan": ((0xF00, 0xFFF),),
    "burmese": ((0x1000, 0x109F),),
    "georgian": ((0x10A0, 0x10FF), (0x1C90, 0x1CBF)),
    "ethiopic": ((0x1200, 0x137F),),
    "khmer": ((0x1780, 0x17FF),),
    # From here on a letter is a syllable or more.
    "hangul": ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7AF)),
    "kana": ((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F)),
    "han": ((0x3005, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF),
        (0x20000, 0x323AF)),
}  # fmt: skip
SCRIPTS = tuple(_BLOCKS)
CAPITALS = len(SCRIPTS)  # place of the number of capitals, after those of the scripts
# Letters of a script against Latin ones, in which every other script's texts have names and terms.
# Greek ones stand in formulas; one of Chinese is a syllable or more.
_WEIGHTS = np.array([{"latin": 1, "greek": 1, "han": 3}.get(script, 2) for script in SCRIPTS])
_HANGUL, _KANA, _HAN = (SCRIPTS.index(script) for script in ("hangul", "kana", "han"))
MIN_KANA = 0.1  # of Han and kana, in Japanese; Chinese has none but in quotations

_SCRIPT = 0x3F  # of a class: 1 + place in SCRIPTS
_CAPITAL = 0x40
_WITHIN = 0x80  # starts no word: a combining mark or, without a script, an apostrophe or hyphen
_ANY = 0xBF  # a combining accent is of the script that it stands in
_LATIN = 1 + SCRIPTS.index("latin")

_DOLLAR, _AT, _SLASH, _COLON, _BACKSLASH, _OPEN, _CLOSE, _W, _DOT = map(ord, "$@/:\\{}w.")
_NEWLINE, _BLANK = 0x0A, 0x20
MAX_FORMULA = 400  # bytes; two dollar signs farther apart are two prices
MAX_ARGUMENT = 60  # bytes, as of \cite{smith2010} or \begin{equation}


@cache
def letter_classes() -> NDArray[np.uint8]:
    """What each code point is, shape (0x110000,).

    0 for what is in no word; else 1 + the place in `SCRIPTS`, with flags.
    """
    classes = np.zeros(CODE_POINTS, np.uint8)
    for place, script in enumerate(SCRIPTS, 1):
        for code in chain.from_iterable(range(a, b + 1) for a, b in _BLOCKS[script]):
            category = unicodedata.category(chr(code))
            if category[0] in "LM":
                flags = {"Lu": _CAPITAL, "Lt": _CAPITAL}.get(category, 0)
                classes[code] = place | flags | (_WITHIN if category[0] == "M" else 0)
    classes[0x300:0x370] = _ANY
    classes[[0x27, 0x2D, 0x2010, 0x2019]] = _WITHIN
    return classes


@jit
def words_of_letters(
    data: NDArray[np.uint8], classes: NDArray[np.uint8], out: NDArray[np.uint8]
) -> tuple[int, NDArray[np.int64]]:
    """Copy the words of a text, with a blank after each.

    Left out: `$…$`, `\\command` with a `{name}` after it, web and mail addresses, Latin words
    that a digit touches ("CO2", "p53"), and all that is no letter. A word ends where the script
    changes.

    Args:
        data: A text in UTF-8.
        classes: From `letter_classes`.
        out: Room for the words: 2 * len(data) is always enough.

    Returns:
        How many bytes of `out` are used, and (len(SCRIPTS) + 1,) letters of each script in words
        longer than the name of a variable and, last, how many of all these are capitals.
    """
    counts = np.zeros(CAPITALS + 1, np.int64)
    used = 0
    run_end = 0  # of the run of visible ASCII that was looked at
    i = 0
    while i < len(data):
        lead = np.int64(data[i])
        if i >= run_end and _BLANK < lead < 0x80:
            run_end, is_address = ascii_run(data, i)
            if is_address:
                i = run_end
                continue
        if lead == _DOLLAR:
            i = formula_end(data, i)
        elif lead == _BACKSLASH:
            i = command_end(data, i)
        else:
            code, width = decode(data, i)
            kind = np.int64(classes[code])
            if kind == 0 or kind & _WITHIN:
                i += width
                continue
            script = kind & _SCRIPT
            end, letters, capitals = word(data, i, classes)
            if not (script == _LATIN and touches_digit(data, i, end)):
                for j in range(i, end):
                    out[used] = data[j]
                    used += 1
                out[used] = _BLANK
                used += 1
                if letters > 1 or script > _HANGUL:
                    counts[script - 1] += letters
                    counts[CAPITALS] += capitals
            i = end
    return used, counts


@jit
def main_script(counts: NDArray[np.int64]) -> tuple[int, float, int]:
    """The script that a text is in: its place in `SCRIPTS`, weighted share, and all letters.

    Han with some kana is kana, which is to say Japanese; with more Hangul it is Hangul. A text
    without letters has place -1.
    """
    most, share, total, letters = -1, 0, 0, 0
    eastern = 0
    for place in range(len(_WEIGHTS)):
        weight = counts[place] * _WEIGHTS[place]
        total += weight
        letters += counts[place]
        if place >= _HANGUL:
            eastern += weight
        elif weight > share:
            most, share = place, weight
    if eastern > share:
        share = eastern
        most = _HAN
        han = counts[_HAN] + counts[_KANA]
        if counts[_HANGUL] > han:
            most = _HANGUL
        elif counts[_KANA] > MIN_KANA * han:
            most = _KANA
    return most, share / max(total, 1), letters


@jit
def word(data: NDArray[np.uint8], start: int, classes: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Where the word that starts with a letter ends, its letters, and how many are capitals."""
    script = np.int64(classes[decode(data, start)[0]]) & _SCRIPT
    letters = capitals = 0
    i = start
    while i < len(data):
        code, width = np.int64(data[i]), 1
        if code >= 0x80:
            code, width = decode(data, i)
        kind = np.int64(classes[code])
        if kind & _SCRIPT == script:
            letters += int(kind < _WITHIN)
            capitals += int(kind >> 6 & 1)
        elif kind == _WITHIN:
            if i + width == len(data) or (
                np.int64(classes[decode(data, i + width)[0]]) & _SCRIPT != script
            ):
                break
        elif kind != _ANY:
            break
        i += width
    return i, letters, capitals


@jit
def touches_digit(data: NDArray[np.uint8], start: int, end: int) -> bool:
    """Whether an ASCII digit stands directly before or behind data[start:end]."""
    before = start > 0 and 0x30 <= np.int64(data[start - 1]) <= 0x39
    behind = end < len(data) and 0x30 <= np.int64(data[end]) <= 0x39
    return bool(before or behind)


@jit
def ascii_run(data: NDArray[np.uint8], start: int) -> tuple[int, bool]:
    """Where a run of visible ASCII ends, and whether it is an address."""
    end = start
    address = False
    while end < len(data) and _BLANK < np.int64(data[end]) < 0x80:
        if data[end] == _AT:
            address = True
        elif data[end] == _COLON and end + 2 < len(data):
            address |= data[end + 1] == _SLASH and data[end + 2] == _SLASH
        end += 1
    if end > start + 4 and data[start] == _W and data[start + 1] == _W:
        address |= data[start + 2] == _W and data[start + 3] == _DOT
    return end, address


@jit
def formula_end(data: NDArray[np.uint8], start: int) -> int:
    """Where the formula that starts with a dollar sign ends; behind the sign if it starts none.

    As in Pandoc's Markdown a formula touches its dollar signs and has no empty line: so "$5 and
    $6" is none, and a text that was cut within a formula is not turned inside out.
    """
    first = start
    while first < len(data) and data[first] == _DOLLAR:
        first += 1
    if first < len(data) and np.int64(data[first]) > _BLANK:
        for i in range(first + 1, min(len(data), first + MAX_FORMULA)):
            before = np.int64(data[i - 1])
            if data[i] == _NEWLINE and before == _NEWLINE:
                break
            if data[i] == _DOLLAR and before > _BLANK and before != _BACKSLASH:
                end = i
                while end < len(data) and data[end] == _DOLLAR:
                    end += 1
                return end
    return first


@jit
def command_end(data: NDArray[np.uint8], start: int) -> int:
    """Where a LaTeX command ends, with an argument in braces that is one word."""
    end = start + 1
    while end < len(data) and 0x61 <= (np.int64(data[end]) | 0x20) <= 0x7A:
        end += 1
    if end < len(data) and data[end] == _OPEN:
        for i in range(end + 1, min(len(data), end + MAX_ARGUMENT)):
            if np.int64(data[i]) <= _BLANK:
                break
            if data[i] == _CLOSE:
                return i + 1
    return end
