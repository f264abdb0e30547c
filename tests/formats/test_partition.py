"""What a partition promises."""

from contextlib import suppress
from itertools import pairwise

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusforge.errors import FormatError
from corpusforge.formats import partition
from corpusforge.formats.partition import (
    ROW_GROUP,
    partition_writer,
    read_batches,
    read_columns,
    read_row_groups,
    write_partition,
)

SCHEMA = pa.schema(
    [
        pa.field("uid", pa.uint64(), metadata={"description": "identity"}),
        ("doc_id", pa.string()),
        ("text", pa.large_string()),
        ("authors", pa.list_(pa.string())),
        ("year", pa.int16()),
    ]
)


def rows(count):
    return pa.table(
        {
            "uid": pa.array(range(count), pa.uint64()),
            "doc_id": [f"made:{i}" for i in range(count)],
            "text": [None if i % 11 == 5 else "words " * (i % 7) for i in range(count)],
            "authors": [None if i % 13 == 0 else ["Ä", "B"][: i % 3] for i in range(count)],
            "year": [None] * count,
        },
        SCHEMA,
    )


TABLE = rows(2 * ROW_GROUP + 1000)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The bytes of a partition that came as one batch."""
    path = tmp_path_factory.mktemp("partition") / "whole.parquet"
    write_partition(path, TABLE)
    return path


@pytest.mark.parametrize("count", [0, 1, ROW_GROUP - 1, ROW_GROUP, ROW_GROUP + 1, 9000])
def test_what_is_written_is_what_is_read(tmp_path, count):
    path = tmp_path / "part.parquet"
    write_partition(path, rows(count))
    batches = list(read_batches(path, SCHEMA))
    assert pa.Table.from_batches(batches, SCHEMA).equals(rows(count))


@pytest.mark.parametrize("count", [0, 1, ROW_GROUP, ROW_GROUP + 1, 3 * ROW_GROUP])
def test_row_groups_and_batches_hold_as_many_rows_as_promised(tmp_path, count):
    path = tmp_path / "part.parquet"
    write_partition(path, rows(count))
    full, rest = divmod(count, ROW_GROUP)
    expected = [ROW_GROUP] * full + ([rest] if rest else [])
    with pq.ParquetFile(path) as file:
        groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert groups == expected
    assert [batch.num_rows for batch in read_batches(path, SCHEMA)] == expected


@settings(max_examples=25)
@given(st.lists(st.integers(0, len(TABLE)), max_size=12))
def test_the_cut_into_batches_does_not_change_a_byte(tmp_path_factory, written, cuts):
    path = tmp_path_factory.mktemp("partition") / "cut.parquet"
    with partition_writer(path, SCHEMA) as writer:
        for start, end in pairwise([0, *sorted(cuts), len(TABLE)]):
            for batch in TABLE.slice(start, end - start).to_batches() or [
                TABLE.to_batches()[0][:0]
            ]:
                writer.write(batch)
    assert path.read_bytes() == written.read_bytes()


def test_many_small_batches_do_not_change_a_byte(tmp_path, written):
    with partition_writer(tmp_path / "cut.parquet", SCHEMA) as writer:
        for batch in TABLE.to_batches(max_chunksize=37):
            writer.write(batch)
    assert (tmp_path / "cut.parquet").read_bytes() == written.read_bytes()


def test_compression_is_the_one_the_format_promises(written):
    with pq.ParquetFile(written) as file:
        column = file.metadata.row_group(0).column(0)
    assert column.compression == "ZSTD"


def test_some_columns_come_whole_and_in_the_order_asked_for(written):
    got = read_columns(written, ["doc_id", "uid"])
    assert got.schema.names == ["doc_id", "uid"]
    assert got["uid"].to_pylist() == list(range(len(TABLE)))
    assert got["doc_id"].to_pylist() == TABLE["doc_id"].to_pylist()


@given(rows_wanted=st.sets(st.integers(0, 3 * 4 - 1)))
def test_the_row_groups_that_hold_a_row_are_those_that_come(tmp_path_factory, rows_wanted):
    path = tmp_path_factory.mktemp("groups") / "p.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition, "ROW_GROUP", 4)
        write_partition(path, rows(10))
        there = {row for row in rows_wanted if row < 10}
        found = list(read_row_groups(path, ["doc_id", "uid"], there))
    assert [first for first, _ in found] == sorted({4 * (row // 4) for row in there})
    for first, batch in found:
        assert batch.schema.names == ["doc_id", "uid"]
        assert batch["uid"].to_pylist() == list(range(first, min(first + 4, 10)))


def test_the_columns_of_an_empty_partition_are_empty(tmp_path):
    write_partition(tmp_path / "none.parquet", rows(0))
    assert list(read_batches(tmp_path / "none.parquet", SCHEMA)) == []
    got = read_columns(tmp_path / "none.parquet", ["uid", "text"])
    assert (got.num_rows, got["text"].type) == (0, pa.large_string())


def test_an_exception_while_writing_leaves_no_partition(tmp_path):
    with suppress(ZeroDivisionError), partition_writer(tmp_path / "x.parquet", SCHEMA) as out:
        out.write(rows(10).to_batches()[0])
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_partition_of_another_schema_is_refused_by_its_columns(written):
    other = pa.schema([("uid", pa.uint64()), ("title", pa.string())])
    with pytest.raises(
        FormatError, match=r"whole\.parquet has columns .*'authors'.*, expected \['uid', 'title'\]"
    ):
        list(read_batches(written, other))


def test_a_column_of_another_type_is_another_schema(written):
    other = SCHEMA.set(4, pa.field("year", pa.int32()))
    with pytest.raises(FormatError, match="written by another version"):
        list(read_batches(written, other))


@settings(max_examples=60)
@given(st.floats(0, 1, exclude_max=True))
def test_a_partition_cut_anywhere_is_refused(tmp_path_factory, written, fraction):
    path = tmp_path_factory.mktemp("partition") / "cut.parquet"
    content = written.read_bytes()
    path.write_bytes(content[: int(len(content) * fraction)])
    for read in (
        lambda: list(read_batches(path, SCHEMA)),
        lambda: read_columns(path, ["uid"]),
    ):
        with pytest.raises(FormatError, match=r"cut\.parquet cannot be read as Parquet \(.+\)"):
            read()


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_no_changed_byte_of_the_values_goes_unnoticed(tmp_path_factory, written, place, change):
    """Of the second row group's uids: its dictionary page, after the page's header."""
    path = tmp_path_factory.mktemp("partition") / "bad.parquet"
    content = bytearray(written.read_bytes())
    with pq.ParquetFile(written) as file:
        column = file.metadata.row_group(1).column(0)
    start, end = column.dictionary_page_offset + 100, column.data_page_offset
    content[start + int((end - start) * place)] ^= change
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"bad\.parquet cannot be read as Parquet \(.*CRC"):
        list(read_batches(path, SCHEMA))


@given(st.integers(0, 2**32), st.integers(1, 255))
def test_damage_anywhere_raises_nothing_but_a_format_error(tmp_path_factory, place, change):
    path = tmp_path_factory.mktemp("partition") / "bad.parquet"
    write_partition(path, rows(50))
    content = bytearray(path.read_bytes())
    content[place % len(content)] ^= change
    path.write_bytes(content)
    with suppress(FormatError):
        list(read_batches(path, SCHEMA))


def test_a_partition_that_is_not_there_is_said_not_to_be_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"gone\.parquet"):
        read_columns(tmp_path / "gone.parquet", ["uid"])


def test_an_error_of_the_reader_of_batches_is_not_taken_for_damage(written):
    def read():
        for _ in read_batches(written, SCHEMA):
            raise OSError("mine")

    with pytest.raises(OSError, match="mine"):
        read()
