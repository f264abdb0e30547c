"""How often each pair of tokens stands side by side, and what one merge changes of that.

A merge of (a, b) into c changes the totals of (x, a) and (x, c) for each x to the left of it, and
of (b, y) and (c, y) for each y to the right. They are summed by neighbour before the table of pairs
is touched: a neighbour is found by its id, a pair only by its hash. Of V tokens, place x is that of
a neighbour to the left, and place V + y that of one to the right.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.bpe_queue import (
    Queue,
    empty_queue,
    filled_up,
    pair_of,
    pushed,
    with_room_for_words,
)
from corpusforge.kernels.jit import jit
from corpusforge.kernels.mixing import mix64

_BYTES = 256


class Pairs(NamedTuple):
    """An open table, at most half full: 1 + a pair, or 0 where a slot is free."""

    slots: NDArray[np.uint64]
    totals: NDArray[np.int64]
    used: int


class Changes(NamedTuple):
    """What one merge changes, by place; 0 before and after it."""

    gained: NDArray[np.int64]  # (2 V,) of the pairs with c
    lost: NDArray[np.int64]  # (2 V,) of the pairs with a or b
    many: NDArray[np.int32]  # (2 V,) words in which the pair with c is
    last: NDArray[np.int32]  # (2 V,) 1 + the last of these words
    seen: NDArray[np.int32]  # places that the merge changes, `seen_places` of them
    # Each word of a pair with c: the place of the pair, and the word; `posts` of them.
    places: NDArray[np.int32]
    words: NDArray[np.int32]
    seen_places: int
    posts: int


class Merge(NamedTuple):
    """One merge."""

    left: int
    right: int
    token: int  # what becomes of them
    limit: int  # neighbours of fewer bytes may be merged with it


@jit
def no_changes(tokens: int) -> Changes:
    """Room for a merge among so many tokens."""
    return Changes(
        np.zeros(2 * tokens, np.int64),
        np.zeros(2 * tokens, np.int64),
        np.zeros(2 * tokens, np.int32),
        np.zeros(2 * tokens, np.int32),
        np.empty(2 * tokens, np.int32),
        np.empty(1024, np.int32),
        np.empty(1024, np.int32),
        0,
        0,
    )


@jit
def first_pairs(
    symbols: NDArray[np.int32],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    counts: NDArray[np.int64],
    specials: int,
) -> tuple[Pairs, Queue]:
    """The pairs of bytes, before any merge.

    Args:
        symbols: Ids of bytes, of all words.
        starts: (W,) where each word starts.
        sizes: (W,) its bytes.
        counts: (W,) how often it occurs.
        specials: Ids that come before those of bytes.
    """
    totals = np.zeros(_BYTES * _BYTES, np.int64)
    many = np.zeros(_BYTES * _BYTES, np.int64)
    last = np.full(_BYTES * _BYTES, -1, np.int32)
    for word in range(len(starts)):
        for i in range(starts[word], starts[word] + sizes[word] - 1):
            place = (symbols[i] - specials) * _BYTES + symbols[i + 1] - specials
            totals[place] += counts[word]
            many[place] += last[place] != word
            last[place] = word
    queue = with_room_for_words(empty_queue(), many.sum())
    at = np.cumsum(many) - many
    last[:] = -1
    for word in range(len(starts)):
        for i in range(starts[word], starts[word] + sizes[word] - 1):
            place = (symbols[i] - specials) * _BYTES + symbols[i + 1] - specials
            if last[place] != word:
                last[place] = word
                queue.words[at[place]] = word
                at[place] += 1
    queue = filled_up(queue, many.sum())
    empty = Pairs(np.zeros(1024, np.uint64), np.zeros(1024, np.int64), 0)
    slots, sums, used = with_room_for_pairs(empty, int(np.count_nonzero(totals)))
    for place in range(len(totals)):
        if totals[place] == 0:
            continue
        pair = pair_of(specials + place // _BYTES, specials + place % _BYTES)
        used += add_to_total(slots, sums, pair, totals[place])
        queue = pushed(queue, pair, totals[place], at[place] - many[place], many[place])
    return Pairs(slots, sums, used), queue


@jit
def with_room_for_pairs(table: Pairs, more: int) -> Pairs:
    """The table, with room for so many pairs more."""
    slots, totals, used = table
    size = len(slots)
    while size < 2 * (used + more):
        size *= 2
    if size == len(slots):
        return table
    larger, sums = np.zeros(size, np.uint64), np.zeros(size, np.int64)
    for old in range(len(slots)):
        if slots[old]:
            slot = _slot(larger, slots[old] - np.uint64(1))
            larger[slot], sums[slot] = slots[old], totals[old]
    return Pairs(larger, sums, used)


@jit
def total_of(slots: NDArray[np.uint64], totals: NDArray[np.int64], pair: np.uint64) -> int:
    """How often a pair stands in the words, 0 if it is not in the table."""
    return int(totals[_slot(slots, pair)])


@jit
def add_to_total(
    slots: NDArray[np.uint64], totals: NDArray[np.int64], pair: np.uint64, change: int
) -> int:
    """Change the total of a pair; 1 if it is a new one, for which there is room, else 0."""
    slot = _slot(slots, pair)
    totals[slot] += change
    if slots[slot]:
        return 0
    slots[slot] = pair + np.uint64(1)
    return 1


@jit
def _slot(slots: NDArray[np.uint64], pair: np.uint64) -> np.uint64:
    mask = np.uint64(len(slots) - 1)
    slot = mix64(pair) & mask
    while slots[slot] and slots[slot] != pair + np.uint64(1):
        slot = (slot + np.uint64(1)) & mask
    return slot


@jit
def settled(table: Pairs, queue: Queue, changes: Changes, merge: Merge) -> tuple[Pairs, Queue]:
    """The table and the queue after a merge.

    Args:
        table: May be changed, as the queue: use those returned.
        queue: Without the pair that was merged.
        changes: What the merge did; nothing is left of it.
        merge: Which one.
    """
    left, right, token, _ = merge
    gained, lost, many, last, changed, places, words, seen, posts = changes
    tokens = len(gained) // 2
    slots, totals, used = with_room_for_pairs(table, 2 * seen)
    queue = with_room_for_words(queue, posts)
    at = queue.used
    for i in range(seen):
        place = changed[i]
        if lost[place]:
            old = pair_of(place, left) if place < tokens else pair_of(right, place - tokens)
            used += add_to_total(slots, totals, old, -lost[place])
        if gained[place]:
            used += add_to_total(slots, totals, _new_pair(place, token, tokens), gained[place])
        lost[place] = at  # from here on: where its next word goes
        at += many[place]
    for i in range(posts):
        place = places[i]
        queue.words[lost[place]] = words[i]
        lost[place] += 1
    queue = filled_up(queue, at)
    for i in range(seen):
        place = changed[i]
        if many[place]:
            pair = _new_pair(place, token, tokens)
            total = total_of(slots, totals, pair)
            if total > 0:
                start = lost[place] - many[place]
                queue = pushed(queue, pair, total, start, int(many[place]))
        gained[place] = lost[place] = many[place] = last[place] = 0
    return Pairs(slots, totals, used), queue


@jit
def _new_pair(place: int, token: int, tokens: int) -> np.uint64:
    return pair_of(place, token) if place < tokens else pair_of(token, place - tokens)
