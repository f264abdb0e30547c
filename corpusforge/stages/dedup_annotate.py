"""What dedup says of every document: the annotate tasks."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

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
Copies = dict[int, list[tuple[int, int]]]  # by row of the kept document: partitions and rows
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
    verdicts: dict[int, Rejection] = {}
    for decision in decisions[decisions["rule"] > 0]:
        verdicts[int(decision["row"])] = _verdict(decision, open_part, limits)
    held = Held() if search is None else held_in(documents, task.targets[2], search)
    verdicts |= held.rejected
    for row, left in held.text_bytes.items():
        sizes[row] = left
    copies: Copies = defaultdict(list)
    for copy in gather([copies_run], COPY, part, part + 1).records:
        copies[int(copy["row"])].append(locate(copy["address"]))
    named = {
        row: sorted(open_part(p).of(at, "doc_id") for p, at in own) for row, own in copies.items()
    }
    made: dict[str, Any] = {
        "cluster": pa.array(clusters),
        "copies": _with(_empty("copies", identity.num_rows), named),
        "text_bytes": pa.array(sizes, pa.int64()),
        "cuts": _with(_empty("cuts", identity.num_rows), _ranges(held)),
    } | {name: _handed_on(identity[name], name, copies, open_part) for name in HANDED_ON}
    columns = [
        pa.array(made[field.name], field.type) if field.name in made else identity[field.name]
        for field in SURVIVORS
    ]
    survivors = pa.RecordBatch.from_arrays(columns, schema=SURVIVORS)
    removed = np.array(sorted(verdicts), np.int64)
    keep = np.ones(identity.num_rows, np.bool_)
    keep[removed] = False
    ids = identity["doc_id"].take(pa.array(removed)).to_pylist()
    told = [verdicts[row] for row in removed.tolist()]
    outcome = Outcome(
        kept=survivors.filter(pa.array(keep)), rejected=reject_rows("dedup", ids, told)
    ).conserving(identity.num_rows)
    write_outcome(task, outcome)
    again = removed[[verdict.detail == i for verdict, i in zip(told, ids, strict=True)]]
    losses = _losses(identity["source"], removed, again)
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


def _ranges(held: Held) -> dict[int, list[dict[str, int]]]:
    return {
        row: [{"start": start, "end": end} for start, end in ranges.tolist()]
        for row, ranges in held.cuts.items()
    }


def _handed_on(own: pa.Array, name: str, copies: Copies, open_part: OpenPart) -> pa.Array:
    """A column with what it lacks from the copies; of several, from the one of smallest uid."""
    found = {}
    for row, places in copies.items():
        if own[row].as_py():
            continue
        told = [
            (facts.of(at, "uid"), facts.of(at, name))
            for facts, at in ((open_part(part), at) for part, at in places)
        ]
        value = next((value for _, value in sorted(told) if value), None)
        if value is not None:
            found[row] = value
    return _with(own, found)


def _empty(name: str, rows: int) -> pa.Array:
    """A column of empty lists."""
    kind = SURVIVORS.field(name).type
    return pa.ListArray.from_arrays(
        pa.array(np.zeros(rows + 1, np.int32)), pa.array([], kind.value_type), type=kind
    )


def _with(column: pa.Array, values: Mapping[int, Any]) -> pa.Array:
    """The column with these values in these rows."""
    if not values:
        return column
    source = np.arange(len(column))
    source[list(values)] = len(column) + np.arange(len(values))
    both = pa.concat_arrays([column, pa.array(list(values.values()), column.type)])
    return both.take(pa.array(source))


def _losses(
    sources: pa.Array, removed: NDArray[np.int64], again: NDArray[np.int64]
) -> dict[str, int]:
    """How many documents of each source there were, and how many of them were removed.

    Of the removed, how many are records that an index has, come again: they are no loss.
    """
    before, lost = _by_source(sources), _by_source(sources.take(pa.array(removed)))
    counts = {f"{OF}{name}": count for name, count in before.items()}
    counts |= {f"{REMOVED_OF}{name}": lost.get(name, 0) for name in before}
    known = _by_source(sources.take(pa.array(again)))
    counts |= {f"{AGAIN_OF}{name}": count for name, count in known.items()}
    return dict(sorted(counts.items()))


def _by_source(sources: pa.Array) -> dict[str, int]:
    return {item["values"]: item["counts"] for item in pc.value_counts(sources).to_pylist()}
