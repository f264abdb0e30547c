"""What one formula looks like as one line."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from corpusforge.parsers.formulas import math_line, tex_line


def math(inner):
    return etree.fromstring(f'<math xmlns="http://www.w3.org/1998/Math/MathML">{inner}</math>')


@pytest.mark.parametrize("source", ["x^2", "$x^2$", "$$x^2$$", r"\[x^2\]", r"\( x^2 \)", " x^2\n"])
def test_tex_stands_between_single_dollars_however_it_was_delimited(source):
    assert tex_line(source) == "$x^2$"


def test_the_document_around_tex_is_left_out():
    source = r"""\documentclass[12pt]{minimal} \usepackage{amsmath}
        \setlength{\oddsidemargin}{-69pt} \begin{document}$${\text{T}}_{\text{g}}$$\end{document}"""
    assert tex_line(source) == r"${\text{T}}_{\text{g}}$"


def test_tex_with_several_formulas_keeps_its_own_dollars():
    assert tex_line("$a$ and $b$") == "$a$ and $b$"


def test_an_empty_formula_is_no_text():
    assert tex_line(r"\documentclass{minimal}\begin{document}\end{document}") == ""


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (r"x \text{ if $n$ is even}", r"$x \text{ if \(n\) is even}$"),
        ("x $ y", "$x  y$"),
        (r"5\$ a", r"$5\$ a$"),
        ("x % the first\n+ y", "$x + y$"),
        (r"\begin{equation}\label{a} x \end{equation}", "$x$"),
        (r"\begin{align*} a&=b \end{align*}", r"$\begin{aligned} a&=b \end{aligned}$"),
    ],
)
def test_tex_is_made_fit_to_stand_between_dollars(source, line):
    assert tex_line(source) == line


def test_rows_of_a_displayed_formula_are_aligned():
    assert tex_line(r"a &= b \\ &= c", "$$") == r"$$\begin{aligned} a &= b \\ &= c \end{aligned}$$"
    assert tex_line(r"a \& b", "$$") == r"$$a \& b$$"


@given(st.text("ab{}\\$% &\n[]()", max_size=30))
def test_dollars_come_in_pairs(source):
    for dollars in ("$", "$$"):
        line = tex_line(source, dollars)
        assert len(re.findall(r"(?<!\\)\$", line)) % 2 == 0
        assert "\n" not in line


@pytest.mark.parametrize(
    ("inner", "line"),
    [
        ("<mi>x</mi>", "$$x$$"),
        ("<mspace width='0'/><mrow/>", ""),
        ("<semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation>"
         "</semantics>", "$$x_1$$"),
        ("<semantics><mi>x</mi><annotation encoding='text'>y</annotation></semantics>", "$$x$$"),
        ("<semantics><mi>x</mi><annotation encoding='TeX'/></semantics>", "$$x$$"),
    ],
)  # fmt: skip
def test_mathml_stands_between_dollars_and_the_tex_it_is_from_is_preferred(inner, line):
    assert math_line(math(inner), "$$") == line
