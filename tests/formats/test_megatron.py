"""What a token shard promises."""

import importlib
import struct
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import FormatError
from corpusforge.formats.megatron import (
    data_path,
    index_path,
    open_shard,
    token_dtype,
    write_batches,
    write_shard,
)


def documents_below(vocab_size):
    document = st.lists(st.integers(0, vocab_size - 1), max_size=9)
    return st.lists(document.map(lambda ids: np.array(ids, np.int64)), max_size=7)


def read_by_the_specification(prefix):
    """Every document, one integer at a time, from the table in the module's docstring."""
    index, data = index_path(prefix).read_bytes(), data_path(prefix).read_bytes()
    assert index[:9] == b"MMIDIDX\x00\x00"
    version, code, n, d = struct.unpack_from("<QBQQ", index, 9)
    lengths = struct.unpack_from(f"<{n}i", index, 34)
    pointers = struct.unpack_from(f"<{n}q", index, 34 + 4 * n)
    bounds = struct.unpack_from(f"<{d}q", index, 34 + 12 * n)
    assert (version, d, bounds) == (1, n + 1, tuple(range(n + 1)))
    assert len(index) == 42 + 20 * n
    letter = {8: "H", 4: "i"}[code]
    assert len(data) == sum(lengths) * struct.calcsize(letter)
    return [
        list(struct.unpack_from(f"<{length}{letter}", data, start))
        for length, start in zip(lengths, pointers, strict=True)
    ]


@pytest.mark.parametrize("vocab_size", [2, 300, 65536, 65537, 2**31])
@given(data=st.data())
def test_documents_come_back_as_they_were(vocab_size, data, tmp_path_factory):
    documents = data.draw(documents_below(vocab_size))
    prefix = tmp_path_factory.mktemp("shard") / "train-00000"
    shard = write_shard(prefix, documents, vocab_size)
    expected = [document.tolist() for document in documents]
    assert [shard.document(i).tolist() for i in range(len(shard))] == expected
    assert read_by_the_specification(prefix) == expected
    assert shard.tokens.dtype == token_dtype(vocab_size)


@given(documents=documents_below(100), cut=st.integers(0, 7))
def test_how_documents_are_batched_does_not_change_the_bytes(documents, cut, tmp_path_factory):
    folder = tmp_path_factory.mktemp("shard")
    write_shard(folder / "whole", documents, 100)
    parts = [part for part in (documents[:cut], documents[cut:]) if part]
    batches = [(np.concatenate(p), np.array([len(d) for d in p])) for p in parts]
    write_batches(folder / "parts", batches, 100)
    for path in (data_path, index_path):
        assert path(folder / "whole").read_bytes() == path(folder / "parts").read_bytes()


def test_more_documents_than_one_write_holds_come_back(tmp_path):
    documents = [np.full(i % 3, i % 90) for i in range(1000)]
    write_shard(tmp_path / "x", iter(documents), 90)
    assert read_by_the_specification(tmp_path / "x") == [d.tolist() for d in documents]


def test_ids_take_two_bytes_up_to_65536_entries():
    assert [token_dtype(v).str for v in (1, 65536, 65537)] == ["<u2", "<u2", "<i4"]


def test_golden_bytes(tmp_path):
    write_shard(tmp_path / "x", [np.array([1, 258]), np.array([3])], 300)
    assert data_path(tmp_path / "x").read_bytes().hex() == "010002010300"
    assert (
        index_path(tmp_path / "x").read_bytes().hex()
        == (
            "4d4d4944494458" + "0000"  # magic
            "0100000000000000"  # version
            "08"  # uint16
            "0200000000000000"  # sequences
            "0300000000000000"  # document bounds
            "0200000001000000"  # lengths
            "00000000000000000400000000000000"  # pointers
            "000000000000000001000000000000000200000000000000"  # bounds
        )
    )


def test_an_empty_shard_is_legal(tmp_path):
    shard = write_shard(tmp_path / "x", [], 300)
    assert (len(shard), shard.tokens.size, shard.bounds.tolist()) == (0, 0, [0])


def test_an_empty_document_of_any_type_is_legal(tmp_path):
    shard = write_shard(tmp_path / "x", [np.array([]), np.array([7], np.uint8)], 300)
    assert [shard.document(i).tolist() for i in range(2)] == [[], [7]]


def test_a_prefix_may_contain_dots(tmp_path):
    write_shard(tmp_path / "v1.2", [np.array([7])], 300)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["v1.2.bin", "v1.2.idx"]


@pytest.mark.parametrize("worst", [-1, 300, 70000])
def test_an_id_outside_the_vocabulary_is_refused_and_nothing_is_left(worst, tmp_path):
    with pytest.raises(ValueError, match=rf"token id {worst} .* 300 entries \(0 to 299\)"):
        write_shard(tmp_path / "x", [np.array([5]), np.array([1, worst])], 300)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_pair_alone(tmp_path):
    write_shard(tmp_path / "x", [np.array([5])], 300)
    with pytest.raises(ValueError, match="token id 300"):
        write_shard(tmp_path / "x", [np.array([300])], 300)
    assert read_by_the_specification(tmp_path / "x") == [[5]]


