"""What becomes of markup in running text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from corpusforge.kernels.marks import CITATION, END_CITATION
from corpusforge.parsers.markup import cited_line, flatten
from corpusforge.parsers.xmldoc import read_xml

INLINE = ["i", "b", "u", "italic", "bold", "sub", "sc", "monospace", "named-content", "ext-link"]
words = st.text("abc xyzé漢\u00a0\n", max_size=8)


def flat(inner):
    return flatten(read_xml(f"<p>{inner}</p>".encode(), "a paragraph"))


def cited(inner):
    """The line with its citations in braces."""
    line = cited_line(read_xml(f"<p>{inner}</p>".encode(), "a paragraph"))
    return line.replace(CITATION, "{").replace(END_CITATION, "}")


@st.composite
def marked_up(draw):
    """A paragraph with inline tags in any places, and the same text without them."""
    root = node = etree.Element("p")
    root.text = text = draw(words)
    for tag in draw(st.lists(st.sampled_from([*INLINE, None]), max_size=30)):
        if tag is not None:
            node = etree.SubElement(node, tag)
            node.text = more = draw(words)
        elif node is not root:
            node.tail = more = draw(words)
            node = node.getparent()
        else:
            continue
        text += more
    return root, text


@given(marked_up())
def test_inline_markup_changes_nothing_but_blanks(paragraph):
    root, text = paragraph
    assert flatten(root) == " ".join(text.split())


@given(marked_up())
def test_a_flattened_text_is_one_line_without_double_blanks(paragraph):
    text = flatten(paragraph[0])
    assert text == " ".join(text.split(" ")).strip()
    assert "\n" not in text


def test_text_after_an_inline_tag_is_kept():
    """pymed#23 cut this kind of title to "Bald eagle ("."""
    title = "Bald eagle (<i>Haliaeetus leucocephalus</i>) nests in <b>Ohio</b>."
    assert flat(title) == "Bald eagle (Haliaeetus leucocephalus) nests in Ohio."


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("10<sup>5</sup> cells", "10^5 cells"),
        ("10<sup>-3</sup>", "10^-3"),
        ("10<sup>\u22123</sup>", "10^\u22123"),
        ("m<sup>2</sup>, Ca<sup>2+</sup>", "m2, Ca2+"),
        ("CO<sub>2</sub> and <sup>13</sup>C", "CO2 and 13C"),
    ],
)
def test_only_an_exponent_after_a_digit_gets_a_caret(inner, text):
    assert flat(inner) == text


def test_comments_and_instructions_go_and_the_text_after_them_stays():
    root = etree.fromstring("<p>one<!-- hidden --> two<?page 3?> three</p>")
    assert flatten(root) == "one two three"


@pytest.mark.parametrize("tag", ["fn", "table-wrap", "fig", "supplementary-material", "ref-list"])
def test_what_is_not_running_text_goes_and_the_text_after_it_stays(tag):
    assert flat(f"before<{tag}><p>inside</p></{tag}> after") == "before after"


def test_entities_of_publishers_dtds_become_characters():
    document = b'<!DOCTYPE p SYSTEM "unreachable.dtd"><p>&alpha;-helix<i> &foo;</i></p>'
    assert flatten(read_xml(document, "a paragraph")) == "\u03b1-helix &foo;"


def test_an_entity_that_a_document_declares_is_not_expanded():
    document = b'<!DOCTYPE p [<!ENTITY secret SYSTEM "file:///etc/hostname">]><p>a&secret;b</p>'
    assert flatten(read_xml(document, "a paragraph")) == "a&secret;b"


