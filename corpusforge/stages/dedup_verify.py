"""Which candidates are one document indeed: the shingle and verify tasks of dedup."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.formats.facts import ATTRIBUTES, Facts
from corpusforge.formats.partition import read_batches
from corpusforge.formats.run import gather, runs_in, write_run
from corpusforge.formats.shingle_sets import shingle_sets_writer
from corpusforge.kernels.bibliography import authors_agree
from corpusforge.kernels.evidence import COMPARISON, Evidence, Limits
from corpusforge.kernels.shingles import letter_table, shingle_sets
from corpusforge.kernels.similarity import shared
from corpusforge.stages.dedup_direction import directed
from corpusforge.stages.dedup_pairs import PAIR, distinct_pairs, pair_keys
from corpusforge.stages.dedup_places import MEMBER, ROW, Places, locate
from corpusforge.stages.dedup_sign import VERSIONS_OF_YEAR
from corpusforge.tables.schemas import DOCUMENTS
from corpusforge.tables.text import text_buffers
from corpusforge.work import Tally, Task

ADDRESS = np.dtype("<u8")
NEWER, FULL_TEXT = ATTRIBUTES.index("newer"), ATTRIBUTES.index("full_text")
# A pair that is one document: by which rule, on what evidence, and which end may go for the other.
EDGE = np.dtype(
    [("a", MEMBER), ("b", MEMBER), ("jaccard", "<f8"), ("containment", "<f8"), ("rule", "<u2"),
     ("removable", "<u2"), ("evidence", "<u4")]
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
    rows = (wanted & ROW).astype(np.int64)
    write_sets(documents, rows, rows.astype(np.uint32), task.targets[0], shingle_words)
    return Tally(counts={"documents_compared": len(rows)})


def write_sets(
    documents: Path,
    rows: NDArray[np.int64],
    numbers: NDArray[np.uint32],
    target: Path,
    shingle_words: int,
) -> None:
    """Write the shingles of some rows of a partition, ascending, under the numbers given them."""
    seen = 0
    with shingle_sets_writer(target) as writer:
        for batch in read_batches(documents, DOCUMENTS):
            here = slice(*np.searchsorted(rows, [seen, seen + batch.num_rows]))
            texts = batch["text"].take(pa.array(rows[here] - seen, pa.int64()))
            bounds, values, _ = shingle_sets(*text_buffers(texts), letter_table(), shingle_words)
            writer.write(numbers[here], bounds, values)
            seen += batch.num_rows


def verify(task: Task, places: Places, limits: Limits) -> Tally:
    """The candidate pairs of this range of keys that are one document, and by which rule."""
    low, high = map(int, task.arguments)
    pairs = distinct_pairs(gather(runs_in(task.sources[0]), PAIR, low, high).records)
    edges = measured(pairs, places, limits)
    write_run(task.targets[0], pair_keys(edges), edges)
    return Tally(counts={"pairs_compared": len(pairs), "pairs_verified": len(edges)})


def measured(pairs: NDArray[np.void], places: Places, limits: Limits) -> NDArray[np.void]:
    """Those of the pairs that are one document, with what was measured of them."""
    open_part = cache(places.facts_of)
    compared, full_texts = _compared(pairs, places, open_part)
    edges = np.zeros(len(pairs), EDGE)
    edges["a"], edges["b"] = pairs["a"], pairs["b"]
    ones, others, both = (compared[name].astype(np.int64) for name in ("one", "other", "shared"))
    edges["jaccard"] = both / np.maximum(ones + others - both, 1)
    edges["containment"] = both / np.maximum(np.minimum(ones, others), 1)
    again = _one_record(pairs, open_part)
    named = (compared["evidence"] & Evidence.IDENTIFIER) > 0
    unlike = edges["containment"] < limits.bibliographic
    for i in np.flatnonzero(named & unlike & ~again):
        if not _authors_agree(pairs[i], open_part):
            compared["evidence"][i] ^= Evidence.IDENTIFIER | Evidence.DOUBTED
    edges["evidence"] = compared["evidence"]
    edges["rule"], edges["removable"] = directed(compared, full_texts, again, limits)
    return edges[edges["rule"] > 0]


def _compared(
    pairs: NDArray[np.void], places: Places, open_part: Callable[[int], Facts]
) -> tuple[NDArray[np.void], NDArray[np.bool_]]:
    """The pairs as `evidence.COMPARISON`, and which of their documents are full texts, (P, 2)."""
    open_sets = cache(places.sets_of)
    compared = np.zeros(len(pairs), COMPARISON)
    # Equal words are evidence whether or not the two were candidates for them.
    compared["evidence"] = pairs["evidence"] & (0xFF ^ int(Evidence.EXACT))
    full_texts = np.zeros((len(pairs), 2), np.bool_)
    for i, ends in enumerate(zip(pairs["a"]["address"], pairs["b"]["address"], strict=True)):
        (part_a, row_a), (part_b, row_b) = map(locate, ends)
        one, other = open_sets(part_a).shingles(row_a), open_sets(part_b).shingles(row_b)
        first, second = open_part(part_a), open_part(part_b)
        told = first.attributes_of(row_a), second.attributes_of(row_b)
        years = [int(attributes[NEWER]) // VERSIONS_OF_YEAR for attributes in told]
        full_texts[i] = [attributes[FULL_TEXT] for attributes in told]
        pair = compared[i]
        pair["one"], pair["other"], pair["shared"] = len(one), len(other), shared(one, other)
        pair["years_apart"] = abs(years[0] - years[1]) if all(years) else 0
        pair["title"] = min(first.title_shingles(row_a), second.title_shingles(row_b))
        if first.digest(row_a) == second.digest(row_b):
            pair["evidence"] |= Evidence.EXACT
    return compared, full_texts


def _authors_agree(pair: np.void, open_part: Callable[[int], Facts]) -> bool:
    (part, row), (other, at) = map(locate, (pair["a"]["address"], pair["b"]["address"]))
    told = open_part(part).of(row, "authors"), open_part(other).of(at, "authors")
    return authors_agree(*(authors or [] for authors in told))


def _one_record(pairs: NDArray[np.void], open_part: Callable[[int], Facts]) -> NDArray[np.bool_]:
    """Which pairs are a document of the index and the same one come again, whatever it says now."""
    again = np.zeros(len(pairs), np.bool_)
    for i in np.flatnonzero(pairs["a"]["uid"] == pairs["b"]["uid"]):
        (part, row), (other, at) = map(locate, (pairs["a"]["address"][i], pairs["b"]["address"][i]))
        # Two doc_ids have one uid with probability 2**-64; they are two documents then.
        again[i] = open_part(part).of(row, "doc_id") == open_part(other).of(at, "doc_id")
    return again
