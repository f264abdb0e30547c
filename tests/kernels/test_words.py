"""Counting words."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.words import WordTable, count_words, merged, word_hash
from corpusforge.tables.text import text_buffers

TEXTS = st.lists(st.text(alphabet="aAbé 1-.\n中", max_size=40), max_size=8)


def table(*texts):
    return count_words(*text_buffers(pa.array(texts, pa.large_string())))


def words(texts):
    """The oracle: maximal runs of letters and digits in lower case, ideographs alone."""
    return Counter(
        word
        for text in texts
        for run in "".join(f" {c} " if c == "中" else c for c in text.lower()).split()
        for word in "".join(c if c.isalnum() else " " for c in run).split()
    )


@given(TEXTS)
def test_every_word_is_counted_as_often_as_it_occurs(texts):
    expected = words(texts)
    counted = table(*texts)
    assert {word: counted.count(word) for word in expected} == dict(expected)
    assert counted.total == expected.total()
    assert len(counted.hashes) == len(expected)


@given(TEXTS, TEXTS)
def test_the_sum_of_two_tables_is_the_table_of_all_texts(left, right):
    whole, parts = table(*left, *right), merged([table(*left), table(*right)])
    assert parts.hashes.tolist() == whole.hashes.tolist()
    assert parts.counts.tolist() == whole.counts.tolist()


def test_more_words_than_the_first_table_has_room_for_are_counted():
    texts = [" ".join(f"w{i}" for i in range(n)) for n in (200_000, 100_000)]
    counted = table(*texts)
    assert len(counted.hashes) == 200_000
    assert counted.count("w7") == 2
    assert counted.count("w150000") == 1


def test_a_word_that_does_not_occur_counts_nothing():
    assert table("one two").count("three") == 0
    assert table().count("one") == 0


@pytest.mark.parametrize("most", [0, 1, 2, 3, 9])
def test_the_most_frequent_words_are_kept_and_ties_go_by_hash(most):
    counted = table("a a a b b c d")
    ranked = sorted(zip(-counted.counts, counted.hashes, strict=True))[:most]
    kept = counted.frequent(most)
    assert kept.hashes.tolist() == sorted(int(key) for _, key in ranked)
    assert (np.diff(kept.hashes.astype(object)) > 0).all()


def test_case_does_not_matter():
    assert word_hash("Water") == word_hash("water") != word_hash("waters")


def test_an_empty_sum_is_an_empty_table():
    empty = merged([])
    assert isinstance(empty, WordTable)
    assert empty.total == 0