BIBR = "<xref ref-type='bibr'>"
CITED = [
    # As printed, and what brackets there are around one citation belong to it.
    (f"seen ({BIBR}Ito, 2009</xref>; {BIBR}Ny, 2010</xref>)", "seen ({Ito, 2009}; {Ny, 2010})"),
    (f"seen [{BIBR}1</xref>]", "seen {[1]}"),
    (f"seen [{BIBR}1</xref>]-[{BIBR}5</xref>].", "seen {[1]}-{[5]}."),
    (f"seen [{BIBR}1</xref>, {BIBR}2</xref>]", "seen [{1}, {2}]"),
    (f"by {BIBR}Ito (2009)</xref>", "by {Ito (2009)}"),
    (f"seen {BIBR}(Ito, 2009)</xref>", "seen ({Ito, 2009})"),
    (f"by {BIBR}<italic>Ito</italic> 2009</xref>", "by {Ito 2009}"),
    (f"{BIBR}</xref>none", "none"),
    # Plain text has no superscripts: in square brackets they are told from the word before them.
    (f"cells<sup>{BIBR}12</xref>,{BIBR}13</xref></sup>.", "cells[{12},{13}]."),
    (f"cells{BIBR}<sup>12</sup></xref>.", "cells{[12]}."),
    (f"cells{BIBR}<sup>1</sup></xref><sup>,</sup>{BIBR}<sup>2</sup></xref>.", "cells[{1},{2}]."),
    (f"cells{BIBR}<sup>[1]</sup></xref>.", "cells{[1]}."),
    ("cells<sup>12,13</sup>.", "cells{[12,13]}."),
    ("so.<sup>3\u20135</sup> Then", "so.{[3\u20135]} Then"),
]


@pytest.mark.parametrize(("inner", "line"), CITED)
def test_citations_stand_between_marks(inner, line):
    assert cited(inner) == line


@pytest.mark.parametrize(
    ("inner", "line"),
    [
        ("10<sup>12,13</sup> and <sup>235,238</sup>U", "10^12,13 and 235,238U"),
        ("H<sup>2,3</sup>", "H2,3"),
        ("cells<xref ref-type='fn'>*</xref>.", "cells."),
        ("cells<sup><xref ref-type='fn'>a</xref></sup>.", "cells."),
        ("(<xref ref-type='fig'>Fig. 1</xref>)", "(Fig. 1)"),
    ],
)
def test_what_is_no_citation_gets_no_marks(inner, line):
    assert cited(inner) == line


def test_a_line_such_as_a_title_has_no_marks_and_no_superscript_citations():
    assert flat(f"seen [{BIBR}1</xref>] ({BIBR}Smith, 2009</xref>)") == "seen [1] (Smith, 2009)"
    for inner, _ in (*CITED[8:11], CITED[12]):
        assert flat(inner) == "cells."


def test_the_charge_of_an_ion_is_not_a_citation():
    assert flat("Cl<sup>-</sup>") == "Cl-"


TEX = r"<tex-math>\documentclass{minimal}\begin{document}$$E=mc^2$$\end{document}</tex-math>"
MML = "<mml:math xmlns:mml='http://www.w3.org/1998/Math/MathML'><mml:mi>E</mml:mi></mml:math>"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (f"<alternatives>{TEX}{MML}<graphic/></alternatives>", "$E=mc^2$"),
        (f"<alternatives>{MML}{TEX}</alternatives>", "$E=mc^2$"),
        (f"{MML}{TEX}", "$E=mc^2$"),
        (f"<alternatives>{MML}<graphic/></alternatives>", "$E$"),
        (MML, "$E$"),
        ("<alternatives><graphic/><textual-form>E</textual-form></alternatives>", "E"),
        ("<graphic/>", ""),
    ],
)
def test_a_formula_is_told_once(formula, text):
    """T20."""
    shown = f" {text} " if text else " "
    for tag in ("inline-formula", "disp-formula"):
        assert flat(f"as <{tag}>{formula}</{tag}> where") == f"as{shown}where"


def test_the_number_of_a_formula_is_not_part_of_it():
    assert flat(f"as<disp-formula>{MML}<label>(1)</label></disp-formula>where") == "as $E$ where"


def test_a_prefix_that_only_the_file_declares_does_not_cost_the_record():
    assert flat("ratio <mml:math><mml:mi>r</mml:mi></mml:math>") == "ratio $r$"


def test_nesting_deeper_than_the_recursion_limit_is_flattened():
    node = root = etree.Element("p")
    for _ in range(20_000):
        node = etree.SubElement(node, "i")
    node.text = "deep"
    assert flatten(root) == "deep"


def test_cells_and_lines_do_not_glue_words():
    assert flat("one<break/>two <array><tr><td>3</td><td>4</td></tr></array>") == "one two 3 4"
