"""What the kernels over mapped shards promise; that they agree with walking is in test_tokens."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.jit import jit
from corpusforge.kernels.raw_memory import copy_bytes, load_int64, prefetch
from corpusforge.kernels.token_windows import (
    DATA,
    DOCUMENTS,
    FIRST,
    OUT_OF_ORDER,
    POINTERS,
    ROWS,
    TOKEN_BYTES,
    TOKENS,
    USED,
    all_within,
    copy_windows,
    place_tokens,
)

ids = np.arange(100, 112, dtype=np.int32)
starts_of_documents = np.array([0, 0, 12, 32, 48], np.int64)  # bytes; the first and last are empty


def table_of(*mapped):
    """Three shards of the tokens above, of which some are mapped."""
    table = np.zeros((ROWS, 3), np.int64)
    table[TOKENS], table[FIRST], table[TOKEN_BYTES], table[DOCUMENTS] = 12, [0, 12, 24], 4, 5
    table[DATA, mapped], table[POINTERS, mapped] = ids.ctypes.data, starts_of_documents.ctypes.data
    return table


def test_a_window_runs_through_as_many_shards_as_it_takes():
    rows, table = np.empty((1, 36), np.int32), table_of(0, 1, 2)
    assert copy_windows(table, np.array([0]), 7, rows) == 0
    assert rows[0].tolist() == [*ids] * 3
    assert table[USED].tolist() == [7, 7, 7]
    places, begin = np.empty((1, 36), np.int64), np.array([0])
    assert place_tokens(table, begin, begin, 8, places) == (0, -1)
    assert places[0].tolist() == [0, 1, 2, 0, 1, 2, 3, 4, 0, 1, 2, 3] * 3
    assert table[USED].tolist() == [8, 8, 8]


def test_windows_that_need_what_is_not_mapped_are_counted_and_their_shards_noted():
    table, starts = table_of(0), np.array([0, 10, 24, 8])
    rows = np.full((4, 4), -1, np.int32)
    assert copy_windows(table, starts, 3, rows) == 2
    assert rows[[0, 3]].tolist() == [[*ids[:4]], [*ids[8:]]]
    assert table[USED].tolist() == [3, 3, 3]
    table[USED] = 0
    places = np.full((2, 4), -1, np.int64)
    assert place_tokens(table, starts[[0, 1]], starts[[0, 1]], 5, places) == (1, -1)
    assert places[0].tolist() == [0, 1, 2, 0]
    assert table[USED].tolist() == [5, 5, 0]


def test_a_shard_whose_documents_are_out_of_order_is_named():
    table, wrong = table_of(0, 1), np.array([0, 0, 32, 12, 48], np.int64)
    table[POINTERS, 1] = wrong.ctypes.data
    begin, places = np.array([12]), np.empty((1, 12), np.int64)
    assert place_tokens(table, begin, begin, 1, places) == (OUT_OF_ORDER, 1)


@given(st.lists(st.integers(-9, 9)), st.integers(-9, 9), st.integers(-9, 9))
def test_within_means_both_ends_too(values, low, high):
    within = all(low <= value <= high for value in values)
    assert all_within(np.array(values, np.int64), low, high) == within


@jit
def _copied(target, source, count):
    prefetch(source)
    copy_bytes(target, source, count)
    return load_int64(target)


@given(st.binary(min_size=8, max_size=200), st.integers(0, 7))
def test_bytes_are_copied_and_read_wherever_they_lie(content, offset):
    source = np.frombuffer(bytes(offset) + content, np.uint8)
    target = np.zeros(len(source) + 8, np.uint8)
    place = target.ctypes.data + offset
    first = _copied(place, source.ctypes.data + offset, len(content))
    assert target[offset : offset + len(content)].tobytes() == content
    assert not target[:offset].any()
    assert not target[offset + len(content) :].any()
    assert first == int.from_bytes(content[:8], "little", signed=True)
