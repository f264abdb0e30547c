"""Shingle index: what dedup looks up about a document by its row, memory-mapped.

An uncompressed Arrow IPC file beside each partition of documents, row for row, in record batches
of `ROW_GROUP` rows (the last one fewer), so row r is in batch r // ROW_GROUP:

    doc_id    string              of the document
    bytes     uint32              UTF-8 bytes of its text
    digest    uint64              of its word sequence
    shingles  large_list<uint32>  ascending, without repeats
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.errors import FormatError
from corpusforge.formats.atomic import atomic_path
from corpusforge.formats.partition import ROW_GROUP

SCHEMA = pa.schema(
    [
        ("doc_id", pa.string()),
        ("bytes", pa.uint32()),
        ("digest", pa.uint64()),
        ("shingles", pa.large_list(pa.uint32())),
    ]
)


@dataclass(frozen=True, eq=False)
class ShingleIndex:
    """Views of one index; nothing is read from disk until it is looked up."""

    doc_ids: list[pa.StringArray]
    text_bytes: list[NDArray[np.uint32]]
    digests: list[NDArray[np.uint64]]
    bounds: list[NDArray[np.int64]]
    values: list[NDArray[np.uint32]]

    def doc_id(self, row: int) -> str:
        return self.doc_ids[row // ROW_GROUP][row % ROW_GROUP].as_py()

    def size(self, row: int) -> int:
        """UTF-8 bytes of the document's text."""
        return int(self.text_bytes[row // ROW_GROUP][row % ROW_GROUP])

    def sizes(self) -> NDArray[np.uint32]:
        """UTF-8 bytes of every document's text, in order."""
        return np.concatenate([*self.text_bytes, np.empty(0, np.uint32)])

    def digest(self, row: int) -> int:
        return int(self.digests[row // ROW_GROUP][row % ROW_GROUP])

    def shingles(self, row: int) -> NDArray[np.uint32]:
        bounds = self.bounds[row // ROW_GROUP]
        i = row % ROW_GROUP
        return self.values[row // ROW_GROUP][bounds[i] : bounds[i + 1]]


class ShingleIndexWriter:
    """Writes batches of at most `ROW_GROUP` documents, all but the last exactly that many."""

    def __init__(self, file: pa.ipc.RecordBatchFileWriter) -> None:
        self._file = file

    def write(
        self,
        doc_ids: pa.Array,
        text_bytes: NDArray[np.int64],
        digests: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        shingles: NDArray[np.uint32],
    ) -> None:
        columns = [
            doc_ids,
            pa.array(text_bytes, pa.uint32()),
            pa.array(digests),
            pa.LargeListArray.from_arrays(pa.array(bounds), pa.array(shingles)),
        ]
        self._file.write_batch(pa.RecordBatch.from_arrays(columns, schema=SCHEMA))


@contextmanager
def shingle_index_writer(target: Path) -> Iterator[ShingleIndexWriter]:
    """Write one index; it appears only if the block ends without an exception."""
    with atomic_path(target) as partial, pa.ipc.new_file(str(partial), SCHEMA) as file:
        yield ShingleIndexWriter(file)


def open_shingle_index(path: Path) -> ShingleIndex:
    """Map an index.

    Raises:
        FormatError: Not an Arrow file, cut short, or of another schema.
    """
    try:
        file = pa.ipc.open_file(pa.memory_map(str(path)))
        batches = [file.get_batch(i) for i in range(file.num_record_batches)]
    except pa.ArrowInvalid as error:
        raise FormatError(
            f"{path} cannot be read as an Arrow file ({error}); "
            f"delete its stage folder and run the stage again"
        ) from error
    if not file.schema.equals(SCHEMA):
        raise FormatError(
            f"{path} has columns {file.schema.names}, expected {SCHEMA.names}; "
            f"delete its stage folder and run the stage again"
        )
    return ShingleIndex(
        doc_ids=[b["doc_id"] for b in batches],
        text_bytes=[b["bytes"].to_numpy() for b in batches],
        digests=[b["digest"].to_numpy() for b in batches],
        bounds=[b["shingles"].offsets.to_numpy() for b in batches],
        values=[b["shingles"].values.to_numpy() for b in batches],
    )
