"""What words and shingles of a text are."""

import unicodedata
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.shingles import (
    letter_table,
    shingle_hashes,
    shingle_sets,
    word_hashes,
)
from corpusforge.tables.text import text_buffers

LETTERS = letter_table()
IDEOGRAPHS = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA")
# Where the alphabets of the world do unusual things, beside all of Unicode.
AWKWARD = (
    "aAbBzZ019 .,-_'\n\t漢字仮名カナかな한글éÉİıẞßſΣσςǅⅧ²½٣"  # noqa: RUF001
    "\u0301\u0327\u00a0\u200d\u3000々𐐀𐐨𠀀𪛖😀\U0001d518"
)
texts = st.text(st.sampled_from(AWKWARD) | st.characters(exclude_categories=["Cs"]), max_size=40)
sizes = st.integers(1, 6)


def stands_alone(character):
    """Ideographs wherever they are; kana of the two basic blocks."""
    name = unicodedata.name(character, "")
    return name.startswith(IDEOGRAPHS) and (
        "IDEOGRAPH" in name or "\u3040" <= character <= "\u30ff"
    )


def lower(character):
    return character.lower() if len(character.lower()) == 1 else character


def textbook_words(text):
    """The definition, one character at a time: slow, obvious, and only here."""
    words, run = [], ""
    for character in text:
        if character.isalnum() and not stands_alone(character):
            run += lower(character)
            continue
        words += [run] if run else []
        run = ""
        if character.isalnum():
            words.append(character)
    return words + ([run] if run else [])


def textbook_shingles(words, n):
    """The sequence of tuples; a short text is one tuple, a text without words none."""
    if not words:
        return []
    size = min(n, len(words))
    return [tuple(words[i : i + size]) for i in range(len(words) - size + 1)]


def buffers(*documents):
    return text_buffers(pa.array(documents, pa.large_string()))


def hashed_words(text):
    data, bounds = buffers(text)
    out = np.empty(len(data) + 1, np.uint64)
    return out[: word_hashes(data, bounds[0], bounds[1], LETTERS, out)]


def hashed_shingles(text, n):
    words = hashed_words(text)
    out = np.empty(len(words) + 1, np.uint32)
    return out[: shingle_hashes(words, len(words), n, out)].tolist()


def sets_of(array, n):
    bounds, hashes, digests = shingle_sets(*text_buffers(array), LETTERS, n)
    return [hashes[a:b].tolist() for a, b in pairwise(bounds)], digests.tolist()


def one_to_one(left, right):
    return len(set(zip(left, right, strict=True))) == len(set(left)) == len(set(right))


@given(texts, texts)
def test_words_hash_alike_exactly_when_they_are_the_same_word(a, b):
    words = textbook_words(a) + textbook_words(b)
    hashes = [*hashed_words(a).tolist(), *hashed_words(b).tolist()]
    assert one_to_one(words, hashes)


@given(texts, texts, sizes)
def test_shingles_hash_alike_exactly_when_they_are_the_same_words(a, b, n):
    shingles = [s for text in (a, b) for s in textbook_shingles(textbook_words(text), n)]
    hashes = [h for text in (a, b) for h in hashed_shingles(text, n)]
    assert one_to_one(shingles, hashes)


def test_every_character_is_a_letter_a_word_or_a_separator_as_the_textbook_says():
    for code in range(0x110000):
        if 0xD800 <= code <= 0xDFFF:  # surrogates, which no text in Arrow can hold
            continue
        character = chr(code)
        alone = character.isalnum() and stands_alone(character)
        expected = (ord(lower(character)) if character.isalnum() else 0) | (alone << 31)
        assert LETTERS[code] == expected, f"U+{code:04X} {unicodedata.name(character, '')}"


@given(st.lists(texts, max_size=5), sizes)
def test_the_set_of_a_document_is_sorted_distinct_and_that_of_its_shingles(documents, n):
    found, _ = sets_of(pa.array(documents, pa.large_string()), n)
    assert found == [sorted(set(hashed_shingles(document, n))) for document in documents]
    distinct = [len(set(textbook_shingles(textbook_words(d), n))) for d in documents]
    assert [len(hashes) for hashes in found] == distinct


@given(st.lists(texts, min_size=2, max_size=5))
def test_digests_are_equal_exactly_when_the_words_are(documents):
    _, digests = sets_of(pa.array(documents, pa.large_string()), 2)
    assert one_to_one([tuple(textbook_words(d)) for d in documents], digests)


def other_case(character):
    upper = character.upper()
    alike = len(upper) == 1 and lower(upper) == lower(character)
    return upper if alike else character


@given(texts, st.lists(st.sampled_from([" ", ", ", "\n\n", " — ", "\u3000", "\u00a0"]), min_size=1))
def test_case_spacing_and_punctuation_do_not_matter(text, separators):
    words = textbook_words(text)
    joined = "".join(
        word + separators[i % len(separators)]
        for i, word in enumerate("".join(map(other_case, word)) for word in words)
    )
    plain, reprinted = (sets_of(pa.array([t], pa.large_string()), 3) for t in (text, joined))
    assert plain == reprinted


@given(st.lists(texts, max_size=6), st.integers(0, 6), st.integers(0, 6))
def test_a_slice_of_a_column_gives_what_its_texts_give(documents, start, length):
    column = pa.array(documents, pa.large_string())
    copied = pa.array(documents[start : start + length], pa.large_string())
    assert sets_of(column.slice(start, length), 2) == sets_of(copied, 2)


@pytest.mark.parametrize(
    "text",
    [
        " ".join("abcdefghijklmnopqrstuvwxyz"[i * i % 26] + str(i % 7) for i in range(2000)),
        " ".join("abcdefghijklmnopqrstuvwxyz"[i * i % 23] for i in range(5000)),
        "".join(chr(0x4E00 + i) for i in range(5000)),
    ],
)
def test_more_shingles_than_the_first_guess_of_memory_are_all_kept(text):
    """A shingle per 2 or 3 bytes, where the guess is one per 4; also after other documents."""
    column = pa.array(["some words", text, text + " more"], pa.large_string())
    found, _ = sets_of(column, 5)
    assert found == [sorted(set(hashed_shingles(t, 5))) for t in column.to_pylist()]


@pytest.mark.parametrize("text", ["", " ", "...", "\u0301", "😀 — !"])
def test_a_text_without_words_has_no_shingles(text):
    assert sets_of(pa.array([text], pa.large_string()), 5)[0] == [[]]


def test_a_text_shorter_than_a_shingle_is_one_shingle():
    [[short], [longer]], _ = sets_of(pa.array(["two words", "two words."], pa.large_string()), 5)
    assert short == longer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ideal-gas LAW", 3),
        ("漢字 kana かな", 5),
        ("東京2020", 3),
        ("C60's", 2),
        ("ผู้ป่วย", 3),
        ("การวิจัย", 3),
    ],
)
def test_ideographs_are_words_and_punctuation_separates(text, words):
    assert len(hashed_words(text)) == words


def test_hashes_on_disk_stay_comparable():
    """Golden values. If this fails, raise the dedup stage's version; do not edit the numbers."""
    [*found], digests = sets_of(
        pa.array(["The Ising model, 1925", "二维 Ising"], pa.large_string()), 2
    )
    assert found == [[1757306695, 2693490606, 3895138451], [253510152, 4121970701]]
    assert digests == [12179669641066418641, 5439442400216876252]
    assert hashed_words("The 漢").tolist() == [13927227356844383189, 7999044502784053727]
