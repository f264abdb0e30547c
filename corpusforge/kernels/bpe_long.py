"""Byte-pair merges of a long word, such as a sequence of ten million bases, in linear time.

Every pair of neighbours stands in the list of the merge that it is up for. Lists are worked off by
rank, each from left to right. A merge takes at most three pairs out of their lists and puts at most
two into others, so the time grows with the length of the word and the number of merges learned.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.bare_arrays import bare
from corpusforge.kernels.bpe_merges import NO_MERGE, Merges, bare_merges, rank_of
from corpusforge.kernels.jit import inlined, jit

_NONE = np.int32(-1)


class _Word(NamedTuple):
    """A word of n bytes; a place is that of a token's first byte. 24 bytes each."""

    ids: NDArray[np.uint32]
    right: NDArray[np.int32]  # the place of the next token
    left: NDArray[np.int32]
    ranks: NDArray[np.uint32]  # the merge that a token and the next are up for
    after: NDArray[np.int32]  # the next place in the list of that merge
    before: NDArray[np.int32]


@jit
def merge_long(
    data: NDArray[np.uint8], span: tuple[int, int], merges: Merges, out: NDArray[np.uint32]
) -> int:
    """Write the tokens of data[span[0]:span[1]] to `out`, which has room for one per byte.

    The word has less than 2**31 bytes. Returns how many tokens.
    """
    size = span[1] - span[0]
    word = _Word(
        merges.byte_ids[data[span[0] : span[1]]],
        np.arange(1, size + 1, dtype=np.int32),
        np.arange(-1, size - 1, dtype=np.int32),
        np.full(size, NO_MERGE, np.uint32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
    )
    heads = np.full(len(merges.made), _NONE, np.int32)
    return _merged(word, heads, merges, out)


@jit
def _merged(word: _Word, heads: NDArray[np.int32], merges: Merges, out: NDArray[np.uint32]) -> int:
    """Merge all that can be; the number of tokens that are written to `out`."""
    word = _Word(
        bare(word.ids),
        bare(word.right),
        bare(word.left),
        bare(word.ranks),
        bare(word.after),
        bare(word.before),
    )
    heads, merges = bare(heads), bare_merges(merges)
    size = len(word.ids)
    for place in range(size - 2, -1, -1):  # backwards, so that the lists run forwards
        _enlist(place, word, heads, merges)
    rank = np.int64(0)
    while rank < len(heads):
        if heads[rank] == _NONE:
            rank += 1
            continue
        _order(rank, word, heads)
        following = np.int64(rank + 1)
        while heads[rank] != _NONE and following > rank:
            # A token that two merges make can be part of an earlier one: that goes first.
            following = min(following, _merge(heads[rank], word, heads, merges))
        rank = following
    count = place = 0
    while place < size:
        out[count] = word.ids[place]
        count += 1
        place = word.right[place]
    return count


@inlined
def _merge(place: np.int32, word: _Word, heads: NDArray[np.int32], merges: Merges) -> np.int64:
    """Merge the tokens at and behind a place; the lowest rank of the pairs that this makes."""
    size = len(word.ids)
    taken, left = np.int64(word.right[place]), np.int64(word.left[place])
    made = merges.made[word.ranks[place]]
    _delist(place, word, heads)
    _delist(taken, word, heads)
    word.ids[place] = made
    beyond = np.int64(word.right[taken])
    word.right[place] = beyond
    lowest = np.int64(NO_MERGE)
    if beyond < size:
        word.left[beyond] = place
        lowest = min(lowest, _enlist(place, word, heads, merges))
    if left >= 0:
        _delist(left, word, heads)
        lowest = min(lowest, _enlist(left, word, heads, merges))
    return lowest


@inlined
def _enlist(
    place: int | np.signedinteger, word: _Word, heads: NDArray[np.int32], merges: Merges
) -> np.int64:
    """Put a pair first in its list; the rank of that."""
    rank = rank_of(word.ids[place], word.ids[word.right[place]], merges.slots)
    word.ranks[place] = rank
    if rank != NO_MERGE:
        first = heads[rank]
        word.before[place] = _NONE
        word.after[place] = first
        if first != _NONE:
            word.before[first] = place
        heads[rank] = place
    return np.int64(rank)


@inlined
def _delist(place: int | np.signedinteger, word: _Word, heads: NDArray[np.int32]) -> None:
    """Take a pair out of its list, if it is in one."""
    rank = word.ranks[place]
    if rank != NO_MERGE:
        before, after = word.before[place], word.after[place]
        if before == _NONE:
            heads[rank] = after
        else:
            word.after[before] = after
        if after != _NONE:
            word.before[after] = before
        word.ranks[place] = NO_MERGE


@inlined
def _order(rank: np.int64, word: _Word, heads: NDArray[np.int32]) -> None:
    """Sort a list by place."""
    length, ascending = 0, True
    place = heads[rank]
    while place != _NONE:
        length += 1
        after = word.after[place]
        ascending &= after == _NONE or after > place
        place = after
    if ascending:
        return
    places = np.empty(length, np.int32)
    place = heads[rank]
    for i in range(length):
        places[i] = place
        place = word.after[place]
    places.sort()
    before = _NONE
    for place in places:
        word.before[place] = before
        if before == _NONE:
            heads[rank] = place
        else:
            word.after[before] = place
        before = place
    word.after[before] = _NONE
