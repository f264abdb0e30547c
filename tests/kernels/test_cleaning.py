"""What the repair of a text promises."""

# ruff: noqa: RUF001 (signs that look like others)

import re
import unicodedata
from itertools import product

import ftfy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpusforge.kernels import cleaning
from corpusforge.kernels.cleaning import with_line_ends

# What damage is made of, so that pieces of it meet.
PIECES = [
    *("Ã©", "Ã\u00a0", "Ã ", "â€™", "Â°", "ï»¿", "\x92", "\x85", "\ufffd", "\ud7ff"),
    *("&amp;", "&lt;", "&am", "p;", "&nbsp;", "&shy;", "&#x200b;", "&#13;", "&", "<", "&amp;amp;"),
    *("\u00ad", "\u200b", "\u200d", "\u2060", "\ufeff", "\u2028", "\r", "\r\n", "\n", "\n\n\n"),
    *(" ", "\t", "\x0c", "\x0b", "\u00a0", "\u2009", "\u3000", "\x00", "\x1b[0m", "\x1c", "\x7f"),
    *("e\u0301", "\u0301", "ﬁ", "\uff21", "\uff06", "ｶﾞ", "\u2126", "漢", "ж", "a", "x^2", "\\%"),
]
damaged = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
texts = damaged | st.text(st.characters(exclude_categories=["Cs"]))
# As the module says what is meant, written again, with ftfy asked about every text.
CONFIG = ftfy.TextFixerConfig(
    unescape_html="auto",
    uncurl_quotes=False,
    fix_character_width=True,
    normalization="NFC",
    explain=False,
)
BLANK = "[ \t\r\f\v\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"


def repair(text):
    """One text, between two others that are there to be left alone."""
    damaged, clean = "caf\u00c3\u00a9", "clean"
    first, repaired, last = cleaning.repair([damaged, text, clean]).texts
    assert (first, last) == ("café", clean)
    return repaired


def always_asking_ftfy(text):
    """The repair without its short cut, to the fixed point."""
    previous = None
    while text != previous:
        previous = text
        text = ftfy.fix_text(text, CONFIG)
        text = re.sub("[\u00ad\u200b\u2060\ufeff]", "", text)
        text = unicodedata.normalize("NFC", text)
        lines = [re.sub(f"{BLANK}+", " ", line).strip(" ") for line in text.split("\n")]
        text = re.sub("\n\n\n+", "\n\n", "\n".join(lines)).strip()
    return text


@given(texts)
def test_texts_that_ftfy_is_not_asked_about_are_those_it_would_not_change(text):
    assert repair(text) == always_asking_ftfy(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_the_same_of_ascii(text):
    assert repair(text) == always_asking_ftfy(text)


def test_the_same_of_every_pair_of_ascii_characters():
    for pair in map("".join, product(map(chr, range(128)), repeat=2)):
        assert repair(pair) == always_asking_ftfy(pair), repr(pair)


def test_the_same_of_every_character_of_the_scripts_that_ftfy_knows():
    for code in [*range(0x80, 0x2200), *range(0x3000, 0x3100), *range(0xFB00, 0x10000)]:
        text = f"x{chr(code)}y"
        assert repair(text) == always_asking_ftfy(text), f"U+{code:04X}"


@given(texts)
@example("\u00a0Â°")
@example("&am\u00adp;")
@example("R&amp;D\u2028<")
def test_repairing_twice_is_repairing_once(text):
    assert repair(repair(text)) == repair(text)


@given(texts)
def test_the_result_is_tidy(text):
    tidy = repair(text)
    assert unicodedata.is_normalized("NFC", tidy)
    assert tidy == tidy.strip()
    assert "  " not in tidy
    assert "\n\n\n" not in tidy
    assert " \n" not in tidy
    assert "\n " not in tidy
    assert not set(tidy) & set("\t\r\f\v\u00a0\u00ad\u200b\ufeff")


lines = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="<&"))


@given(st.lists(lines, max_size=5))
def test_paragraphs_stay_apart_and_in_order(paragraphs):
    whole = [tidy for tidy in map(repair, paragraphs) if tidy]
    assert repair("\n\n".join(paragraphs)) == "\n\n".join(whole)


@pytest.mark.parametrize(
    ("damage", "meant"),
    [
        ("cafÃ© â€œquotedâ€\x9d", "café “quoted”"),
        ("voilÃ\u00a0 le travail", "voilà le travail"),
        ("R&amp;amp;D &ndash; &alpha;", "R&D – α"),
        ("12\u00a0%", "12 %"),
        ("3\u2009\u00d7\u200910", "3 × 10"),
        ("hy\u00adphen zero\u200bwidth\ufeff", "hyphen zerowidth"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("e\u0301", "é"),
        ("\uff24\uff2e\uff21 ﬁeld", "DNA field"),
        ("nul\x00 \x1b[31mred", "nul red"),
        ("  a  \n\n\n\n b\t\tc ", "a\n\nb c"),
    ],
)
def test_damage_is_undone(damage, meant):
    assert repair(damage) == meant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "for a<b, <p^n> and x>y & z",
        "if p < 0.05 then &lt; is meant as written",
        r"\frac{1}{2} \alpha_{i}^{2} & \textbf{x} \\ 50\% of $x$",
        "H₂O, 10⁻⁶ m², x′ and µ",
        "“curly” and 'straight' quotes",
        "Ising's model\n\n## 2 Results\n\nText.",
        "naïve Müller – Łódź, ОИЯИ, 東京",
    ],
)
def test_what_is_meant_as_written_survives(text):
    assert repair(text) == text


def test_entities_are_left_alone_from_the_first_line_with_a_less_than_sign():
    assert repair("R&amp;D\na < b\nx &lt; y") == "R&D\na < b\nx &lt; y"


def test_damage_is_told_from_other_changes():
    found = cleaning.repair(["caf\u00c3\u00a9", "R&amp;D", "a  b", "fine"])
    assert found.damaged.tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("a\x85b\u2028c", "a\nb\nc"),
        ("page\fpage\f\npage", "page\n\npage\n\npage"),
        ("plain\ntext", "plain\ntext"),
    ],
)
def test_every_line_ends_alike(text, lines):
    assert with_line_ends(text) == lines
