"""What dedup says of every document: the annotate tasks."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from corpusforge.formats.facts import ATTRIBUTES, Facts
from corpusforge.formats.partition import read_columns
from corpusforge.formats.run import gather
from corpusforge.kernels.evidence import Limits, Rule
from corpusforge.reasons import Reason, Rejection
from corpusforge.stages.dedup_choice import COPY, DECISION
from corpusforge.stages.dedup_contamination import Held, Search, held_in
from corpusforge.stages.dedup_places import Places, locate
from corpusforge.stages.stage import write_outcome
from corpusforge.tables.outcome import Outcome, reject_rows
from corpusforge.tables.schemas import HANDED_ON, SURVIVORS
from corpusforge.work import Tally, Task

OpenPart = Callable[[int], Facts]
LONGER = ATTRIBUTES.index("longer")
NONE = np.empty(0, np.int32)
# These start the names of counts by source.
OF, REMOVED_OF, AGAIN_OF = "of ", "removed of ", "again of "
REASONS = {
    Rule.EXACT: Reason.EXACT_DUPLICATE,
    Rule.NEAR: Reason.NEAR_DUPLICATE,
    Rule.CONTAINED: Reason.CONTAINED,
    Rule.IDENTIFIER: Reason.SAME_IDENTIFIER,
    Rule.BIBLIOGRAPHIC: Reason.SAME_WORK,
    Rule.SAME_RECORD: Reason.SAME_IDENTIFIER,
}


def annotate(task: Task, places: Places, limits: Limits, search: Search | None) -> Tally:
    """Survivors of one partition, and a reject for each removed document.

    The copies of a document that is rejected for a benchmark stay removed, for they say the same
    and so nearly all hold the item too. Their rejects go on naming the document, and its own reject
    names the benchmark.

    Args:
        task: Sources are the partition, the decisions and the copies.
        places: Where the facts are.
        limits: What each rule asked for.
        search: For benchmarks in documents that were chosen.
    """
    documents, decisions_run, copies_run = task.sources
    part = int(task.arguments[0])
    open_part = cache(places.facts_of)
    identity = read_columns(documents, ["uid", "doc_id", "source", *HANDED_ON])
    sizes = np.concatenate([batch[:, LONGER] for batch in open_part(part).attributes] or [NONE])
    decisions = gather([decisions_run], DECISION, part, part + 1).records
    clusters = identity["uid"].to_numpy().copy()
    clusters[decisions["row"]] = decisions["cluster"]
    ids = identity["doc_id"].to_pylist()
    verdicts: list[Rejection | None] = [None] * identity.num_rows
    for decision in decisions[decisions["rule"] > 0]:
        verdicts[decision["row"]] = _verdict(decision, open_part, limits)
    held = Held() if search is None else held_in(documents, task.targets[2], search)
    for row, verdict in held.rejected.items():
        verdicts[row] = verdict
    for row, left in held.text_bytes.items():
        sizes[row] = left
    copies: list[list[tuple[int, int]]] = [[] for _ in range(identity.num_rows)]
    for copy in gather([copies_run], COPY, part, part + 1).records:
        copies[copy["row"]].append(locate(copy["address"]))
    made: dict[str, Any] = {
        "cluster": pa.array(clusters),
        "copies": [sorted(open_part(p).of(row, "doc_id") for p, row in own) for own in copies],
        "text_bytes": pa.array(sizes, pa.int64()),
        "cuts": [_ranges(held, row) for row in range(identity.num_rows)],
    } | {
        name: _handed_on(identity[name].to_pylist(), name, copies, open_part) for name in HANDED_ON
    }
    columns = [
        pa.array(made[field.name], field.type) if field.name in made else identity[field.name]
        for field in SURVIVORS
    ]
    survivors = pa.RecordBatch.from_arrays(columns, schema=SURVIVORS)
    keep = pa.array([verdict is None for verdict in verdicts], pa.bool_())
    outcome = Outcome(
        kept=survivors.filter(keep),
        rejected=reject_rows("dedup", ids, verdicts),
    ).conserving(identity.num_rows)
    write_outcome(task, outcome)
    again = [v is not None and v.detail == i for v, i in zip(verdicts, ids, strict=True)]
    losses = _losses(identity["source"], keep, pa.array(again, pa.bool_()))
    return replace(outcome.tally(), counts=losses | held.counts)


def _verdict(decision: np.void, open_part: OpenPart, limits: Limits) -> Rejection:
    rule = Rule(decision["rule"])
    part, row = locate(decision["kept"])
    limit = {
        Rule.CONTAINED: limits.containment,
        Rule.IDENTIFIER: limits.identifier,
        Rule.BIBLIOGRAPHIC: limits.bibliographic,
        Rule.SAME_RECORD: 0.0,
    }.get(rule, limits.similarity)
    kept_id = open_part(part).of(row, "doc_id")
    return Rejection(REASONS[rule], float(decision["similarity"]), limit, kept_id)


def _ranges(held: Held, row: int) -> list[dict[str, int]]:
    ranges = held.cuts[row].tolist() if row in held.cuts else []
    return [{"start": start, "end": end} for start, end in ranges]


def _handed_on(
    own: list[Any], name: str, copies: list[list[tuple[int, int]]], open_part: OpenPart
) -> list[Any]:
    """A column with what it lacks from the copies; of several, from the one of smallest uid."""
    column = list(own)
    for row, places in enumerate(copies):
        if not column[row] and places:
            told = [
                (facts.of(at, "uid"), facts.of(at, name))
                for facts, at in ((open_part(part), at) for part, at in places)
            ]
            column[row] = next((value for _, value in sorted(told) if value), column[row])
    return column


def _losses(sources: pa.Array, keep: pa.Array, again: pa.Array) -> dict[str, int]:
    """How many documents of each source there were, and how many of them were removed.

    Of the removed, how many are records that an index has, come again: they are no loss.
    """
    before = Counter(sources.to_pylist())
    after = Counter(sources.filter(keep).to_pylist())
    counts = {f"{OF}{name}": count for name, count in before.items()}
    counts |= {f"{REMOVED_OF}{name}": count - after[name] for name, count in before.items()}
    known = Counter(sources.filter(again).to_pylist())
    counts |= {f"{AGAIN_OF}{name}": count for name, count in known.items()}
    return dict(sorted(counts.items()))
