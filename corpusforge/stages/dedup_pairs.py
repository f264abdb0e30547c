"""Which documents may be one: the pair tasks of dedup."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpusforge.formats.run import Run, gather, runs_in, write_run
from corpusforge.kernels.evidence import Evidence
from corpusforge.kernels.lsh import candidate_pairs
from corpusforge.kernels.mixing import seeded_order
from corpusforge.stages.dedup_places import MEMBER, indexed
from corpusforge.stages.dedup_recall import remembered
from corpusforge.stages.dedup_sign import CLAIM
from corpusforge.work import Tally, Task

MOST_MET = 34  # documents that share a key give all their pairs
WINDOW = 4  # of more of them each meets the first and so many others; `recheck` finds the rest
MOST_SHARING = 8  # documents that bear an identifier before it is in doubt
CLAIMS_AT_ONCE = 1 << 13  # and 17 pairs for each at most: 35 MB while they are ordered

PAIR = np.dtype(
    [("a", MEMBER), ("b", MEMBER), ("evidence", "<u8")]
)  # a before b, by uid, then address


def pair(task: Task, index: Path | None = None, gone: Path | None = None) -> Tally:
    """Pairs of documents that share a key in this task's range of keys; one of each is new.

    The second target names, by partition, the new documents that are in a pair.

    Args:
        task: Its source is the folder of claims.
        index: Folder of the index whose documents are paired with the new ones.
        gone: Run of the addresses in it that do not count.
    """
    low, high = map(int, task.arguments)
    claims = _ordered(gather(runs_in(task.sources[0]), CLAIM, low, high))
    if index is not None and gone is not None:
        old = remembered(claims, index, gone, MOST_MET)
        claims = _ordered(
            Run(
                np.concatenate([claims.keys, old.keys]),
                np.concatenate([claims.records, old.records]),
            )
        )
    _, counts = np.unique(claims.keys, return_counts=True)
    pairs = _pairs(claims, np.repeat(counts > MOST_SHARING, counts))
    write_run(task.targets[0], pair_keys(pairs), pairs)
    wanted = np.unique(np.concatenate([pairs["a"]["address"], pairs["b"]["address"]]))
    wanted = wanted[~indexed(wanted)]
    write_run(task.targets[1], wanted >> np.uint64(32), wanted)
    return Tally(counts={"candidates": len(pairs), **_hot(counts)})


def _pairs(claims: Run, crowded: NDArray[np.bool_]) -> NDArray[np.void]:
    """The pairs of these claims, each once: copies that share many keys are paired many times."""
    pairs = np.empty(0, PAIR)
    waiting: list[NDArray[np.void]] = []
    for start in range(0, len(claims.keys), CLAIMS_AT_ONCE):
        end = min(start + CLAIMS_AT_ONCE, len(claims.keys))
        left, right = candidate_pairs(claims.keys, (MOST_MET, WINDOW), start, end)
        waiting.append(_met(claims.records[left], claims.records[right], crowded[left]))
        if sum(map(len, waiting)) > len(pairs):
            pairs = distinct_pairs(np.concatenate([pairs, *waiting]))
            waiting.clear()
    return distinct_pairs(np.concatenate([pairs, *waiting]))


def _met(
    left: NDArray[np.void], right: NDArray[np.void], crowded: NDArray[np.bool_]
) -> NDArray[np.void]:
    """Each pair of documents that claim one key, unless they are one or both of the index."""
    one, other = left["member"], right["member"]
    useful = (one["address"] != other["address"]) & ~indexed(
        np.minimum(one["address"], other["address"])
    )
    one, other, evidence = one[useful], other[useful], left["evidence"][useful]
    swapped = one["uid"] > other["uid"]
    swapped |= (one["uid"] == other["uid"]) & indexed(one["address"])
    pairs = np.empty(len(one), PAIR)
    pairs["a"] = np.where(swapped, other, one)
    pairs["b"] = np.where(swapped, one, other)
    in_doubt = crowded[useful] & (evidence == Evidence.IDENTIFIER)
    pairs["evidence"] = np.where(in_doubt, int(Evidence.DOUBTED), evidence)
    return distinct_pairs(pairs)


def _ordered(claims: Run) -> Run:
    """Claims to one key are compared in the order of `near`."""
    order = np.lexsort((claims.records["member"]["uid"], claims.records["near"], claims.keys))
    return Run(claims.keys[order], claims.records[order])


def _hot(members: NDArray[np.int64]) -> dict[str, int]:
    """Keys that too many documents share for all their pairs, and the pairs left out there."""
    hot = members[members > MOST_MET]
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
    a, b = pairs["a"], pairs["b"]
    order = np.lexsort((b["address"], a["address"], b["uid"], a["uid"]))
    a, b = a["address"][order], b["address"][order]
    new = np.ones(len(pairs), bool)
    new[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    distinct = pairs[order[new]]
    if len(distinct):
        evidence = pairs["evidence"][order]
        distinct["evidence"] = np.bitwise_or.reduceat(evidence, np.flatnonzero(new))
    return distinct
