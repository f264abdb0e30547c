"""Which documents may be one: the pair tasks of dedup."""

import numpy as np
from numpy.typing import NDArray

from corpusforge.formats.run import gather, runs_in, write_run
from corpusforge.kernels.lsh import candidate_pairs
from corpusforge.kernels.mixing import seeded_order
from corpusforge.stages.dedup_sign import CLAIM, MEMBER
from corpusforge.work import Tally, Task

WINDOW = 32  # see candidate_pairs: 34 documents that share a key give all their pairs

PAIR = np.dtype([("a", MEMBER), ("b", MEMBER), ("evidence", "<u8")])  # a.uid < b.uid


def pair(task: Task) -> Tally:
    """Pairs of documents that share a key in this task's range of keys.

    The second target names, by partition, the documents that are in a pair.
    """
    low, high = map(int, task.arguments)
    claims = gather(runs_in(task.sources[0]), CLAIM, low, high)
    order = np.lexsort((claims.records["member"]["uid"], claims.records["near"], claims.keys))
    keys, records = claims.keys[order], claims.records[order]
    left, right = candidate_pairs(keys, WINDOW)
    pairs = np.empty(len(left), PAIR)
    one, other = records["member"][left], records["member"][right]
    swapped = one["uid"] > other["uid"]
    pairs["a"] = np.where(swapped, other, one)
    pairs["b"] = np.where(swapped, one, other)
    pairs["evidence"] = records["evidence"][left]
    pairs = distinct_pairs(pairs[pairs["a"]["uid"] != pairs["b"]["uid"]])
    write_run(task.targets[0], pair_keys(pairs), pairs)
    wanted = np.unique(np.concatenate([pairs["a"]["address"], pairs["b"]["address"]]))
    write_run(task.targets[1], wanted >> np.uint64(32), wanted)
    return Tally(counts={"candidates": len(pairs), **_hot(keys)})


def _hot(keys: NDArray[np.uint64]) -> dict[str, int]:
    """Keys that too many documents share for all their pairs, and the pairs left out there."""
    _, members = np.unique(keys, return_counts=True)
    hot = members[members > WINDOW + 2].astype(np.int64)
    compared = WINDOW * hot - WINDOW * (WINDOW + 1) // 2 + (hot - WINDOW - 1)
    return {
        "hot_keys": len(hot),
        "pairs_left_out": int((hot * (hot - 1) // 2 - compared).sum()),
    }


def pair_keys(pairs: NDArray[np.void]) -> NDArray[np.uint64]:
    """A key per pair that spreads pairs evenly and depends on their two uids alone."""
    return seeded_order(pairs["a"]["uid"] * np.uint64(0x9E3779B97F4A7C15) + pairs["b"]["uid"], 0)


def distinct_pairs(pairs: NDArray[np.void]) -> NDArray[np.void]:
    """Each pair once, ordered by its uids, with all the evidence for it."""
    a, b = pairs["a"]["uid"], pairs["b"]["uid"]
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    new = np.ones(len(pairs), bool)
    new[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    distinct = pairs[order[new]]
    if len(distinct):
        evidence = pairs["evidence"][order]
        distinct["evidence"] = np.bitwise_or.reduceat(evidence, np.flatnonzero(new))
    return distinct
