"""Paragraphs of a part of an article, and what kinds they are of."""

import pytest

from corpusforge.kernels.marks import (
    ACKNOWLEDGEMENT,
    CITATION,
    END_CITATION,
    FIGURE,
    FOOTNOTE,
    REFERENCE,
    SUB_ARTICLE,
    TABLE,
)
from corpusforge.parsers.jats_blocks import paragraphs
from corpusforge.parsers.xmldoc import read_xml

BIBR = "<xref ref-type='bibr'>"
MATH = "<math xmlns='http://www.w3.org/1998/Math/MathML'><mi>x</mi></math>"
TEX = "<tex-math>\\begin{document}$$x$$\\end{document}</tex-math>"


def blocks(inner, kind=""):
    return paragraphs(read_xml(f"<body>{inner}</body>".encode(), "a body"), kind)


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
        "<list-item>\n <p>water</p><p>of rain</p></list-item></list> and time.</p>"
    )
    assert found == ["We need", "- salt", "- water", "of rain", "and time."]


def test_items_of_a_list_in_a_list_are_items_too():
    inner = "<list-item><p>salt</p></list-item><list-item/>"
    found = blocks(f"<list><list-item><list>{inner}</list></list-item></list><p>So.</p>")
    assert found == ["- salt", "So."]


def test_a_term_and_its_definition_are_one_paragraph():
    items = "<def-list><def-item><term>BPE</term><def><p>byte pairs</p></def></def-item></def-list>"
    assert blocks(items) == ["BPE byte pairs"]


@pytest.mark.parametrize("formula", [MATH, TEX, f"<alternatives>{TEX}{MATH}</alternatives>"])
def test_a_displayed_formula_is_a_paragraph_of_its_own(formula):
    found = blocks(
        f"<p>as <disp-formula>{formula}<label>(1)</label></disp-formula> where {MATH}</p>"
    )
    assert found == ["as", "$$x$$", "where $x$"]


def test_a_displayed_formula_that_is_only_a_picture_parts_nothing_but_the_sentence():
    assert blocks("<p>as <disp-formula><graphic/></disp-formula> where</p>") == ["as", "where"]


def test_figures_and_notes_follow_the_paragraph_that_they_stand_in():
    found = blocks(
        f"<p>We did<fn><label>*</label><p>On ice.</p></fn><fig><label>Fig 1</label><caption>"
        f"<title>A mouse</title><p>Left {BIBR}1</xref>.</p><p>Right.</p></caption><graphic/></fig>"
        f" it.</p><p>So.</p>"
    )
    caption = f"{FIGURE}Fig 1. A mouse. Left {CITATION}1{END_CITATION}. Right."
    assert found == ["We did it.", f"{FOOTNOTE}On ice.", caption, "So."]


def test_formulas_in_captions_stay_in_their_line():
    for formula in (MATH, TEX, f"<alternatives>{TEX}{MATH}</alternatives>"):
        caption = f"<caption><p>At <disp-formula>{formula}</disp-formula> it is</p></caption>"
        assert blocks(f"<fig>{caption}</fig>") == [f"{FIGURE}At $x$ it is"]


def test_the_address_that_ends_a_caption_is_not_text():
    line = "<p><bold>DOI:</bold> <ext-link>http://dx.doi.org/10.7554/eLife.1.003</ext-link></p>"
    assert blocks(f"<fig><caption><p>A.</p>{line}</caption></fig>") == [f"{FIGURE}A."]


ROWS = "<tr><th>Mouse</th><th>g</th></tr><tr><td><italic>M</italic></td><td>20</td></tr>"


def test_a_table_is_its_caption_and_its_rows_and_its_notes():
    found = blocks(
        f"<table-wrap><label>Table 1</label><caption><title>Mice</title></caption><alternatives>"
        f"<graphic/><table>{ROWS}</table></alternatives><table-wrap-foot><fn><label>a</label>"
        f"<p>Dry.</p></fn></table-wrap-foot></table-wrap>"
    )
    assert found == [f"{TABLE}Table 1. Mice.\nMouse | g\nM | 20", f"{TABLE}{FOOTNOTE}Dry."]


@pytest.mark.parametrize(
    "rows",
    ["<tr><td colspan='2'>a</td><td>b</td></tr>" * 2, ROWS + "<tr><td>1</td></tr>", "", ROWS[:33]],
)
def test_rows_that_no_text_could_tell_are_not_told(rows):
    table = f"<table-wrap><label>Table 1</label><table>{rows}</table></table-wrap>"
    assert blocks(table) == [f"{TABLE}Table 1."]


def test_thanks_have_their_mark_wherever_they_stand():
    marked = [f"{ACKNOWLEDGEMENT}## Funding", f"{ACKNOWLEDGEMENT}By us."]
    assert blocks("<sec><title>Funding</title><p>By us.</p></sec>") == marked
    assert blocks("<ack><title>Funding</title><p>By us.</p></ack>") == marked
    assert blocks("<ack><title>Funding</title><p>By us.</p></ack><p>So.</p>") == [*marked, "So."]
    notes = "<notes notes-type='COI-statement'><title>Funding</title><p>By us.</p></notes>"
    assert blocks(notes) == marked
    group = (
        "<fn-group><title>Funding</title><fn fn-type='supported-by'><p>By us.</p></fn></fn-group>"
    )
    assert blocks(group) == marked


def test_other_groups_of_notes_are_footnotes():
    group = "<fn-group><title>Ethics</title><fn fn-type='other'><p>Approved.</p></fn></fn-group>"
    assert blocks(group) == [f"{FOOTNOTE}## Ethics", f"{FOOTNOTE}Approved."]


def test_a_list_of_references_is_a_paragraph_per_entry():
    entry = "<ref><label>1</label><mixed-citation>Ito K. <i>On</i> cells.</mixed-citation></ref>"
    found = blocks(f"<ref-list><title>References</title>{entry}<ref/></ref-list><p>So.</p>")
    assert found == [f"{REFERENCE}## References", f"{REFERENCE}1. Ito K. On cells.", "So."]


def test_all_paragraphs_of_a_sub_article_have_its_mark_before_their_own():
    found = blocks(
        "<p>No.</p><fig><label>Fig 1</label></fig><ack><p>Thanks.</p></ack>", SUB_ARTICLE
    )
    kinds = (SUB_ARTICLE, SUB_ARTICLE + FIGURE, SUB_ARTICLE + ACKNOWLEDGEMENT)
    texts = ("No.", "Fig 1.", "Thanks.")
    assert found == [kind + text for kind, text in zip(kinds, texts, strict=True)]


def test_notes_in_notes_to_the_last_level_are_read():
    depth = 200
    assert blocks("<fn>" * depth + "<p>deep</p>" + "</fn>" * depth) == []
    assert blocks("<sec>" * depth + "<p>deep</p>" + "</sec>" * depth) == ["deep"]
