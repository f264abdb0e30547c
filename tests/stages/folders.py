"""Stage folders made by hand, and one stage run alone: what the tests of stages share."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from corpusforge.formats.partition import write_partition
from corpusforge.stages.stage import REJECTED, TABLE, Inputs, Stage, part_name
from corpusforge.tables.identity import uid_of
from corpusforge.tables.schemas import DOCUMENTS
from corpusforge.work import Tally

Document = tuple[str, str]  # doc_id and text


def run_stage(
    stage: Stage, config: msgspec.Struct, out: Path, reads: Mapping[str, Path], base: Path = Path()
) -> Tally:
    """What the runner does without receipts: every task of every phase, in order."""
    phases = stage.phases(config, Inputs(base, reads), out)
    total = Tally()
    phase = next(phases)
    while True:
        counted = sum((phase.work(task) for task in phase.tasks), Tally())
        total += counted
        try:
            phase = phases.send(counted)
        except StopIteration:
            return total


def documents_table(rows: Sequence[Document], uids: Sequence[int] | None = None) -> pa.Table:
    """A table of documents, of which everything but identity and text is the same."""
    ids = [doc_id for doc_id, _ in rows]
    numbers = list(map(uid_of, ids)) if uids is None else list(uids)
    given = {
        "uid": pa.array(numbers, pa.uint64()),
        "doc_id": ids,
        "source": [doc_id.split(":")[0] for doc_id in ids],
        "title": [""] * len(ids),
        "text": [text for _, text in rows],
        "content": ["abstract"] * len(ids),
        "language": ["en"] * len(ids),
        "language_probability": pa.array(np.ones(len(ids)), pa.float32()),
        "retracted": [False] * len(ids),
    }
    columns = [
        pa.array(given[f.name], f.type) if f.name in given else pa.nulls(len(ids), f.type)
        for f in DOCUMENTS
    ]
    return pa.Table.from_arrays(columns, schema=DOCUMENTS)


def write_clean(folder: Path, partitions: Sequence[Sequence[Document]]) -> Path:
    """The folder of a clean stage that kept these documents, partition by partition."""
    for i, rows in enumerate(partitions):
        write_partition(folder / TABLE / f"{part_name(i)}.parquet", documents_table(rows))
    return folder


def table_of(folder: Path) -> list[dict]:
    """All rows of a stage's table, in order."""
    return _rows(folder / TABLE)


def rejects_of(folder: Path) -> list[dict]:
    """All rejects of a stage, in order."""
    return _rows(folder / REJECTED)


def _rows(folder: Path) -> list[dict]:
    return ds.dataset(sorted(map(str, folder.glob("*.parquet")))).to_table().to_pylist()
