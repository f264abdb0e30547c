"""Byte-pair encoding, learnt from distinct words weighted by how often they occur.

Sennrich et al. (2016), over bytes: the pair of tokens that occurs most often becomes a token, again
and again. Ties go to the pair with the smaller ids, so the order of the words does not matter.
Merges and ids are those that `BpeTrainer` of `tokenizers` finds. Totals have 64 bits.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.bare_arrays import bare
from corpusforge.kernels.bpe_pairs import Changes, Merge, first_pairs, no_changes, settled, total_of
from corpusforge.kernels.bpe_queue import sift_down, without_top
from corpusforge.kernels.byte_level import BYTES, byte_characters
from corpusforge.kernels.jit import jit
from corpusforge.kernels.word_counts import WordList


@dataclass(frozen=True, eq=False)
class Merges:
    """What was learnt. Merge i makes the token with id specials + 256 + i."""

    pairs: NDArray[np.int32]  # (m, 2) ids of the tokens merged
    tokens: list[bytes]  # by id: b"" for the special ones, then single bytes, then merges


def learn_merges(known: WordList, vocabulary: int, specials: int, longest: int) -> Merges:
    """The merges of a vocabulary.

    Args:
        known: Distinct words; merges never cross one.
        vocabulary: How many tokens, at least specials + 256; there are fewer when every word is
            one token before.
        specials: Ids that come before those of single bytes.
        longest: What is made of a token of several bytes is shorter than this, in bytes.
    """
    alphabet = np.argsort(np.array(list(byte_characters()))).astype(np.uint8)
    ids = np.empty(BYTES, np.int32)
    ids[alphabet] = np.arange(specials, specials + BYTES)
    start, end = known.bounds[0], known.bounds[-1]
    symbols = ids[known.data[start:end]]
    words = Words(symbols, known.bounds[:-1] - start, np.diff(known.bounds), known.counts)
    pairs = _learn(words, vocabulary, specials, longest)
    tokens = [b""] * specials + [bytes([byte]) for byte in alphabet]
    for left, right in pairs.tolist():
        tokens.append(tokens[left] + tokens[right])
    return Merges(pairs, tokens)


class Words(NamedTuple):
    """Words as tokens: word w is symbols[starts[w]:starts[w] + sizes[w]], and shrinks in place."""

    symbols: NDArray[np.int32]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    counts: NDArray[np.int64]


@jit
def _learn(words: Words, vocabulary: int, specials: int, longest: int) -> NDArray[np.int32]:
    """The pairs merged, in order.

    Two merges never spell the same token: between two bounds that no merge crosses, the merges
    inside do not depend on what is outside. So a pair comes up in one round only, that of the
    younger of its tokens, has one entry in the queue, and its total can only fall.
    """
    symbols, starts, sizes, counts = words
    table, queue = first_pairs(symbols, starts, sizes, counts, specials)
    changes = no_changes(vocabulary)
    lengths = np.ones(vocabulary, np.int64)
    merged = np.empty((vocabulary - specials - BYTES, 2), np.int32)
    merges = 0
    while merges < len(merged) and queue.size:
        entry = queue.heap[0]
        pair = queue.pairs[entry]
        total = total_of(table.slots, table.totals, pair)
        if queue.totals[entry] != total:  # it has fallen since the entry was looked at
            queue.totals[entry] = total
            sift_down(queue.heap, queue.size, queue.totals, queue.pairs)
            continue
        if total == 0:
            break
        left, right = int(pair >> np.uint64(32)), int(pair & np.uint64(0xFFFFFFFF))
        token = specials + BYTES + merges
        merged[merges, 0], merged[merges, 1] = left, right
        lengths[token] = lengths[left] + lengths[right]
        merges += 1
        merge = Merge(left, right, token, longest - lengths[token])
        first, many = queue.starts[entry], queue.many[entry]
        queue = without_top(queue)
        changes = _merge(words, queue.words[first : first + many], merge, lengths, changes)
        table, queue = settled(table, queue, changes, merge)
    return merged[:merges]


@jit
def _merge(
    words: Words,
    where: NDArray[np.int32],
    merge: Merge,
    lengths: NDArray[np.int64],
    changes: Changes,
) -> Changes:
    """What it changes to merge a pair in some words, the leftmost one first."""
    symbols, starts = bare(words.symbols), bare(words.starts)
    sizes, counts = bare(words.sizes), bare(words.counts)
    left, right, token, limit = merge
    gained, lost, many = bare(changes.gained), bare(changes.lost), bare(changes.many)
    last, seen = bare(changes.last), bare(changes.seen)
    places, posted = changes.places, changes.words
    tokens = len(gained) // 2
    changed, posts = 0, 0
    for word in where:
        start, size, count = starts[word], sizes[word], counts[word]
        if posts + 2 * size > len(places):
            places, posted = _longer(places, size), _longer(posted, size)
        read = write = start
        end = start + size
        while read < end:
            if read + 1 == end or symbols[read] != left or symbols[read + 1] != right:
                symbols[write] = symbols[read]
                read += 1
                write += 1
                continue
            symbols[write] = token
            read += 2
            for side in range(2):
                if (side == 0 and write == start) or (side == 1 and read == end):
                    continue
                near = int(symbols[write - 1] if side == 0 else symbols[read])
                place = near + side * tokens
                changed = _touch(gained, lost, seen, changed, place)
                lost[place] += count
                if lengths[near] >= limit:
                    continue
                if near == token:  # the pair (token, token) has one place, seen from either side
                    place = token
                    changed = _touch(gained, lost, seen, changed, place)
                gained[place] += count
                if last[place] != word + 1:
                    last[place] = word + 1
                    many[place] += 1
                    places[posts], posted[posts] = place, word
                    posts += 1
            write += 1
        sizes[word] = write - start
    return Changes(
        changes.gained,
        changes.lost,
        changes.many,
        changes.last,
        changes.seen,
        places,
        posted,
        changed,
        posts,
    )


@jit
def _touch(
    gained: NDArray[np.int64],
    lost: NDArray[np.int64],
    seen: NDArray[np.int32],
    changed: int,
    place: int,
) -> int:
    if lost[place] == 0 and gained[place] == 0:
        seen[changed] = place
        return changed + 1
    return changed


@jit
def _longer(values: NDArray[np.int32], more: int) -> NDArray[np.int32]:
    grown = np.empty(2 * (len(values) + more), np.int32)
    grown[: len(values)] = values
    return grown
