"""From raw text to paragraphs and lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.marks import CITATION, END_CITATION, FIGURE, SUB_ARTICLE, TABLE
from corpusforge.parsers.raw_text import (
    BREAK,
    ITEM,
    LOWERED,
    RAISED,
    ROW,
    TITLE,
    bare_line,
    cited,
    marked_line,
    marked_paragraphs,
)


def test_a_chunk_is_what_stands_at_its_start():
    raw = BREAK.join(
        [" One\n two ", "", TITLE * 2 + " Deep", f"{ITEM} item", f"{SUB_ARTICLE}{FIGURE} Fig"]
    )
    assert marked_paragraphs(raw) == [
        *("One two", "### Deep", "- item"),
        f"{SUB_ARTICLE}{FIGURE}Fig",
    ]


def test_rows_are_lines_of_one_paragraph():
    assert marked_paragraphs(f"{TABLE}Mice {ROW} a | b{ROW}c | d") == [f"{TABLE}Mice\na | b\nc | d"]


def test_a_title_with_no_text_under_it_is_left_out():
    titles = [TITLE + "A", TITLE * 2 + "B", TITLE + "C", "text", TITLE + "D"]
    assert marked_paragraphs(BREAK.join(titles)) == ["## C", "text"]


@pytest.mark.parametrize(
    ("printed", "marked"),
    [
        ("Ito, 2009", "{Ito, 2009}"),
        ("(Ito, 2009)", "({Ito, 2009})"),
        ("(Ito, 2009;", "({Ito, 2009};"),
        ("Ny, 2010)", "{Ny, 2010})"),
        ("Ito (2009)", "{Ito (2009)}"),
        ("[1]", "{[1]}"),
        ("[1", "[{1}"),
        ("12,", "{12},"),
        (" 1 ", "{1}"),
    ],
)
def test_brackets_around_more_than_one_citation_belong_to_none(printed, marked):
    assert cited(printed).replace(CITATION, "{").replace(END_CITATION, "}") == marked


@given(st.text("a1 ()[],;", max_size=12))
def test_a_citation_loses_nothing(printed):
    found = cited(printed)
    assert found.replace(CITATION, "").replace(END_CITATION, "") == printed.strip()
    assert found.index(CITATION) < found.index(END_CITATION)


def test_superscript_citations_get_brackets_or_go():
    one, two = (f"{RAISED}{CITATION}{n}{END_CITATION}{LOWERED}" for n in (1, 2))
    raw = f"cells{one},{two}."
    assert bare_line(raw) == "cells."
    assert marked_line(raw) == f"cells[{CITATION}1{END_CITATION},{CITATION}2{END_CITATION}]."


MARKS = [BREAK, TITLE, ITEM, ROW, RAISED, LOWERED, CITATION, END_CITATION, FIGURE, *"ab \n[]"]


@given(st.text(st.sampled_from(MARKS), max_size=40))
def test_no_paragraph_is_empty_or_has_a_break_in_it(raw):
    for paragraph in marked_paragraphs(raw):
        assert paragraph.strip()
        assert "\n\n" not in paragraph
        assert not set(paragraph) & {BREAK, LOWERED, ROW}
