"""Shards: surviving documents as token files for training, with a sidecar that names each one.

    encode    per partition       token ids, in a global random order that hashes decide
    assemble  per split and range one .bin/.idx pair and its provenance
    seal      once                corpus.json, which says what the folder holds

The split is decided by the cluster of duplicates, so two documents that resemble each other are
never on both sides of it; a document keeps its split and its place when others are added, unless
one of them joins its cluster with a smaller uid.
"""

from functools import partial
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from corpusforge.stages.shard_assembly import assemble, seal
from corpusforge.stages.shard_encoding import SPLITS, encode
from corpusforge.stages.stage import SCRATCH, Inputs, Phase, Phases, Stage, partition_targets
from corpusforge.stages.tokenizer import TOKENIZER
from corpusforge.work import Task


class ShardsConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How tokens are laid out."""

    split: Annotated[tuple[int, int, int], Meta(description="Parts of train, valid and test.")] = (
        969,
        30,
        1,
    )
    shard_tokens: Annotated[
        int, Meta(ge=1, description="A split gets as many shards as hold this many tokens each.")
    ] = 1_000_000_000
    seed: Annotated[int, Meta(ge=0, lt=2**32, description="Of the order and the split.")] = 1

    def __post_init__(self) -> None:
        if min(self.split) < 0 or self.split[0] < 1:
            raise ValueError(f"split={list(self.split)} needs a positive part for train")


def phases(config: ShardsConfig, inputs: Inputs, out: Path) -> Phases:
    documents, survivors = inputs.partitions("clean"), inputs.partitions("dedup")
    tokenizer = inputs.stages["tokenizer"] / TOKENIZER / "tokenizer.json"
    encoded = {
        name: [out / SCRATCH / name / f"{p.stem}.arrow" for p in documents] for name in SPLITS
    }
    counted = yield Phase(
        "encode",
        partial(encode, split=config.split, seed=config.seed),
        [
            Task(
                document.stem,
                (document, survivor, tokenizer),
                (*(encoded[name][i] for name in SPLITS), _rejects(out, document)),
            )
            for i, (document, survivor) in enumerate(zip(documents, survivors, strict=True))
        ],
    )
    tasks = [
        Task(
            shard,
            (out / SCRATCH / name, tokenizer),
            tuple(out / name / f"{shard}{suffix}" for suffix in (".bin", ".idx", ".parquet")),
            (index, shards),
        )
        for name in SPLITS
        for shards in [1 + counted.counts.get(f"{name}_tokens", 0) // config.shard_tokens]
        for index in range(shards)
        for shard in [f"{name}-{index:05d}"]
    ]
    yield Phase("assemble", assemble, tasks)
    yield Phase(
        "seal",
        seal,
        [Task("corpus", (tokenizer, *(t.targets[0] for t in tasks)), (out / "corpus.json",))],
    )


def _rejects(out: Path, document: Path) -> Path:
    return partition_targets(out, document.stem)[1]


STAGE = Stage(
    name="shards",
    version=1,
    config=ShardsConfig,
    reads=("clean", "dedup", "tokenizer"),
    phases=phases,
    records_from="dedup",
)
