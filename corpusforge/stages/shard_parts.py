"""What encode leaves of one partition and split, and where its documents go: mapped, not read.

`part-00000.arrow` holds one batch of documents, sorted by order key, each with its token ids and
its provenance. A mixture puts `part-00000.places` beside it, which says of each document when it is
read: more than once, once or never. Without one, each document is read once, in its own place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.formats.atomic import atomic_path
from corpusforge.formats.megatron import token_dtype
from corpusforge.tables.schemas import PROVENANCE

PLACES = ".places"
# What travels from encode to assemble: provenance without the place in a shard.
CARRIED = [f for f in PROVENANCE if f.name not in ("start", "tokens", "pass")]
PLACE_COLUMNS = pa.schema([("order", pa.uint64()), ("row", pa.int64()), ("pass", pa.int16())])


def encoded_schema(vocab_size: int) -> pa.Schema:
    """Columns of what encode writes."""
    ids = pa.large_list(pa.from_numpy_dtype(token_dtype(vocab_size)))
    return pa.schema([("order", pa.uint64()), *CARRIED, ("ids", ids)])


@dataclass(frozen=True, eq=False)
class Part:
    """The documents of one partition and split, and their places; D documents in P places."""

    documents: pa.RecordBatch
    bounds: NDArray[np.int64]  # (D + 1,) of the ids of each document
    ids: NDArray[Any]
    order: NDArray[np.uint64]  # (P,) ascending
    placed: tuple[NDArray[np.int64], NDArray[np.int16]] | None  # (P,) rows and passes; None: once

    def rows(self, places: slice) -> NDArray[np.int64]:
        """The document in each of these places."""
        if self.placed is None:
            return np.arange(*places.indices(len(self.order)))
        return self.placed[0][places]

    def passes(self, places: slice) -> NDArray[np.int16]:
        """How often the document of each place stood before."""
        if self.placed is None:
            return np.zeros(len(self.order[places]), np.int16)
        return self.placed[1][places]

    def between(self, low: int, high: int) -> slice:
        """The places with low <= order < high."""
        first = int(np.searchsorted(self.order, np.uint64(low)))
        last = len(self.order)
        if high < 2**64:
            last = int(np.searchsorted(self.order, np.uint64(high)))
        return slice(first, last)

    def lengths(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Tokens of these documents."""
        return self.bounds[rows + 1] - self.bounds[rows]


def write_batch(target: Path, batch: pa.RecordBatch) -> None:
    """Write one batch that `open_part` can map."""
    with atomic_path(target) as partial, pa.ipc.new_file(str(partial), batch.schema) as file:
        file.write_batch(batch)


def open_part(path: Path) -> Part:
    """Map what encode and a mixture wrote of one partition and split."""
    documents = read_batch(path)
    bounds, ids = documents["ids"].offsets.to_numpy(), documents["ids"].values.to_numpy()
    beside = path.with_suffix(PLACES)
    if not beside.exists():
        return Part(documents, bounds, ids, documents["order"].to_numpy(), None)
    places = read_batch(beside)
    order, rows, passes = (places[name].to_numpy() for name in PLACE_COLUMNS.names)
    return Part(documents, bounds, ids, order, (rows, passes))


def open_parts(folder: Path) -> Sequence[Part]:
    """All parts of one split, in order."""
    return [open_part(path) for path in sorted(folder.glob("part-*.arrow"))]


def read_batch(path: Path) -> pa.RecordBatch:
    """A batch from `write_batch`, as views of the mapped file."""
    # Not `pa.memory_map`, which keeps the file open: there may be more parts than open files.
    mapped = pa.py_buffer(np.memmap(path, np.uint8, "r"))
    return pa.ipc.open_file(pa.BufferReader(mapped)).get_batch(0)
