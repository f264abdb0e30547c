"""Which words of a text are left, and which script it is in."""

# ruff: noqa: RUF001 (letters that look like others)

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.letters import (
    CAPITALS,
    SCRIPTS,
    letter_classes,
    main_script,
    words_of_letters,
)

every_character = st.characters(exclude_categories=["Cs"])
texts = st.text(every_character)
# What formulas, commands and addresses are made of, much of it.
marked_up = st.text(st.sampled_from("ab é的$\\{}@:/w.3\n "), max_size=80)


def look(text):
    data = np.frombuffer(text.encode(), np.uint8)
    out = np.full(2 * len(data) + 1, 0xFF, np.uint8)
    used, counts = words_of_letters(data, letter_classes(), out)
    return out[:used].tobytes().decode(), counts


def words(text):
    return look(text)[0].split()


def script(text):
    place, share, _ = main_script(look(text)[1])
    return SCRIPTS[place] if place >= 0 else None, share


def slow_words(text):
    """The same word by word, for texts without formulas, commands and addresses."""
    kinds = [int(kind) for kind in letter_classes()[[ord(c) for c in text]]]
    scripts = [
        kind & 0x3F if not 0x300 <= ord(c) < 0x370 else None
        for c, kind in zip(text, kinds, strict=True)
    ]
    found, i = [], 0
    while i < len(text):
        end = i + 1
        if kinds[i] and not kinds[i] & 0x80:
            while end < len(text) and (
                scripts[end] in (scripts[i], None)
                or (text[end] in "'-‐’" and scripts[end + 1 : end + 2] == [scripts[i]])
            ):
                end += 1
            digits = (text[i - 1 : i] + text[end : end + 1]).strip("0123456789") != (
                text[i - 1 : i] + text[end : end + 1]
            )
            if not (digits and SCRIPTS[scripts[i] - 1] == "latin"):
                found.append(text[i:end])
        i = end
    return found


# Letters of most scripts, accents, joiners, digits and what separates.
mixed = st.text(
    st.sampled_from("abÀéαβдж中文あア한글ाहि\u0301\u0300'-’‐09 ,\n\x00𝑥𠀀"), max_size=60
)


@given(mixed)
def test_words_are_those_that_a_slow_reader_finds(text):
    assert words(text) == slow_words(text)


@given(texts)
def test_every_word_is_of_letters_and_of_one_script(text):
    for word in words(text):
        assert any(c.isalpha() for c in word)
        assert all(c.isalpha() or unicodedata.category(c)[0] in "MP" for c in word)
        assert len({int(letter_classes()[ord(c)]) & 0x3F for c in word if c.isalpha()}) == 1


@given(texts | marked_up)
def test_letters_are_counted_in_the_words_that_are_left(text):
    left, counts = look(text)
    letters = sum(c.isalpha() for c in left)
    assert counts[:CAPITALS].sum() <= letters
    assert 0 <= counts[CAPITALS] <= counts[:CAPITALS].sum()


@given(texts | marked_up)
def test_words_once_found_are_found_again(text):
    left, counts = look(text)
    again, counted = look(left)
    assert again == left
    assert counted.tolist() == counts.tolist()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("where $x_i \\le y$ holds", "where holds"),
        ("where $$x_i = y$$ holds", "where holds"),
        ("from $5 to $6 a piece", "from to a piece"),
        ("a price of $5", "a price of"),
        ("cut_{i}$ and then $y$ too", "cut i and then too"),
        ("a $b\n\nc$ d", "a b c d"),
        ("as \\emph{large words} show", "as large words show"),
        ("\\begin{equation} E \\end{equation} as \\cite{smith2010}", "E as"),
        ("\\alpha-\\beta", ""),
        ("see https://example.org/über/uns now", "see über uns now"),
        ("see http://example.org/a now", "see now"),
        ("see www.example.org, or write to me@example.org", "see or write to"),
        ("either/or: both", "either or both"),
        ("p53, CO2 and H2O with mRNA", "and with mRNA"),
        ("in 15d or 3 d", "in or d"),
        ("l'eau self-made 'quoted' -", "l'eau self-made quoted"),
        ("l’eau", "l’eau"),
        ("80例患者DNA中的X射线", "例患者 DNA 中的 X 射线"),
        ("cafe\u0301 \u0301", "cafe\u0301"),
        ("𝑥 = 𝛼 ½ Ⅷ ² ª", "ª"),
        ("हिन्दी में", "हिन्दी में"),
        ("</s> __label__en", "s label en"),
    ],
)
def test_what_is_in_no_language_is_left_out(text, left):
    assert " ".join(words(text)) == left


@given(st.integers(1, 500))
def test_a_formula_is_at_most_some_hundred_bytes_long(length):
    assert (words("a $" + "b" * length + "$ c") == ["a", "c"]) == (length < 400)


@pytest.mark.parametrize(
    "piece", ["$", "$a", "\\", "\\a{", "www.", "a@", "://", "-", "'", "\u0301"]
)
def test_much_of_one_kind_is_read_to_the_end(piece):
    assert words(piece * 20_000 + " end")[-1:] == ["end"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("water", "latin"),
        ("вода", "cyrillic"),
        ("νερό", "greek"),
        ("水温", "han"),
        ("水の温度", "kana"),
        ("물의 온도", "hangul"),
        ("물 水溫", "han"),
        ("应用ERIC-PCR进行基因分型", "han"),
        ("Вывод по методу SPSS", "cyrillic"),
        ("the angles αβ and γδ", "latin"),
    ],
)
def test_the_script_of_most_letters_is_the_main_one(text, expected):
    assert script(text)[0] == expected


def test_han_with_a_stray_kana_is_chinese():
    assert script("日本人民爱说" * 2 + "の")[0] == "han"


@pytest.mark.parametrize("text", ["", "x", "x = y + z", "α + β", "12", "𝑥𝑦"])
def test_the_names_of_variables_are_in_no_script(text):
    assert script(text) == (None, 0.0)


@given(texts)
def test_the_share_of_the_main_script_is_a_share(text):
    main, share = script(text)
    assert 0 < share <= 1 if main else share == 0


NAMES = {
    "han": ["CJK"],
    "kana": ["HIRAGANA", "KATAKANA"],
    "burmese": ["MYANMAR"],
    "latin": ["LATIN", "MICRO SIGN", "ORDINAL INDICATOR"],
    "greek": ["GREEK", "COPTIC"],
    "arabic": ["ARABIC", "SYRIAC"],
}


def test_letters_are_of_the_script_that_unicode_names_them_by():
    classes = letter_classes()
    for code in np.flatnonzero(classes & 0x3F).tolist():
        name = unicodedata.name(chr(code), "")
        if not classes[code] & 0x80 and name and "IDEOGRAPHIC" not in name:
            named = SCRIPTS[(classes[code] & 0x3F) - 1]
            assert any(part in name for part in NAMES.get(named, [named.upper()])), name
