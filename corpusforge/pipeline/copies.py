"""What dedup did, as tables: every removal, every cluster of copies, the losses of each source."""

import pyarrow as pa
import pyarrow.compute as pc

from corpusforge.errors import ConfigError
from corpusforge.pipeline.manifest import read_manifest
from corpusforge.pipeline.plan import Plan
from corpusforge.pipeline.trace import partitions
from corpusforge.stages.dedup_annotate import OF, REASONS, REMOVED_OF
from corpusforge.stages.stage import TABLE

NOT_DONE = "dedup is not done; `corpusforge run PIPELINE --until dedup` runs it"


def removals(rejects: pa.Table) -> pa.Table:
    """Of dedup's rejects the duplicates, as removed, kept, similarity, limit, rule."""
    removed = rejects.filter(pc.field("reason").isin([*REASONS.values()]))
    return pa.table(
        {
            "removed": removed["doc_id"],
            "kept": removed["detail"],
            "similarity": removed["observed"],
            "limit": removed["limit"],
            "rule": removed["reason"],
        }
    )


def cluster_sizes(plan: Plan) -> pa.Table:
    """Clusters of two documents or more, the largest first.

    Returns:
        cluster, doc_id (kept; of several, the one with most copies, then the smallest), kept and
        removed documents, and their sum, `documents`. Several are kept in one cluster where each
        resembles a copy and not the others enough.

    Raises:
        ConfigError: Dedup is not done.
    """
    survivors = partitions(plan.step("dedup").folder / TABLE)
    if survivors is None:
        raise ConfigError(NOT_DONE)
    table = survivors.to_table(["cluster", "doc_id", "copies"])
    table = table.set_column(2, "removed", pc.list_value_length(table["copies"]))
    table = table.sort_by([("removed", "descending"), ("doc_id", "ascending")])
    grouped = table.group_by("cluster", use_threads=False).aggregate(
        [("doc_id", "first"), ([], "count_all"), ("removed", "sum")]
    )
    kept, removed = grouped["count_all"], grouped["removed_sum"]
    sizes = pa.table(
        {
            "cluster": grouped["cluster"],
            "doc_id": grouped["doc_id_first"],
            "kept": kept,
            "removed": removed,
            "documents": pc.add(kept, removed),
        }
    )
    sizes = sizes.filter(pc.field("documents") > 1)
    return sizes.sort_by([("documents", "descending"), ("doc_id", "ascending")])


def source_losses(plan: Plan) -> pa.Table:
    """How many documents of each source dedup read, and how many of them it removed.

    Returns:
        source, documents, removed; by name of the source.

    Raises:
        ConfigError: Dedup is not done.
    """
    manifest = read_manifest(plan.step("dedup").folder)
    if manifest is None:
        raise ConfigError(NOT_DONE)
    counts = manifest.tally.counts
    names = sorted(name.removeprefix(OF) for name in counts if name.startswith(OF))
    return pa.table(
        {
            "source": pa.array(names, pa.string()),
            "documents": pa.array([counts[OF + name] for name in names], pa.int64()),
            "removed": pa.array([counts.get(REMOVED_OF + name, 0) for name in names], pa.int64()),
        }
    )
