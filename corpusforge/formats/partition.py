"""Partition: one Parquet file of a table, read and written a row group at a time.

Row groups hold exactly `ROW_GROUP` rows (the last one fewer), whatever batches arrive, so the same
rows always give the same bytes. Compression is zstd level 3. Pages carry checksums, which are
verified on reading: zstd alone lets half of all changed bytes pass as other values. The Arrow
schema is the table's published one and is checked on reading.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from corpusforge.errors import FormatError
from corpusforge.formats.atomic import atomic_path

ROW_GROUP = 4096


class PartitionWriter:
    """Cuts what it is given into row groups of equal size."""

    def __init__(self, file: pq.ParquetWriter, schema: pa.Schema) -> None:
        self._file = file
        self._schema = schema
        self._pending: list[pa.RecordBatch] = []
        self._rows = 0

    def write(self, batch: pa.RecordBatch) -> None:
        if batch.num_rows == 0:
            return
        self._pending.append(batch)
        self._rows += batch.num_rows
        if self._rows >= ROW_GROUP:
            self._flush(self._rows - self._rows % ROW_GROUP)

    def finish(self) -> None:
        self._flush(self._rows)

    def _flush(self, rows: int) -> None:
        if rows == 0:
            return
        table = pa.Table.from_batches(self._pending, self._schema).combine_chunks()
        self._file.write_table(table.slice(0, rows), row_group_size=ROW_GROUP)
        rest = table.slice(rows)
        self._pending, self._rows = rest.to_batches(), rest.num_rows


@contextmanager
def partition_writer(target: Path, schema: pa.Schema) -> Iterator[PartitionWriter]:
    """Write one partition; it appears only if the block ends without an exception."""
    with (
        atomic_path(target) as partial,
        pq.ParquetWriter(
            partial,
            schema,
            compression="zstd",
            compression_level=3,
            write_page_checksum=True,
            write_statistics=["uid", "doc_id", "year"],
        ) as file,
    ):
        writer = PartitionWriter(file, schema)
        yield writer
        writer.finish()


def write_partition(target: Path, table: pa.Table) -> None:
    """Write a whole table as one partition."""
    with partition_writer(target, table.schema) as writer:
        for batch in table.to_batches():
            writer.write(batch)


def read_batches(path: Path, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of a partition, at most `ROW_GROUP` at a time.

    Raises:
        FormatError: Not a Parquet file, cut short, damaged, or of another schema.
    """
    with _opened(path) as file:
        if not file.schema_arrow.equals(schema):
            raise FormatError(
                f"{path} has columns {file.schema_arrow.names}, expected {schema.names}; it was "
                f"written by another version: delete its stage folder and run the stage again"
            )
        yield from file.iter_batches(batch_size=ROW_GROUP)


def read_columns(path: Path, columns: Sequence[str]) -> pa.RecordBatch:
    """These columns of one partition, whole, in memory.

    Raises:
        FormatError: Not a Parquet file, cut short or damaged.
    """
    with _opened(path) as file:
        table = file.read(columns=list(columns))
    arrays = [table[name].combine_chunks() for name in columns]
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def read_row_groups(
    path: Path, columns: Sequence[str], rows: Iterable[int]
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """These columns of the row groups that hold any of these rows, each after its first row.

    Raises:
        FormatError: Not a Parquet file, cut short or damaged.
    """
    with _opened(path) as file:
        for group in sorted({row // ROW_GROUP for row in rows}):
            table = file.read_row_group(group, columns=list(columns))
            arrays = [table[name].combine_chunks() for name in columns]
            yield group * ROW_GROUP, pa.RecordBatch.from_arrays(arrays, names=list(columns))


def column_names(path: Path) -> list[str]:
    """The columns of a partition, in order.

    Raises:
        FormatError: Not a Parquet file, cut short or damaged.
    """
    with _opened(path) as file:
        return file.schema_arrow.names


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    try:
        with pq.ParquetFile(
            path,
            memory_map=True,
            pre_buffer=False,  # else a whole column chunk is held: of 542 MB of text, 900 MB
            buffer_size=1 << 20,
            page_checksum_verification=True,
        ) as file:
            yield file
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # as the damage has it
        raise FormatError(
            f"{path} cannot be read as Parquet ({error}); an interrupted copy? "
            f"Delete it and run the stage again"
        ) from error
