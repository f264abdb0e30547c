"""Which candidates are one document indeed: the shingle and verify tasks of dedup."""

from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.formats.facts import ATTRIBUTES, Facts, open_facts
from corpusforge.formats.partition import read_batches
from corpusforge.formats.run import gather, runs_in, write_run
from corpusforge.formats.shingle_sets import ShingleSets, open_shingle_sets, write_shingle_sets
from corpusforge.kernels.evidence import COMPARISON, Evidence, Limits, Rule, judge_pairs
from corpusforge.kernels.shingles import letter_table, shingle_sets
from corpusforge.kernels.similarity import shared
from corpusforge.stages.dedup_pairs import PAIR, distinct_pairs, pair_keys
from corpusforge.stages.dedup_sign import MEMBER
from corpusforge.stages.stage import part_name
from corpusforge.tables.schemas import DOCUMENTS
from corpusforge.tables.text import text_buffers
from corpusforge.work import Tally, Task

ADDRESS = np.dtype("<u8")
YEAR = ATTRIBUTES.index("newer")
A_FOR_B, B_FOR_A, EITHER = 1, 2, 3  # which end of an edge may be removed for the other
# A pair that is one document. `rule` says why.
EDGE = np.dtype(
    [("a", MEMBER), ("b", MEMBER), ("jaccard", "<f8"), ("containment", "<f8"), ("rule", "<u4"),
     ("removable", "<u4")]
)  # fmt: skip


def shingle(task: Task, shingle_words: int) -> Tally:
    """Shingles of those documents of a partition that are in a pair.

    Args:
        task: Sources are the partition and the folder of runs of wanted addresses.
        shingle_words: Words of a shingle.
    """
    documents, wanted_runs = task.sources
    part = int(task.arguments[0])
    wanted = np.unique(gather(runs_in(wanted_runs), ADDRESS, part, part + 1).records)
    rows = (wanted & np.uint64(0xFFFFFFFF)).astype(np.int64)
    bounds, shingles = [np.zeros(1, np.int64)], [np.empty(0, np.uint32)]
    seen = total = 0
    for batch in read_batches(documents, DOCUMENTS):
        here = rows[(rows >= seen) & (rows < seen + batch.num_rows)] - seen
        texts = batch["text"].take(pa.array(here, pa.int64()))
        starts, values, _ = shingle_sets(*text_buffers(texts), letter_table(), shingle_words)
        bounds.append(starts[1:] + total)
        shingles.append(values)
        total += len(values)
        seen += batch.num_rows
    write_shingle_sets(
        task.targets[0], rows.astype(np.uint32), np.concatenate(bounds), np.concatenate(shingles)
    )
    return Tally(counts={"documents_compared": len(rows)})


def verify(task: Task, facts: Path, sets: Path, limits: Limits) -> Tally:
    """The candidate pairs of this range of keys that are one document, and by which rule."""
    low, high = map(int, task.arguments)
    pairs = distinct_pairs(gather(runs_in(task.sources[0]), PAIR, low, high).records)
    edges = measured(pairs, facts, sets, limits)
    write_run(task.targets[0], pair_keys(edges), edges)
    return Tally(counts={"pairs_compared": len(pairs), "pairs_verified": len(edges)})


def measured(pairs: NDArray[np.void], facts: Path, sets: Path, limits: Limits) -> NDArray[np.void]:
    """Those of the pairs that are one document, with what was measured of them."""
    open_part, open_sets = cache(partial(facts_of, facts)), cache(partial(_sets_of, sets))
    compared = np.zeros(len(pairs), COMPARISON)
    compared["evidence"] = pairs["evidence"]
    for i, ends in enumerate(zip(pairs["a"]["address"], pairs["b"]["address"], strict=True)):
        (part_a, row_a), (part_b, row_b) = map(locate, ends)
        one, other = open_sets(part_a).shingles(row_a), open_sets(part_b).shingles(row_b)
        first, second = open_part(part_a), open_part(part_b)
        years = int(first.attributes_of(row_a)[YEAR]), int(second.attributes_of(row_b)[YEAR])
        pair = compared[i]
        pair["one"], pair["other"], pair["shared"] = len(one), len(other), shared(one, other)
        pair["years_apart"] = abs(years[0] - years[1]) if all(years) else 0
        pair["title"] = min(first.title_shingles(row_a), second.title_shingles(row_b))
        if first.digest(row_a) != second.digest(row_b):
            pair["evidence"] &= ~Evidence.EXACT & 0xFF
    rules = judge_pairs(compared, limits)
    edges = np.zeros(len(pairs), EDGE)
    edges["a"], edges["b"], edges["rule"] = pairs["a"], pairs["b"], rules
    ones, others, both = (compared[name].astype(np.int64) for name in ("one", "other", "shared"))
    edges["jaccard"] = both / np.maximum(ones + others - both, 1)
    edges["containment"] = both / np.maximum(np.minimum(ones, others), 1)
    contained = rules == Rule.CONTAINED
    edges["removable"] = EITHER
    edges["removable"][contained & (ones < others)] = A_FOR_B
    edges["removable"][contained & (ones > others)] = B_FOR_A
    return edges[rules > 0]


def locate(address: np.uint64) -> tuple[int, int]:
    """Partition and row of a document.

    >>> locate(np.uint64((3 << 32) + 7))
    (3, 7)
    """
    return int(address) >> 32, int(address) & 0xFFFFFFFF


def facts_of(folder: Path, part: int) -> Facts:
    return open_facts(folder / f"{part_name(part)}.arrow")


def _sets_of(folder: Path, part: int) -> ShingleSets:
    return open_shingle_sets(folder / f"{part_name(part)}.arrow")
