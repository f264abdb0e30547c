"""Measurements of texts, each against a slow and obvious count."""

import math
import re
from collections import Counter
from itertools import groupby

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.quality import MEASUREMENTS, PHRASE, STOP_WORDS, measure
from corpusforge.kernels.quality_characters import GLUED
from corpusforge.kernels.words import count_words
from corpusforge.tables.text import text_buffers

SPACED = re.compile(r"\b([A-Za-z]\s)([a-z]\s)*[A-Za-z]\b", re.ASCII)  # peS2o's rule
ALPHABET = [*"aB1 .\n$#-_é中²(", "the ", "of ", "a b ", "...", "\u2026", "\u2022 ", "\\$", "x" * 45]
TEXTS = st.lists(st.lists(st.sampled_from(ALPHABET), max_size=60).map("".join), max_size=4)


def measured(*texts, corpus=()):
    """A dict of measurements for each text."""
    words = count_words(*text_buffers(pa.array(corpus or texts, pa.large_string())))
    rows = measure(*text_buffers(pa.array(texts, pa.large_string())), words)
    return [dict(zip(MEASUREMENTS, row.tolist(), strict=True)) for row in rows]


def words_of(text):
    spaced = "".join(f" {c} " if "一" <= c <= "鿿" else c if c.isalnum() else " " for c in text)
    return spaced.lower().split()


def oracle(text, corpus):
    split, words, characters = text.split(), words_of(text), max(len(text), 1)
    lines = [line for line in text.split("\n") if line]
    repeated = sum(len(line.encode()) for i, line in enumerate(lines) if line in lines[:i])
    counts = Counter(word for other in corpus for word in words_of(other))
    total = counts.total() + 1
    phrases = [tuple(words[i : i + PHRASE]) for i in range(len(words) - PHRASE + 1)]
    covered = {j for i, p in enumerate(phrases) if p in phrases[:i] for j in range(i, i + PHRASE)}
    runs = [len(list(run)) for is_letter, run in groupby(text, str.isalpha) if is_letter]
    others = [c for c in text if not (c.isalpha() or c.isdecimal() or c.isspace())]
    return {
        "words": len(split),
        "mean_word_length": sum(map(len, split)) / max(len(split), 1),
        "alphabetic_words": sum(any(map(str.isalpha, w)) for w in split) / max(len(split), 1),
        "symbols": len(others) / characters,
        "digits": sum(map(str.isdecimal, text)) / characters,
        "hashes_and_ellipses": len(re.findall(r"#|\u2026|\.{3,}", text)) / max(len(split), 1),
        "glued_words": sum(run for run in runs if run > GLUED) / characters,
        "paragraphs": len(lines),
        "bullet_lines": sum(bool(re.match("[\u2022]|[-*] ", line)) for line in lines)
        / max(len(lines), 1),
        "ellipsis_lines": sum(line.endswith(("...", "\u2026")) for line in lines)
        / max(len(lines), 1),
        "repeated_lines": repeated / max(len(text.encode()), 1),
        "stop_words": len(set(STOP_WORDS) & set(words)),
        "repeated_phrases": len(covered) / max(len(words), 1),
        "top_word": max(Counter(words).values(), default=0) / max(len(words), 1),
        "log_probability": sum(math.log(max(counts[word], 1) / total) for word in words)
        / max(len(words), 1),
    }


@given(TEXTS)
def test_every_measurement_is_what_a_slow_count_says(texts):
    for text, got in zip(texts, measured(*texts), strict=True):
        for name, expected in oracle(text, texts).items():
            assert got[name] == pytest.approx(expected, rel=1e-5, abs=1e-6), (name, text)


@given(st.text(alphabet="aBc é_1.\n(", max_size=40))
def test_spaced_letters_are_those_that_the_rule_of_pes2o_finds(text):
    [got] = measured(text)
    ascii_words = re.sub(r"[^\W\d_a-zA-Z]", "_", text)  # é is a letter to us and to `re`
    assert got["spaced_letters"] == len(SPACED.findall(ascii_words))


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("$x^2$", 1.0),
        ("ab $x$ ab", 3 / 9),
        ("$$x$$ ab", 4 / 8),
        ("5 \\$ and 6 \\$", 0.0),
        ("a lone $ dollar\n\nand $x$", 3 / 24),
    ],
)
def test_latex_is_what_stands_between_dollars(text, share):
    assert measured(text)[0]["latex"] == pytest.approx(share, abs=0.05)


@pytest.mark.parametrize(
    ("line", "is_reference"),
    [
        ("[1] J. R. Ito, A. Ny, Physics of mice, 12 (1999) 1-10.", True),
        ("Ito J., Ny A.B. (2010). Mice. J. Mice 3, 4.", True),
        ("In 1999 we found that mice grow.", False),
        ("J. R. Ito and A. Ny grow mice.", False),
        ("J. R. Ito 1999 " + "and so on " * 70, False),
    ],
)
def test_a_line_with_a_year_and_initials_reads_like_a_reference(line, is_reference):
    assert measured(line)[0]["reference_lines"] == float(is_reference)


def test_a_word_that_the_corpus_lacks_counts_as_if_it_had_been_there_once():
    [got] = measured("zebra", corpus=["one two three"])
    assert got["log_probability"] == pytest.approx(math.log(1 / 4))


def test_a_text_stands_for_itself_whatever_stands_beside_it():
    alone = [measured(text, corpus=["a b"])[0] for text in ("a b c", "", "x\ny")]
    assert measured("a b c", "", "x\ny", corpus=["a b"]) == alone


def test_a_slice_of_a_column_is_measured_like_a_copy_of_it():
    column = pa.array(["one", "two words", "three words here"], pa.large_string())
    words = count_words(*text_buffers(column))
    sliced = measure(*text_buffers(column.slice(1)), words)
    assert sliced[:, 0].tolist() == [2.0, 3.0]
