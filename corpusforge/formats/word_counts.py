"""Word counts: distinct words of some texts with how often each occurs, for exchange between tasks.

An uncompressed Arrow IPC file, memory-mapped, of one or more record batches with columns

    hash   uint64        of the word, ascending within a batch
    word   large_binary  its bytes; words of one hash are in their order
    count  int64

A batch is what was in memory at a time: a word may stand in several of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa

from corpusforge.formats.atomic import atomic_path
from corpusforge.formats.facts import mapped_batches
from corpusforge.kernels.word_counts import Counted, WordList, in_order

SCHEMA = pa.schema([("hash", pa.uint64()), ("word", pa.large_binary()), ("count", pa.int64())])


class WordWriter:
    """Writes tables of words, a batch each."""

    def __init__(self, file: pa.ipc.RecordBatchFileWriter) -> None:
        self._file = file

    def write(self, table: Counted) -> None:
        made = in_order(table)
        words = pa.LargeBinaryArray.from_buffers(
            pa.large_binary(),
            made.words,
            [None, pa.py_buffer(made.bounds), pa.py_buffer(made.data)],
        )
        columns = [pa.array(made.hashes), words, pa.array(made.counts)]
        self._file.write_batch(pa.RecordBatch.from_arrays(columns, schema=SCHEMA))


@contextmanager
def word_writer(target: Path) -> Iterator[WordWriter]:
    """Write one file; it appears only if the block ends without an exception."""
    with atomic_path(target) as partial, pa.ipc.new_file(str(partial), SCHEMA) as file:
        yield WordWriter(file)


def words_between(path: Path, low: int, high: int) -> Iterator[WordList]:
    """The words with low <= hash < high, of each batch of a file.

    Raises:
        FormatError: Not an Arrow file, cut short, or of another schema.
    """
    for batch in mapped_batches(path, SCHEMA):
        hashes = batch["hash"].to_numpy()
        first = int(np.searchsorted(hashes, np.uint64(low)))
        last = len(hashes) if high >= 2**64 else int(np.searchsorted(hashes, np.uint64(high)))
        if first < last:
            part = batch.slice(first, last - first)
            _, bounds, data = part["word"].buffers()
            yield WordList(
                data=np.frombuffer(data, np.uint8),
                bounds=np.frombuffer(bounds, np.int64)[first : last + 1],
                counts=part["count"].to_numpy(),
            )
