"""The words of the corpus, counted before it is cleaned: what hyphens and quality go by."""

from collections.abc import Sequence
from math import ceil
from pathlib import Path

import numpy as np
import pyarrow as pa

from corpusforge.formats.partition import read_batches, read_columns, write_partition
from corpusforge.kernels.words import WordTable, count_words, merged
from corpusforge.tables.schemas import PAPERS, WORDS
from corpusforge.tables.text import text_buffers
from corpusforge.work import Tally, Task

MOST_PARTITIONS = 64  # counted, evenly spread: enough for the share of any word that matters
MOST_WORDS = 1 << 20  # of the table: 16 MB in every task


def sampled(partitions: Sequence[Path]) -> list[Path]:
    """The partitions to count."""
    return list(partitions[:: max(1, ceil(len(partitions) / MOST_PARTITIONS))])


def count(task: Task) -> Tally:
    """Count the words of one partition of papers."""
    tables = [
        count_words(*text_buffers(batch[name]))
        for batch in read_batches(task.sources[0], PAPERS)
        for name in ("title", "abstract", "body")
    ]
    _write(task.targets[0], merged(tables))
    return Tally()


def add_up(task: Task) -> Tally:
    """The words of all partitions that were counted; of too many, the most frequent."""
    table = merged([read_words(path) for path in task.sources])
    _write(task.targets[0], table.frequent(MOST_WORDS))
    return Tally(counts={"words": table.total, "different words": len(table.hashes)})


def read_words(path: Path) -> WordTable:
    """A table of words as it was written.

    Raises:
        FormatError: The file is damaged.
    """
    columns = read_columns(path, ["hash", "count"])
    hashes = columns["hash"].to_numpy(zero_copy_only=False)
    return WordTable(hashes.astype(np.uint64), columns["count"].to_numpy(zero_copy_only=False))


def _write(target: Path, table: WordTable) -> None:
    columns = [pa.array(table.hashes, pa.uint64()), pa.array(table.counts, pa.int64())]
    write_partition(target, pa.Table.from_arrays(columns, schema=WORDS))
