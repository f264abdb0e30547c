"""MathML as LaTeX: what is written, and what never happens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from corpusforge.parsers.mathml import FORMS, HIDDEN, LAYOUTS, latex
from corpusforge.parsers.mathml_tokens import TOKENS, character

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
X, Y, TWO = "<mi>x</mi>", "<mi>y</mi>", "<mn>2</mn>"
SUM = "<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"
CELLS = f"<mtr><mtd>{X}</mtd><mtd>{TWO}</mtd></mtr><mtr><mtd>{Y}</mtd><mtd>{TWO}</mtd></mtr>"
LINES = f"<mtr><mtd>{X}</mtd></mtr><mtr><mtd>{Y}</mtd></mtr>"


def math(inner):
    return etree.fromstring(f'<math xmlns="{NAMESPACE}">{inner}</math>')


def mo(mark):
    return f"<mo>{mark}</mo>"


SCRIPTS = [
    (f"<msup>{X}{TWO}</msup>", "x^2"),
    (f"<msup>{X}<mrow><mo>-</mo>{TWO}</mrow></msup>", "x^{-2}"),
    (f"<msup>{X}<mrow>{TWO}</mrow></msup>", "x^2"),
    (f"<msub>{X}<mi>\u03b1</mi></msub>", r"x_{\alpha}"),
    (f"<msubsup>{X}<mi>i</mi>{TWO}</msubsup>", "x_i^2"),
    (f"<msup><msub>{X}<mi>i</mi></msub>{TWO}</msup>", "{x_i}^2"),
    (f"<msup>{SUM}{TWO}</msup>", "{a+b}^2"),
    (f"<msup><mrow>{mo('(')}{SUM}{mo(')')}</mrow>{TWO}</msup>", "(a+b)^2"),
    (f"<msup>{X}{mo(chr(0x2032))}</msup>", "x'"),
    (f"<msup><mrow/>{TWO}</msup><mi>H</mi>", "{}^2H"),
    (f"<msup>{X}</msup>", "x"),
    ("<mmultiscripts><mi>C</mi><mn>1</mn><none/><mprescripts/><mn>6</mn><mn>14</mn>"
     "</mmultiscripts>", "{}_6^{14}C_1"),
]  # fmt: skip
AROUND = [
    (f"<munderover>{mo('&#8721;')}<mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi>"
     f"</munderover>{X}", r"\sum_{i=1}^nx"),
    (f"<munder>{mo('lim')}<mrow>{X}<mo>&#8594;</mo><mn>0</mn></mrow></munder>", r"\lim_{x\to0}"),
    (f"<mover>{X}{mo('&#175;')}</mover>", r"\bar{x}"),
    (f"<mover>{SUM}{mo('&#175;')}</mover>", r"\overline{a+b}"),
    (f"<mover accent='true'><mi>\u03b2</mi>{mo('^')}</mover>", r"\hat{\beta}"),
    (f"<mover>{X}{mo('&#8640;')}</mover>", r"\vec{x}"),
    (f"<munder>{X}<mo>_</mo></munder>", r"\underline{x}"),
    (f"<mover>{mo('=')}<mtext>def</mtext></mover>", r"\overset{\text{def}}{=}"),
    (f"<munderover>{X}<mi>a</mi><mi>b</mi></munderover>", r"\overset{b}{\underset{a}{x}}"),
    (f"A<mover>{mo('&#8594;')}<mi>k</mi></mover>", r"\xrightarrow{k}"),
]  # fmt: skip
TOKENS_SHOWN = [
    ("<mi>sin</mi>", r"\sin"),
    ("<mi>ATP</mi>", r"\mathrm{ATP}"),
    ("<mi mathvariant='italic'>off</mi>", r"\mathit{off}"),
    ("<mi mathvariant='normal'>d</mi>", r"\mathrm{d}"),
    ("<mi mathvariant='italic'>x</mi>", "x"),
    ("<mi mathvariant='double-struck'>R</mi>", r"\mathbb{R}"),
    ("<mi>\U0001d431</mi>", r"\mathbf{x}"),
    ("<mi>\u211d</mi>", r"\mathbb{R}"),
    ("<mi>\u0394t</mi>", r"\Delta t"),
    (f"<mi>\u03b1</mi>{X}", r"\alpha x"),
    (f"{X}{mo('&#8804;')}{TWO}", r"x\leq2"),
    (f"{X}{mo('&#8289;')}{TWO}", "x2"),
    (mo("argmax"), r"\operatorname{argmax}"),
    (f"{mo('{')}{X}{mo('}')}", r"\{x\}"),
    (mo("$"), r"\textdollar"),
    ("<mtext>50% of $a_1</mtext>", r"\text{50\% of \textdollar{}a\_1}"),
    ("<mtext mathvariant='bold'>if</mtext>", r"\textbf{if}"),
    ("<mtext>\u03b7</mtext>", r"\eta"),
    (f"{X}<mtext>&#160;if&#160;</mtext>{TWO}", r"x\text{ if }2"),
    (f"{X}<mspace width='1em'/>{TWO}", r"x\ 2"),
    (f"{X}<mspace width='-1em'/>{TWO}", "x2"),
    (f"{X}<mtext>&#160;</mtext><mtext>&#160;</mtext><mtext>&#160;</mtext>{TWO}", r"x\quad 2"),
    (mo("\u2a59"), "\u2a59"),
]
LAYOUT = [
    (f"<mfrac>{SUM}{TWO}</mfrac>", r"\frac{a+b}{2}"),
    (f"<mfrac bevelled='true'>{SUM}{TWO}</mfrac>", "{a+b}/2"),
    (f"<mfrac linethickness='0'>{X}{TWO}</mfrac>", r"\substack{x\\ 2}"),
    (f"<msqrt>{X}{mo('+')}{TWO}</msqrt>", r"\sqrt{x+2}"),
    (f"<mroot>{X}<mn>3</mn></mroot>", r"\sqrt[{3}]{x}"),
    (f"<mfenced open='[' close=')'>{X}{TWO}</mfenced>", "[x,2)"),
    (f"<mfenced separators=';,'>{X}{X}{X}{X}</mfenced>", "(x;x,x,x)"),
    (f"<mfenced separators=''>{X}{TWO}</mfenced>", "(x2)"),
    (f"<mfenced open='&lt;' close='&gt;'>{X}</mfenced>", "<x>"),
    (f"<mtable>{CELLS}</mtable>", r"\begin{matrix} x & 2 \\ y & 2 \end{matrix}"),
    (f"<mfenced><mtable>{CELLS}</mtable></mfenced>",
     r"\begin{pmatrix} x & 2 \\ y & 2 \end{pmatrix}"),
    (f"<mrow>{mo('[')}<mrow><mtable>{CELLS}</mtable></mrow>{mo(']')}</mrow>",
     r"\begin{bmatrix} x & 2 \\ y & 2 \end{bmatrix}"),
    (f"{X}<mrow>{mo('{')}<mtable>{CELLS}</mtable></mrow>",
     r"x\begin{cases} x & 2 \\ y & 2 \end{cases}"),
    (f"<mtable columnalign='left'>{LINES}</mtable>", r"\begin{aligned} x \\ y \end{aligned}"),
    (f"<mtable><mlabeledtr><mtd><mtext>(1)</mtext></mtd><mtd>{X}</mtd></mlabeledtr></mtable>",
     r"\begin{matrix} x \end{matrix}"),
    (f"<menclose notation='box'>{X}{TWO}</menclose>", r"\boxed{x2}"),
    (f"<menclose notation='longdiv'>{X}</menclose>", "x"),
    (f"<semantics>{X}<annotation-xml><ci>y</ci></annotation-xml></semantics>", "x"),
    (f"{X}<mphantom>{Y}</mphantom>", "x"),
    (f"<maction>{X}{Y}</maction>", "x"),
    (f"<unknown>{X}<other>y</other></unknown>", r"x\text{y}"),
    ("<apply><ci>x</ci><cn>2</cn></apply>", "x2"),
    ("", ""),
]  # fmt: skip


@pytest.mark.parametrize(("inner", "line"), SCRIPTS + AROUND + TOKENS_SHOWN + LAYOUT)
def test_mathml_is_written_as_latex(inner, line):
    assert latex(math(inner)) == line


def test_layout_between_tokens_and_comments_are_not_text():
    pretty = (
        "\n <msup>\n <mi>R</mi>\n <!-- two --><mn>2</mn>\n </msup>\n <mo>=</mo><?x y?><mn>1</mn>"
    )
    assert latex(math(pretty)) == "R^2=1"


def test_prefixes_make_no_difference():
    root = etree.fromstring(f'<mml:math xmlns:mml="{NAMESPACE}"><mml:mi>\u03b1</mml:mi></mml:math>')
    assert latex(root) == r"\alpha"


def test_nesting_deeper_than_the_recursion_limit_is_written():
    node = root = etree.Element("math")
    for _ in range(20_000):
        node = etree.SubElement(node, "mrow")
    etree.SubElement(node, "mi").text = "x"
    assert latex(root) == "x"


NAMES = sorted({*TOKENS, *HIDDEN, *LAYOUTS, *FORMS, "mrow", "mstyle", "mtd", "math", "none", "p"})
ATTRIBUTES = {
    "mathvariant": ["bold", "normal", "double-struck", "?"],
    "open": ["{", "(", "", "$"],
    "close": ["}", ")", "", "$$"],
    "separators": ["", ",", "{;"],
    "linethickness": ["0", "1pt"],
    "bevelled": ["true"],
    "notation": ["box", "radical top", "?"],
    "columnalign": ["left", "right left"],
    "width": ["-1em", "1em", ""],
}
texts = st.text(
    "ab1 (){}[]$%#&_^~\\|\u00a0\u2032\u2211\u03b1\u2192\u00af\u2061\U0001d431", max_size=5
)
attributes = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in ATTRIBUTES.items()}
)


@st.composite
def formulas(draw):
    """Any tree of MathML's elements, with text in any places."""
    root = etree.Element("math")
    nodes = [root]
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=25)):
        node = etree.SubElement(draw(st.sampled_from(nodes)), name, draw(attributes))
        node.text, node.tail = draw(texts), draw(texts)
        nodes.append(node)
    return root


