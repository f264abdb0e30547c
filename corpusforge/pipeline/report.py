"""Report: one self-contained HTML page about a corpus, for people who decide on it."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import msgspec

import corpusforge
from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.shard_folder import read_description
from corpusforge.kernels.lsh import collision_probability
from corpusforge.pipeline.ledger import ledger
from corpusforge.pipeline.manifest import is_complete
from corpusforge.pipeline.plan import Plan
from corpusforge.pipeline.trace import partitions
from corpusforge.stages.dedup_contamination import REPORT
from corpusforge.stages.stage import TABLE
from corpusforge.stages.tokenizer_diagnostics import (
    DIAGNOSTICS,
    OTHER,
    THIS,
    Diagnostics,
    Spelling,
    read_diagnostics,
)

CURVE_WIDTH, CURVE_HEIGHT = 640, 200  # pixels of the loss curve
SIMILARITIES = (0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class Share:
    """A count beside the whole it is part of."""

    name: str
    count: int
    percent: float


def write_report(plan: Plan) -> Path:
    """Write report.html into the output folder, from what is there now."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("corpusforge.pipeline", ""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("report.html.j2").render(_facts(plan))
    target = plan.output / "report.html"
    write_atomic(target, page.encode())
    return target


def _facts(plan: Plan) -> dict[str, Any]:
    entries = ledger(plan)
    dedup = plan.config.stages.dedup
    diagnostics, shards = _diagnostics(plan), plan.step("shards")
    log, done = plan.train_folder / "log.jsonl", plan.train_folder / "DONE"
    benchmarks = plan.step("dedup").folder / REPORT
    lines = log.read_bytes().split(b"\n") if log.exists() else []
    steps = [e for e in (msgspec.json.decode(line) for line in lines if line) if "loss" in e]
    return {
        "version": corpusforge.__version__,
        "output": plan.output.name,
        "entries": entries,
        "reasons": {e.stage: _shares(e.tally.rejected, e.tally.read) for e in entries},
        "counts": {e.stage: e.tally.counts for e in entries},
        "sources": _groups(plan, "source"),
        "contents": _groups(plan, "content"),
        "years": _decades(plan),
        "dedup": dedup,
        "recall": [(s, collision_probability(s, dedup.bands, dedup.rows)) for s in SIMILARITIES],
        "benchmarks": msgspec.json.decode(benchmarks.read_bytes()) if benchmarks.exists() else [],
        "tokenizer": _compared(diagnostics) if diagnostics else [],
        "vocabularies": diagnostics.vocabularies if diagnostics else [],
        "shards": read_description(shards.folder) if is_complete(shards) else None,
        "curve": loss_curve([(entry["step"], entry["loss"]) for entry in steps]),
        "first": steps[0] if steps else None,
        "last": steps[-1] if steps else None,
        "result": msgspec.json.decode(done.read_bytes()) if done.exists() else None,
        "width": CURVE_WIDTH,
        "height": CURVE_HEIGHT,
    }


def _shares(counts: dict[str, int], whole: int) -> list[Share]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [Share(name, count, 100 * count / whole if whole else 0.0) for name, count in ranked]


def _diagnostics(plan: Plan) -> Diagnostics | None:
    path = plan.step("tokenizer").folder / DIAGNOSTICS
    return read_diagnostics(path) if path.exists() else None


def _compared(diagnostics: Diagnostics) -> list[tuple[Spelling, Spelling | None]]:
    """What this corpus's tokenizer makes of documents held out, and what the other one makes."""
    spellings = diagnostics.spellings
    other = {(s.group, s.name): s for s in spellings if s.tokenizer == OTHER}
    return [(s, other.get((s.group, s.name))) for s in spellings if s.tokenizer == THIS]


def _groups(plan: Plan, column: str) -> list[Share]:
    """How many clean documents each value of a column has."""
    dataset = partitions(plan.step("clean").folder / TABLE)
    if dataset is None:
        return []
    counts: Counter[str] = Counter()
    for batch in dataset.to_batches(columns=[column]):  # never the whole column
        for value in batch[column].value_counts().to_pylist():
            counts[str(value["values"])] += value["counts"]
    return _shares(counts, counts.total())


def _decades(plan: Plan) -> list[Share]:
    """Clean documents by decade, oldest first."""
    counts: dict[str, int] = {}
    for share in _groups(plan, "year"):
        decade = f"{share.name[:3]}0s" if share.name.isdigit() else "unknown"
        counts[decade] = counts.get(decade, 0) + share.count
    return sorted(_shares(counts, sum(counts.values())), key=lambda share: share.name)


def loss_curve(points: list[tuple[int, float]]) -> str:
    """(step, loss) as the points of an SVG polyline; "" with fewer than two.

    >>> loss_curve([(1, 8.0), (2, 6.0)])
    '0,0 640,200'
    """
    if len(points) < 2:
        return ""
    first, last = points[0][0], points[-1][0]
    low, high = min(loss for _, loss in points), max(loss for _, loss in points)
    return " ".join(
        f"{(step - first) / (last - first or 1) * CURVE_WIDTH:.0f},"
        f"{(high - loss) / (high - low or 1) * CURVE_HEIGHT:.0f}"
        for step, loss in points
    )
