"""The copies of one document: which was kept, on what evidence the others went, how they differ."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from corpusforge.errors import ConfigError
from corpusforge.pipeline.copies import NOT_DONE
from corpusforge.pipeline.manifest import is_complete
from corpusforge.pipeline.plan import Plan
from corpusforge.pipeline.trace import partitions
from corpusforge.reasons import Reason
from corpusforge.stages.dedup_indexing import INDEX
from corpusforge.stages.dedup_superseded import FILE
from corpusforge.stages.stage import REJECTED, TABLE
from corpusforge.tables.schemas import SUPERSEDED


@dataclass(frozen=True)
class Copy:
    """A document that was removed in favour of another."""

    doc_id: str
    reason: str
    similarity: float
    limit: float | None
    text: str | None  # None of one that an earlier run kept, and a better one has come


@dataclass(frozen=True)
class Family:
    """A kept document, its copies, and what else was kept in its cluster."""

    kept: str
    text: str | None  # None of one that an earlier run kept: the index remembers no texts
    copies: tuple[Copy, ...]
    neighbours: tuple[str, ...]  # kept too: they resemble a copy, and not this document enough


def family(plan: Plan, doc_id: str) -> Family:
    """The family of a document, kept or removed.

    Raises:
        ConfigError: dedup is not done, has not seen the document, or has rejected it or its kept
            copy for a benchmark.
    """
    folder = plan.step("dedup").folder
    survivors, rejects = partitions(folder / TABLE), partitions(folder / REJECTED)
    documents = partitions(plan.step("clean").folder / TABLE)
    if survivors is None or rejects is None or documents is None:
        raise ConfigError(NOT_DONE)
    earlier = superseded(plan)
    own = rejects.to_table(filter=pc.field("doc_id") == doc_id).to_pylist()
    kept = doc_id
    if own and own[0]["reason"] != Reason.CONTAMINATED:
        kept = own[0]["detail"]
    elif replaced := earlier.filter(pc.field("doc_id") == doc_id).to_pylist():
        kept = replaced[0]["replaced_by"]
    found = survivors.to_table(filter=pc.field("doc_id") == kept).to_pylist()
    removed = rejects.to_table(filter=pc.field("detail") == kept).to_pylist()
    taken_back = earlier.filter(pc.field("replaced_by") == kept).to_pylist()
    if not found and not (_in_index(rejects, kept) and (removed or taken_back)):
        raise ConfigError(
            f"dedup has not {'kept' if own else 'seen'} {kept!r}; `corpusforge explain {kept}` "
            f"says what became of it"
        )
    wanted = [kept, *(copy["doc_id"] for copy in removed)]
    rows = documents.to_table(["doc_id", "text"], filter=pc.field("doc_id").isin(wanted))
    texts = dict(zip(rows["doc_id"].to_pylist(), rows["text"].to_pylist(), strict=True))
    copies = [
        Copy(c["doc_id"], c["reason"], c["observed"], c["limit"], texts[c["doc_id"]])
        for c in removed
    ]
    copies += [Copy(c["doc_id"], c["rule"], c["similarity"], None, None) for c in taken_back]
    cluster = [
        survivors.to_table(["doc_id"], filter=pc.field("cluster") == pa.scalar(number, pa.uint64()))
        for number in (row["cluster"] for row in found)
    ]
    neighbours = {doc_id for table in cluster for doc_id in table["doc_id"].to_pylist()} - {kept}
    return Family(
        kept=kept,
        text=texts[kept] if found else None,
        copies=tuple(sorted(copies, key=lambda copy: (copy.doc_id, copy.text is None))),
        neighbours=tuple(sorted(neighbours)),
    )


def superseded(plan: Plan) -> pa.Table:
    """Documents of earlier runs for which this one has a better copy; empty without `against`.

    Raises:
        ConfigError: Dedup is not done.
    """
    step = plan.step("dedup")
    if not is_complete(step):
        raise ConfigError(NOT_DONE)
    path = step.folder / FILE
    return pq.read_table(path, schema=SUPERSEDED) if path.exists() else SUPERSEDED.empty_table()


def index_folder(plan: Plan) -> Path:
    """The index of a corpus, for the `against` of a later one.

    Raises:
        ConfigError: Dedup is not done, or was not told to keep one.
    """
    step = plan.step("dedup")
    if not plan.config.stages.dedup.keep_index:
        raise ConfigError("dedup leaves no index; set stages.dedup.keep_index: true and run it")
    if not is_complete(step):
        raise ConfigError(NOT_DONE)
    return step.folder / INDEX


def _in_index(rejects: ds.Dataset, doc_id: str) -> bool:
    """Whether a document that is not among the survivors can be one that an index remembers.

    It can where this run has not seen it, or has seen it come again.
    """
    own = rejects.to_table(["detail"], filter=pc.field("doc_id") == doc_id)["detail"].to_pylist()
    return all(detail == doc_id for detail in own)
