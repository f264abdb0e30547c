"""Byte-pair merges: what a short word becomes.

Sennrich et al. (2016), arXiv:1508.07909, over bytes: of all neighbours in a word the pair that was
learned first is merged, the leftmost of equals, until no pair is one that was learned.

Pairs are found in a table with open addressing. A slot is one number: left id, right id and 1 +
the rank of their merge; 0 is free.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.bare_arrays import bare
from corpusforge.kernels.jit import inlined, jit

_ID_BITS = _RANK_BITS = 21
MOST_IDS = 1 << _ID_BITS  # with them a slot is 63 bits
_RANK_MASK = np.uint64((1 << _RANK_BITS) - 1)
_ONE, _RANK_SHIFT, _ID_SHIFT = np.uint64(1), np.uint64(_RANK_BITS), np.uint64(_ID_BITS)
# Knuth, The Art of Computer Programming 3, section 6.4: the golden ratio spreads neighbours.
_FACTOR, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
NO_MERGE = np.uint32(0xFFFFFFFF)


class Merges(NamedTuple):
    """What a vocabulary merges, as a kernel reads it."""

    byte_ids: NDArray[np.uint32]  # (256,) the token of each byte
    slots: NDArray[np.uint64]  # (2**k,) pairs and the ranks of their merges
    made: NDArray[np.uint32]  # (m,) the token that the merge of each rank makes


@inlined
def bare_merges(merges: Merges) -> Merges:
    """The same, for an inner loop; see `bare`."""
    return Merges(bare(merges.byte_ids), bare(merges.slots), bare(merges.made))


def merge_table(byte_ids: NDArray[np.uint32], merges: NDArray[np.uint32]) -> Merges:
    """Merges for the kernels.

    Args:
        byte_ids: The token of each byte, (256,).
        merges: Left, right and made token of each merge, in the order in which they were learned,
            (m, 3). No pair stands there twice.

    Raises:
        ValueError: An id is `MOST_IDS` or more.
    """
    largest = max(int(byte_ids.max()), int(merges.max(initial=0)))
    if largest >= MOST_IDS:
        raise ValueError(f"the largest id is {largest}, expected less than {MOST_IDS}")
    return Merges(byte_ids, _slots(merges), merges[:, 2].copy())


@jit
def _slots(merges: NDArray[np.uint32]) -> NDArray[np.uint64]:
    size = 4
    while size < 4 * len(merges):  # a quarter full: most pairs asked for are not there
        size *= 2
    slots = np.zeros(size, np.uint64)
    mask = np.uint64(size - 1)
    for rank in range(len(merges)):
        pair = _pair(merges[rank, 0], merges[rank, 1])
        slot = ((pair * _FACTOR) >> _HALF) & mask
        while slots[slot]:
            slot = (slot + _ONE) & mask
        slots[slot] = pair << _RANK_SHIFT | np.uint64(rank + 1)
    return slots


@inlined
def _pair(left: np.uint32, right: np.uint32) -> np.uint64:
    return np.uint64(left) << _ID_SHIFT | np.uint64(right)


@inlined
def rank_of(left: np.uint32, right: np.uint32, slots: NDArray[np.uint64]) -> np.uint32:
    """The rank of the merge of two tokens, `NO_MERGE` if there is none."""
    pair = _pair(left, right)
    mask = np.uint64(len(slots) - 1)
    slot = ((pair * _FACTOR) >> _HALF) & mask
    while slots[slot]:
        if slots[slot] >> _RANK_SHIFT == pair:
            return np.uint32((slots[slot] & _RANK_MASK) - _ONE)
        slot = (slot + _ONE) & mask
    return NO_MERGE


@jit
def merge_short(
    data: NDArray[np.uint8],
    span: tuple[int, int],
    merges: Merges,
    ids: NDArray[np.uint32],
    ranks: NDArray[np.uint32],
) -> int:
    """The tokens of data[span[0]:span[1]]; time grows with the square of its length.

    Args:
        data: Bytes of many texts.
        span: One word of at least a byte.
        merges: From `merge_table`.
        ids: Gets the tokens; room for one per byte.
        ranks: Scratch of the same length.

    Returns:
        How many tokens.
    """
    data, merges, ids, ranks = bare(data), bare_merges(merges), bare(ids), bare(ranks)
    start, end = span
    count = end - start
    for i in range(count):
        ids[i] = merges.byte_ids[data[start + i]]
    for i in range(count - 1):
        ranks[i] = rank_of(ids[i], ids[i + 1], merges.slots)
    while count > 1:
        place = 0
        for i in range(1, count - 1):
            if ranks[i] < ranks[place]:
                place = i
        if ranks[place] == NO_MERGE:
            break
        ids[place] = merges.made[ranks[place]]
        count -= 1
        for i in range(place + 1, count):
            ids[i] = ids[i + 1]
            ranks[i - 1] = ranks[i]
        if place > 0:
            ranks[place - 1] = rank_of(ids[place - 1], ids[place], merges.slots)
        if place + 1 < count:
            ranks[place] = rank_of(ids[place], ids[place + 1], merges.slots)
    return count
