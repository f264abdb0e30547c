"""Which documents resemble each other: sign, pair and verify tasks of dedup."""

from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpusforge.formats.partition import read_batches
from corpusforge.formats.run import gather, runs_in, write_run
from corpusforge.formats.shingle_index import (
    ShingleIndex,
    open_shingle_index,
    shingle_index_writer,
)
from corpusforge.kernels.lsh import band_keys, candidate_pairs
from corpusforge.kernels.minhash import HashFamily, signatures
from corpusforge.kernels.mixing import seeded_order
from corpusforge.kernels.shingles import letter_table, shingle_sets
from corpusforge.kernels.similarity import jaccard
from corpusforge.stages.stage import part_name
from corpusforge.tables.schemas import DOCUMENTS
from corpusforge.tables.text import text_buffers
from corpusforge.work import Tally, Task

WINDOW = 32  # see candidate_pairs: 34 documents that share a band give all their pairs

# Inside dedup a document is addressed by partition << 32 | row of its immutable input.
MEMBER = np.dtype([("uid", "<u8"), ("address", "<u8")])
PAIR = np.dtype([("a", MEMBER), ("b", MEMBER)])  # a.uid < b.uid
EDGE = np.dtype([("a", MEMBER), ("b", MEMBER), ("similarity", "<f8"), ("exact", "<u8")])


def sign(task: Task, shingle_words: int, bands: int, rows: int, seed: int) -> Tally:
    """Band keys of one partition's documents, and their shingles for `verify`."""
    index, run = task.targets
    part = int(task.arguments[0])
    family = HashFamily.seeded(bands * rows, seed)
    keys: list[NDArray[np.uint64]] = []
    members: list[NDArray[np.void]] = []
    seen = size = 0
    with shingle_index_writer(index) as writer:
        for batch in read_batches(task.sources[0], DOCUMENTS):
            data, bounds = text_buffers(batch["text"])
            starts, shingles, digests = shingle_sets(data, bounds, letter_table(), shingle_words)
            writer.write(batch["doc_id"], np.diff(bounds), digests, starts, shingles)
            banded = band_keys(signatures(starts, shingles, family), bands)
            # Equal word sequences meet in a column of their own, so no exact duplicate is missed.
            keys.append(np.column_stack([banded, digests]).ravel())
            member = np.empty(batch.num_rows, MEMBER)
            member["uid"] = batch["uid"].to_numpy()
            member["address"] = np.arange(seen, seen + batch.num_rows) + (part << 32)
            members.append(np.repeat(member, bands + 1))
            seen += batch.num_rows
            size += int(bounds[-1] - bounds[0])
    all_keys = np.concatenate([*keys, np.empty(0, np.uint64)])
    write_run(run, all_keys, np.concatenate([*members, np.empty(0, MEMBER)]))
    return Tally(bytes_read=size, counts={"band_keys": len(all_keys)})


def pair(task: Task) -> Tally:
    """Pairs of documents that share a band key in this task's range of keys."""
    low, high = map(int, task.arguments)
    shared = gather(runs_in(task.sources[0]), MEMBER, low, high)
    order = np.lexsort((shared.records["uid"], shared.keys))
    left, right = candidate_pairs(shared.keys[order], WINDOW)
    pairs = np.empty(len(left), PAIR)
    pairs["a"], pairs["b"] = shared.records[order[left]], shared.records[order[right]]
    pairs = distinct_pairs(pairs)
    write_run(task.targets[0], pair_keys(pairs), pairs)
    return Tally(counts={"candidates": len(pairs)})


def verify(task: Task, indexes: Path, threshold: float) -> Tally:
    """The candidate pairs of this range of keys whose exact Jaccard similarity is enough."""
    low, high = map(int, task.arguments)
    pairs = distinct_pairs(gather(runs_in(task.sources[0]), PAIR, low, high).records)
    index = cache(partial(index_of, indexes))
    edges = np.empty(len(pairs), EDGE)
    edges["a"], edges["b"] = pairs["a"], pairs["b"]
    for i, (a, b) in enumerate(zip(pairs["a"]["address"], pairs["b"]["address"], strict=True)):
        (part_a, row_a), (part_b, row_b) = locate(a), locate(b)
        one, other = index(part_a), index(part_b)
        edges["similarity"][i] = jaccard(one.shingles(row_a), other.shingles(row_b))
        edges["exact"][i] = one.digest(row_a) == other.digest(row_b)
    edges = edges[edges["similarity"] >= threshold]
    write_run(task.targets[0], pair_keys(edges), edges)
    return Tally(counts={"pairs_compared": len(pairs), "pairs_verified": len(edges)})


def index_of(folder: Path, part: int) -> ShingleIndex:
    """The shingle index of a partition."""
    return open_shingle_index(folder / f"{part_name(part)}.arrow")


def locate(address: np.uint64) -> tuple[int, int]:
    """Partition and row of a document.

    >>> locate(np.uint64((3 << 32) + 7))
    (3, 7)
    """
    return int(address) >> 32, int(address) & 0xFFFFFFFF


def pair_keys(pairs: NDArray[np.void]) -> NDArray[np.uint64]:
    """A key per pair that spreads pairs evenly and depends on their two uids alone."""
    return seeded_order(pairs["a"]["uid"] * np.uint64(0x9E3779B97F4A7C15) + pairs["b"]["uid"], 0)


def distinct_pairs(pairs: NDArray[np.void]) -> NDArray[np.void]:
    """Each pair once, ordered by its uids."""
    a, b = pairs["a"]["uid"], pairs["b"]["uid"]
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    new = np.ones(len(pairs), bool)
    new[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    return pairs[order[new]]
