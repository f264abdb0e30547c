"""What a shingle index promises."""

import numpy as np
import pyarrow as pa
import pytest

from corpusforge.errors import FormatError
from corpusforge.formats.partition import ROW_GROUP
from corpusforge.formats.shingle_index import (
    SCHEMA,
    open_shingle_index,
    shingle_index_writer,
)

ROWS = 2 * ROW_GROUP + 3


def shingles_of(row):
    """A set of its own for each row, also across batches; every seventh is empty."""
    return [] if row % 7 == 0 else [row, row + 1, 2**32 - 1][: 1 + row % 3]


def write_rows(path, rows):
    with shingle_index_writer(path) as writer:
        for start in range(0, rows, ROW_GROUP):
            numbers = range(start, min(start + ROW_GROUP, rows))
            sets = [shingles_of(row) for row in numbers]
            writer.write(
                pa.array([f"made:{row}" for row in numbers]),
                np.array([10 * row for row in numbers], np.int64),
                np.array([2**64 - 1 - row for row in numbers], np.uint64),
                np.cumsum([0, *map(len, sets)]),
                np.array([x for s in sets for x in s], np.uint32),
            )
    return path


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    return open_shingle_index(write_rows(tmp_path_factory.mktemp("index") / "a.arrow", ROWS))


@pytest.mark.parametrize(
    "row", [0, 1, 7, ROW_GROUP - 1, ROW_GROUP, ROW_GROUP + 1, 2 * ROW_GROUP, ROWS - 1]
)
def test_a_row_is_found_on_both_sides_of_every_boundary(index, row):
    assert index.doc_id(row) == f"made:{row}"
    assert index.size(row) == 10 * row
    assert index.digest(row) == 2**64 - 1 - row
    assert index.shingles(row).tolist() == shingles_of(row)


def test_every_row_has_its_own_shingles(index):
    for row in range(ROWS):
        assert index.shingles(row).tolist() == shingles_of(row)


def test_sizes_are_those_of_all_rows_in_order(index):
    assert index.sizes().tolist() == [10 * row for row in range(ROWS)]


def test_shingles_have_the_type_that_kernels_take(index):
    assert index.shingles(1).dtype == np.uint32


def test_an_index_without_documents_has_no_rows(tmp_path):
    assert open_shingle_index(write_rows(tmp_path / "a.arrow", 0)).sizes().tolist() == []


def test_a_batch_without_documents_is_no_row(tmp_path):
    with shingle_index_writer(tmp_path / "a.arrow") as writer:
        writer.write(
            pa.array([], pa.string()),
            np.empty(0, np.int64),
            np.empty(0, np.uint64),
            np.zeros(1, np.int64),
            np.empty(0, np.uint32),
        )
    assert open_shingle_index(tmp_path / "a.arrow").sizes().tolist() == []


def test_an_index_cut_anywhere_is_refused(tmp_path):
    content = write_rows(tmp_path / "a.arrow", 3).read_bytes()
    for size in range(len(content)):
        (tmp_path / "cut.arrow").write_bytes(content[:size])
        with pytest.raises(FormatError, match=r"cut\.arrow cannot be read as an Arrow file \(.+\)"):
            open_shingle_index(tmp_path / "cut.arrow")


def test_an_arrow_file_of_other_columns_is_refused_by_their_names(tmp_path):
    schema = pa.schema([("n", pa.int64())])
    with pa.ipc.new_file(str(tmp_path / "a.arrow"), schema) as file:
        file.write_batch(pa.record_batch({"n": [1]}))
    with pytest.raises(FormatError, match=r"a\.arrow has columns \['n'\], expected \['doc_id'"):
        open_shingle_index(tmp_path / "a.arrow")


def test_an_exception_while_writing_leaves_no_index(tmp_path):
    with pytest.raises(ZeroDivisionError), shingle_index_writer(tmp_path / "a.arrow"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_the_columns_are_those_of_the_specification():
    """Golden. If this fails, an index of another version would be misread."""
    assert [(field.name, str(field.type)) for field in SCHEMA] == [
        ("doc_id", "string"),
        ("bytes", "uint32"),
        ("digest", "uint64"),
        ("shingles", "large_list<item: uint32>"),
    ]
