"""An index of word n-grams: which items of benchmarks hold a run of words.

A gram is n consecutive words of a text, or all words of a text that has fewer. Words are those of
`kernels.shingles`, so case, spacing and punctuation do not count. Grams are found by a 64-bit hash,
a polynomial in the hashes of their words, and then compared word by word: a hash is never believed.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.hash_table import room, slot_of
from corpusforge.kernels.jit import jit
from corpusforge.kernels.mixing import mix64
from corpusforge.kernels.shingles import letter_table, word_hashes

BASE = np.uint64(0xD6E8FEB86659FD93)
BITS_PER_GRAM = 16  # of a filter, at least: 6 in 100 words of a clean text pass it, or fewer
FEWEST_BITS = 1 << 12


class Grams(NamedTuple):
    """What a scan goes by: G grams over the W words of the texts they are from."""

    shortest: int  # words of the shortest gram
    is_size: NDArray[np.bool_]  # (1 + words of the longest,) whether there are grams of that size
    starts_gram: NDArray[np.uint64]  # filter of the first `shortest` words of all grams
    is_gram: NDArray[np.uint64]  # filter of whole grams
    keys: NDArray[np.uint64]  # (S,) hash table of grams
    numbers: NDArray[np.int64]  # (S,) 1 + gram; 0 is a free slot
    words: NDArray[np.uint64]  # (W,) hashes
    starts: NDArray[np.int64]  # (G,) first word of a gram
    sizes: NDArray[np.int64]  # (G,) its words


@dataclass(frozen=True, eq=False)
class NgramIndex:
    """Grams, and the items that hold each: items[bounds[g]:bounds[g + 1]], ascending."""

    grams: Grams
    bounds: NDArray[np.int64]  # (G + 1,)
    items: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def without(self, left_out: NDArray[np.bool_]) -> "NgramIndex":
        """The same grams under the same numbers, but no item holds those left out, (G,)."""
        holders = np.diff(self.bounds)
        kept = np.where(left_out, 0, holders)
        return replace(self, bounds=_bounds(kept), items=self.items[np.repeat(~left_out, holders)])


def word_counts(data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many words each text has, (T,); the arguments are those of `build_index`."""
    return np.diff(_all_words(data, bounds, letter_table())[0])


def build_index(
    data: NDArray[np.uint8], bounds: NDArray[np.int64], owners: NDArray[np.int64], n: int
) -> NgramIndex:
    """The index of some texts, about 100 bytes for each gram.

    Of ten million grams two share their hash with probability 3e-6; the second is then not found.

    Args:
        data: UTF-8, shape (b,).
        bounds: Text t is data[bounds[t]:bounds[t + 1]], shape (T + 1,).
        owners: The item that text t is of, shape (T,).
        n: Words of a gram, at least 1.
    """
    first_word, words = _all_words(data, bounds, letter_table())
    counts = np.diff(first_word)
    made = np.where(counts > 0, np.maximum(counts - n, 0) + 1, 0)
    text = np.repeat(np.arange(len(counts)), made)
    starts = first_word[text] + np.arange(len(text)) - np.repeat(_bounds(made)[:-1], made)
    sizes = np.minimum(counts, n)[text]
    hashes = _hashes(words, starts, sizes)
    keys, first, gram = np.unique(hashes, return_index=True, return_inverse=True)
    first_sizes, first_starts = sizes[first], starts[first]
    meant = _alike(words, starts, sizes, first_starts[gram], first_sizes[gram])
    items = 1 + owners.max(initial=0)
    held = np.unique(gram[meant] * items + owners[text[meant]])
    return NgramIndex(
        grams=_laid_out(keys, words, first_starts, first_sizes),
        bounds=_bounds(np.bincount(held // items, minlength=len(keys))),
        items=held % items,
    )


def _laid_out(
    keys: NDArray[np.uint64],
    words: NDArray[np.uint64],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> Grams:
    shortest = int(sizes.min()) if len(sizes) else 0
    is_size = np.zeros(1 + sizes.max(initial=0), np.bool_)
    is_size[sizes] = True
    beginnings = _hashes(words, starts, np.full(len(starts), shortest))
    slots, numbers = _table(keys)
    return Grams(
        shortest, is_size, _filter(beginnings), _filter(keys), slots, numbers, words, starts, sizes
    )


def _bounds(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


@jit
def rolling_hash(words: NDArray[np.uint64], start: int, size: int) -> np.uint64:
    """The polynomial of words[start:start + size]; add the next word and multiply by `BASE`."""
    value = np.uint64(0)
    for i in range(start, start + size):
        value = (value + words[i]) * BASE
    return value


@jit
def passes(bits: NDArray[np.uint64], key: np.uint64) -> bool:
    """Whether a filter knows a mixed hash; of those it was not made of, some."""
    # The number of blocks is a power of two.
    block = bits[(key >> np.uint64(6)) & np.uint64(len(bits) - 1)]
    return bool((block >> (key & np.uint64(63))) & np.uint64(1))


@jit
def most_words(size: int) -> int:
    """How many words a text of `size` bytes can have.

    Between two words stands at least a byte, unless one of them is an ideograph, which has three.
    """
    return size // 2 + 1


@jit
def _all_words(
    data: NDArray[np.uint8], bounds: NDArray[np.int64], letters: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Where the words of each text start, (T + 1,), and the words, (W,)."""
    first_word = np.zeros(len(bounds), np.int64)
    words = np.empty(most_words(bounds[-1] - bounds[0]) + len(bounds), np.uint64)
    for t in range(len(bounds) - 1):
        room_left = words[first_word[t] :]
        made = word_hashes(data, bounds[t], bounds[t + 1], letters, room_left)
        first_word[t + 1] = first_word[t] + made
    return first_word, words[: first_word[-1]].copy()


@jit
def _hashes(
    words: NDArray[np.uint64], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.uint64]:
    hashes = np.empty(len(starts), np.uint64)
    for i in range(len(starts)):
        hashes[i] = mix64(rolling_hash(words, starts[i], sizes[i]))
    return hashes


@jit
def _alike(
    words: NDArray[np.uint64],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    other_starts: NDArray[np.int64],
    other_sizes: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Which runs of words are the same words as another each."""
    alike = sizes == other_sizes
    for i in range(len(starts)):
        j = 0
        while alike[i] and j < sizes[i]:
            alike[i] = words[starts[i] + j] == words[other_starts[i] + j]
            j += 1
    return alike


@jit
def _filter(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    size = FEWEST_BITS
    while size < BITS_PER_GRAM * len(hashes):
        size *= 2
    bits = np.zeros(size >> 6, np.uint64)
    for key in hashes:
        block = (key >> np.uint64(6)) & np.uint64(len(bits) - 1)
        bits[block] |= np.uint64(1) << (key & np.uint64(63))
    return bits


@jit
def _table(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    keys, numbers = room(len(hashes))
    for gram in range(len(hashes)):
        slot = slot_of(keys, numbers, hashes[gram])
        keys[slot], numbers[slot] = hashes[gram], gram + 1
    return keys, numbers
