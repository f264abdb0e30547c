"""Texts are split where `tokenizers` splits them."""

import sys
import unicodedata
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers

from corpusforge.kernels.jit import jit
from corpusforge.kernels.pretokens import (
    LETTER,
    MARK,
    NUMBER,
    REGEX,
    SPACE,
    Pattern,
    next_pretoken,
    unicode_classes,
)

# Where the expressions turn: contractions, commands, breaks, marks, white space of all kinds.
AWKWARD = (
    "  \n\r\t\u00a0\u0085\u2028\u3000\u1680''sStmdlrve\\\\aBzα\u0301\u20dd12²٣½$^{}.,-中😀\u200d"  # noqa: RUF001
)
texts = st.text(st.sampled_from(AWKWARD) | st.characters(exclude_categories=["Cs"]), max_size=30)
EVERY = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
# All but most of the ideographs, syllables, private and unassigned ones.
DIFFERENT = [c for c in EVERY if unicodedata.category(c) not in ("Lo", "Co", "Cn") or ord(c) < 4096]
DIFFERENT += EVERY[4096::97]
every_pattern = pytest.mark.parametrize("pattern", Pattern)


@jit
def all_ends(data, pattern, classes):
    ends = np.empty(len(data), np.int64)
    count = at = 0
    while at < len(data):
        at = next_pretoken(data, at, len(data), pattern, classes)
        ends[count] = at
        count += 1
    return ends[:count]


def split(text, pattern):
    whole = text.encode()
    ends = all_ends(np.frombuffer(whole, np.uint8), int(pattern), unicode_classes()).tolist()
    return [whole[a:b].decode() for a, b in zip([0, *ends], ends, strict=False)]


@cache
def splitter(pattern):
    return pre_tokenizers.Split(Regex(REGEX[pattern]), "isolated")


def by_library(text, pattern):
    return [piece for piece, _ in splitter(pattern).pre_tokenize_str(text)]


@every_pattern
@given(text=texts)
@example(text="it's 'llx ''tis 've're'd 'S \\alpha\\, \\ \\\\beta x\u0301y 1234567 ²½\r\n\n  \n  a")
def test_a_text_is_split_as_oniguruma_splits_it(text, pattern):
    assert split(text, pattern) == by_library(text, pattern)


@every_pattern
@pytest.mark.parametrize("around", ["a{}b", "\\{}1", "{} \n"])
def test_characters_of_all_scripts_stand_where_they_belong_between_others(pattern, around):
    # Many to a text, apart by a line break and an equals sign, which no expression joins to them.
    many = "\n=".join(around.format(character) for character in DIFFERENT)
    assert split(many, pattern) == by_library(many, pattern)


def test_gpt2_is_what_byte_level_has_built_in():
    text = "I'll say 'tis 3.14²,  naïve\n\n\tx\u00a0y " + "".join(EVERY[:0x3000])
    built_in = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
    assert [(a, b) for _, (a, b) in built_in] == [
        span for _, span in splitter(Pattern.GPT2).pre_tokenize_str(text)
    ]


def test_science_keeps_commands_and_marks_whole_and_cuts_numbers():
    text = "of \\alpha_2 in 12345 nm\r\n\r\n n\u0303o \\\\ 5\\%"
    expected = ["of", " \\alpha", "_", "2", " in", " 123", "45", " nm", "\r\n\r\n", " n\u0303o"]
    assert split(text, Pattern.SCIENCE) == [*expected, " \\\\", " 5", "\\%"]


@pytest.mark.parametrize(
    ("flag", "expression"),
    [(LETTER, r"\p{L}"), (NUMBER, r"\p{N}"), (SPACE, r"\s"), (MARK, r"\p{M}")],
)
def test_every_character_of_unicode_has_the_class_that_oniguruma_gives_it(flag, expression):
    others = pre_tokenizers.Split(Regex(expression + "+"), "removed").pre_tokenize_str(
        "".join(EVERY)
    )
    inside = np.ones(len(EVERY), bool)
    for _, (start, end) in others:
        inside[start:end] = False
    codes = np.array([ord(character) for character in EVERY])
    assert np.array_equal((unicode_classes()[codes] & flag) > 0, inside)


def test_a_character_has_one_class_at_most_and_ascii_the_one_it_always_had():
    classes = unicode_classes()
    assert set(np.unique(classes).tolist()) == {0, LETTER, NUMBER, SPACE, MARK}
    for code in range(128):
        character = chr(code)
        # Of white space Unicode leaves out the separators of files, groups, records and units.
        space = character.isspace() and not 0x1C <= code <= 0x1F
        expected = LETTER * character.isalpha() + NUMBER * character.isdigit() + SPACE * space
        assert classes[code] == expected
