"""What was left out, to be read; and what other limits would leave out, without a rerun."""

from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from corpusforge.errors import ConfigError
from corpusforge.kernels.marks import PARAGRAPH
from corpusforge.kernels.mixing import seeded_order
from corpusforge.kernels.quality import MEASUREMENTS
from corpusforge.pipeline.plan import Plan
from corpusforge.pipeline.trace import partitions
from corpusforge.stages.clean import MEASURED_FOLDER, judged
from corpusforge.stages.clean_quality import PRESETS, Quality
from corpusforge.stages.stage import REJECTED, TABLE
from corpusforge.tables.identity import uid_of
from corpusforge.tables.outcome import reject_rows
from corpusforge.tables.schemas import REJECTS, TEXT

PAPER_TEXTS = ("title", "abstract", "body", "translations")


def measured(plan: Plan) -> ds.Dataset:
    """What clean measured of every paper that it judged, kept or not.

    Raises:
        ConfigError: It has measured nothing yet.
    """
    found = partitions(plan.step("clean").folder / MEASURED_FOLDER)
    if found is None:
        raise ConfigError(
            "clean has measured nothing yet; `corpusforge run PIPELINE --until clean` does"
        )
    return found


def first_rejects(plan: Plan, stage: str | None, limit: int) -> list[dict[str, Any]]:
    """The first rejects of a stage, or of all, without reading the others."""
    rows: list[dict[str, Any]] = []
    for step in plan.steps:
        dataset = partitions(step.folder / REJECTED) if stage in (None, step.stage.name) else None
        if dataset is not None and len(rows) < limit:
            rows += dataset.head(limit - len(rows)).to_pylist()
    return rows


def would_reject(plan: Plan, quality: str | Quality) -> pa.Table:
    """The rejects of clean with other limits of quality and all else as it is.

    Raises:
        ConfigError: There is no such preset, or clean has measured nothing yet.
    """
    if isinstance(quality, str) and quality not in PRESETS:
        raise ConfigError(f"there is no preset {quality!r}; presets are {', '.join(PRESETS)}")
    config = msgspec.structs.replace(plan.config.stages.clean, quality=quality)
    batches = []
    for batch in measured(plan).to_batches():
        values = np.column_stack([batch[name].to_numpy() for name in MEASUREMENTS])
        verdicts = judged(batch, values, config)
        batches.append(reject_rows("clean", batch["doc_id"].to_pylist(), verdicts))
    return pa.Table.from_batches(batches, schema=REJECTS)


def samples(plan: Plan, rejects: pa.Table, count: int, seed: int) -> pa.Table:
    """Some rejects of each stage and reason, with the texts that the stages read.

    Args:
        plan: Of the corpus that they are from.
        rejects: Schema REJECTS.
        count: Rows of a stage and reason, at most. Which ones depends on their doc_ids and the
            seed alone, and more of them include the fewer.
        seed: Another one gives other rows; 0 or more, below 2**63.

    Returns:
        Rows by stage and reason, with a column `text`. It is empty for rejects of extract, which
        reads records and not texts, and where the table with the text has been deleted.
    """
    groups = rejects.group_by(["stage", "reason"]).aggregate([])
    picked = [REJECTS.append(pa.field("text", TEXT)).empty_table()]
    for group in groups.sort_by([("stage", "ascending"), ("reason", "ascending")]).to_pylist():
        wanted = (pc.field("stage") == group["stage"]) & (pc.field("reason") == group["reason"])
        rows = rejects.filter(wanted)
        uids = np.array([uid_of(doc_id) for doc_id in rows["doc_id"].to_pylist()], np.uint64)
        rows = rows.take(np.argsort(seeded_order(uids, seed), kind="stable")[:count])
        told = _texts(plan, group["stage"], rows["doc_id"].to_pylist())
        picked.append(rows.append_column("text", pa.array(told, TEXT)))
    return pa.concat_tables(picked)


def _texts(plan: Plan, stage: str, doc_ids: list[str]) -> list[str]:
    """What a stage read of some documents: papers before clean, after it one text each."""
    if stage == "extract":
        return [""] * len(doc_ids)
    if stage == "clean":
        ids = {*doc_ids, *map(_paper, doc_ids)}
        papers = _rows(plan, "extract", PAPER_TEXTS, ids)
        return [_text_of_paper(papers, doc_id) for doc_id in doc_ids]
    documents = _rows(plan, "clean", ("text",), set(doc_ids))
    return [documents[doc_id]["text"] if doc_id in documents else "" for doc_id in doc_ids]


def _paper(doc_id: str) -> str:
    """The paper of a document that is one language of it: pubmed:1 of pubmed:1#fr."""
    return doc_id.rpartition("#")[0]


def _text_of_paper(papers: dict[str, dict[str, Any]], doc_id: str) -> str:
    paper = papers.get(doc_id) or papers.get(_paper(doc_id))
    if paper is None:
        return ""
    language = "" if doc_id in papers else doc_id.rpartition("#")[2]
    told = paper["translations"]
    parts = [text["abstract"] for text in told if text["language"] == language] or [
        paper["title"],
        paper["abstract"],
        *(text["abstract"] for text in told),
        paper["body"],
    ]
    return PARAGRAPH.join(part for part in parts if part)


def _rows(
    plan: Plan, stage: str, columns: Iterable[str], doc_ids: set[str]
) -> dict[str, dict[str, Any]]:
    table = partitions(plan.step(stage).folder / TABLE)
    if table is None:
        return {}
    wanted = pc.field("doc_id").isin(pa.array(sorted(doc_ids), pa.string()))
    rows = table.to_table(columns=["doc_id", *columns], filter=wanted).to_pylist()
    return {row["doc_id"]: row for row in rows}