def test_ids_that_are_not_integers_are_refused(tmp_path):
    with pytest.raises(ValueError, match="type float64; expected integers"):
        write_shard(tmp_path / "x", [np.array([0.5])], 300)


@pytest.mark.parametrize("vocab_size", [0, 2**31 + 1])
def test_a_vocabulary_that_no_type_holds_is_refused(vocab_size, tmp_path):
    with pytest.raises(ValueError, match=f"a vocabulary of {vocab_size} entries"):
        write_shard(tmp_path / "x", [], vocab_size)


@pytest.mark.parametrize("length", [2**31, -1])
def test_a_document_that_int32_cannot_measure_is_refused(length, tmp_path):
    tokens = np.broadcast_to(np.uint16(0), max(length, 0))  # 4 GiB that are never allocated
    with pytest.raises(ValueError, match=f"document of {length:,} tokens"):
        write_batches(tmp_path / "x", [(tokens, np.array([length]))], 300)


def test_lengths_that_do_not_cover_the_tokens_are_refused(tmp_path):
    with pytest.raises(ValueError, match="3 tokens, but lengths that add up to 2"):
        write_batches(tmp_path / "x", [(np.array([1, 2, 3]), np.array([2]))], 300)


@pytest.mark.parametrize(
    ("half", "seen"), [(data_path, "x.idx is there"), (index_path, "x.bin is there")]
)
def test_a_missing_half_is_named(half, seen, tmp_path):
    write_shard(tmp_path / "x", [np.array([5])], 300)
    half(tmp_path / "x").unlink()
    with pytest.raises(FormatError, match=f"{half(tmp_path / 'x').name} is missing .{seen}"):
        open_shard(tmp_path / "x")


def test_a_shard_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FormatError, match=r"x.bin is missing .neither half exists"):
        open_shard(tmp_path / "x")


@pytest.mark.parametrize(
    ("offset", "new", "message"),
    [
        (0, b"NOTMINE", "it starts with b'NOTMINE"),
        (9, b"\x02", "has version 2 and token type 8; expected version 1"),
        (17, b"\x06", "token type 6; expected .* type 8 .uint16. or 4"),
        (26, b"\x02", "2 sequences and 2 document bounds; expected 3"),
    ],
)
def test_a_header_that_is_not_ours_is_refused(offset, new, message, tmp_path):
    write_shard(tmp_path / "x", [np.array([5]), np.array([6])], 300)
    with index_path(tmp_path / "x").open("r+b") as file:
        file.seek(offset)
        file.write(new)
    with pytest.raises(FormatError, match=message):
        open_shard(tmp_path / "x")


@pytest.mark.parametrize("half", [data_path, index_path])
@pytest.mark.parametrize("change", [-1, 1])
def test_a_half_that_grew_or_shrank_is_noticed(half, change, tmp_path):
    write_shard(tmp_path / "x", [np.array([5, 6])], 300)
    path = half(tmp_path / "x")
    before = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(before + change)
    promised = f"has {before + change} bytes but its (index|header) promises {before} "
    with pytest.raises(FormatError, match=promised):
        open_shard(tmp_path / "x")


def test_lengths_and_pointers_that_disagree_are_noticed(tmp_path):
    write_shard(tmp_path / "x", [np.array([5, 6]), np.array([7])], 300)
    with index_path(tmp_path / "x").open("r+b") as file:
        file.seek(34 + 2 * 4)
        file.write(struct.pack("<q", 2))
    with pytest.raises(FormatError, match=r"document 0 starts at byte 2, .* add up to byte 0"):
        _ = open_shard(tmp_path / "x").bounds


@pytest.fixture(scope="module")
def indexed_dataset():
    """The reference implementation. Its import warns about what is not installed."""
    reason = "the reference needs `pip install --no-deps megatron-core`"
    pytest.importorskip("megatron.core", reason=reason)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("megatron.core.datasets.indexed_dataset")


@pytest.mark.parametrize("vocab_size", [300, 70000])
def test_the_reference_writes_the_same_bytes_and_reads_ours(vocab_size, indexed_dataset, tmp_path):
    random = np.random.default_rng(3)
    documents = [random.integers(0, vocab_size, n) for n in (3, 0, 1, 250)]
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    write_shard(ours, documents, vocab_size)
    builder = indexed_dataset.IndexedDatasetBuilder(
        str(data_path(theirs)), dtype=token_dtype(vocab_size).type
    )
    for document in documents:
        builder.add_document(document, [len(document)])
    builder.finalize(str(index_path(theirs)))
    for path in (data_path, index_path):
        assert path(ours).read_bytes() == path(theirs).read_bytes()
    dataset = indexed_dataset.IndexedDataset(str(ours))
    # Read while the dataset lives: its views point into a map that it closes when it dies.
    assert [dataset[i].tolist() for i in range(4)] == [d.tolist() for d in documents]
    del dataset
