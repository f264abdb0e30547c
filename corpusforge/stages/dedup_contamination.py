"""Benchmarks kept out of what dedup keeps.

    scan       per partition   grams of benchmarks in the documents that would stay
    common     once            those of so many documents that they say nothing
    held_in    per partition   what becomes of documents that hold an item; annotate asks
    add_up     once            by benchmark, what was found

Only documents that would stay are scanned, so that a run of words in all copies of one work counts
as that of one document.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.partition import read_batches, read_row_groups
from corpusforge.formats.run import gather, open_run, runs_in, write_run
from corpusforge.kernels.contaminated_items import Findings
from corpusforge.kernels.contamination import HIT, documents_with
from corpusforge.kernels.cuts import cut
from corpusforge.reasons import Rejection
from corpusforge.stages.decontamination import (
    ContaminationConfig,
    common_grams,
    counted,
    findings,
    judged,
    report,
    scan_texts,
)
from corpusforge.stages.decontamination_index import (
    Benchmarks,
    benchmark_evidence,
    load_benchmarks,
)
from corpusforge.stages.dedup_choice import DECISION
from corpusforge.stages.stage import SCRATCH, Phase, Phases
from corpusforge.tables.schemas import DOCUMENTS
from corpusforge.work import Tally, Task

GRAM = np.dtype("<u8")
REPORT = "contamination.json"  # in the folder of the stage


@dataclass(frozen=True)
class Search:
    """What is looked for, and where its tasks leave what they find."""

    config: ContaminationConfig
    base: Path  # folder of the pipeline file
    out: Path  # folder of the stage

    @property
    def hits(self) -> Path:
        return self.out / SCRATCH / "hits"

    @property
    def common(self) -> Path:
        return self.out / SCRATCH / "common.run"

    @property
    def found(self) -> Path:
        return self.out / SCRATCH / "found"


class Found(Struct, frozen=True):
    """What a partition had of benchmarks."""

    items: list[int]
    counts: dict[str, int]  # from `counted`


@dataclass(frozen=True, eq=False)
class Held:
    """What becomes of the documents of a partition that hold items, by row."""

    rejected: dict[int, Rejection] = field(default_factory=dict)
    cuts: dict[int, NDArray[np.int64]] = field(default_factory=dict)  # bytes to cut; it is kept
    text_bytes: dict[int, int] = field(default_factory=dict)  # that the cuts leave
    counts: dict[str, int] = field(default_factory=dict)


def looking(search: Search, documents: list[Path], decisions: Path) -> Phases:
    """The phases before annotate; each task reads the benchmarks, 100 bytes for each gram."""
    yield Phase(
        "scan",
        partial(scan, search=search),
        [
            Task(p.stem, (p, decisions), (search.hits / f"{p.stem}.run",), (part,))
            for part, p in enumerate(documents)
        ],
    )
    yield Phase(
        "common",
        partial(common, search=search),
        [Task("all", (search.hits,), (search.common,))],
    )


def telling(search: Search) -> Phase:
    """The phase after annotate."""
    return Phase(
        "contamination",
        partial(add_up, search=search),
        [Task("all", (search.found, search.common), (search.out / REPORT,))],
    )


def scan(task: Task, search: Search) -> Tally:
    """Grams of benchmarks in those documents of a partition that were not removed."""
    documents, decisions_run = task.sources
    part = int(task.arguments[0])
    benchmarks = _benchmarks(search)
    decisions = gather([decisions_run], DECISION, part, part + 1).records
    removed = decisions["row"][decisions["rule"] > 0]
    hits = [np.empty(0, HIT)]
    seen = 0
    for batch in read_batches(documents, DOCUMENTS):
        rows = np.setdiff1d(np.arange(seen, seen + batch.num_rows), removed)
        texts = batch["text"].take(rows - seen)
        found = scan_texts(texts, benchmarks)
        found["document"] = rows[found["document"]]
        hits.append(found)
        seen += batch.num_rows
    every = np.concatenate(hits)
    write_run(task.targets[0], every["document"].astype(np.uint64), every)
    return Tally(counts={"documents_scanned": seen - len(removed)})


def common(task: Task, search: Search) -> Tally:
    """The grams that do not count, as numbers."""
    grams = len(_benchmarks(search).index)
    documents = np.zeros(grams, np.int64)
    for path in runs_in(task.sources[0]):
        documents += documents_with(open_run(path, HIT).records, grams)
    numbers = np.flatnonzero(common_grams(documents, search.config)).astype(GRAM)
    write_run(task.targets[0], numbers, numbers)
    return Tally(counts={"common_runs_of_words": len(numbers)})


def held_in(documents: Path, target: Path, search: Search) -> Held:
    """What becomes of the documents of a partition; writes what was `Found` to the target."""
    benchmarks = _benchmarks(search)
    hits = open_run(search.hits / f"{documents.stem}.run", HIT).records
    found = findings(hits, _common(search, benchmarks), benchmarks, search.config)
    counts = counted(found, benchmarks)
    write_atomic(target, msgspec.json.encode(Found(found.items.tolist(), counts)))
    rejected: dict[int, Rejection] = {}
    cuts: dict[int, NDArray[np.int64]] = {}
    text_bytes: dict[int, int] = {}
    for first, batch in read_row_groups(documents, ["text"], found.best["document"].tolist()):
        texts = batch["text"]
        here = _between(found, first, first + len(texts))
        judgement = judged(here, texts, benchmarks, search.config)
        verdicts = enumerate(judgement.verdicts, start=first)
        rejected |= {row: verdict for row, verdict in verdicts if verdict is not None}
        for place, ranges in judgement.cuts.items():
            cuts[first + place] = ranges
            text_bytes[first + place] = len(cut(texts[place].as_py(), ranges).encode())
    return Held(rejected, cuts, text_bytes, {**counts, "documents_cut": len(cuts)})


def add_up(task: Task, search: Search) -> Tally:
    """What all partitions had, by benchmark."""
    benchmarks = _benchmarks(search)
    items = np.empty(0, np.int64)
    total = Tally()
    for path in sorted(task.sources[0].glob("[!.]*.json")):
        found = msgspec.json.decode(path.read_bytes(), type=Found)
        items = np.union1d(items, np.array(found.items, np.int64))
        total += Tally(counts=found.counts)
    reports = report([items], total.counts, _common(search, benchmarks), benchmarks)
    write_atomic(task.targets[0], msgspec.json.format(msgspec.json.encode(reports)) + b"\n")
    return Tally(counts={f"{r.benchmark}: items": r.found for r in reports})


def _between(found: Findings, low: int, high: int) -> Findings:
    """The findings in documents low to high, which are then 0 to high - low."""
    best, spans = (
        records[(records["document"] >= low) & (records["document"] < high)]
        for records in (found.best, found.spans)
    )
    best["document"] -= low
    spans["document"] -= low
    return replace(found, best=best, spans=spans)


def _common(search: Search, benchmarks: Benchmarks) -> NDArray[np.bool_]:
    grams = np.zeros(len(benchmarks.index), np.bool_)
    grams[open_run(search.common, GRAM).records.astype(np.int64)] = True
    return grams


def _benchmarks(search: Search) -> Benchmarks:
    # The digests are part of the key: a process may outlive a run, and files change between runs.
    digests: list[Any] = benchmark_evidence(search.config.benchmarks, search.base)
    return _loaded(
        msgspec.json.encode([search.config, digests], order="deterministic"), search.base
    )


@lru_cache(1)
def _loaded(recipe: bytes, base: Path) -> Benchmarks:
    config = msgspec.convert(msgspec.json.decode(recipe)[0], ContaminationConfig)
    return load_benchmarks(config.benchmarks, base, config.words, config.min_words)
