"""Shingle sets: the shingles of those documents of a partition that may have a duplicate.

An uncompressed Arrow IPC file, memory-mapped, with columns

    row       uint32              of the document in its partition, ascending
    shingles  large_list<uint32>  ascending, without repeats
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.formats.atomic import atomic_path
from corpusforge.formats.facts import mapped_batches

SCHEMA = pa.schema([("row", pa.uint32()), ("shingles", pa.large_list(pa.uint32()))])


@dataclass(frozen=True, eq=False)
class ShingleSets:
    """Views of one file; nothing is read from disk until it is looked up."""

    rows: NDArray[np.uint32]
    bounds: NDArray[np.int64]
    values: NDArray[np.uint32]

    def shingles(self, row: int) -> NDArray[np.uint32]:
        """Of a document that is in the file.

        Raises:
            KeyError: It is not.
        """
        i = int(np.searchsorted(self.rows, row))
        if i == len(self.rows) or self.rows[i] != row:
            raise KeyError(row)
        return self.values[self.bounds[i] : self.bounds[i + 1]]


def write_shingle_sets(
    target: Path,
    rows: NDArray[np.uint32],
    bounds: NDArray[np.int64],
    shingles: NDArray[np.uint32],
) -> None:
    """Write one file; document rows[i] has shingles[bounds[i]:bounds[i + 1]]."""
    columns = [
        pa.array(rows, pa.uint32()),
        pa.LargeListArray.from_arrays(
            pa.array(bounds, pa.int64()), pa.array(shingles, pa.uint32())
        ),
    ]
    with atomic_path(target) as partial, pa.ipc.new_file(str(partial), SCHEMA) as file:
        file.write_batch(pa.RecordBatch.from_arrays(columns, schema=SCHEMA))


def open_shingle_sets(path: Path) -> ShingleSets:
    """Map a file.

    Raises:
        FormatError: Not an Arrow file, cut short, or of another schema.
    """
    [batch] = mapped_batches(path, SCHEMA)
    lists = batch["shingles"]
    return ShingleSets(
        rows=batch["row"].to_numpy(),
        bounds=lists.offsets.to_numpy(),
        values=lists.values.to_numpy(),
    )
