"""Dedup: one copy of every document, and for each removed one the document that replaces it.

    sign      per partition   shingles of each document, and its LSH band keys
    pair      per key range   documents that share a band, or all their words, are candidates
    verify    per key range   exact Jaccard similarity of each candidate pair
    cluster   once            components of verified pairs; the longest copy is kept
    annotate  per partition   which documents survive; the removed ones become rejects

Texts are read once and not rewritten. Between phases, records travel in sorted runs. What leaves
the stage names documents by uid and doc_id, never by position.
"""

from functools import partial
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from corpusforge.formats.run import key_ranges
from corpusforge.kernels.lsh import collision_probability
from corpusforge.stages.dedup_choice import annotate, cluster
from corpusforge.stages.dedup_pairs import pair, sign, verify
from corpusforge.stages.stage import SCRATCH, Inputs, Phase, Phases, Stage, partition_targets
from corpusforge.work import Task

RECORDS_PER_RANGE = 4_000_000  # about 100 MB of band records, 160 MB of pairs


class DedupConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Near-duplicate removal. Every field changes the output; nothing else does."""

    shingle_words: Annotated[int, Meta(ge=1, description="Words per shingle.")] = 5
    bands: Annotated[int, Meta(ge=1, description="LSH bands; more bands find more pairs.")] = 20
    rows: Annotated[int, Meta(ge=1, description="Signature entries per band.")] = 6
    similarity: Annotated[
        float, Meta(gt=0, le=1, description="Jaccard at or above this is a duplicate.")
    ] = 0.8
    seed: Annotated[int, Meta(ge=0, lt=2**32, description="Of the hash functions.")] = 1

    def __post_init__(self) -> None:
        found = collision_probability(self.similarity, self.bands, self.rows)
        if found < 0.9:
            raise ValueError(
                f"bands={self.bands}, rows={self.rows} would find only {found:.0%} of pairs at "
                f"similarity {self.similarity}; raise bands or lower rows"
            )


def phases(config: DedupConfig, inputs: Inputs, out: Path) -> Phases:
    documents = inputs.partitions("clean")
    scratch = out / SCRATCH
    indexes, bands = scratch / "index", scratch / "bands"
    signed = yield Phase(
        "sign",
        partial(
            sign,
            shingle_words=config.shingle_words,
            bands=config.bands,
            rows=config.rows,
            seed=config.seed,
        ),
        [
            Task(p.stem, (p,), (indexes / f"{p.stem}.arrow", bands / f"{p.stem}.run"), (part,))
            for part, p in enumerate(documents)
        ],
    )
    pairs, edges = scratch / "pairs", scratch / "edges"
    pairing = _range_tasks(signed.counts.get("band_keys", 0), bands, pairs)
    paired = yield Phase("pair", pair, pairing)
    verifying = _range_tasks(paired.counts.get("candidates", 0), pairs, edges)
    yield Phase("verify", partial(verify, indexes=indexes, threshold=config.similarity), verifying)
    decisions = scratch / "decisions.run"
    yield Phase("cluster", partial(cluster, indexes=indexes), [Task("all", (edges,), (decisions,))])
    yield Phase(
        "annotate",
        partial(annotate, indexes=indexes, threshold=config.similarity),
        [
            Task(p.stem, (p, decisions), partition_targets(out, p.stem), (part,))
            for part, p in enumerate(documents)
        ],
    )


def _range_tasks(records: int, source: Path, target: Path) -> list[Task]:
    """One task per key range of the runs in a folder, small enough to hold its records."""
    return [
        Task(f"range-{i:05d}", (source,), (target / f"range-{i:05d}.run",), key_range)
        for i, key_range in enumerate(key_ranges(records, RECORDS_PER_RANGE))
    ]


STAGE = Stage(
    name="dedup",
    version=1,
    config=DedupConfig,
    reads=("clean",),
    phases=phases,
    records_from="clean",
)
