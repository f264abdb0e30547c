"""Dedup: one copy of every work, and for each removed one the better document that replaces it.

    sign      per partition   keys under which copies may meet: bands of signatures, digests of
                              words, identifiers, title with author; facts about each document
    pair      per key range   documents that share a key are candidates
    shingle   per partition   shingles of the candidates, from their texts
    verify    per key range   the candidates that are one document, measured on their shingles
    recheck   once            pairs in one cluster that were not compared, verified as well
    choose    once            clusters of verified pairs; the best document of each is kept
    annotate  per partition   which documents survive; the removed ones become rejects

With `decontaminate`, what would be kept is held against benchmarks before annotate; see
`dedup_contamination`. With `against`, all that an index remembers takes part: it is paired with the
new documents, and the better copy stays, wherever it is. With `keep_index`, what was kept is
remembered for the next time; see `dedup_indexing`. Texts are read twice, then three times, and not
rewritten. Between phases, records travel in sorted runs. What leaves the stage names documents by
uid and doc_id, never by position.
"""

from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from corpusforge.formats.dedup_index import Parameters
from corpusforge.formats.run import key_ranges
from corpusforge.kernels.evidence import Limits
from corpusforge.kernels.lsh import collision_probability
from corpusforge.stages.decontamination import ContaminationConfig
from corpusforge.stages.decontamination_index import benchmark_evidence
from corpusforge.stages.dedup_annotate import annotate
from corpusforge.stages.dedup_choice import choose
from corpusforge.stages.dedup_contamination import Search, looking, telling
from corpusforge.stages.dedup_indexing import (
    Keeping,
    agreeing_index,
    remembering,
    settling,
    superseding,
)
from corpusforge.stages.dedup_pairs import pair
from corpusforge.stages.dedup_places import Places
from corpusforge.stages.dedup_recheck import recheck
from corpusforge.stages.dedup_sign import SCHEME, Signing, sign
from corpusforge.stages.dedup_verify import shingle, verify
from corpusforge.stages.stage import SCRATCH, Inputs, Phase, Phases, Stage, partition_targets
from corpusforge.work import Tally, Task

RECORDS_PER_RANGE = 4_000_000  # about 130 MB of claims, 160 MB of pairs
Better = Literal[
    "full_text", "published", "preprint", "structured", "longer", "newer", "open_licence", "source"
]


class DedupConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What counts as a copy, and which copy stays. Every field changes the output."""

    shingle_words: Annotated[int, Meta(ge=1, description="Words per shingle.")] = 5
    bands: Annotated[int, Meta(ge=1, description="LSH bands; more bands find more pairs.")] = 20
    rows: Annotated[int, Meta(ge=1, description="Signature entries per band.")] = 6
    limits: Annotated[
        Limits, Meta(description="How much two texts must share to be copies of one work.")
    ] = Limits()
    keep: Annotated[
        tuple[Better, ...],
        Meta(
            description="What makes a copy better, the weightiest first; then the smallest uid. "
            "`newer` is the year, and within one year the version that a DOI names."
        ),
    ] = ("full_text", "published", "structured", "longer", "newer", "open_licence", "source")
    sources: Annotated[
        tuple[str, ...], Meta(description="Names of sources for `keep: source`, the best first.")
    ] = ()
    seed: Annotated[int, Meta(ge=0, lt=2**32, description="Of the hash functions.")] = 1
    decontaminate: Annotated[
        ContaminationConfig | None,
        Meta(description="Benchmarks to keep out of what is kept; null looks for none."),
    ] = None
    against: Annotated[
        str | None,
        Meta(
            description="Index of an earlier run, whose documents count too: the folder `index` of "
            "its dedup stage, or a copy of it; relative to the pipeline file."
        ),
    ] = None
    keep_index: Annotated[
        bool, Meta(description="Leave an index, for a later run's `against`, as `index`.")
    ] = False

    def __post_init__(self) -> None:
        found = collision_probability(self.limits.similarity, self.bands, self.rows)
        if found < 0.9:
            raise ValueError(
                f"bands={self.bands}, rows={self.rows} would find only {found:.0%} of pairs at "
                f"similarity {self.limits.similarity}; raise bands or lower rows"
            )


def evidence(config: DedupConfig, base: Path) -> list[Any]:
    """Digest of every benchmark, and of the index.

    Raises:
        ConfigError: The index is none, is damaged, or was made in another way.
        SourceError: A benchmark is missing or damaged.
    """
    wanted = config.decontaminate
    found = [] if wanted is None else benchmark_evidence(wanted.benchmarks, base)
    if config.against is None:
        return found
    return [*found, ["index", agreeing_index(base / config.against, parameters_of(config)).digest]]


def parameters_of(config: DedupConfig) -> Parameters:
    """What an index must have been made with, to be of use to this run."""
    return Parameters(
        SCHEME,
        config.shingle_words,
        config.bands,
        config.rows,
        config.seed,
        config.keep,
        config.sources,
    )


def phases(config: DedupConfig, inputs: Inputs, out: Path) -> Phases:
    documents = inputs.partitions("clean")
    scratch = out / SCRATCH
    old = None if config.against is None else inputs.base / config.against
    places = Places(scratch / "facts", scratch / "sets", old)
    keeping = Keeping(out, old, parameters_of(config), documents)
    if old is not None:
        yield from settling(keeping)
    decisions, copies = scratch / "decisions.run", scratch / "copies.run"
    candidates = yield from _candidates(config, scratch, keeping)
    yield from _choice(config, candidates, scratch, places)
    benchmarks = config.decontaminate
    search = None if benchmarks is None else Search(benchmarks, inputs.base, out)
    if search is not None:
        yield from looking(search, documents, decisions)
    yield Phase(
        "annotate",
        partial(annotate, places=places, limits=config.limits, search=search),
        [
            Task(p.stem, (p, decisions, copies), _annotated(out, p.stem, search), (part,))
            for part, p in enumerate(documents)
        ],
    )
    if search is not None:
        yield telling(search)
    if old is not None:
        yield superseding(keeping, places)
    if config.keep_index:
        yield from remembering(keeping, RECORDS_PER_RANGE)


def _candidates(
    config: DedupConfig, scratch: Path, keeping: Keeping
) -> Generator[Phase, Tally, int]:
    """The phases up to the shingles of all documents that are in a pair; how many pairs."""
    documents = keeping.documents
    facts, sets, claims = scratch / "facts", scratch / "sets", scratch / "claims"
    pairs, wanted = scratch / "pairs", scratch / "wanted"
    how = Signing(
        config.shingle_words,
        config.bands,
        config.rows,
        config.seed,
        sources=config.sources,
        by_record=config.keep_index or keeping.old is not None,
    )
    signed = yield Phase(
        "sign",
        partial(sign, how=how),
        [
            Task(p.stem, (p,), (facts / f"{p.stem}.arrow", claims / f"{p.stem}.run"), (part,))
            for part, p in enumerate(documents)
        ],
    )
    paired = yield Phase(
        "pair",
        pair if keeping.old is None else partial(pair, index=keeping.old, gone=keeping.gone),
        _range_tasks(signed.counts.get("claims", 0), claims, pairs, wanted),
    )
    yield Phase(
        "shingle",
        partial(shingle, shingle_words=config.shingle_words),
        [
            Task(p.stem, (p, wanted), (sets / f"{p.stem}.arrow",), (part,))
            for part, p in enumerate(documents)
        ],
    )
    return paired.counts.get("candidates", 0)


def _choice(config: DedupConfig, candidates: int, scratch: Path, places: Places) -> Phases:
    """The phases that verify candidates and decide which documents stay."""
    edges, more, more_edges = scratch / "edges", scratch / "more", scratch / "more-edges"
    verifying = partial(verify, places=places, limits=config.limits)
    yield Phase("verify", verifying, _range_tasks(candidates, scratch / "pairs", edges))
    rechecked = yield Phase(
        "recheck",
        partial(recheck, places=places, keep=config.keep),
        [Task("all", (edges,), (more / "all.run",))],
    )
    again = _range_tasks(rechecked.counts.get("pairs_rechecked", 0), more, more_edges)
    yield Phase("verify-again", verifying, again)
    decisions, copies = scratch / "decisions.run", scratch / "copies.run"
    yield Phase(
        "choose",
        partial(choose, places=places, keep=config.keep),
        [Task("all", (edges, more_edges), (decisions, copies))],
    )


def _annotated(out: Path, stem: str, search: Search | None) -> tuple[Path, ...]:
    """What an annotate task writes."""
    found = () if search is None else (search.found / f"{stem}.json",)
    return (*partition_targets(out, stem), *found)


def _range_tasks(records: int, source: Path, *targets: Path) -> list[Task]:
    """One task per key range of the runs in a folder, small enough to hold its records."""
    return [
        Task(f"range-{i:05d}", (source,), tuple(t / f"range-{i:05d}.run" for t in targets), bounds)
        for i, bounds in enumerate(key_ranges(records, RECORDS_PER_RANGE))
    ]


STAGE = Stage(
    name="dedup",
    version=3,
    config=DedupConfig,
    reads=("clean",),
    phases=phases,
    records_from="clean",
    evidence=evidence,
)
