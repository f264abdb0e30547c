"""Facts: what dedup looks up about a document by its row, memory-mapped.

An uncompressed Arrow IPC file beside each partition of documents, row for row, in record batches
of `ROW_GROUP` rows (the last one fewer), so row r is in batch r // ROW_GROUP. Its columns are

    uid, doc_id       of the document
    digest            uint64, of its word sequence
    title_shingles    uint32, distinct shingles of its title
    attributes        fixed_size_list<int32>[7], what decides which copy is best
    HANDED_ON         identifiers and bibliography, which a kept document gets from its copies
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.errors import FormatError
from corpusforge.formats.atomic import atomic_path
from corpusforge.formats.partition import ROW_GROUP
from corpusforge.tables.schemas import DOCUMENTS, HANDED_ON

ATTRIBUTES = ("full_text", "published", "structured", "longer", "newer", "open_licence", "source")
SCHEMA = pa.schema(
    [
        ("uid", pa.uint64()),
        ("doc_id", pa.string()),
        ("digest", pa.uint64()),
        ("title_shingles", pa.uint32()),
        ("attributes", pa.list_(pa.int32(), len(ATTRIBUTES))),
        *(DOCUMENTS.field(name) for name in HANDED_ON),
    ]
)


@dataclass(frozen=True, eq=False)
class Facts:
    """Views of one file; nothing is read from disk until it is looked up."""

    batches: list[pa.RecordBatch]
    digests: list[NDArray[np.uint64]]
    titles: list[NDArray[np.uint32]]
    attributes: list[NDArray[np.int32]]  # (rows, len(ATTRIBUTES)) each

    def of(self, row: int, column: str) -> Any:  # noqa: ANN401  (what the column holds)
        """One value of one document."""
        return self.batches[row // ROW_GROUP][column][row % ROW_GROUP].as_py()

    def digest(self, row: int) -> int:
        return int(self.digests[row // ROW_GROUP][row % ROW_GROUP])

    def title_shingles(self, row: int) -> int:
        return int(self.titles[row // ROW_GROUP][row % ROW_GROUP])

    def attributes_of(self, row: int) -> NDArray[np.int32]:
        return self.attributes[row // ROW_GROUP][row % ROW_GROUP]


class FactsWriter:
    """Writes batches of at most `ROW_GROUP` documents, all but the last exactly that many."""

    def __init__(self, file: pa.ipc.RecordBatchFileWriter) -> None:
        self._file = file

    def write(
        self,
        documents: pa.RecordBatch,
        digests: NDArray[np.uint64],
        title_shingles: NDArray[np.int64],
        attributes: NDArray[np.int32],
    ) -> None:
        flat = pa.array(attributes.ravel(), pa.int32())
        columns = [
            documents["uid"],
            documents["doc_id"],
            pa.array(digests, pa.uint64()),
            pa.array(title_shingles, pa.uint32()),
            pa.FixedSizeListArray.from_arrays(flat, len(ATTRIBUTES)),
            *(documents[name] for name in HANDED_ON),
        ]
        self._file.write_batch(pa.RecordBatch.from_arrays(columns, schema=SCHEMA))


@contextmanager
def facts_writer(target: Path) -> Iterator[FactsWriter]:
    """Write one file; it appears only if the block ends without an exception."""
    with atomic_path(target) as partial, pa.ipc.new_file(str(partial), SCHEMA) as file:
        yield FactsWriter(file)


def write_facts(target: Path, facts: pa.Table) -> None:
    """Write rows of other files as one file."""
    with atomic_path(target) as partial, pa.ipc.new_file(str(partial), SCHEMA) as file:
        for batch in facts.combine_chunks().to_batches(max_chunksize=ROW_GROUP):
            file.write_batch(batch)


def facts_table(path: Path) -> pa.Table:
    """All rows of one file, not copied.

    Raises:
        FormatError: Not an Arrow file, cut short, or of another schema.
    """
    return pa.Table.from_batches(mapped_batches(path, SCHEMA), SCHEMA)


def open_facts(path: Path) -> Facts:
    """Map a file.

    Raises:
        FormatError: Not an Arrow file, cut short, or of another schema.
    """
    batches = mapped_batches(path, SCHEMA)
    return Facts(
        batches=batches,
        digests=[b["digest"].to_numpy() for b in batches],
        titles=[b["title_shingles"].to_numpy() for b in batches],
        attributes=[
            b["attributes"].flatten().to_numpy().reshape(-1, len(ATTRIBUTES)) for b in batches
        ],
    )


def mapped_batches(path: Path, schema: pa.Schema) -> list[pa.RecordBatch]:
    """The batches of an uncompressed Arrow file, not copied.

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
    if not file.schema.equals(schema):
        raise FormatError(
            f"{path} has columns {file.schema.names}, expected {schema.names}; "
            f"delete its stage folder and run the stage again"
        )
    return batches
