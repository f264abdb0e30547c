"""Shards: surviving documents as token files for training, with a sidecar that names each one.

    encode    per partition       token ids, in a global random order that hashes decide
    resolve   once                with a mixture: how often each group is read
    place     per partition       with a mixture: where each document stands, each time
    cut       per split           where a shard ends
    assemble  per shard           one .bin/.idx pair and its provenance
    seal      once                shards.json, which says what the folder holds

The split is decided by the cluster of duplicates, so two documents that resemble each other are
never on both sides of it; a document keeps its split and its place when others are added, unless
one of them joins its cluster with a smaller uid.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from corpusforge.formats.shard_folder import NAME, SUFFIXES
from corpusforge.formats.shard_folder import TOKENIZER as TOKENIZER_COPY
from corpusforge.stages.shard_assembly import assemble
from corpusforge.stages.shard_cuts import cut, read_cuts
from corpusforge.stages.shard_encoding import encode
from corpusforge.stages.shard_mixture import MixtureConfig
from corpusforge.stages.shard_parts import PLACES
from corpusforge.stages.shard_places import place, resolve
from corpusforge.stages.shard_removal import file_evidence
from corpusforge.stages.shard_seal import seal
from corpusforge.stages.shard_split import SPLITS, SplitRule, parts_of
from corpusforge.stages.stage import SCRATCH, Inputs, Phase, Phases, Stage, partition_targets
from corpusforge.stages.tokenizer_files import TOKENIZER
from corpusforge.work import Task


class ShardsConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How tokens are laid out."""

    split: Annotated[
        SplitRule,
        Meta(
            description="Parts of train, valid and test, by cluster of duplicates; `forge` is "
            "[969, 30, 1], `puri` [1000, 1, 1]. Or {by: year, valid: 2023, test: 2024}: the first "
            "year of validation and of test."
        ),
    ] = "forge"
    shard_tokens: Annotated[
        int,
        Meta(ge=1, description="No shard has more, but one of a single document that is longer."),
    ] = 1_000_000_000
    seed: Annotated[int, Meta(ge=0, lt=2**32, description="Of the order and the split.")] = 1
    exclude: Annotated[
        str | None,
        Meta(
            description="File of doc_ids, one a line, that no shard may hold, relative to this one."
        ),
    ] = None
    mixture: Annotated[
        MixtureConfig | None,
        Meta(description="How often training reads which documents; all of them once without it."),
    ] = None

    def __post_init__(self) -> None:
        parts = parts_of(self.split)
        if parts is not None and (min(parts) < 0 or parts[0] < 1):
            raise ValueError(f"split={list(parts)} needs a positive part for train")


def evidence(config: ShardsConfig, base: Path) -> list[Any]:
    """What is in the file of excluded documents."""
    path = _exclude(config, base)
    return [] if path is None else file_evidence(path)


def _exclude(config: ShardsConfig, base: Path) -> Path | None:
    return None if config.exclude is None else base / config.exclude


def phases(config: ShardsConfig, inputs: Inputs, out: Path) -> Phases:
    scratch, exclude = out / SCRATCH, _exclude(config, inputs.base)
    tokenizer = inputs.stages["tokenizer"] / TOKENIZER / "tokenizer.json"
    documents, survivors = inputs.partitions("clean"), inputs.partitions("dedup")
    yield Phase(
        "encode",
        partial(encode, split=config.split, seed=config.seed, folder=out, exclude=exclude),
        [
            Task(
                document.stem,
                (document, survivor, tokenizer),
                (
                    *(scratch / name / f"{document.stem}.arrow" for name in SPLITS),
                    partition_targets(out, document.stem)[1],
                ),
            )
            for document, survivor in zip(documents, survivors, strict=True)
        ],
    )
    mixture = scratch / "mixture.json"
    if config.mixture is not None:
        yield from _mixed(config, config.mixture, [d.stem for d in documents], out, mixture)
    cuts = {name: scratch / "cuts" / f"{name}.json" for name in SPLITS}
    yield Phase(
        "cut",
        partial(cut, shard_tokens=config.shard_tokens),
        [Task(name, (scratch / name,), (target,)) for name, target in cuts.items()],
    )
    tasks = [
        Task(
            shard,
            (scratch / name, tokenizer),
            (
                *(out / name / f"{shard}{suffix}" for suffix in SUFFIXES),
                scratch / "records" / name / f"{shard}.json",
            ),
            (made.low, made.high, made.documents, made.tokens),
        )
        for name, path in cuts.items()
        for index, made in enumerate(read_cuts(path))
        for shard in [f"{name}-{index:05d}"]
    ]
    yield Phase("assemble", assemble, tasks)
    yield Phase(
        "seal",
        partial(seal, split=config.split, seed=config.seed, made_by=inputs.lineage),
        [
            Task(
                "shards",
                (tokenizer, mixture, *(task.targets[-1] for task in tasks)),
                (out / TOKENIZER_COPY, out / NAME),
            )
        ],
    )


def _mixed(
    config: ShardsConfig, mixture: MixtureConfig, stems: list[str], out: Path, target: Path
) -> Phases:
    """The phases that a mixture needs beside the others. Only train is mixed."""
    folder = out / SCRATCH / SPLITS[0]
    yield Phase(
        "resolve",
        partial(resolve, mixture=mixture, seed=config.seed),
        [Task("mixture", (folder,), (target,))],
    )
    yield Phase(
        "place",
        partial(place, by=mixture.by, seed=config.seed),
        [
            Task(
                stem,
                (folder / f"{stem}.arrow", target),
                (folder / f"{stem}{PLACES}", partition_targets(out, f"{stem}-mixture")[1]),
            )
            for stem in stems
        ],
    )


STAGE = Stage(
    name="shards",
    version=2,
    config=ShardsConfig,
    reads=("clean", "dedup", "tokenizer"),
    phases=phases,
    records_from="dedup",
    evidence=evidence,
)
