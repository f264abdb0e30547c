"""What becomes of markup in running text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from corpusforge.parsers.markup import flatten, paragraphs
from corpusforge.parsers.xmldoc import read_xml

INLINE = ["i", "b", "u", "italic", "bold", "sub", "sc", "monospace", "named-content", "ext-link"]
words = st.text("abc xyzé漢\u00a0\n", max_size=8)


def flat(inner):
    return flatten(read_xml(f"<p>{inner}</p>".encode(), "a paragraph"))


def blocks(inner):
    return paragraphs(read_xml(f"<body>{inner}</body>".encode(), "a body"))


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


@pytest.mark.parametrize(
    "cited",
    [
        "cells<sup><xref ref-type='bibr'>12</xref>,<xref ref-type='bibr'>13</xref></sup>.",
        "cells<xref ref-type='bibr'><sup>12</sup></xref>.",
        "cells<xref ref-type='bibr'><sup>1</sup></xref><sup>,</sup>"
        "<xref ref-type='bibr'><sup>2</sup></xref>.",
        "cells<xref ref-type='fn'>*</xref>.",
    ],
)
def test_superscript_citations_and_marks_of_footnotes_do_not_stick_to_words(cited):
    assert flat(cited) == "cells."


def test_citations_that_read_as_text_stay():
    cited = "seen [<xref ref-type='bibr'>1</xref>] (<xref ref-type='bibr'>Smith, 2009</xref>)"
    assert flat(cited) == "seen [1] (Smith, 2009)"


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
        (f"<alternatives>{MML}<graphic/></alternatives>", "E"),
        (MML, "E"),
        ("<alternatives><graphic/><textual-form>E</textual-form></alternatives>", "E"),
        ("<graphic/>", ""),
    ],
)
def test_a_formula_is_told_once(formula, text):
    shown = f" {text} " if text else " "
    for tag in ("inline-formula", "disp-formula"):
        assert flat(f"as <{tag}>{formula}</{tag}> where") == f"as{shown}where"


def test_the_number_of_a_formula_is_not_part_of_it():
    assert flat(f"as<disp-formula>{MML}<label>(1)</label></disp-formula>where") == "as E where"


def test_a_prefix_that_only_the_file_declares_does_not_cost_the_record():
    assert flat("ratio <mml:math><mml:mi>r</mml:mi></mml:math>") == "ratio r"


def test_nesting_deeper_than_the_recursion_limit_is_flattened():
    node = root = etree.Element("p")
    for _ in range(20_000):
        node = etree.SubElement(node, "i")
    node.text = "deep"
    assert flatten(root) == "deep"


def test_sections_become_headings_one_mark_deeper_per_level():
    found = blocks(
        "<p>Lead.</p><sec><label>1</label><title>Methods</title><p>a</p>"
        "<sec><title>Mice</title><p>b</p></sec></sec>"
    )
    assert found == ["Lead.", "## Methods", "a", "### Mice", "b"]


def test_a_heading_over_nothing_is_left_out():
    found = blocks(
        "<sec><title>Results</title><sec><title>Empty</title><fig/></sec>"
        "<sec><title>Full</title><p>a</p></sec></sec>"
        "<sec><title>Supporting information</title><supplementary-material/></sec>"
    )
    assert found == ["## Results", "### Full", "a"]


def test_each_list_item_is_a_paragraph_and_so_is_the_text_around_the_list():
    found = blocks(
        "<p>We need <list><list-item><label>1.</label><p>salt</p></list-item>"
        "<list-item><p>water</p></list-item></list> and time.</p>"
    )
    assert found == ["We need", "salt", "water", "and time."]


def test_a_term_and_its_definition_are_one_paragraph():
    items = "<def-list><def-item><term>BPE</term><def><p>byte pairs</p></def></def-item></def-list>"
    assert blocks(items) == ["BPE byte pairs"]


def test_cells_and_lines_do_not_glue_words():
    assert flat("one<break/>two <array><tr><td>3</td><td>4</td></tr></array>") == "one two 3 4"
