"""How often each word occurs: the table that hyphenation and word statistics go by.

Words and their 64-bit hashes are those of `kernels.shingles`. Of some ten million different words
two share a hash with probability 3e-6.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.hash_table import room, slot_of
from corpusforge.kernels.jit import jit
from corpusforge.kernels.shingles import letter_table, word_hashes

MOST_ASKED = 1 << 17
FIRST_SIZE = 1 << 15  # words that the counting table has room for before it grows


@dataclass(frozen=True, eq=False)
class WordTable:
    """Words, as hashes, and how often each occurred."""

    hashes: NDArray[np.uint64]  # (n,) ascending
    counts: NDArray[np.int64]  # (n,) positive
    _asked: dict[str, int] = field(default_factory=dict, repr=False)

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    def count(self, word: str) -> int:
        """Occurrences of one word; 0 for what the table does not have."""
        # Texts ask for the same few thousand words again and again.
        known = self._asked.get(word)
        if known is None:
            if len(self._asked) >= MOST_ASKED:
                self._asked.clear()
            known = self._asked[word] = self._looked_up(word)
        return known

    def _looked_up(self, word: str) -> int:
        wanted = word_hash(word)
        place = int(np.searchsorted(self.hashes, np.uint64(wanted)))
        found = place < len(self.hashes) and int(self.hashes[place]) == wanted
        return int(self.counts[place]) if found else 0

    def frequent(self, most: int) -> "WordTable":
        """The words that occur most often, at most so many; ties by hash."""
        if len(self.hashes) <= most:
            return self
        chosen = np.sort(np.lexsort((self.hashes, -self.counts))[:most])
        return WordTable(self.hashes[chosen], self.counts[chosen])


def merged(tables: list[WordTable]) -> WordTable:
    """The sum of some tables."""
    hashes = np.concatenate([table.hashes for table in tables] or [np.empty(0, np.uint64)])
    counts = np.concatenate([table.counts for table in tables] or [np.empty(0, np.int64)])
    different, places = np.unique(hashes, return_inverse=True)
    sums = np.zeros(len(different), np.int64)
    np.add.at(sums, places, counts)
    return WordTable(different, sums)


def count_words(data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> WordTable:
    """The words of some texts.

    Args:
        data: UTF-8, shape (n,).
        bounds: Text i is data[bounds[i]:bounds[i + 1]], shape (D + 1,).
    """
    keys, counts = _count(data, bounds, letter_table())
    order = np.argsort(keys)
    return WordTable(keys[order], counts[order])


def word_hash(word: str) -> int:
    """The hash of one word; of several words, that of the first; 0 for none."""
    data = np.frombuffer(word.encode(), np.uint8)
    out = np.zeros(len(data) + 1, np.uint64)
    word_hashes(data, 0, len(data), letter_table(), out)
    return int(out[0])


@jit
def _count(
    data: NDArray[np.uint8], bounds: NDArray[np.int64], letters: NDArray[np.uint32]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    keys, counts = room(FIRST_SIZE)
    filled = 0
    hashes = np.empty(1, np.uint64)
    for document in range(len(bounds) - 1):
        start, end = bounds[document], bounds[document + 1]
        if len(hashes) < end - start:
            hashes = np.empty(2 * (end - start), np.uint64)
        for i in range(word_hashes(data, start, end, letters, hashes)):
            slot = slot_of(keys, counts, hashes[i])
            filled += counts[slot] == 0
            keys[slot] = hashes[i]
            counts[slot] += 1
            if 2 * filled > len(keys):
                keys, counts = filled_table(keys[counts > 0], counts[counts > 0], 2 * filled)
    return keys[counts > 0], counts[counts > 0]


@jit
def filled_table(
    hashes: NDArray[np.uint64], counts: NDArray[np.int64], words: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """A table of these words, with room for so many."""
    keys, values = room(words)
    for i in range(len(hashes)):
        slot = slot_of(keys, values, hashes[i])
        keys[slot], values[slot] = hashes[i], counts[i]
    return keys, values
