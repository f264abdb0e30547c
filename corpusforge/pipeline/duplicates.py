"""The copies of one document: which was kept, on what evidence the others went, how they differ."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from corpusforge.errors import ConfigError
from corpusforge.pipeline.plan import Plan
from corpusforge.pipeline.trace import partitions
from corpusforge.reasons import Reason
from corpusforge.stages.stage import REJECTED, TABLE


@dataclass(frozen=True)
class Copy:
    """A document that was removed in favour of another."""

    doc_id: str
    reason: str
    similarity: float
    limit: float
    text: str


@dataclass(frozen=True)
class Family:
    """A kept document, its copies, and what else was kept in its cluster."""

    kept: str
    text: str
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
        raise ConfigError("dedup is not done; `corpusforge run PIPELINE --until dedup` runs it")
    own = rejects.to_table(filter=pc.field("doc_id") == doc_id).to_pylist()
    copy_of = own and own[0]["reason"] != Reason.CONTAMINATED
    kept = own[0]["detail"] if copy_of else doc_id
    found = survivors.to_table(filter=pc.field("doc_id") == kept).to_pylist()
    if not found:
        raise ConfigError(
            f"dedup has not {'kept' if own else 'seen'} {kept!r}; `corpusforge explain {kept}` "
            f"says what became of it"
        )
    [row] = found
    removed = rejects.to_table(filter=pc.field("detail") == kept).to_pylist()
    wanted = [kept, *(copy["doc_id"] for copy in removed)]
    rows = documents.to_table(["doc_id", "text"], filter=pc.field("doc_id").isin(wanted))
    texts = dict(zip(rows["doc_id"].to_pylist(), rows["text"].to_pylist(), strict=True))
    number = pa.scalar(row["cluster"], pa.uint64())
    cluster = survivors.to_table(["doc_id"], filter=pc.field("cluster") == number)
    return Family(
        kept=kept,
        text=texts[kept],
        copies=tuple(
            Copy(
                copy["doc_id"],
                copy["reason"],
                copy["observed"],
                copy["limit"],
                texts[copy["doc_id"]],
            )
            for copy in sorted(removed, key=lambda copy: copy["doc_id"])
        ),
        neighbours=tuple(sorted(set(cluster["doc_id"].to_pylist()) - {kept})),
    )
