"""Documents joined with what a later stage says about them, by uid.

A text is without its cuts here, so that every reader sees what is trained on.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpusforge.errors import ContractError
from corpusforge.formats.partition import read_batches, read_columns
from corpusforge.kernels.cuts import cut
from corpusforge.tables.schemas import DOCUMENTS, HANDED_ON, SURVIVORS


def surviving_batches(
    documents: Path, survivors: Path
) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
    """The documents of a partition that survive, with their rows of the survivors' table.

    Both partitions are in the same order, so each batch of documents takes the next survivors.

    Raises:
        ContractError: A survivor is not among the documents, stands there twice, or is in another
            order.
    """
    annotation = read_columns(survivors, SURVIVORS.names)
    wanted = annotation["uid"].to_numpy()
    taken = 0
    for batch in read_batches(documents, DOCUMENTS):
        uids = batch["uid"].to_numpy()
        keep = np.isin(uids, wanted)
        kept = batch.filter(pa.array(keep))
        part = annotation.slice(taken, kept.num_rows)
        if not np.array_equal(part["uid"].to_numpy(), uids[keep]):
            raise _disagreement(documents, survivors, taken, len(wanted))
        taken += kept.num_rows
        yield _as_annotated(kept, part), part
    if taken != len(wanted):
        raise _disagreement(documents, survivors, taken, len(wanted))


def _as_annotated(documents: pa.RecordBatch, survivors: pa.RecordBatch) -> pa.RecordBatch:
    """The documents without their cuts, and with what their copies handed on to them."""
    made = {name: survivors[name] for name in HANDED_ON}
    made["text"] = _cut(documents["text"], survivors["cuts"])
    columns = [made.get(field.name, documents[field.name]) for field in DOCUMENTS]
    return pa.RecordBatch.from_arrays(columns, schema=DOCUMENTS)


def _cut(texts: pa.Array, cuts: pa.Array) -> pa.Array:
    has_cuts = pc.greater(pc.list_value_length(cuts), 0)
    if not pc.any(has_cuts).as_py():  # as nearly always: no text is copied
        return texts
    left = [
        cut(text, np.array([[own["start"], own["end"]] for own in ranges], np.int64))
        for text, ranges in zip(
            texts.filter(has_cuts).to_pylist(), cuts.filter(has_cuts).to_pylist(), strict=True
        )
    ]
    return pc.replace_with_mask(texts, has_cuts, pa.array(left, texts.type))


def _disagreement(documents: Path, survivors: Path, taken: int, wanted: int) -> ContractError:
    return ContractError(
        f"{survivors} and {documents} disagree after {taken:,} of {wanted:,} survivors; "
        f"were files moved between stage folders? Delete the dedup folder and run it again"
    )
