"""What learning byte pairs promises: the merges of the definition, and those of `tokenizers`."""

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from corpusforge.kernels.bpe_training import learn_merges
from corpusforge.kernels.byte_level import BYTES, byte_characters
from corpusforge.kernels.word_counts import WordList

LONG = 64
SPECIALS = ("<a>", "<b>")
# Few letters and many repeats: runs of one letter are where leftmost-first matters.
words = st.dictionaries(
    st.text("abc", min_size=1, max_size=12), st.integers(1, 40), min_size=1, max_size=12
)
every_word = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9).filter(
        lambda word: not any(character.isspace() for character in word)
    ),
    st.integers(1, 3),
    min_size=1,
    max_size=8,
)


def learnt(counted, merges, longest=LONG):
    """Pairs of spelled tokens, in order."""
    spelled = [word.encode() for word in counted]
    known = WordList(
        np.frombuffer(b"".join(spelled), np.uint8),
        np.cumsum([0, *map(len, spelled)]),
        np.array(list(counted.values()), np.int64),
    )
    made = learn_merges(known, len(SPECIALS) + BYTES + merges, len(SPECIALS), longest)
    return [(made.tokens[left], made.tokens[right]) for left, right in made.pairs]


def textbook(counted, merges):
    """The definition, one word at a time: slow, obvious, and only here."""
    order = {bytes([byte]): i for i, byte in enumerate(np.argsort(list(byte_characters())))}
    spelled = {word: [bytes([byte]) for byte in word.encode()] for word in counted}
    found = []
    for _ in range(merges):
        pairs = Counter()
        for word, tokens in spelled.items():
            for pair in pairwise(tokens):
                pairs[pair] += counted[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], order[pair[0]], order[pair[1]]))
        found.append(best)
        order[best[0] + best[1]] = len(order)
        spelled = {word: merged(tokens, best) for word, tokens in spelled.items()}
    return found


def merged(tokens, pair):
    made = []
    for token in tokens:
        if made and (made[-1], token) == pair and not isinstance(made[-1], Made):
            made[-1] = Made(pair[0] + pair[1])
        else:
            made.append(token)
    return [bytes(token) for token in made]


class Made(bytes):
    """A token of this round, which is no part of another pair before the next."""


def of_tokenizers(counted, merges, longest=LONG):
    """What `tokenizers` learns of the same words."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=len(SPECIALS) + BYTES + merges,
        special_tokens=list(SPECIALS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        max_token_length=longest,
        show_progress=False,
    )
    tokenizer.train_from_iterator([" ".join([word] * n) for word, n in counted.items()], trainer)
    found = json.loads(tokenizer.to_str())["model"]
    byte_of = {character: byte for byte, character in enumerate(byte_characters())}
    pairs = [tuple(bytes(map(byte_of.get, half)) for half in pair) for pair in found["merges"]]
    in_order = sorted(found["vocab"], key=found["vocab"].get)
    assert in_order[: len(SPECIALS) + BYTES] == [*SPECIALS, *sorted(byte_characters())]
    return pairs


@given(words, st.integers(0, 30))
def test_merges_are_those_of_the_definition(counted, merges):
    assert learnt(counted, merges) == textbook(counted, merges)


@settings(max_examples=60)
@given(words, st.integers(0, 30), st.sampled_from([3, 5, 8, LONG]))
def test_merges_are_those_of_tokenizers_whatever_the_longest_token(counted, merges, longest):
    assert learnt(counted, merges, longest) == of_tokenizers(counted, merges, longest)


@settings(max_examples=40)
@given(every_word, st.integers(0, 30))
def test_merges_of_any_characters_are_those_of_tokenizers(counted, merges):
    assert learnt(counted, merges) == of_tokenizers(counted, merges)


@given(words, st.randoms())
def test_the_order_of_the_words_does_not_matter(counted, random):
    shuffled = random.sample(list(counted.items()), len(counted))
    assert learnt(dict(shuffled), 20) == learnt(counted, 20)


@given(words, st.sampled_from([2, 2**31, 2**40]))
def test_counts_beyond_32_bits_change_nothing_but_the_counts(counted, times):
    assert learnt({w: n * times for w, n in counted.items()}, 20) == learnt(counted, 20)


def test_a_total_beyond_32_bits_is_not_taken_for_a_small_one():
    # 2**32 + 1 is 1 in 32 bits, and 2**31 is negative.
    assert learnt({"ab": 2**32 + 1, "cd": 2**31, "ef": 2}, 3) == [
        (b"a", b"b"),
        (b"c", b"d"),
        (b"e", b"f"),
    ]


def test_low_lower_newest_widest():
    """The worked example of Sennrich et al. (2016), without their end-of-word symbol."""
    found = learnt({"low": 5, "lower": 2, "newest": 6, "widest": 3}, merges=4)
    assert found == [(b"e", b"s"), (b"es", b"t"), (b"l", b"o"), (b"lo", b"w")]


@pytest.mark.parametrize("counted", [{}, {"a": 3}])
def test_nothing_is_merged_where_there_is_no_pair(counted):
    assert learnt(counted, 5) == []


def test_words_in_the_middle_of_a_buffer_are_learnt_like_others():
    data = np.frombuffer(b"zzabab?", np.uint8)
    bounds = np.array([2, 4, 6], np.int64)
    made = learn_merges(WordList(data, bounds, np.array([1, 1])), BYTES + 5, 0, LONG)
    assert made.tokens[BYTES:] == [b"ab"]


def test_bytes_are_spelled_as_tokenizers_spells_them():
    assert sorted(byte_characters()) == sorted(pre_tokenizers.ByteLevel.alphabet())
    assert byte_characters()[ord("A")] == "A"
    assert (byte_characters()[ord(" ")], byte_characters()[0xAD]) == ("Ġ", "Ń")
