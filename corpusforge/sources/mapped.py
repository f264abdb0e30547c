"""Files of anyone's, read through a mapping of their fields: JSON lines, CSV, TSV and Parquet."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from corpusforge.errors import ParseError
from corpusforge.parsers.field_mapping import FieldMapping, mapped_json, mapped_paper
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.compressed import CutShortError
from corpusforge.sources.delimited import read_delimited
from corpusforge.sources.json_lines import read_json_lines
from corpusforge.sources.parsed import loss_of
from corpusforge.sources.records import Found, Lost, Record
from corpusforge.sources.streams import read_stream

PARQUET = b"PAR1"
BATCH = 256  # rows; a full text may have some MB
BUFFER = 1 << 20  # bytes read ahead of each column; without, a column of a row group is read whole


def read_mapped(path: Path, mapping: FieldMapping) -> Iterator[Record]:
    """Every record of one file; its first bytes say whether it is Parquet, JSON or a table.

    Bind the mapping with `functools.partial` to have a reader like any other.
    """
    head = _head(path)
    if head.startswith(PARQUET):
        return _read_parquet(path, mapping)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return read_json_lines(path, partial(mapped_json, mapping=mapping))
    return read_delimited(path, partial(mapped_paper, mapping=mapping))


def _head(path: Path) -> bytes:
    try:
        return next(read_stream(path), b"")
    except CutShortError:
        return b""  # told when the file is read


def _read_parquet(path: Path, mapping: FieldMapping) -> Iterator[Record]:
    """Rows of the columns that the mapping names; damage inside costs what follows it."""
    row = 0
    try:
        # What Arrow buffers in advance it keeps until the file is closed: all of the file.
        with pq.ParquetFile(path, pre_buffer=False, buffer_size=BUFFER) as file:
            columns = sorted(mapping.columns() & set(file.schema_arrow.names))
            for batch in file.iter_batches(BATCH, columns=columns, use_threads=False):
                for values in batch.to_pylist():
                    yield _judge(values, mapping, f"{path.name}@row {row}")
                    row += 1
    except (pa.ArrowException, OSError) as error:
        detail = f"{path.name} cannot be read from row {row:,} on: {error}; fetch it again"
        yield Lost(f"{path.name}@row {row}", Rejection(Reason.TRUNCATED, detail=detail))


def _judge(values: dict[str, object], mapping: FieldMapping, key: str) -> Record:
    """The digest is that of the mapped fields: Parquet has no bytes of one record."""
    try:
        paper = mapped_paper(values, mapping)
    except ParseError as error:
        return loss_of(error, key)
    content = msgspec.json.encode(values, enc_hook=str)
    return Found(paper, xxhash.xxh3_64_intdigest(content))
