"""Documents of an index for which a better copy has come."""

from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.formats.dedup_index import FIRST_PART
from corpusforge.formats.partition import write_partition
from corpusforge.formats.run import Run, gather
from corpusforge.kernels.evidence import Rule
from corpusforge.stages.dedup_annotate import REASONS
from corpusforge.stages.dedup_choice import DECISION
from corpusforge.stages.dedup_places import Places, locate
from corpusforge.tables.schemas import SUPERSEDED
from corpusforge.work import Tally, Task

FILE = "superseded.parquet"  # in the folder of the stage


def superseded(decisions: Path) -> Run:
    """Decisions to remove documents of the index."""
    run = gather([decisions], DECISION, FIRST_PART, 2**64)
    removed = run.records["rule"] > 0
    return Run(run.keys[removed], run.records[removed])


def superseded_addresses(run: Run) -> NDArray[np.uint64]:
    return (run.keys << np.uint64(32)) | run.records["row"].astype(np.uint64)


def tell_superseded(task: Task, places: Places) -> Tally:
    """Write who is superseded by whom, for the user to take out of what is released already."""
    found = superseded(task.sources[0])
    open_part = cache(places.facts_of)
    rows = []
    for part, decision in zip(found.keys.tolist(), found.records, strict=True):
        kept_part, kept_row = locate(decision["kept"])
        facts, row = open_part(part), int(decision["row"])
        rows.append(
            {
                "doc_id": facts.of(row, "doc_id"),
                "uid": facts.of(row, "uid"),
                "replaced_by": open_part(kept_part).of(kept_row, "doc_id"),
                "similarity": float(decision["similarity"]),
                "rule": REASONS[Rule(decision["rule"])].value,
            }
        )
    rows.sort(key=lambda row: row["doc_id"])
    write_partition(task.targets[0], pa.Table.from_pylist(rows, SUPERSEDED))
    return Tally(counts={"superseded": len(rows)})
