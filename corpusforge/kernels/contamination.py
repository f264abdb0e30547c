"""Where texts repeat benchmarks, word for word.

Published practice. GPT-3 (Brown et al., arXiv:2005.14165, appendix C) takes grams of 13 words, or
of a whole example that has fewer but at least 8, without case and punctuation; ignores a gram that
more than 10 training documents have, which is a common phrase or legal boilerplate; and takes one
gram for enough. PaLM (Chowdhery et al., arXiv:2204.02311, section 8) takes an example for found
where 70 % of its grams are. Lee et al. (arXiv:2107.06499) and Dolma (Soldaini et al.,
arXiv:2402.00159) look for exact runs of 50 tokens and for whole paragraphs of at least 13. All of
these are settings here: the grams of `kernels.ngram_index`, those left out, and a share.
"""

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.hash_table import slot_of
from corpusforge.kernels.jit import jit
from corpusforge.kernels.mixing import mix64
from corpusforge.kernels.ngram_index import (
    BASE,
    Grams,
    NgramIndex,
    most_words,
    passes,
    rolling_hash,
)
from corpusforge.kernels.shingles import letter_table, word_hashes
from corpusforge.kernels.utf8 import decode

_COLUMNS = ("document", "gram", "word", "start", "end")
# A gram in a document: its first word there, and its bytes, from the start of the text.
HIT = np.dtype([(name, "<i8") for name in _COLUMNS])


def scan(data: NDArray[np.uint8], bounds: NDArray[np.int64], index: NgramIndex) -> NDArray[np.void]:
    """Every place where a text has all words of a gram, in order.

    Args:
        data: UTF-8, shape (b,).
        bounds: Text d is data[bounds[d]:bounds[d + 1]], shape (D + 1,).
        index: Of the benchmarks.

    Returns:
        `HIT` records by document, word and size of the gram.
    """
    if len(index) == 0:
        return np.empty(0, HIT)
    return _scan(data, bounds, letter_table(), index.grams).view(HIT).reshape(-1)


def documents_with(hits: NDArray[np.void], grams: int) -> NDArray[np.int64]:
    """How many documents have each gram, (grams,); those of several scans add up."""
    pairs = np.unique(hits["document"] * grams + hits["gram"])
    return np.bincount(pairs % max(grams, 1), minlength=grams)


@jit
def _scan(
    data: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    letters: NDArray[np.uint32],
    grams: Grams,
) -> NDArray[np.int64]:
    """Rows of `_COLUMNS`."""
    longest = 0
    for d in range(len(bounds) - 1):
        longest = max(longest, bounds[d + 1] - bounds[d])
    words = np.empty(most_words(longest), np.uint64)
    places = np.empty(len(words), np.int64)
    hits = np.empty((16, len(_COLUMNS)), np.int64)
    used = 0
    for d in range(len(bounds) - 1):
        count = word_hashes(data, bounds[d], bounds[d + 1], letters, words)
        likely = _likely(words[:count], grams.shortest, grams.starts_gram, places)
        before = used
        hits, used = _verified(words[:count], places[:likely], grams, hits, used)
        if used > before:
            hits[before:used, 0] = d
            spans = _word_spans(data[bounds[d] : bounds[d + 1]], letters, count)
            for h in range(before, used):
                gram, word = hits[h, 1], hits[h, 2]
                hits[h, 3] = spans[word, 0]
                hits[h, 4] = spans[word + grams.sizes[gram] - 1, 1]
    return hits[:used].copy()


@jit
def _likely(
    words: NDArray[np.uint64], size: int, bits: NDArray[np.uint64], out: NDArray[np.int64]
) -> int:
    """Put the words with which a gram may start into `out`; how many there are.

    Nearly all words of a clean text go no further than this loop.
    """
    if len(words) < size:
        return 0
    leaving = BASE
    for _ in range(size):
        leaving *= BASE
    value = rolling_hash(words, 0, size)
    found = 0
    for i in range(len(words) - size + 1):
        out[found] = i
        found += passes(bits, mix64(value))
        if i + size < len(words):
            value = (value + words[i + size]) * BASE - words[i] * leaving
    return found


@jit
def _verified(
    words: NDArray[np.uint64],
    places: NDArray[np.int64],
    grams: Grams,
    hits: NDArray[np.int64],
    used: int,
) -> tuple[NDArray[np.int64], int]:
    """Put gram and word of every gram that starts at one of `places` after hits[:used]."""
    # Numba counts references each time that an array is taken out of a tuple.
    is_size, is_gram, keys, numbers = grams.is_size, grams.is_gram, grams.keys, grams.numbers
    known, starts, sizes = grams.words, grams.starts, grams.sizes
    for place in places:
        value = rolling_hash(words, place, grams.shortest - 1)
        for size in range(grams.shortest, min(len(is_size), len(words) - place + 1)):
            value = (value + words[place + size - 1]) * BASE
            key = mix64(value)
            if not (is_size[size] and passes(is_gram, key)):
                continue
            gram = numbers[slot_of(keys, numbers, key)] - 1
            if gram < 0 or sizes[gram] != size:
                continue
            if _equal(words[place : place + size], known[starts[gram] : starts[gram] + size]):
                if used == len(hits):
                    grown = np.empty((2 * used, hits.shape[1]), np.int64)
                    grown[:used] = hits
                    hits = grown
                hits[used, 1], hits[used, 2] = gram, place
                used += 1
    return hits, used


@jit
def _equal(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> bool:
    for i in range(len(a)):  # noqa: SIM110  (Numba has no all())
        if a[i] != b[i]:
            return False
    return True


@jit
def _word_spans(
    data: NDArray[np.uint8], letters: NDArray[np.uint32], count: int
) -> NDArray[np.int64]:
    """First byte, and byte after the last, of each of the `count` words of a text, (count, 2)."""
    spans = np.empty((count, 2), np.int64)
    word = -1
    inside = False
    i = 0
    while i < len(data):
        code, size = decode(data, i)
        letter = letters[code]
        alone = letter >> np.uint32(31)
        if letter and (alone or not inside):
            word += 1
            spans[word, 0] = i
        inside = letter != 0 and not alone
        i += size
        if letter:
            spans[word, 1] = i
    return spans
