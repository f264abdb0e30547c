"""What happened to one document, and which document a token is from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from numpy.typing import NDArray

from corpusforge.errors import ConfigError
from corpusforge.formats.megatron import open_shard
from corpusforge.pipeline.manifest import read_manifest
from corpusforge.pipeline.plan import Plan
from corpusforge.stages.shard_split import SPLITS
from corpusforge.stages.stage import REJECTED, TABLE
from corpusforge.tables.schemas import PROVENANCE, REJECTS


@dataclass(frozen=True)
class Event:
    """One thing that a stage did to a document."""

    stage: str
    kept: bool
    facts: dict[str, Any]


def partitions(folder: Path) -> ds.Dataset | None:
    """All partitions of a folder as one dataset, in order; None where there are none."""
    files = sorted(folder.glob("*.parquet"))
    return ds.dataset([str(file) for file in files]) if files else None


def provenance(plan: Plan) -> dict[str, Path]:
    """Shard name to its provenance file, over all splits."""
    folder = plan.step("shards").folder
    return {p.stem: p for name in SPLITS for p in sorted((folder / name).glob("*.parquet"))}


def provenance_table(plan: Plan) -> pa.Table:
    """Provenance of all shards in memory, with the name of the shard.

    Raises:
        ConfigError: There are no shards.
    """
    tables = [
        pq.read_table(path, schema=PROVENANCE).append_column(
            "shard", pa.array([shard] * pq.read_metadata(path).num_rows, pa.string())
        )
        for shard, path in provenance(plan).items()
    ]
    if not tables:
        raise ConfigError("there are no shards; `corpusforge run PIPELINE` makes them")
    return pa.concat_tables(tables)


def tokens_of(plan: Plan, doc_id: str) -> NDArray[Any]:
    """The token ids of a document, its end-of-document token included.

    Raises:
        ConfigError: The document is in no shard.
    """
    for shard, path in provenance(plan).items():
        at = pc.index(pq.read_table(path, columns=["doc_id"])["doc_id"], doc_id).as_py()
        if at >= 0:
            return np.asarray(open_shard(path.with_name(shard)).document(at))
    raise ConfigError(f"{doc_id} is in no shard; `corpusforge explain {doc_id}` says why")


def explain(plan: Plan, doc_id: str) -> list[Event]:
    """Every stage's word on a document, in order; empty if no stage has seen it."""
    events = []
    for step in plan.steps:
        if read_manifest(step.folder) is None:
            break
        name = step.stage.name
        rejects = _rows(partitions(step.folder / REJECTED), doc_id, REJECTS.names)
        events += [Event(name, kept=False, facts=_told(r, "doc_id", "stage")) for r in rejects]
        columns = ["source", "title", "version_kind", "year", "content", "language"]
        columns += ["language_probability", "cluster", "copies", "text_bytes"]
        kept = _rows(partitions(step.folder / TABLE), doc_id, columns)
        events += [Event(name, kept=True, facts=_told(row)) for row in kept]
    for shard, path in provenance(plan).items():
        rows = _rows(ds.dataset(str(path)), doc_id, ["start", "tokens"])
        events += [Event("shards", kept=True, facts={"shard": shard, **row}) for row in rows]
    return events


def _rows(dataset: ds.Dataset | None, doc_id: str, columns: list[str]) -> list[dict[str, Any]]:
    if dataset is None:
        return []
    present = [name for name in columns if name in dataset.schema.names]
    return dataset.to_table(columns=present, filter=pc.field("doc_id") == doc_id).to_pylist()


def _told(row: dict[str, Any], *left_out: str) -> dict[str, Any]:
    told = {key: value for key, value in row.items() if value is not None and value != []}
    return {key: value for key, value in told.items() if key not in left_out}


def lookup(plan: Plan, shard: str, token: int) -> dict[str, Any]:
    """Provenance of the document that a token of a shard is from, and the token's place in it.

    Raises:
        ConfigError: There is no such shard, or it has no such token.
    """
    files = provenance(plan)
    if shard not in files:
        known = ", ".join(files) or "none yet: run the shards stage first"
        raise ConfigError(f"there is no shard {shard!r}; shards are {known}")
    table = pq.read_table(files[shard], schema=PROVENANCE)
    starts = table["start"].to_numpy()
    total = int(starts[-1]) + table["tokens"][-1].as_py() if len(starts) else 0
    if not 0 <= token < total:
        held = f"tokens 0 to {total - 1:,}" if total else "no tokens"
        raise ConfigError(f"shard {shard} has {held}; there is no token {token:,} in it")
    row = int(np.searchsorted(starts, token, side="right")) - 1
    return {**table.slice(row, 1).to_pylist()[0], "position": token - int(starts[row])}
