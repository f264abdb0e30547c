"""What one formula looks like as one line."""

import pytest
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


X, TWO = "<mi>x</mi>", "<mn>2</mn>"
SUM = "<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"


@pytest.mark.parametrize(
    ("inner", "line"),
    [
        (f"<msup>{X}{TWO}</msup>", "x^2"),
        (f"<msup>{X}<mrow><mo>-</mo>{TWO}</mrow></msup>", "x^(-2)"),
        (f"<msup>{X}<mrow>{TWO}</mrow></msup>", "x^2"),
        (f"<msub>{X}<mi>i</mi></msub>", "x_i"),
        (f"<msubsup>{X}<mi>i</mi>{TWO}</msubsup>", "x_i^2"),
        (f"<mfrac>{SUM}{TWO}</mfrac>", "(a+b)/2"),
        (f"<msqrt>{SUM}</msqrt>", "√(a+b)"),
        (f"<mroot>{X}<mn>3</mn></mroot>", "x^(1/3)"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x¯"),
        (f"<mfenced open='['>{X}{TWO}</mfenced>", "[x,2)"),
        (f"<mtable><mtr><mtd>{X}</mtd><mtd>{TWO}</mtd></mtr><mtr><mtd>{X}</mtd></mtr></mtable>",
         "x 2; x"),
        (f"<semantics>{X}<annotation>x in TeX</annotation></semantics>", "x"),
        (f"{X}<mtext>&#160;if&#160;</mtext>{TWO}", "x if 2"),
        (f"{X}<mspace/>{TWO}", "x 2"),
        (f"<msup>{X}</msup>", "x"),
    ],
)  # fmt: skip
def test_mathml_is_written_out(inner, line):
    assert math_line(math(inner)) == line


def test_pretty_printing_between_tokens_is_not_text():
    pretty = "\n  <msup>\n    <mi>R</mi>\n    <mn>2</mn>\n  </msup>\n  <mo>=</mo>\n  <mn>1</mn>\n"
    assert math_line(math(pretty)) == "R^2=1"


def test_nesting_deeper_than_the_recursion_limit_is_written_out():
    node = root = etree.Element("math")
    for _ in range(20_000):
        node = etree.SubElement(node, "mrow")
    etree.SubElement(node, "mi").text = "x"
    assert math_line(root) == "x"
