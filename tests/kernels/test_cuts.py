"""What is cut out of a text with some of its words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.cuts import REACH, cut, pieces, to_cut

ALPHABET = 'aA1 .!?\n"é中。'
texts = st.text(ALPHABET, max_size=120)
lengths = st.integers(0, 30)


def spans(*listed):
    return np.array(listed, np.int64).reshape(-1, 2)


def span_of(text, words):
    """Where some words stand, in bytes."""
    start = text.encode().index(words.encode())
    return spans((start, start + len(words.encode())))


def rest(text, words, margin=0, min_piece=0):
    return cut(text, to_cut(text.encode(), span_of(text, words), margin, min_piece))


@st.composite
def marked(draw):
    """A text and spans in it that start and end where characters do."""
    text = draw(texts)
    ends = st.integers(0, len(text))
    chosen = draw(st.lists(st.tuples(ends, ends).filter(lambda p: p[0] < p[1]), max_size=4))
    at = [len(text[:i].encode()) for i in range(len(text) + 1)]
    return text, spans(*[(at[a], at[b]) for a, b in chosen])


@given(marked(), lengths, lengths)
def test_cuts_hold_the_spans_and_the_margins_and_are_apart(case, margin, min_piece):
    text, words = case
    size = len(text.encode())
    cuts = to_cut(text.encode(), words, margin, min_piece)
    for start, end in words.tolist():
        wanted = (max(0, start - margin), min(size, end + margin))
        assert any(a <= wanted[0] and wanted[1] <= b for a, b in cuts.tolist())
    left = pieces(size, cuts)
    if len(words):
        assert all(b - a >= max(min_piece, 1) for a, b in left.tolist())
    edges = [0, *cuts.ravel().tolist(), size]
    assert edges == sorted(edges)
    assert sum(b - a for a, b in [*cuts.tolist(), *left.tolist()]) == size


@given(marked(), lengths, lengths)
def test_a_text_is_cut_between_characters_and_loses_nothing_else(case, margin, min_piece):
    text, words = case
    cuts = to_cut(text.encode(), words, margin, min_piece)
    data = text.encode()
    kept = [data[a:b].decode().strip() for a, b in pieces(len(data), cuts).tolist()]
    assert cut(text, cuts) == "\n\n".join(piece for piece in kept if piece)


@given(marked(), lengths, lengths)
def test_the_order_of_spans_does_not_matter(case, margin, min_piece):
    text, words = case
    a = to_cut(text.encode(), words, margin, min_piece)
    b = to_cut(text.encode(), words[::-1], margin, min_piece)
    assert a.tolist() == b.tolist()


TEXT = "We begin. Which gas did they find? It was argon, they say. It is noble.\n\nThe end is near."


@pytest.mark.parametrize(
    ("words", "margin", "expected"),
    [
        ("gas did", 0, "We begin.\n\nIt was argon, they say. It is noble.\n\nThe end is near."),
        (
            "Which gas did they find",
            0,
            "We begin.\n\nIt was argon, they say. It is noble.\n\nThe end is near.",
        ),
        ("gas did", 20, "It is noble.\n\nThe end is near."),
        (
            "noble",
            0,
            "We begin. Which gas did they find? It was argon, they say.\n\nThe end is near.",
        ),
        ("end", 0, TEXT.partition("\n\n")[0]),
        ("begin", 0, TEXT.removeprefix("We begin. ")),
        ("gas", 1000, ""),
    ],
)
def test_a_cut_goes_on_to_the_ends_of_sentences_and_paragraphs(words, margin, expected):
    assert rest(TEXT, words, margin) == expected


@pytest.mark.parametrize("mark", ["。", "！", "？"])  # noqa: RUF001
def test_sentences_of_chinese_end_too(mark):
    text = mark.join(["甲是乙", "丙是丁", "戊是己"]) + mark
    assert rest(text, "丙") == f"甲是乙{mark}\n\n戊是己{mark}"


def test_et_al_and_numbers_end_no_sentence():
    text = "Start here. As Smith et al. found in Fig. 3 of the paper, it holds. Stop here."
    assert rest(text, "found") == "Start here.\n\nStop here."


def test_pieces_that_are_too_short_go_with_the_cuts_around_them():
    text = (
        "Title\n\nLong enough to stay here. The item is here. Short one. The item again. "
        "The rest that stays."
    )
    words = np.concatenate([span_of(text, "item is"), span_of(text, "item again")])
    for length in (0, len("Short one. ")):
        apart = cut(text, to_cut(text.encode(), words, 0, length))
        assert apart == "Title\n\nLong enough to stay here.\n\nShort one.\n\nThe rest that stays."
    joined = cut(text, to_cut(text.encode(), words, 0, len("Short one. ") + 1))
    assert joined == "Title\n\nLong enough to stay here.\n\nThe rest that stays."
    assert cut(text, to_cut(text.encode(), words, 0, 25)) == "Title\n\nLong enough to stay here."
    assert cut(text, to_cut(text.encode(), words, 0, 40)) == ""


@pytest.mark.parametrize("word", ["word ", "word", "中"])
def test_without_sentences_a_cut_ends_at_a_word_or_at_least_a_character(word):
    text = word * 2000
    middle = len(text.encode()) // 2 // 3 * 3
    cuts = to_cut(text.encode(), spans((middle, middle + 3)), 10, 0)
    [[start, end]] = cuts.tolist()
    assert middle - 10 - REACH <= start <= middle - 10
    assert middle + 13 <= end <= middle + 13 + REACH
    left = cut(text, cuts)
    assert len(left) < len(text)
    assert set(left) == set(word) | {"\n"}


def test_nothing_to_cut_leaves_a_text_as_it_is():
    cuts = to_cut(b"Too short.", spans(), 200, 200)
    assert cuts.shape == (0, 2)
    assert cut("Too short.", cuts) == "Too short."
