"""Tokenizer: a byte-level BPE that is learnt from a sample of the surviving documents.

    weigh     per partition        bytes of text by source, language and content, as `sample` asks
    count     per partition        words of the documents that are drawn, by the rules of the preset
    merge     per range of hashes  the same words of all partitions
    train     per vocabulary       merges from words and their counts (Sennrich et al., 2016)
    diagnose  once                 what the tokens of documents are that were held out

With `from` a tokenizer that is there already is taken in place of one that is learnt. With
`diagnostics.compare` another vocabulary of the same size is learnt by the rules of GPT-2, from the
same documents, for diagnostics alone. The result does not depend on partitions or workers.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from corpusforge.errors import ConfigError, RunError
from corpusforge.formats.run import key_ranges
from corpusforge.stages.stage import SCRATCH, Inputs, Phase, Phases, Stage
from corpusforge.stages.tokenizer_diagnostics import DIAGNOSTICS, DiagnosticsConfig, diagnose
from corpusforge.stages.tokenizer_files import END_OF_TEXT, NAMES, TOKENIZER
from corpusforge.stages.tokenizer_given import given_evidence, take_given, vocabulary_of
from corpusforge.stages.tokenizer_recipe import COMPARED, PRESETS, Preset, Recipe
from corpusforge.stages.tokenizer_sample import SampleConfig, draw, weigh
from corpusforge.stages.tokenizer_training import SMALLEST, train
from corpusforge.stages.tokenizer_words import count, merge
from corpusforge.work import Task

WORDS_PER_RANGE = 4_000_000  # about 200 MB of them


class TokenizerConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the vocabulary is made."""

    preset: Annotated[
        Preset,
        Meta(
            description="How a text is split into words before bytes are merged: `science` keeps "
            "LaTeX commands whole and takes digits in groups of three; `gpt2`; `forge` is gpt2 "
            "with NFKC and a blank before each text; `bytes` merges nothing: 258 entries."
        ),
    ] = "science"
    vocabulary: Annotated[
        int, Meta(ge=SMALLEST, description="Entries: 256 bytes, 2 specials, and merges.")
    ] = 52_000
    given: Annotated[
        str | None,
        Meta(
            description="A tokenizer.json, or the folder with one, to take in place of training; "
            "relative to the pipeline file."
        ),
    ] = msgspec.field(default=None, name="from")
    end_of_text: Annotated[
        str | None,
        Meta(
            description="The token of `from` that ends a document; null: what its "
            "tokenizer_config.json names as eos_token, or else <|endoftext|>."
        ),
    ] = None
    sample: Annotated[SampleConfig, Meta(description="What to learn from.")] = SampleConfig()
    diagnostics: Annotated[
        DiagnosticsConfig | None,
        Meta(description="What to measure when it is made; null measures nothing."),
    ] = DiagnosticsConfig()
    seed: Annotated[int, Meta(ge=0, lt=2**32, description="Of the draw.")] = 1


def evidence(config: TokenizerConfig, base: Path) -> list[Any]:
    """Digest of a tokenizer that is taken, whose faults are told before anything runs."""
    if config.given is not None:
        return given_evidence(base / config.given, config.end_of_text)
    if config.end_of_text is not None:
        raise ConfigError(
            f"tokenizer.end_of_text: {config.end_of_text!r} names a token of tokenizer.from, which "
            f"is not given; a tokenizer that is trained has {END_OF_TEXT}"
        )
    return []


def wanted_ids(config: TokenizerConfig, base: Path) -> int:
    """How many ids there will be; one that is learnt has fewer where the words are used up.

    Raises:
        ConfigError: The tokenizer to be taken cannot be read.
    """
    if config.given is not None:
        return vocabulary_of(base / config.given)
    return SMALLEST if config.preset == "bytes" else config.vocabulary


def phases(config: TokenizerConfig, inputs: Inputs, out: Path) -> Phases:
    given = None if config.given is None else inputs.base / config.given
    size = wanted_ids(config, inputs.base)
    own = PRESETS[config.preset]
    learnt = [own] if given is None and config.preset != "bytes" else []
    compared = _compared(config, own, size)
    recipes = [*learnt, *compared]
    words, held_out = out / SCRATCH / "words", out / SCRATCH / "held-out"
    merged: dict[Recipe, Sequence[Task]] = {}
    if recipes or config.diagnostics:
        pairs = list(zip(inputs.partitions("clean"), inputs.partitions("dedup"), strict=True))
        weighed = yield Phase(
            "weigh",
            partial(weigh, by=config.sample.by),
            [Task(document.stem, (document, survivor), ()) for document, survivor in pairs],
        )
        held_bytes = config.diagnostics.bytes if config.diagnostics else 0
        drawn = draw(weighed, config.sample, config.seed, held_bytes)
        counted = yield Phase(
            "count",
            partial(count, draw=drawn, recipes=recipes),
            [
                Task(
                    document.stem,
                    (document, survivor),
                    tuple(
                        folder / f"{document.stem}.arrow"
                        for folder in (*(words / r.name for r in recipes), held_out)
                    ),
                )
                for document, survivor in pairs
            ],
        )
        if recipes and not counted.counts["sampled_documents"]:
            raise RunError(
                f"no document was drawn to train a tokenizer on: "
                f"tokenizer.sample.bytes={config.sample.bytes:,} is less than they have, or those "
                f"that it would draw are held out; raise it, or set tokenizer.diagnostics to null"
            )
        for recipe in recipes:
            ranges = key_ranges(counted.counts[f"{recipe.name}_words"], WORDS_PER_RANGE)
            merged[recipe] = [
                Task(
                    f"{recipe.name}-{i:05d}",
                    (words / recipe.name,),
                    (out / SCRATCH / "merged" / recipe.name / f"range-{i:05d}.arrow",),
                    bounds,
                )
                for i, bounds in enumerate(ranges)
            ]
        yield Phase("merge", merge, [task for tasks in merged.values() for task in tasks])
    made = tuple(out / TOKENIZER / name for name in NAMES)
    beside = tuple(out / SCRATCH / "compared" / name for name in NAMES)
    if given is not None:
        taking = partial(take_given, end_of_text=config.end_of_text)
        yield Phase("take", taking, [Task("tokenizer", (given,), made)])
    tasks = [
        Task(recipe.name, tuple(t.targets[0] for t in merged.get(recipe, ())), targets)
        for recipe, targets in (
            *((own, made) for _ in range(given is None)),
            *((recipe, beside) for recipe in compared),
        )
    ]
    yield Phase("train", partial(train, vocabulary=size), tasks)
    if config.diagnostics:
        sources = (held_out, made[0], *(beside[:1] if compared else ()))
        yield Phase("diagnose", diagnose, [Task("held-out", sources, (out / DIAGNOSTICS,))])


def _compared(config: TokenizerConfig, own: Recipe, size: int) -> list[Recipe]:
    """What is learnt for comparison alone, if that would be another tokenizer."""
    wanted = config.diagnostics is not None and config.diagnostics.compare
    same = config.given is None and own in (COMPARED, PRESETS["bytes"])
    return [COMPARED] if wanted and not same and size > SMALLEST else []


STAGE = Stage(
    name="tokenizer",
    version=2,
    config=TokenizerConfig,
    reads=("clean", "dedup"),
    phases=phases,
    evidence=evidence,
)
