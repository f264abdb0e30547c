"""Documents joined with what a later stage says about them, by uid."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from corpusforge.errors import ContractError
from corpusforge.formats.partition import read_batches, read_columns
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
        yield _with_handed_on(kept, part), part
    if taken != len(wanted):
        raise _disagreement(documents, survivors, taken, len(wanted))


def _with_handed_on(documents: pa.RecordBatch, survivors: pa.RecordBatch) -> pa.RecordBatch:
    """The documents with what their copies handed on to them."""
    columns = [
        survivors[field.name] if field.name in HANDED_ON else documents[field.name]
        for field in DOCUMENTS
    ]
    return pa.RecordBatch.from_arrays(columns, schema=DOCUMENTS)


def _disagreement(documents: Path, survivors: Path, taken: int, wanted: int) -> ContractError:
    return ContractError(
        f"{survivors} and {documents} disagree after {taken:,} of {wanted:,} survivors; "
        f"were files moved between stage folders? Delete the dedup folder and run it again"
    )