def depth_of_braces(line):
    """How deep the braces are at the end, and at the shallowest place."""
    bare = line.replace("\\\\", "").replace("\\{", "").replace("\\}", "")
    depths = [0]
    for mark in bare:
        depths.append(depths[-1] + (mark == "{") - (mark == "}"))
    return depths[-1], min(depths)


@given(formulas())
def test_any_tree_gives_one_line_with_balanced_braces_and_no_dollar(root):
    line = latex(root)
    assert depth_of_braces(line) == (0, 0)
    assert "$" not in line
    assert line == " ".join(line.split())
    assert not line.endswith("\\")  # it would escape a dollar
    assert line.count("\\begin{") == line.count("\\end{")


@given(st.characters(codec="utf-8", exclude_categories=["Cs"]))
def test_any_character_keeps_braces_balanced(mark):
    assert depth_of_braces(character(mark)) == (0, 0)
    assert "$" not in character(mark)


letters = st.lists(st.sampled_from("abcxyz"), min_size=1, max_size=8)


@given(letters, st.sampled_from(["mrow", "mfrac", "msubsup", "msqrt", "mtd", "mfenced", "what"]))
def test_no_letter_is_lost(names, parent):
    node = etree.SubElement(etree.Element("math"), parent)
    for name in names:
        etree.SubElement(node, "mi").text = name
    written = latex(node.getparent()).replace("frac", "").replace("sqrt", "")
    assert sorted(filter(str.isalpha, written)) == sorted(names)
