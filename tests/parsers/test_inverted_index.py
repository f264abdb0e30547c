"""T16: from text to index and back, and what a hostile index cannot do."""

import json
from collections import defaultdict
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ParseError
from corpusforge.parsers.inverted_index import LONGEST, read_index, text_of

words = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=4)
texts = st.lists(words, max_size=40)
FORMS = {
    "object": json.dumps,
    "string": lambda index: json.dumps(json.dumps(index)),
    "with length": lambda index: json.dumps({"IndexLength": 3, "InvertedIndex": index}),
    "string with length": lambda index: json.dumps(json.dumps({"InvertedIndex": index})),
    "columns": lambda index: json.dumps({"keys": list(index), "values": list(index.values())}),
    "columns of strings": lambda index: json.dumps(
        {"keys": list(index), "values": [json.dumps(places) for places in index.values()]}
    ),
}


def index_of(text):
    index = defaultdict(list)
    for position, word in enumerate(text):
        index[word].append(position)
    return dict(index)


@given(texts, st.sampled_from(list(FORMS)))
def test_a_text_survives_its_index_in_every_form(text, form):
    assert read_index(FORMS[form](index_of(text)).encode()) == " ".join(text)


@given(texts, st.randoms())
def test_the_order_of_the_words_in_the_index_does_not_matter(text, random):
    index = list(index_of(text).items())
    random.shuffle(index)
    assert text_of(dict(index)) == " ".join(text)


@given(texts.filter(bool), st.data())
def test_a_lost_word_leaves_a_gap_and_nothing_in_it(text, data):
    index = index_of(text)
    lost = data.draw(st.sampled_from(sorted(index)))
    del index[lost]
    assert text_of(index) == " ".join(word for word in text if word != lost)


def test_positions_are_numbers_and_not_strings():
    text = [f"w{i}" for i in range(120)]
    assert text_of(dict(sorted(index_of(text).items()))) == " ".join(text)


def test_a_repeated_word_stands_at_each_of_its_places():
    assert text_of({"to": [0, 4], "be": [1, 5], "or": [2], "not": [3]}) == "to be or not to be"


def test_a_position_claimed_twice_keeps_both_words_in_the_order_of_the_index():
    assert text_of({"b": [1], "a": [0, 1], "c": [2]}) == "a b a c"


def test_a_position_told_twice_of_one_word_counts_once():
    assert text_of({"a": [0, 0], "b": [1, 1, 1]}) == "a b"


@pytest.mark.parametrize("empty", ["null", "{}", '""', '{"InvertedIndex": null}', '"{}"', "  "])
def test_no_words_are_no_text(empty):
    assert read_index(empty.encode()) == ""


def test_words_may_be_named_like_the_parts_of_other_forms():
    text = ["keys", "values", "InvertedIndex", "IndexLength"]
    assert read_index(json.dumps(index_of(text)).encode()) == " ".join(text)


def test_a_huge_position_costs_nothing():
    assert read_index(b'{"first": [0], "last": [1000000000000]}') == "first last"


HOSTILE = [
    '{"a": [-1]}',
    '{"a": ["0"]}',
    '{"a": [0.5]}',
    '{"a": [true]}',
    '{"a": 0}',
    '{"a": [[0]]}',
    "[]",
    "7",
    '"no index"',
    '{"a": [0]',
    '{"keys": ["a"], "values": []}',
    '{"keys": ["a"], "values": ["[-1]"]}',
    '"' + "[" * 9 + '"',
    "[" * 100_000,
    '{"a": ' * 5_000,
]


@pytest.mark.parametrize("index", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_index_is_refused(index):
    with pytest.raises(ParseError):
        read_index(index.encode())


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(raw):
    with suppress(ParseError):
        read_index(raw)


def test_a_small_index_cannot_stand_for_a_text_that_fills_the_memory():
    bomb = {"x" * 20_000: list(range(2_000))}
    with pytest.raises(ParseError, match=r"40,002,000 characters.*16,777,216"):
        text_of(bomb)
    assert LONGEST == 16_777_216


def test_a_refusal_shows_the_index():
    with pytest.raises(ParseError, match=r"it starts with b'\{\"no\": \[-1\]\}'"):
        read_index(b'{"no": [-1]}')


def test_the_index_of_a_real_paper_reads_in_order(real_data):
    """The published scripts of FORGE join the keys, and get 76 words of 108."""
    line = (real_data / "samples/oag/mag_paper.jsonl").read_bytes()
    raw = msgspec.json.decode(line, type=dict[str, msgspec.Raw])["indexed_abstract"]
    words = read_index(raw).split(" ")
    assert len(words) == 108
    assert "the discovery of 1 (UNC3866)" in " ".join(words)
