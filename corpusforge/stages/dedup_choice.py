"""Which of the documents that resemble each other stays: cluster and annotate tasks of dedup."""

from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.formats.partition import read_columns
from corpusforge.formats.run import gather, runs_in, write_run
from corpusforge.kernels.clusters import choose_kept, components
from corpusforge.reasons import Reason, Rejection
from corpusforge.stages.dedup_pairs import EDGE, index_of, locate
from corpusforge.stages.stage import write_outcome
from corpusforge.tables.outcome import Outcome, reject_rows
from corpusforge.tables.schemas import SURVIVORS
from corpusforge.work import Tally, Task

DECISION = np.dtype(
    [
        ("row", "<u8"),
        ("cluster", "<u8"),  # smallest uid of the component
        ("kept", "<u8"),  # address of the document kept in its place; its own if it stays
        ("similarity", "<f8"),  # to that document
        ("exact", "<u4"),  # whether their word sequences are equal
        ("copies", "<u4"),  # documents removed in favour of this one
    ]
)


def cluster(task: Task, indexes: Path) -> Tally:
    """A decision for every document with a verified duplicate, keyed by partition."""
    edges = gather(runs_in(task.sources[0]), EDGE, 0, 2**64).records
    ends = np.concatenate([edges["a"], edges["b"]])
    uids, first, node = np.unique(ends["uid"], return_index=True, return_inverse=True)
    addresses = ends["address"][first]
    left, right = node[: len(edges)], node[len(edges) :]
    component = components(len(uids), left, right)
    bounds, edge, other = _adjacency(len(uids), left, right)
    kept = choose_kept(
        _best_first(addresses, uids, indexes), bounds, other, edges["similarity"][edge]
    )
    decisions = np.zeros(len(uids), DECISION)
    decisions["row"] = addresses & np.uint64(0xFFFFFFFF)
    decisions["cluster"] = uids[component]
    decisions["kept"] = addresses[kept]
    removed = np.flatnonzero(kept != np.arange(len(uids)))
    np.add.at(decisions["copies"], kept[removed], 1)
    for i in removed:
        here = slice(bounds[i], bounds[i + 1])
        deciding = edges[edge[here][other[here] == kept[i]][0]]
        decisions["similarity"][i], decisions["exact"][i] = (
            deciding["similarity"],
            deciding["exact"],
        )
    write_run(task.targets[0], addresses >> np.uint64(32), decisions)
    return Tally(
        counts={
            "documents_with_duplicates": len(uids),
            "clusters": len(np.unique(component)),
            "largest_cluster": int(np.bincount(component).max(initial=0)),
        }
    )


def _best_first(
    addresses: NDArray[np.uint64], uids: NDArray[np.uint64], indexes: Path
) -> NDArray[np.int64]:
    """Longest text first; the smallest uid of equals."""
    sizes = np.zeros(len(addresses), np.int64)
    index = cache(partial(index_of, indexes))
    for i, address in enumerate(addresses):
        part, row = locate(address)
        sizes[i] = index(part).size(row)
    return np.lexsort((uids, -sizes))


def _adjacency(
    nodes: int, left: NDArray[np.int64], right: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each node the edges it is on, as (bounds, edge, other end)."""
    near = np.concatenate([left, right])
    order = np.argsort(near, kind="stable")
    bounds = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(near, minlength=nodes), out=bounds[1:])
    edge = np.concatenate([np.arange(len(left)), np.arange(len(right))])[order]
    return bounds, edge, np.concatenate([right, left])[order]


def annotate(task: Task, indexes: Path, threshold: float) -> Tally:
    """Survivors of one partition, and a reject for each removed document."""
    documents, decisions_run = task.sources
    part = int(task.arguments[0])
    identity = read_columns(documents, ["uid", "doc_id"])
    decisions = gather([decisions_run], DECISION, part, part + 1).records
    at = decisions["row"].astype(np.int64)
    clusters = identity["uid"].to_numpy().copy()
    clusters[at] = decisions["cluster"]
    copies = np.zeros(identity.num_rows, np.int32)
    copies[at] = decisions["copies"]
    index = cache(partial(index_of, indexes))
    verdicts: list[Rejection | None] = [None] * identity.num_rows
    for row, decision in zip(at, decisions, strict=True):
        kept_part, kept_row = locate(decision["kept"])
        if (kept_part, kept_row) != (part, row):
            reason = Reason.EXACT_DUPLICATE if decision["exact"] else Reason.NEAR_DUPLICATE
            kept_id = index(kept_part).doc_id(kept_row)
            verdicts[row] = Rejection(reason, decision["similarity"], threshold, kept_id)
    survivors = pa.RecordBatch.from_arrays(
        [
            identity["uid"],
            identity["doc_id"],
            pa.array(clusters),
            pa.array(copies),
            pa.array(index(part).sizes(), pa.int64()),
        ],
        schema=SURVIVORS,
    )
    keep = pa.array([verdict is None for verdict in verdicts], pa.bool_())
    outcome = Outcome(
        kept=survivors.filter(keep),
        rejected=reject_rows("dedup", identity["doc_id"].to_pylist(), verdicts),
    ).conserving(identity.num_rows)
    write_outcome(task, outcome)
    return outcome.tally()
