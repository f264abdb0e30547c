"""Pieces of markup in the texts of aggregators (T19, T20)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.parsers.snippets import plain_line, plain_text

CASES = [
    ("<jats:title>Abstract</jats:title><jats:p>We show.</jats:p>", "We show."),
    ("<jats:p>One.</jats:p>\n  <jats:p>Two.</jats:p>", "One.\n\nTwo."),
    (
        "<jats:sec><jats:title>Background</jats:title><jats:p>A.</jats:p></jats:sec>"
        "<jats:sec><jats:title>Results:</jats:title><jats:p>B.</jats:p></jats:sec>",
        "Background: A.\n\nResults: B.",
    ),
    ("CO<sub>2</sub> and CO<inf>2</inf>, 5 <i>in vivo</i>", "CO2 and CO2, 5 in vivo"),
    ("&lt;jats:p&gt;Escaped.&lt;/jats:p&gt;", "Escaped."),
    ("<h3>Objective</h3>We aim.<h3>Methods</h3>We do.", "Objective: We aim.\n\nMethods: We do."),
    ("p &lt; 0.05 and p < 0.01 but q>3", "p < 0.05 and p < 0.01 but q>3"),
    ("if a<b and c>d, or a<b", "if a<b and c>d, or a<b"),
    ("see <a href=\"x\" class=y>this</a><br/>and <p id='3'>that", "see this\n\nand\n\nthat"),
    ("moments <p^n> and <x|y>", "moments <p^n> and <x|y>"),
    ("R&amp;amp;D &amp;apos;ere", "R&D 'ere"),
    (r"authors\u27 a \u3c b", "authors' a < b"),
    (r"the macro \u2713", r"the macro \u2713"),
    (
        "let <mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup>"
        '<mml:annotation encoding="TeX">x^2</mml:annotation></mml:math> be',
        "let $x^2$ be",
    ),
    ("if <math><mi>a</mi><mo>&lt;</mo><mi>b</mi></math> holds", "if $a < b$ holds"),
    ("if <math><mi>a</mi><mo>+</math> holds", "if a+ holds"),
    ("so <jats:tex-math>x^2</jats:tex-math> is", "so $x^2$ is"),
    (
        "so <jats:alternatives><jats:tex-math><![CDATA[\\documentclass{minimal} \\begin{document}"
        "$$x^2$$\\end{document}]]></jats:tex-math><mml:math><mml:mi>x</mml:mi></mml:math>"
        "</jats:alternatives> is",
        "so $x^2$ is",
    ),
    ("&lt;mml:math&gt;&lt;mml:mi&gt;x&lt;/mml:mi&gt;&lt;/mml:math&gt;", "$x$"),
    ("cut in the middle of <jats:ital", "cut in the middle of"),
    ("cut in the middle of <jats:italic", "cut in the middle of"),
    ("<script>alert(1)</script>Text<!-- note -->", "Text"),
    ("Abstract: We show.", "We show."),
    ("ABSTRACT We show.", "We show."),
    ("Abstract algebra is old.", "Abstract algebra is old."),
    ("", ""),
    (None, ""),
]


@pytest.mark.parametrize(("snippet", "text"), CASES)
def test_snippets_read_like_text(snippet, text):
    assert plain_text(snippet) == text


@given(st.text("ab .,;", max_size=30))
def test_text_without_markup_keeps_its_words(text):
    assert plain_text(text).split() == text.split()


@given(st.text(max_size=60))
def test_no_text_breaks_it(text):
    assert "\0" not in plain_text(text.replace("\0", ""))


def test_a_title_stays_on_one_line():
    assert plain_line("<p>A <i>Drosophila</i></p><p>gene</p>") == "A Drosophila gene"


def test_many_opened_tags_take_no_time():
    assert len(plain_text("<script>" * 3000 + "<mml:math" * 3000)) < 40_000


def test_a_letter_in_brackets_that_nothing_closes_is_a_quantity():
    text = "<b> is the impact parameter, <i>; <u> = 3"
    assert plain_text(text) == text
    assert plain_text("<b> bold </b> and <i>cut") == "bold and cut"
