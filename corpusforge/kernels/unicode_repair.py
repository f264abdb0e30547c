"""Repair of encoding damage, entities, widths and Unicode form: `ftfy.fix_text`, of many texts.

The results are those of ftfy (Speer, 2019, doi 10.5281/zenodo.2591652), always. It repairs a text
line by line, and few lines hold anything that it can change: a kernel finds them, and only they
are shown to it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import ftfy
import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.damage_lines import changeable
from corpusforge.kernels.damage_table import damage_table

# `damage_table` speaks of this configuration.
CONFIG = ftfy.TextFixerConfig(
    unescape_html="auto",  # not from the first line with a "<" on: beside tags "&lt;" is meant so
    uncurl_quotes=False,  # typographic quotes are not damage
    fix_character_width=True,
    normalization="NFC",
    explain=False,
)
_PORTION = 1 << 18  # characters at a time, so that what is copied stays in the cache of a core


@dataclass(frozen=True, eq=False)
class Repaired:
    """Texts as they were meant, and which of them were damaged."""

    texts: list[str]
    damaged: NDArray[np.bool_]  # (D,) decoded with a wrong code page once, and now rightly


def repair_texts(texts: Sequence[str]) -> Repaired:
    """Each text as `ftfy.fix_text(text, CONFIG)` returns it.

    A text counts as damaged if ftfy without `fix_encoding` (and `fix_c1_controls`, the last resort
    of that) would return another one. Entities, widths, ligatures, control characters and
    normalization are no damage.

    >>> repaired = repair_texts(["caf\\u00c3\\u00a9", "R&amp;D", "5 \\u00b1 1 \\u00b5m"])
    >>> repaired.texts, repaired.damaged.tolist()
    (['café', 'R&D', '5 ± 1 µm'], [True, False, False])
    """
    repaired = list(texts)
    damaged = np.zeros(len(repaired), np.bool_)
    for first, portion in _portions(repaired):
        for i, text, damage in _changes(portion):
            repaired[first + i] = text
            damaged[first + i] = damage
    return Repaired(repaired, damaged)


def _portions(texts: list[str]) -> Iterator[tuple[int, list[str]]]:
    """The texts in pieces of at least `_PORTION` characters, each with the index of its first."""
    first = characters = 0
    for i, text in enumerate(texts):
        characters += len(text)
        if characters >= _PORTION or i + 1 == len(texts):
            yield first, texts[first : i + 1]
            first, characters = i + 1, 0


def _changes(texts: list[str]) -> Iterator[tuple[int, str, bool]]:
    """Which texts were shown to ftfy, what they are now, and whether they were damaged."""
    whole, bounds = _encoded(texts)
    data = np.frombuffer(whole, np.uint8)
    shown = changeable(data, bounds, damage_table(), CONFIG.max_decode_length).tolist()
    for i, group in groupby(shown, key=itemgetter(0)):
        parts, done, damage = [], int(bounds[i]), False
        for _, start, end, tagged in group:
            piece = whole[start:end].decode("utf-8", "surrogatepass")
            fixed, damaged = _shown(piece, False if tagged else CONFIG.unescape_html)
            parts += [whole[done:start].decode(), fixed]
            damage |= damaged
            done = end
        yield i, "".join([*parts, whole[done : bounds[i + 1]].decode()]), damage


def _encoded(texts: list[str]) -> tuple[bytes, NDArray[np.int64]]:
    """The texts in UTF-8, back to back, and where each starts and ends, (D + 1,)."""
    if all(map(str.isascii, texts)):  # most are, and this way they are encoded twice as fast
        whole, sizes = "".join(texts).encode(), map(len, texts)
    else:
        # UTF-8 has no place for a lone surrogate: it gets three bytes, and its line is shown.
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        whole, sizes = b"".join(encoded), map(len, encoded)
    bounds = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(sizes, np.int64, len(texts)), out=bounds[1:])
    return whole, bounds


def _shown(text: str, unescape_html: str | bool) -> tuple[str, bool]:
    """The text as ftfy returns it, and whether it was damaged."""
    config = CONFIG._replace(unescape_html=unescape_html)
    fixed = ftfy.fix_text(text, config)
    if fixed == text:
        return fixed, False
    undecoded = config._replace(fix_encoding=False, fix_c1_controls=False)
    return fixed, fixed != ftfy.fix_text(text, undecoded)
