"""Merges by rank: short words, long ones, and those that are known already."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.bpe import LONGEST_SHORT, encode_texts
from corpusforge.kernels.bpe_cache import LONGEST, empty_cache
from corpusforge.kernels.bpe_long import merge_long
from corpusforge.kernels.bpe_merges import MOST_IDS, merge_short, merge_table
from corpusforge.kernels.pretokens import Pattern, unicode_classes

BYTE_IDS = np.arange(256, dtype=np.uint32)[::-1].copy()  # an id is no byte
LETTERS = b"abc"
GPT2 = int(Pattern.GPT2)


@st.composite
def vocabularies(draw):
    """Merges over three letters, in any order; a token may be made in two ways."""
    tokens = {bytes([letter]): int(BYTE_IDS[letter]) for letter in LETTERS}
    merges = {}
    for _ in range(draw(st.integers(0, 12))):
        left, right = draw(st.sampled_from(sorted(tokens))), draw(st.sampled_from(sorted(tokens)))
        tokens.setdefault(left + right, 1000 + len(tokens))
        merges[tokens[left], tokens[right]] = tokens[left + right]
    return draw(st.permutations([(*pair, made) for pair, made in merges.items()]))


def table_of(merges):
    return merge_table(BYTE_IDS, np.array(merges, np.uint32).reshape(-1, 3))


def textbook(word, merges):
    """Of all pairs the one of lowest rank, leftmost first, until there is none."""
    ranks = {(left, right): rank for rank, (left, right, _) in enumerate(merges)}
    ids = [int(BYTE_IDS[byte]) for byte in word]
    while True:
        found = [(ranks[pair], i) for i, pair in enumerate(pairwise(ids)) if pair in ranks]
        if not found:
            return ids
        rank, i = min(found)
        ids[i : i + 2] = [merges[rank][2]]


def short(word, table):
    ids, ranks = np.empty(len(word), np.uint32), np.empty(len(word), np.uint32)
    count = merge_short(np.frombuffer(word, np.uint8), (0, len(word)), table, ids, ranks)
    return ids[:count].tolist()


def long(word, table):
    out = np.empty(len(word), np.uint32)
    count = merge_long(np.frombuffer(word, np.uint8), (0, len(word)), table, out)
    return out[:count].tolist()


def encode(texts, table, cache):
    """The ids of each text, which is cut into words as GPT-2 does."""
    bounds = np.cumsum([0, *map(len, texts)])
    data = np.frombuffer(b"".join(texts), np.uint8)
    ids, at = encode_texts(data, bounds, table, (GPT2, unicode_classes()), cache)
    return [ids[a:b].tolist() for a, b in pairwise(at.tolist())]


words = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=40).map(bytes)


@given(merges=vocabularies(), word=words)
def test_a_word_becomes_what_the_definition_says_by_either_way(merges, word):
    table = table_of(merges)
    assert short(word, table) == textbook(word, merges)
    assert long(word, table) == textbook(word, merges)


@given(merges=vocabularies(), texts=st.lists(words), slots=st.sampled_from([1, 4, 64]))
def test_a_small_cache_forgets_words_but_never_mixes_them_up(merges, texts, slots):
    table, cache = table_of(merges), empty_cache(slots)
    expected = [textbook(text, merges) for text in texts]
    assert encode(texts, table, cache) == expected
    assert encode(texts, table, cache) == expected


def test_a_hash_that_matches_is_not_a_word_that_matches():
    # One slot and its three neighbours: every word has the same place.
    table, cache = table_of([]), empty_cache(1)
    texts = [f" {i}".encode() for i in range(500)] * 2
    assert encode(texts, table, cache) == [textbook(text, []) for text in texts]


@pytest.mark.parametrize("size", [*range(1, 36), LONGEST_SHORT, LONGEST_SHORT + 1])
def test_words_of_every_length_are_found_again_wherever_they_stand(size):
    # At the end of the buffer eight bytes at a time would read too far.
    merges = [(158, 157, 300), (300, 156, 301)]  # a b, ab c
    table, cache = table_of(merges), empty_cache(64)
    word = (b"abcabacb" * 40)[:size]
    alike = word[:-1] + b"x"
    texts = [word, alike, word + b" " * 40, alike + b" " * 40, word, alike]
    assert encode(texts, table, cache) == encode(texts, table, cache)
    for text, ids in zip(texts[:2], encode(texts, table, cache), strict=False):
        assert ids == textbook(text, merges)


def test_words_with_many_tokens_or_many_bytes_are_not_kept():
    table, cache = table_of([]), empty_cache(64)
    encode([b"a" * 8, b"b" * (LONGEST + 1)], table, cache)
    assert not cache.numbers.any()
    encode([b"a" * 7], table, cache)
    assert cache.numbers.any()


def test_more_tokens_than_the_first_guess_of_room_are_no_fewer():
    texts = [bytes([97 + i % 3]) * (i % 50) for i in range(400)]
    assert encode(texts, table_of([]), empty_cache(64)) == [textbook(t, []) for t in texts]


def test_a_word_of_a_megabyte_is_merged_as_its_parts_are():
    # No merge joins "c" and "a": each of the parts between them stands alone.
    merges = [(158, 157, 300), (300, 156, 301), (157, 157, 302)]
    part = bytes(Random(1).choices(b"ab", k=50)) + b"c"
    ids = long(part * 20_000, table_of(merges))
    assert ids == textbook(part, merges) * 20_000


def test_ids_that_a_slot_has_no_room_for_are_refused():
    with pytest.raises(ValueError, match=f"the largest id is {MOST_IDS}, expected less than"):
        table_of([(1, 2, MOST_IDS)])
