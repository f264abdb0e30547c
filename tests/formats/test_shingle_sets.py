"""What the files that dedup looks documents up in promise."""

import numpy as np
import pyarrow as pa
import pytest
from stages.folders import documents_table

from corpusforge.errors import FormatError
from corpusforge.formats import facts
from corpusforge.formats.facts import ATTRIBUTES, facts_writer, open_facts
from corpusforge.formats.partition import ROW_GROUP
from corpusforge.formats.shingle_sets import SCHEMA, open_shingle_sets, shingle_sets_writer
from corpusforge.tables.schemas import HANDED_ON

ROWS = 2 * ROW_GROUP + 3


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("facts") / "a.arrow"
    table = documents_table([(f"made:{row}", "") for row in range(ROWS)], uids=range(ROWS))
    with facts_writer(path) as writer:
        for batch in table.combine_chunks().to_batches(max_chunksize=ROW_GROUP):
            uids = batch["uid"].to_numpy()
            attributes = np.repeat(uids[:, None].astype(np.int32), len(ATTRIBUTES), axis=1)
            writer.write(batch, np.uint64(2**64 - 1) - uids, uids.astype(np.int64) % 9, attributes)
    return path


@pytest.mark.parametrize(
    "row", [0, 1, 7, ROW_GROUP - 1, ROW_GROUP, ROW_GROUP + 1, 2 * ROW_GROUP, ROWS - 1]
)
def test_the_facts_of_a_row_are_found_on_both_sides_of_every_boundary(written, row):
    found = open_facts(written)
    assert found.of(row, "doc_id") == f"made:{row}"
    assert found.digest(row) == 2**64 - 1 - row
    assert found.title_shingles(row) == row % 9
    assert found.attributes_of(row).tolist() == [row] * len(ATTRIBUTES)


def test_what_copies_hand_on_is_among_the_facts():
    assert set(HANDED_ON) < set(facts.SCHEMA.names)


def test_shingles_are_found_by_row_and_only_for_rows_that_are_there(tmp_path):
    path = tmp_path / "a.arrow"
    nothing = np.empty(0, np.uint32)
    with shingle_sets_writer(path) as writer:  # in three batches, of which one is empty
        writer.write(np.array([2, 5], np.uint32), np.array([0, 2, 2]), np.array([7, 8], np.uint32))
        writer.write(nothing, np.zeros(1, np.int64), nothing)
        writer.write(np.array([9], np.uint32), np.array([0, 1]), np.array([2**32 - 1], np.uint32))
    sets = open_shingle_sets(path)
    assert [sets.shingles(row).tolist() for row in (2, 5, 9)] == [[7, 8], [], [2**32 - 1]]
    for row in (0, 3, 6, 10):
        with pytest.raises(KeyError):
            sets.shingles(row)


@pytest.mark.parametrize("open_file", [open_shingle_sets, open_facts])
def test_a_file_that_is_none_is_refused(tmp_path, open_file):
    path = tmp_path / "a.arrow"
    path.write_bytes(b"not Arrow")
    with pytest.raises(FormatError, match=r"a\.arrow cannot be read as an Arrow file"):
        open_file(path)


@pytest.mark.parametrize("open_file", [open_shingle_sets, open_facts])
def test_a_file_of_another_schema_is_refused(tmp_path, open_file):
    path = tmp_path / "a.arrow"
    other = pa.schema([("other", pa.int8())])
    with pa.ipc.new_file(str(path), other) as file:
        file.write_batch(pa.RecordBatch.from_arrays([pa.array([1], pa.int8())], schema=other))
    with pytest.raises(FormatError, match=r"a\.arrow has columns \['other'\], expected \['"):
        open_file(path)


def test_a_file_cut_short_is_refused(written, tmp_path):
    path = tmp_path / "cut.arrow"
    path.write_bytes(written.read_bytes()[:-100])
    with pytest.raises(FormatError, match="delete its stage folder"):
        open_facts(path)


def test_the_columns_on_disk_keep_their_types():
    assert SCHEMA.types == [pa.uint32(), pa.large_list(pa.uint32())]
