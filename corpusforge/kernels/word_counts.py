"""Words of texts, each kept once with how often it occurs: what a vocabulary is learnt from.

A word is a pre-token. A table finds a word by its hash and then compares its bytes, so that two
words are never taken for one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.bare_arrays import bare, eight_bytes
from corpusforge.kernels.jit import inlined, jit
from corpusforge.kernels.mixing import mix64
from corpusforge.kernels.pretokens import next_pretoken

_BLOCK = 4096  # words between two looks at the table
_SLACK = 8  # bytes behind the words of a table: they are read eight at a time
_FACTOR, _HALF, _NUMBER = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.uint64(2**32 - 1)
_MASKS = np.array([2 ** (8 * i) - 1 for i in range(9)], np.uint64)  # the first i of eight bytes


class WordList(NamedTuple):
    """Words and how often each occurs."""

    data: NDArray[np.uint8]
    bounds: NDArray[np.int64]  # (W + 1,) word i is data[bounds[i]:bounds[i + 1]]
    counts: NDArray[np.int64]  # (W,)


class Counted(NamedTuple):
    """Distinct words in the order in which they were met; arrays have room for more."""

    # Open addressing: half of a hash, and 1 + the number of its word; 0 where free.
    slots: NDArray[np.uint64]
    hashes: NDArray[np.uint64]
    counts: NDArray[np.int64]
    bounds: NDArray[np.int64]  # word i is data[bounds[i]:bounds[i + 1]]
    data: NDArray[np.uint8]
    words: int


class Split(NamedTuple):
    """How a text is split into words."""

    pattern: int  # a `Pattern`
    classes: NDArray[np.uint8]  # from `unicode_classes`
    longest: int  # longer words are left out, in bytes


@jit
def nothing_counted() -> Counted:
    """No words yet."""
    return Counted(
        np.zeros(1 << 12, np.uint64),
        np.empty(1 << 11, np.uint64),
        np.empty(1 << 11, np.int64),
        np.zeros((1 << 11) + 1, np.int64),
        np.empty(1 << 15, np.uint8),
        0,
    )


@jit
def count_pretokens(
    table: Counted, data: NDArray[np.uint8], offsets: NDArray[np.int64], split: Split
) -> tuple[Counted, int]:
    """The table with the pre-tokens of some texts, and how many were left out.

    Args:
        table: It may be changed: use the one returned.
        data: UTF-8 bytes of all texts.
        offsets: (D + 1,) where each text starts and ends.
        split: What the words are.
    """
    pattern, classes, longest = split.pattern, bare(split.classes), split.longest
    texts = bare(data)
    bounds, ones = np.empty(_BLOCK + 1, np.int64), np.ones(_BLOCK, np.int64)
    left_out = 0
    for d in range(len(offsets) - 1):
        at, end = offsets[d], offsets[d + 1]
        while at < end:
            words = 0
            bounds[0] = at
            while words < _BLOCK and at < end:
                after = next_pretoken(texts, at, end, pattern, classes)
                if after - at > longest:
                    left_out += 1
                    at = after
                    break  # the next block starts behind it
                at = after
                words += 1
                bounds[words] = at
            table = add_counted(table, WordList(data, bounds[: words + 1], ones[:words]))
    return table, left_out


@jit
def add_counted(table: Counted, more: WordList) -> Counted:
    """The table with words that were counted before; it may be changed: use the one returned."""
    done = 0
    while True:
        words, done = _fill(table, more, done)
        table = Counted(table.slots, table.hashes, table.counts, table.bounds, table.data, words)
        if done == len(more.counts):
            return table
        table = _with_room(table, more.bounds[done + 1] - more.bounds[done])


@jit
def _fill(table: Counted, more: WordList, first: int) -> tuple[int, int]:
    """Add words from the first on while there is room: words in the table, and where it ended."""
    data, spans, times = bare(more.data), bare(more.bounds), bare(more.counts)
    slots, hashes, counts = bare(table.slots), bare(table.hashes), bare(table.counts)
    bounds, kept, words = bare(table.bounds), bare(table.data), table.words
    mask = np.uint64(len(slots) - 1)
    for w in range(first, len(times)):
        at, size = spans[w], spans[w + 1] - spans[w]
        if words == len(hashes) or bounds[words] + size + _SLACK > len(kept):
            return words, w
        key = _hash(data, at, size)
        slot = key & mask
        while slots[slot]:
            if (slots[slot] ^ key) >> _HALF == 0:
                word = np.int64(slots[slot] & _NUMBER) - 1
                start = bounds[word]
                if bounds[word + 1] - start == size and _same(kept, start, data, at, size):
                    counts[word] += times[w]
                    break
            slot = (slot + np.uint64(1)) & mask
        if slots[slot]:
            continue
        start = bounds[words]
        for i in range(size):
            kept[start + i] = data[at + i]
        slots[slot] = _slot(key, words)
        hashes[words] = key
        counts[words] = times[w]
        bounds[words + 1] = start + size
        words += 1
    return words, len(times)


@inlined
def _slot(key: np.uint64, word: int) -> np.uint64:
    return (key & ~_NUMBER) | np.uint64(word + 1)


@inlined
def _hash(data: NDArray[np.uint8], at: int, size: int) -> np.uint64:
    """Of data[at:at + size], eight bytes at a time."""
    key = np.uint64(size)
    for i in range(at, at + size, 8):
        key = (key ^ _bytes_from(data, i, at + size)) * _FACTOR
        key ^= key >> _HALF
    return mix64(key)


@inlined
def _bytes_from(data: NDArray[np.uint8], i: int, end: int) -> np.uint64:
    """Up to eight bytes from i on, none of them behind end, as one number."""
    if i + 8 <= len(data):
        return eight_bytes(data, i) & _MASKS[min(8, end - i)]
    number = np.uint64(0)
    for k in range(i, end):
        number |= np.uint64(data[k]) << np.uint64(8 * (k - i))
    return number


@inlined
def _same(kept: NDArray[np.uint8], start: int, data: NDArray[np.uint8], at: int, size: int) -> bool:
    done = 0
    while done < size and (
        _bytes_from(kept, start + done, start + size) == _bytes_from(data, at + done, at + size)
    ):
        done += 8
    return done >= size


@jit
def _with_room(table: Counted, size: int) -> Counted:
    """The table, with room for one more word of so many bytes."""
    words, used = table.words, table.bounds[table.words]
    data = table.data
    if used + size + _SLACK > len(data):
        data = np.empty(2 * (used + size + _SLACK), np.uint8)
        data[:used] = table.data[:used]
        table = Counted(table.slots, table.hashes, table.counts, table.bounds, data, words)
    if words < len(table.hashes):
        return table
    hashes, counts = np.empty(2 * words, np.uint64), np.empty(2 * words, np.int64)
    bounds = np.zeros(2 * words + 1, np.int64)
    hashes[:words], counts[:words] = table.hashes[:words], table.counts[:words]
    bounds[: words + 1] = table.bounds[: words + 1]
    slots = np.zeros(4 * words, np.uint64)  # at most half full
    mask = np.uint64(len(slots) - 1)
    for word in range(words):
        slot = hashes[word] & mask
        while slots[slot]:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = _slot(hashes[word], word)
    return Counted(slots, hashes, counts, bounds, data, words)


def in_order(table: Counted) -> Counted:
    """The words by hash and then by their bytes, whatever order they were met in, without room."""
    words = table.words
    order = np.argsort(table.hashes[:words], kind="stable")
    bounds, data = _arranged(table, order)
    return Counted(table.slots[:0], table.hashes[order], table.counts[order], bounds, data, words)


@jit
def _arranged(
    table: Counted, order: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Bounds and bytes of the words, whose order by hash becomes one by bytes among equals."""
    for i in range(1, len(order)):
        j = i
        while j > 0 and _after(table, order[j - 1], order[j]):  # hardly ever
            order[j - 1], order[j] = order[j], order[j - 1]
            j -= 1
    bounds = np.zeros(table.words + 1, np.int64)
    data = np.empty(table.bounds[table.words], np.uint8)
    at = 0
    for i in range(len(order)):
        for k in range(table.bounds[order[i]], table.bounds[order[i] + 1]):
            data[at] = table.data[k]
            at += 1
        bounds[i + 1] = at
    return bounds, data


@jit
def _after(table: Counted, one: int, other: int) -> bool:
    """Whether a word has the hash of another one and stands after it."""
    if table.hashes[one] != table.hashes[other]:
        return False
    a, b = table.bounds[one], table.bounds[other]
    for i in range(min(table.bounds[one + 1] - a, table.bounds[other + 1] - b)):
        if table.data[a + i] != table.data[b + i]:
            return bool(table.data[a + i] > table.data[b + i])
    return bool(table.bounds[one + 1] - a > table.bounds[other + 1] - b)
