"""What an index of grams holds."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from word_runs import runs_of, words_of

from corpusforge.kernels import ngram_index
from corpusforge.kernels.mixing import mix64
from corpusforge.kernels.ngram_index import (
    build_index,
    most_words,
    passes,
    rolling_hash,
    word_counts,
)
from corpusforge.tables.text import text_buffers

ALPHABET = "aAbBéß 1-.\n中文か한"
texts = st.lists(st.text(ALPHABET, max_size=30), max_size=8)
owned = st.lists(st.tuples(st.integers(0, 3), st.text(ALPHABET, max_size=30)), max_size=8)


def buffers(listed):
    return text_buffers(pa.array(listed, pa.large_string()))


def index_of(listed, n):
    """The index of (item, text) pairs."""
    owners = np.array([item for item, _ in listed], np.int64)
    return build_index(*buffers([text for _, text in listed]), owners, n)


def holders_of(index):
    """Gram, as its word hashes, to the items that hold it."""
    grams = index.grams
    return {
        tuple(grams.words[start : start + size].tolist()): index.items[a:b].tolist()
        for start, size, (a, b) in zip(
            grams.starts, grams.sizes, pairwise(index.bounds), strict=True
        )
    }


def mixed(words, start, size):
    """What compiled code gives Python are ints."""
    return np.uint64(mix64(np.uint64(rolling_hash(words, start, size))))


def textbook_holders(listed, n):
    held = {}
    for item, text in listed:
        for run in runs_of(text, n):
            held.setdefault(run, set()).add(item)
    return held


@given(owned, st.integers(1, 5))
def test_every_run_of_words_is_held_by_the_items_whose_texts_have_it(listed, n):
    index, expected = index_of(listed, n), textbook_holders(listed, n)
    held = holders_of(index)
    assert len(index) == len(held) == len(expected)
    assert sorted(map(len, held)) == sorted(map(len, expected))
    assert sorted(held.values()) == sorted(sorted(items) for items in expected.values())


@given(owned, st.integers(1, 5))
def test_a_gram_is_found_by_its_hash_and_passes_both_filters(listed, n):
    index = index_of(listed, n)
    grams = index.grams
    numbered = dict(zip(grams.keys.tolist(), grams.numbers.tolist(), strict=True))
    for gram, (start, size) in enumerate(zip(grams.starts, grams.sizes, strict=True)):
        key = mixed(grams.words, start, size)
        assert numbered[int(key)] == gram + 1
        assert grams.is_size[size]
        assert passes(grams.is_gram, key)
        assert passes(grams.starts_gram, mixed(grams.words, start, grams.shortest))


@given(owned, st.integers(1, 5), st.data())
def test_without_some_grams_no_item_holds_them_and_numbers_stay(listed, n, data):
    index = index_of(listed, n)
    left_out = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(index), max_size=len(index))), bool
    )
    before, after = holders_of(index), holders_of(index.without(left_out))
    expected = [[] if out else items for out, items in zip(left_out, before.values(), strict=True)]
    assert list(after.values()) == expected


@given(texts)
def test_words_are_counted_as_the_textbook_does_and_never_more_than_can_be(listed):
    expected = [len(words_of(text)) for text in listed]
    assert word_counts(*buffers(listed)).tolist() == expected
    for text, count in zip(listed, expected, strict=True):
        assert count <= most_words(len(text.encode()))


@pytest.mark.parametrize("text", ["a", "a b c d e", "a中b中c", "中文字", "a中", "中a"])
def test_the_most_words_of_a_text_have_room_in_an_index(text):
    assert word_counts(*buffers([text])).tolist() == [len(words_of(text))]


@pytest.mark.parametrize("listed", [[], [(0, "")], [(0, "..."), (1, "—")]])
def test_texts_without_words_have_no_grams(listed):
    index = index_of(listed, 13)
    assert len(index) == 0
    assert len(index.items) == 0


def test_a_filter_lets_few_strangers_pass():
    """One bit in 16 is set, or one in 8 just before the filter doubles; 4 sigma of 10,000."""
    listed = [(i, f"w{i} x{i} y{i}") for i in range(5000)]
    grams = index_of(listed, 3).grams
    strangers = np.random.default_rng(3).integers(0, 2**64, 10_000, np.uint64)
    for bits in (grams.starts_gram, grams.is_gram):
        set_bits = np.bitwise_count(bits).sum() / (64 * len(bits))
        assert set_bits < 1 / 16
        passed = np.mean([passes(bits, key) for key in strangers])
        assert abs(passed - set_bits) < 4 * np.sqrt(set_bits * (1 - set_bits) / 10_000)


def test_numbers_of_grams_do_not_depend_on_the_order_of_items():
    listed = [(0, "one two three four"), (1, "two three four five"), (2, "six seven")]
    a = index_of(listed, 3).grams
    b = index_of(listed[::-1], 3).grams
    words_a = [a.words[s : s + n].tolist() for s, n in zip(a.starts, a.sizes, strict=True)]
    words_b = [b.words[s : s + n].tolist() for s, n in zip(b.starts, b.sizes, strict=True)]
    assert words_a == words_b


def test_a_gram_that_shares_the_hash_of_another_is_left_out_not_mistaken(monkeypatch):
    """Forced here: in ten million grams it happens with probability 3e-6."""

    def always_seven(_words, starts, _sizes):
        return np.full(len(starts), 7, np.uint64)

    monkeypatch.setattr(ngram_index, "_hashes", always_seven)
    index = index_of([(0, "one two"), (1, "three four"), (2, "One, two!"), (3, "one")], 2)
    assert index.items.tolist() == [0, 2]
