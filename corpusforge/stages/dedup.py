"""Dedup: one copy of every work, and for each removed one the better document that replaces it.

    sign      per partition   keys under which copies may meet: bands of signatures, digests of
                              words, identifiers, title with author; facts about each document
    pair      per key range   documents that share a key are candidates
    shingle   per partition   shingles of the candidates, from their texts
    verify    per key range   the candidates that are one document, measured on their shingles
    recheck   once            pairs in one cluster that were no candidates, verified as well
    choose    once            clusters of verified pairs; the best document of each is kept
    annotate  per partition   which documents survive; the removed ones become rejects

With `decontaminate`, what would be kept is held against benchmarks before annotate; see
`dedup_contamination`. Texts are read twice, then three times, and not rewritten. Between phases,
records travel in sorted runs. What leaves the stage names documents by uid and doc_id, never by
position.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from corpusforge.formats.run import key_ranges
from corpusforge.kernels.evidence import Limits
from corpusforge.kernels.lsh import collision_probability
from corpusforge.stages.decontamination import ContaminationConfig
from corpusforge.stages.decontamination_index import benchmark_evidence
from corpusforge.stages.dedup_annotate import annotate
from corpusforge.stages.dedup_choice import choose, recheck
from corpusforge.stages.dedup_contamination import Search, looking, telling
from corpusforge.stages.dedup_pairs import pair
from corpusforge.stages.dedup_sign import Signing, sign
from corpusforge.stages.dedup_verify import shingle, verify
from corpusforge.stages.stage import SCRATCH, Inputs, Phase, Phases, Stage, partition_targets
from corpusforge.work import Task

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
        Meta(description="What makes a copy better, the weightiest first; then the smallest uid."),
    ] = ("full_text", "published", "structured", "longer", "newer", "open_licence", "source")
    sources: Annotated[
        tuple[str, ...], Meta(description="Names of sources for `keep: source`, the best first.")
    ] = ()
    seed: Annotated[int, Meta(ge=0, lt=2**32, description="Of the hash functions.")] = 1
    decontaminate: Annotated[
        ContaminationConfig | None,
        Meta(description="Benchmarks to keep out of what is kept; null looks for none."),
    ] = None

    def __post_init__(self) -> None:
        found = collision_probability(self.limits.similarity, self.bands, self.rows)
        if found < 0.9:
            raise ValueError(
                f"bands={self.bands}, rows={self.rows} would find only {found:.0%} of pairs at "
                f"similarity {self.limits.similarity}; raise bands or lower rows"
            )


def evidence(config: DedupConfig, base: Path) -> list[Any]:
    """Digest of every benchmark."""
    wanted = config.decontaminate
    return [] if wanted is None else benchmark_evidence(wanted.benchmarks, base)


def phases(config: DedupConfig, inputs: Inputs, out: Path) -> Phases:
    documents = inputs.partitions("clean")
    scratch = out / SCRATCH
    facts, sets, claims = scratch / "facts", scratch / "sets", scratch / "claims"
    pairs, wanted, edges = scratch / "pairs", scratch / "wanted", scratch / "edges"
    more, more_edges = scratch / "more", scratch / "more-edges"
    how = Signing(
        config.shingle_words, config.bands, config.rows, config.seed, sources=config.sources
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
        "pair", pair, _range_tasks(signed.counts.get("claims", 0), claims, pairs, wanted)
    )
    yield Phase(
        "shingle",
        partial(shingle, shingle_words=config.shingle_words),
        [
            Task(p.stem, (p, wanted), (sets / f"{p.stem}.arrow",), (part,))
            for part, p in enumerate(documents)
        ],
    )
    verifying = partial(verify, facts=facts, sets=sets, limits=config.limits)
    candidates = paired.counts.get("candidates", 0)
    yield Phase("verify", verifying, _range_tasks(candidates, pairs, edges))
    rechecked = yield Phase(
        "recheck",
        partial(recheck, facts=facts, keep=config.keep),
        [Task("all", (edges,), (more / "all.run",))],
    )
    again = _range_tasks(rechecked.counts.get("pairs_rechecked", 0), more, more_edges)
    yield Phase("verify-again", verifying, again)
    decisions, copies = scratch / "decisions.run", scratch / "copies.run"
    yield Phase(
        "choose",
        partial(choose, facts=facts, keep=config.keep),
        [Task("all", (edges, more_edges), (decisions, copies))],
    )
    benchmarks = config.decontaminate
    search = None if benchmarks is None else Search(benchmarks, inputs.base, out)
    if search is not None:
        yield from looking(search, documents, decisions)
    yield Phase(
        "annotate",
        partial(annotate, facts=facts, limits=config.limits, search=search),
        [
            Task(p.stem, (p, decisions, copies), _annotated(out, p.stem, search), (part,))
            for part, p in enumerate(documents)
        ],
    )
    if search is not None:
        yield telling(search)


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
    version=2,
    config=DedupConfig,
    reads=("clean",),
    phases=phases,
    records_from="clean",
    evidence=evidence,
)
