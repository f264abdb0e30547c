"""Shingle sets: the shingles of those documents of a partition that may have a duplicate.

An uncompressed Arrow IPC file, memory-mapped, in any number of record batches, with columns

    row       uint32              of the document in its partition, ascending
    shingles  large_list<uint32>  ascending, without repeats
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.formats.atomic import atomic_path
from corpusforge.formats.facts import mapped_batches

SCHEMA = pa.schema([("row", pa.uint32()), ("shingles", pa.large_list(pa.uint32()))])


@dataclass(frozen=True, eq=False)
class _Batch:
    rows: NDArray[np.uint32]
    bounds: NDArray[np.int64]
    values: NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class ShingleSets:
    """Views of one file; nothing is read from disk until it is looked up."""

    first: NDArray[np.uint32]  # first row of each batch
    batches: list[_Batch]

    def shingles(self, row: int) -> NDArray[np.uint32]:
        """Of a document that is in the file.

        Raises:
            KeyError: It is not.
        """
        at = int(np.searchsorted(self.first, row, side="right")) - 1
        if at < 0:
            raise KeyError(row)
        batch = self.batches[at]
        i = int(np.searchsorted(batch.rows, row))
        if i == len(batch.rows) or batch.rows[i] != row:
            raise KeyError(row)
        return batch.values[batch.bounds[i] : batch.bounds[i + 1]]


class ShingleSetsWriter:
    """Writes batches of documents in the order of their rows."""

    def __init__(self, file: pa.ipc.RecordBatchFileWriter) -> None:
        self._file = file

    def write(
        self, rows: NDArray[np.uint32], bounds: NDArray[np.int64], shingles: NDArray[np.uint32]
    ) -> None:
        """Document rows[i] has shingles[bounds[i]:bounds[i + 1]]."""
        lists = pa.LargeListArray.from_arrays(
            pa.array(bounds, pa.int64()), pa.array(shingles, pa.uint32())
        )
        columns = [pa.array(rows, pa.uint32()), lists]
        self._file.write_batch(pa.RecordBatch.from_arrays(columns, schema=SCHEMA))


@contextmanager
def shingle_sets_writer(target: Path) -> Iterator[ShingleSetsWriter]:
    """Write one file; it appears only if the block ends without an exception."""
    with atomic_path(target) as partial, pa.ipc.new_file(str(partial), SCHEMA) as file:
        yield ShingleSetsWriter(file)


def open_shingle_sets(path: Path) -> ShingleSets:
    """Map a file.

    Raises:
        FormatError: Not an Arrow file, cut short, or of another schema.
    """
    batches = [
        _Batch(
            rows=batch["row"].to_numpy(),
            bounds=batch["shingles"].offsets.to_numpy(),
            values=batch["shingles"].values.to_numpy(),
        )
        for batch in mapped_batches(path, SCHEMA)
        if batch.num_rows
    ]
    return ShingleSets(np.array([b.rows[0] for b in batches], np.uint32), batches)
