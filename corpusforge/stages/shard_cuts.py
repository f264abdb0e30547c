"""Where one shard ends and the next begins: the cut task of each split.

Shards of a split are made about equally large, for training refuses one that holds no window; none
passes the limit, except one that holds a single document which does. Order keys and lengths are
read a range of the order at a time, so memory does not grow with the documents.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from corpusforge.formats.atomic import write_atomic
from corpusforge.stages.shard_parts import Part, open_parts
from corpusforge.work import Tally, Task

RANGE = 1 << 22  # documents of the order that are held at a time
Keyed = tuple[NDArray[np.uint64], NDArray[np.int64]]  # order keys, ascending, and tokens


class Cut(Struct, frozen=True):
    """One shard: the documents with low <= order < high."""

    low: int
    high: int
    documents: int
    tokens: int


def cut(task: Task, shard_tokens: int) -> Tally:
    """Decide the shards of a split whose documents are all encoded."""
    [folder], [target] = task.sources, task.targets
    parts = open_parts(folder)
    places = sum(len(part.order) for part in parts)
    count = 1 + places // RANGE
    total = sum(int(tokens.sum()) for _, tokens in ranges(parts, count))
    write_cuts(target, cuts(ranges(parts, count), total, shard_tokens))
    return Tally()


def ranges(parts: Sequence[Part], count: int) -> Iterator[Keyed]:
    """All places of a split in order, in so many ranges of the order's keys."""
    for i in range(count):
        here = [part.between(2**64 * i // count, 2**64 * (i + 1) // count) for part in parts]
        pairs = list(zip(parts, here, strict=True))
        order = np.concatenate([np.empty(0, np.uint64), *(p.order[s] for p, s in pairs)])
        tokens = np.concatenate([np.empty(0, np.int64), *(p.lengths(p.rows(s)) for p, s in pairs)])
        sorting = np.argsort(order, kind="stable")
        yield order[sorting], tokens[sorting]


def cuts(keyed: Iterator[Keyed], total: int, limit: int) -> list[Cut]:
    """The shards of documents that come in order; one empty shard where there are none.

    Args:
        keyed: Order keys and tokens of some documents at a time; no key is in two of them.
        total: Tokens of all of them.
        limit: Of the tokens in a shard.
    """
    made: list[Cut] = []
    low, documents, tokens, before = 0, 0, 0, 0
    aim = next_aim(total, limit)
    for order, lengths in keyed:
        ends = np.concatenate([[0], np.cumsum(lengths)])
        at = 0
        while at < len(order):
            fits = int(np.searchsorted(ends, ends[at] + aim - tokens, side="right")) - 1
            # Documents with equal keys stay together: a shard is a range of keys.
            while at < fits < len(order) and order[fits] == order[fits - 1]:
                fits -= 1
            if fits <= at and documents:
                made.append(Cut(low, int(order[at]), documents, tokens))
                before += tokens
                low, documents, tokens, aim = int(order[at]), 0, 0, next_aim(total - before, limit)
                continue
            if fits <= at:  # one document is longer than a shard
                fits = int(np.searchsorted(order, order[at], side="right"))
            documents += fits - at
            tokens += int(ends[fits] - ends[at])
            at = fits
    return [*made, Cut(low, 2**64, documents, tokens)]


def next_aim(left: int, limit: int) -> int:
    """Tokens for the next shard, so that it and those after it get about equally many."""
    shards = max(1, -(-left // limit))
    return min(limit, -(-left // shards))


def write_cuts(target: Path, made: Sequence[Cut]) -> None:
    """Keep the shards of a split for the tasks that make them."""
    # As strings: JSON's readers need not hold integers beyond 2**53.
    rows = [[str(c.low), str(c.high), c.documents, c.tokens] for c in made]
    write_atomic(target, msgspec.json.encode(rows))


def read_cuts(path: Path) -> list[Cut]:
    """What `write_cuts` kept."""
    rows = msgspec.json.decode(path.read_bytes(), type=list[tuple[str, str, int, int]])
    return [Cut(int(low), int(high), documents, tokens) for low, high, documents, tokens in rows]
