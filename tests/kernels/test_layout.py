"""Lines joined, and words made whole."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.layout import close_up, join_lines

WORDS = Counter({"influence": 900, "well": 500, "known": 400, "fluence": 3, "in": 9000})
WORDS.update({"non": 700, "linear": 600, "nonlinear": 300, "strate": 1, "substrate": 800})
WORDS.update({"mis": 1, "far": 900, "off": 800, "faroff": 1})
count = WORDS.__getitem__
TEXT = st.text(alphabet=["a", "b", "B", "-", "\n", " ", "$", "1", ".", ")", "é", "\u2010"])


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("one\ntwo", "one two"),
        ("one \n  two", "one two"),
        ("one\n\ntwo\nthree", "one\n\ntwo three"),
        ("an in-\nfluence", "an influence"),
        ("an in\u2010\n fluence", "an influence"),
        ("an in\u00ad\nfluence", "an influence"),
        ("the well-\nknown", "the well-known"),
        ("a photo-\nchromic", "a photochromic"),  # neither is known: most such hyphens are layout
        ("the Well-\nKnown", "the Well-Known"),
        ("of 5-\nfold, 1-\n10", "of 5-fold, 1-10"),
        ("CD4-\npositive pre-\nand post-", "CD4-positive pre- and post-"),
        ("an X-\nray of $i-\nj$", "an X-ray of $i-j$"),
        ("the well-\nlinear", "the well-linear"),
        ("a mis-\nlinear", "a mislinear"),  # "mis" was counted where it was cut
        ("the far-\noff", "the far-off"),  # known, but far less than its parts
        ("so $a\n- b$ is", "so $a - b$ is"),
        ("in Section\n3. We", "in Section 3. We"),
        ("thus:\n1. x\n2. y", "thus:\n1. x\n2. y"),
        ("as in\n$$x = y$$\nholds", "as in\n$$x = y$$\nholds"),
        ("as in\n\\begin{equation}\nx\n\\end{equation}\nholds\nso",
         "as in\n\\begin{equation}\nx\n\\end{equation}\nholds so"),
        ("so\n- one\n- two\nlines\n(a) x\n1. y", "so\n- one\n- two lines\n(a) x\n1. y"),
    ],
)  # fmt: skip
def test_lines_are_joined_but_for_formulas_and_lists(text, joined):
    assert join_lines(text, count) == joined


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("the sub-strate is", "the substrate is"),
        ("the in-fluence is", "the influence is"),
        ("a non-linear one", "a non-linear one"),
        ("the Sub-Strate", "the Sub-Strate"),
        ("a sub-strate-like one", "a sub-strate-like one"),
        ("unknown-word", "unknown-word"),
    ],
)
def test_a_hyphen_inside_a_line_goes_only_where_the_corpus_is_sure(text, closed):
    assert close_up(text, count) == closed


@given(TEXT)
def test_joining_changes_white_space_and_hyphens_only(text):
    def bare(text):
        return "".join(c for c in text if not c.isspace() and c not in "-\u2010")

    assert bare(join_lines(text, count)) == bare(text)
    assert bare(close_up(text, count)) == bare(text)


@given(st.text(alphabet="ab $1.\n", max_size=40))
def test_joining_twice_changes_nothing_more(text):
    once = join_lines(text, count)
    assert join_lines(once, count) == once


def test_a_long_text_without_lines_is_left_as_it_is():
    text = "word " * 100_000
    assert join_lines(text, count) is text
