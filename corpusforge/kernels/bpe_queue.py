"""Pairs of tokens that wait to be merged, each with the words that it was seen in.

A pair is one integer, its left token in the upper 32 bits. The queue is a binary heap of entries
that is put right when an entry comes to its top: totals change far more often than pairs are taken.
"""

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit

Number = TypeVar("Number", bound=np.generic)


class Queue(NamedTuple):
    """Entries by number, and a heap of those numbers; arrays have room for more."""

    pairs: NDArray[np.uint64]
    totals: NDArray[np.int64]  # as they were when the entry was last looked at
    starts: NDArray[np.int64]  # the entry's words are words[start:start + many]
    many: NDArray[np.int64]
    heap: NDArray[np.int32]  # the largest total at the top, and of equals the smallest pair
    words: NDArray[np.int32]
    entries: int
    size: int  # of the heap
    used: int  # of words


@jit
def pair_of(left: int, right: int) -> np.uint64:
    """Two tokens as one integer, in the order of (left, right)."""
    return np.uint64((np.int64(left) << 32) | np.int64(right))


@jit
def empty_queue() -> Queue:
    """No entries yet."""
    return Queue(
        np.empty(1024, np.uint64),
        np.empty(1024, np.int64),
        np.empty(1024, np.int64),
        np.empty(1024, np.int64),
        np.empty(1024, np.int32),
        np.empty(1024, np.int32),
        0,
        0,
        0,
    )


@jit
def pushed(queue: Queue, pair: np.uint64, total: int, start: int, many: int) -> Queue:
    """The queue with one more entry, whose words are in their place already."""
    pairs, totals, starts, counts, heap, words, entries, size, used = queue
    if entries == len(pairs):
        pairs, totals, starts = _longer(pairs), _longer(totals), _longer(starts)
        counts, heap = _longer(counts), _longer(heap)
    pairs[entries], totals[entries] = pair, total
    starts[entries], counts[entries] = start, many
    heap[size] = entries
    _sift_up(heap, size + 1, totals, pairs)
    return Queue(pairs, totals, starts, counts, heap, words, entries + 1, size + 1, used)


@jit
def _longer(values: NDArray[Number]) -> NDArray[Number]:
    grown = np.empty(2 * len(values), values.dtype)
    grown[: len(values)] = values
    return grown


@jit
def without_top(queue: Queue) -> Queue:
    """The queue without the entry heap[0]."""
    pairs, totals, starts, many, heap, words, entries, size, used = queue
    heap[0] = heap[size - 1]
    sift_down(heap, size - 1, totals, pairs)
    return Queue(pairs, totals, starts, many, heap, words, entries, size - 1, used)


@jit
def with_room_for_words(queue: Queue, more: int) -> Queue:
    """The queue, with room for more words; those of entries that were taken make room first."""
    pairs, totals, starts, many, heap, words, entries, size, used = queue
    if used + more <= len(words):
        return queue
    alive = 0
    for i in range(size):
        alive += many[heap[i]]
    room = max(len(words), 2 * (alive + more))
    kept, at = np.empty(room, np.int32), 0
    for i in range(size):
        entry = heap[i]
        start = starts[entry]
        kept[at : at + many[entry]] = words[start : start + many[entry]]
        starts[entry] = at
        at += many[entry]
    return Queue(pairs, totals, starts, many, heap, kept, entries, size, at)


@jit
def filled_up(queue: Queue, used: int) -> Queue:
    """The queue after words were put into the room behind its own."""
    pairs, totals, starts, many, heap, words, entries, size, _ = queue
    return Queue(pairs, totals, starts, many, heap, words, entries, size, used)


@jit
def sift_down(
    heap: NDArray[np.int32], size: int, totals: NDArray[np.int64], pairs: NDArray[np.uint64]
) -> None:
    """Move the top of heap[:size], whose total may have fallen, to where it belongs."""
    moved = heap[0]
    place = 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and _before(heap[child + 1], heap[child], totals, pairs):
            child += 1
        if not _before(heap[child], moved, totals, pairs):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = moved


@jit
def _sift_up(
    heap: NDArray[np.int32], size: int, totals: NDArray[np.int64], pairs: NDArray[np.uint64]
) -> None:
    moved = heap[size - 1]
    place = size - 1
    while place > 0:
        parent = (place - 1) // 2
        if not _before(moved, heap[parent], totals, pairs):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = moved


@jit
def _before(one: int, other: int, totals: NDArray[np.int64], pairs: NDArray[np.uint64]) -> bool:
    if totals[one] != totals[other]:
        return bool(totals[one] > totals[other])
    return bool(pairs[one] < pairs[other])
