"""Only what a normal form may change is shown to a normalizer, and nothing else changes."""

import sys
import unicodedata
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpusforge.kernels.normal_form import replaced, stable_characters, unstable_spans
from corpusforge.tables.text import text_buffers

# Marks of several classes, parts of Hangul, singletons, ligatures, what composes though no mark.
AWKWARD = (
    "aeAé1 .µﬁ²½Å℃…\u0301\u0327\u0323\u0345\u09c7\u09be\u1100\u1161\u11a8가각\u3000中\u0f71\u0f80"
)
texts = st.text(st.sampled_from(AWKWARD) | st.characters(exclude_categories=["Cs"]), max_size=30)
every_form = pytest.mark.parametrize("form", ["NFC", "NFKC"])


def normalized(documents, form):
    """Each text, with its spans normalized one by one by Python."""
    data, bounds = text_buffers(pa.array(documents, pa.large_string()))
    spans = unstable_spans(data, bounds, stable_characters(form))
    others = [
        unicodedata.normalize(form, data[a:b].tobytes().decode()).encode()
        for a, b in spans.tolist()
    ]
    other_bounds = np.cumsum([0, *map(len, others)])
    flat = np.frombuffer(b"".join(others), np.uint8)
    made, made_bounds = replaced(data, bounds, spans, flat, other_bounds)
    ends = made_bounds.tolist()
    return [made[a:b].tobytes().decode() for a, b in pairwise(ends)]


@every_form
@given(documents=st.lists(texts, max_size=4))
@example(documents=["", "\u0301", "a", "\u0301e\u0301 a plain end of more than eight bytes\u0327"])
def test_normalizing_the_spans_normalizes_the_texts(documents, form):
    assert normalized(documents, form) == [unicodedata.normalize(form, d) for d in documents]


@every_form
def test_stable_characters_stay_as_they_are_in_any_order(form):
    stable = np.flatnonzero(stable_characters(form))
    for order in (stable, stable[::-1], np.random.default_rng(1).permutation(stable)):
        text = "".join(map(chr, order.tolist()))
        assert unicodedata.normalize(form, text) == text


@every_form
def test_texts_of_stable_characters_have_no_spans(form):
    documents = ["plain", "", "naïve café 中文 Ελλάδα", "x" * 1000]
    data, bounds = text_buffers(pa.array(documents, pa.large_string()))
    assert unstable_spans(data, bounds, stable_characters(form)).shape == (0, 2)


def test_a_span_is_the_characters_and_the_one_before_them():
    data, bounds = text_buffers(pa.array(["5 µm", "\u0301e\u0301\u0327x"], pa.large_string()))
    spans = unstable_spans(data, bounds, stable_characters("NFKC")).tolist()
    # In the second text the first mark has no character before it, and "e" ends its span.
    assert [data[a:b].tobytes().decode() for a, b in spans] == [
        " µ",
        "\u0301",
        "e\u0301\u0327",
    ]


def test_what_python_does_not_know_is_left_to_the_normalizer():
    unknown = [c for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) == "Cn"]
    assert not stable_characters("NFC")[unknown].any()
