"""langdetect with fixed dice."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.language_profiles import LOOKED_AT, profile_votes, profiled_languages


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers())
def test_the_answer_does_not_depend_on_the_dice_of_others(text, seed):
    first = profile_votes(text)
    random.seed(seed)
    profile_votes("une autre question")
    assert profile_votes(text) == first


def test_a_text_between_two_languages_gets_one_answer():
    votes = [profile_votes("Konservative Therapie der Malabsorption") for _ in range(20)]
    assert votes == [votes[0]] * 20


@pytest.mark.parametrize("text", ["", "12 345", "https://example.org", "\x00", "½"])
def test_a_text_without_features_has_no_vote(text):
    assert profile_votes(text) == {}


def test_both_kinds_of_chinese_are_chinese():
    assert "zh" in profile_votes("我们测量了融雪之后河水升温的速度")
    assert "zh" in profiled_languages()
    assert not any("-" in code for code in profiled_languages())


def test_only_the_beginning_of_a_long_text_is_read():
    text = "Wir haben gemessen, wie schnell sich das Wasser erwärmt. " * 40
    assert profile_votes(text + "and this is in English " * 1000) == profile_votes(text[:LOOKED_AT])
