"""What counting words promises: the counts of a dictionary, in an order of their own."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers

from corpusforge.kernels import word_counts
from corpusforge.kernels.pretokens import REGEX, Pattern, unicode_classes
from corpusforge.kernels.word_counts import (
    Split,
    WordList,
    add_counted,
    count_pretokens,
    in_order,
    nothing_counted,
)
from corpusforge.tables.text import text_buffers

texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), max_size=6)
counted_words = st.dictionaries(st.binary(max_size=12), st.integers(1, 2**40), max_size=30)


def counted(documents, pattern=Pattern.GPT2, longest=1000, table=None):
    data, bounds = text_buffers(pa.array(documents, pa.large_string()))
    table = nothing_counted() if table is None else table
    return count_pretokens(table, data, bounds, Split(int(pattern), unicode_classes(), longest))


def listed(words):
    bounds = np.cumsum([0, *map(len, words)])
    counts = np.array(list(words.values()), np.int64)
    return WordList(np.frombuffer(b"".join(words), np.uint8), bounds, counts)


def pairs(table):
    """Words with their counts, in the table's order."""
    whole, bounds = table.data.tobytes(), table.bounds[: table.words + 1]
    words = [whole[a:b] for a, b in pairwise(bounds)]
    return list(zip(words, table.counts[: table.words].tolist(), strict=True))


@given(texts, st.sampled_from(Pattern))
def test_words_are_counted_as_tokenizers_splits_texts(documents, pattern):
    split = pre_tokenizers.Split(Regex(REGEX[pattern]), "isolated")
    expected = Counter(
        word.encode() for text in documents for word, _ in split.pre_tokenize_str(text)
    )
    table, left_out = counted(documents, pattern)
    assert dict(pairs(table)) == expected
    assert left_out == 0


@given(texts, st.integers(0, 6))
def test_longer_words_are_left_out_and_told(documents, longest):
    everything = dict(pairs(counted(documents)[0]))
    table, left_out = counted(documents, longest=longest)
    kept = {word: n for word, n in everything.items() if len(word) <= longest}
    assert dict(pairs(table)) == kept
    assert left_out == sum(everything.values()) - sum(kept.values())


@given(counted_words, counted_words)
def test_counts_add_up(one, other):
    table = add_counted(add_counted(nothing_counted(), listed(one)), listed(other))
    assert dict(pairs(table)) == dict(Counter(one) + Counter(other))


@given(counted_words, st.randoms())
def test_the_order_of_what_is_counted_does_not_matter(words, random):
    made = in_order(add_counted(nothing_counted(), listed(words)))
    shuffled = dict(random.sample(list(words.items()), len(words)))
    again = in_order(add_counted(nothing_counted(), listed(shuffled)))
    assert pairs(made) == pairs(again)
    assert np.array_equal(made.hashes, np.sort(made.hashes))
    assert len(made.data) == made.bounds[-1] == sum(map(len, words))


def test_a_table_grows_with_its_words_and_with_a_long_one():
    numbers = [f"{n}" for n in range(20_000)]
    table, _ = counted([" ".join(numbers), "x" * 200_000], longest=10**6)
    assert len(dict(pairs(table))) == table.words == 20_001
    assert dict(pairs(table))[b"x" * 200_000] == 1


def test_words_of_one_hash_are_told_apart_and_stand_in_order():
    # Two words of one 64-bit hash are not to be had; a table that says so of all is.
    table = in_order(add_counted(nothing_counted(), listed({b"b": 1, b"ab": 2, b"a": 3})))
    table.hashes[:] = 7
    assert [word for word, _ in pairs(in_order(table))] == [b"a", b"ab", b"b"]


def test_places_of_words_on_disk_stay():
    """Golden values: counts of one run are merged by another. If this fails, hashes changed."""
    made = in_order(add_counted(nothing_counted(), listed({b"the": 1, b" of": 2})))
    assert [hex(int(value)) for value in made.hashes] == GOLDEN


GOLDEN = ["0x18e797b076de53d5", "0x9530efb5d411c549"]


@pytest.mark.parametrize("documents", [[], [""], ["", ""]])
def test_nothing_is_counted_where_there_is_nothing(documents):
    assert counted(documents)[0].words == 0


def test_a_block_ends_where_a_word_is_too_long():
    words = ["a", "toolong", "b"] * (word_counts._BLOCK // 2)
    table, left_out = counted([" ".join(words)], longest=3)
    assert left_out == len(words) // 3
    assert sum(n for _, n in pairs(table)) == 2 * len(words) // 3
