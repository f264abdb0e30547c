"""Documents and what dedup says about them, joined by uid."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ContractError
from corpusforge.formats import partition
from corpusforge.formats.partition import write_partition
from corpusforge.tables.annotation import surviving_batches
from corpusforge.tables.schemas import DOCUMENTS, SURVIVORS


@pytest.fixture(autouse=True, scope="module")
def _small_row_groups():
    """Few documents then make several batches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition, "ROW_GROUP", 4)
        yield


def filled(schema, **columns):
    """A table with these columns; the others are null."""
    count = len(columns["uid"])
    arrays = [pa.array(columns.get(f.name, [None] * count), f.type) for f in schema]
    return pa.table(arrays, schema=schema)


def write(folder, documents, survivors):
    names = [f"made:{uid}" for uid in documents]
    write_partition(folder / "d.parquet", filled(DOCUMENTS, uid=documents, doc_id=names))
    copies = [[f"copy:{uid % 100}"] for uid in survivors]
    dois = [f"10.1000/{uid}" for uid in survivors]
    write_partition(folder / "s.parquet", filled(SURVIVORS, uid=survivors, copies=copies, doi=dois))
    return folder / "d.parquet", folder / "s.parquet"


uid_lists = st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=20)


@given(uid_lists, st.data())
def test_the_survivors_are_those_a_filter_by_uid_finds_each_beside_its_row(
    tmp_path_factory, documents, data
):
    chosen = data.draw(st.sets(st.sampled_from(documents))) if documents else set()
    survivors = [uid for uid in documents if uid in chosen]
    paths = write(tmp_path_factory.mktemp("join"), documents, survivors)
    joined = list(surviving_batches(*paths))
    for kept, part in joined:
        assert kept["uid"].to_pylist() == part["uid"].to_pylist()
        assert kept["doc_id"].to_pylist() == [f"made:{uid}" for uid in part["uid"].to_pylist()]
        uids = kept["uid"].to_pylist()
        assert part["copies"].to_pylist() == [[f"copy:{uid % 100}"] for uid in uids]
        # What the copies handed on stands in the documents.
        assert kept["doi"].to_pylist() == [f"10.1000/{uid}" for uid in uids]
    assert [uid for kept, _ in joined for uid in kept["uid"].to_pylist()] == survivors


def test_one_batch_of_documents_gives_one_even_if_none_of_it_survives(tmp_path):
    paths = write(tmp_path, list(range(12)), [9])
    assert [kept.num_rows for kept, _ in surviving_batches(*paths)] == [0, 0, 1]


@pytest.mark.parametrize(
    ("documents", "survivors", "agreed"),
    [
        ([1, 2, 3], [3, 1], 0),  # another order
        ([1, 2, 3, 4, 5, 6], [1, 6, 5], 1),  # another order in the second batch
        ([1, 2, 3], [1, 7], 1),  # one that is not among the documents
        ([1, 2, 3, 4, 5], [2, 4, 7], 2),  # the same, found out after a good batch
        ([], [1], 0),
    ],
)
def test_a_survivor_that_cannot_be_placed_stops_the_run(tmp_path, documents, survivors, agreed):
    paths = write(tmp_path, documents, survivors)
    message = rf"s\.parquet and .*d\.parquet disagree after {agreed} of {len(survivors)} survivors"
    with pytest.raises(ContractError, match=message):
        list(surviving_batches(*paths))


def test_a_document_that_stands_twice_stops_the_run(tmp_path):
    """Two batches of four; the survivor 1 is in both, so its second row has no annotation."""
    paths = write(tmp_path, [1, 2, 3, 4, 1], [1])
    with pytest.raises(ContractError, match="disagree after 1 of 1 survivors"):
        list(surviving_batches(*paths))


def test_uids_beyond_signed_64_bits_are_compared_exactly(tmp_path):
    big = 2**63 + 1
    paths = write(tmp_path, [big - 1, big, big + 1], [big])
    [(kept, _)] = surviving_batches(*paths)
    assert kept["uid"].to_numpy().tolist() == np.array([big], np.uint64).tolist()


def test_a_text_is_read_without_its_cuts(tmp_path):
    texts = ["One. Two. Three.", "Übung. Zwei.", "Neither.", "Gone. Cut whole."]
    cuts = [[(5, 10)], [], [], [(0, 6), (10, 16)]]
    uids = [1, 2, 3, 4]
    write_partition(tmp_path / "d.parquet", filled(DOCUMENTS, uid=uids, text=texts))
    ranges = [[{"start": a, "end": b} for a, b in own] for own in cuts]
    for kept, expected in (
        ([1, 2, 4], ["One.\n\nThree.", "Übung. Zwei.", "Cut"]),
        ([2, 3], ["Übung. Zwei.", "Neither."]),
    ):
        own = [ranges[uid - 1] for uid in kept]
        write_partition(tmp_path / "s.parquet", filled(SURVIVORS, uid=kept, cuts=own))
        [(batch, _)] = surviving_batches(tmp_path / "d.parquet", tmp_path / "s.parquet")
        assert batch["text"].to_pylist() == expected
