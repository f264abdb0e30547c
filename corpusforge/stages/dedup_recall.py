"""What dedup finds in an index: claims to the keys of new documents.

Work and reading grow with the new documents: each of their keys is looked up in the sorted claims
of every generation, which takes the logarithm of what the index holds.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpusforge.formats.dedup_index import ADDRESS, claim_runs, gone_in, write_addresses
from corpusforge.formats.run import Run, open_run
from corpusforge.stages.dedup_sign import CLAIM
from corpusforge.work import Tally, Task


def settle(task: Task) -> Tally:
    """What is gone from the index, as it is now: `forget` may run while later tasks do."""
    gone = gone_in(task.sources[0])
    write_addresses(task.targets[0], gone)
    return Tally(counts={"documents_gone_from_index": len(gone)})


def remembered(claims: Run, index: Path, gone: Path, most: int) -> Run:
    """The claims of an index to the keys of these claims.

    Of a key that many documents share, only the first and those nearest to each new one: with the
    same limit `lsh.candidate_pairs` pairs all that it would pair in one run.

    Args:
        claims: Of new documents, ordered by key.
        index: Folder of the index.
        gone: Run of the addresses that do not count.
        most: Records before and after each new one; the first limit of `lsh.candidate_pairs`.
    """
    found = [_near_ones(claims, open_run(path, CLAIM), most) for path in claim_runs(index)]
    keys = np.concatenate([claims.keys[:0], *(run.keys for run in found)])
    records = np.concatenate([np.empty(0, CLAIM), *(run.records for run in found)])
    stays = ~_among(records["member"]["address"], open_run(gone, ADDRESS).keys)
    return Run(keys[stays], records[stays])


def _near_ones(claims: Run, old: Run, most: int) -> Run:
    low = np.searchsorted(old.keys, claims.keys)
    high = np.searchsorted(old.keys, claims.keys, side="right")
    met = low < high
    low, high, wanted = low[met], high[met], claims.records[met]
    place = _insertion(old.records, low, high, wanted)
    start, end = np.maximum(low, place - most), np.minimum(high, place + most)
    every = np.repeat(start, end - start) + _within(end - start)
    rows = np.unique(np.concatenate([low, every]))
    return Run(np.asarray(old.keys[rows]), np.asarray(old.records[rows]))


def _insertion(
    records: NDArray[np.void],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    wanted: NDArray[np.void],
) -> NDArray[np.int64]:
    """Where each wanted claim would stand among records[low:high], ordered by `near`, then uid."""
    low, high = low.copy(), high.copy()
    near, uid = wanted["near"], wanted["member"]["uid"]
    while (open_ := low < high).any():
        middle = (low + high) // 2
        at = records[np.where(open_, middle, 0)]
        same = at["near"] == near
        before = (at["near"] < near) | (same & (at["member"]["uid"] < uid))
        low = np.where(open_ & before, middle + 1, low)
        high = np.where(open_ & ~before, middle, high)
    return low


def _within(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, … of each of several groups, one after the other."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _among(values: NDArray[np.uint64], ascending: NDArray[np.uint64]) -> NDArray[np.bool_]:
    place = np.searchsorted(ascending, values)
    there = place < len(ascending)
    there[there] = ascending[place[there]] == values[there]
    return there
