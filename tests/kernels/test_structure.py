"""Policies over the marks of a paper's text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.marks import (
    ACKNOWLEDGEMENT,
    CITATION,
    END_CITATION,
    FIGURE,
    MARK,
    REFERENCE,
    SUB_ARTICLE,
    TABLE,
)
from corpusforge.kernels.structure import KINDS, restructure

ALL = "".join(KINDS)
ANY = st.text(alphabet=[*ALL, CITATION, END_CITATION, *"ab1 ()[],.\n", "\ufdef", "é"], max_size=80)
POLICY = st.sampled_from(["keep", "bracket", "drop"])


def cited(text):
    """The text with {…} as a citation."""
    return text.replace("{", CITATION).replace("}", END_CITATION)


def policies(text):
    """What each policy makes of it."""
    return [restructure(cited(text), policy, "")[0] for policy in ("keep", "bracket", "drop")]


@pytest.mark.parametrize(
    ("text", "keep", "bracket", "drop"),
    [
        ("In mice ({Ito, 2009}).", "In mice (Ito, 2009).", "In mice [Ito, 2009].", "In mice."),
        ("cells{[12]} grow", "cells[12] grow", "cells[12] grow", "cells grow"),
        ("so [{1}, {2}-{5}], too", "so [1, 2-5], too", "so [1, 2-5], too", "so, too"),
        ("so {1} too", "so 1 too", "so [1] too", "so too"),
        ("as {Ito (2009)} says", *["as Ito (2009) says"] * 3),
        ("by Ito ({2009}) first", "by Ito (2009) first", "by Ito [2009] first", "by Ito first"),
        ("so (see {Ito, 2009}; {Ny, 2010}) it", "so (see Ito, 2009; Ny, 2010) it",
         "so [see Ito, 2009; Ny, 2010] it", "so it"),
        ("so ({Ito, 2009} and others) it", *["so (Ito, 2009 and others) it"] * 3),
        ("we see {1} too", "we see 1 too", "we see [1] too", "we see too"),
        ("x {1} {2}", "x 1 2", "x [1 2]", "x"),
    ],
)  # fmt: skip
def test_citations_are_kept_bracketed_or_dropped(text, keep, bracket, drop):
    assert policies(text) == [keep, bracket, drop]


def test_paragraphs_of_a_dropped_kind_go_and_are_counted():
    text = "\n\n".join(
        ["One.", f"{FIGURE}A mouse.", f"{TABLE}1 2", f"{REFERENCE}Ito.", f"{REFERENCE}Ny.", "Two."]
    )
    kept, gone = restructure(text, "keep", FIGURE + REFERENCE)
    assert kept == "One.\n\n1 2\n\nTwo."
    assert gone == {"figures": 1, "references": 2}


def test_a_paragraph_of_a_sub_article_goes_for_either_of_its_marks():
    text = f"One.\n\n{SUB_ARTICLE}Reply.\n\n{SUB_ARTICLE}{FIGURE}A mouse."
    assert restructure(text, "keep", FIGURE) == ("One.\n\nReply.", {"figures": 1})
    assert restructure(text, "keep", SUB_ARTICLE) == ("One.", {"sub_articles": 2})


def test_a_section_of_which_nothing_is_left_loses_its_title():
    parts = ["## A", f"{TABLE}1 2", "## B", "### C", f"{TABLE}3", "### D", "Text.", "## E"]
    kept, _ = restructure("\n\n".join([*parts, f"{TABLE}4"]), "keep", TABLE)
    assert kept == "## B\n\n### D\n\nText."
    assert restructure("## A\n\n## B", "keep", TABLE)[0] == "## A\n\n## B"


def test_dropped_citations_are_counted_one_by_one():
    assert restructure(cited("a [{1}, {2}] b {3}"), "drop", "")[1] == {"citations": 3}


def test_a_marked_section_title_goes_with_its_section():
    text = f"One.\n\n{ACKNOWLEDGEMENT}## Thanks\n\n{ACKNOWLEDGEMENT}We thank you."
    assert restructure(text, "keep", ACKNOWLEDGEMENT)[0] == "One."
    assert restructure(text, "keep", "")[0] == "One.\n\n## Thanks\n\nWe thank you."


@given(ANY, POLICY, st.sets(st.sampled_from(ALL)))
def test_no_mark_is_left(text, policy, dropped):
    assert not MARK.search(restructure(text, policy, "".join(sorted(dropped)))[0])


@given(ANY)
def test_keeping_everything_takes_away_marks_and_nothing_else(text):
    kept, gone = restructure(text, "keep", "")
    assert "".join(kept.split()) == "".join(MARK.sub("", text).split())
    assert gone == {}


@given(ANY, POLICY, st.sets(st.sampled_from(ALL)))
def test_a_second_time_changes_nothing(text, policy, dropped):
    once, _ = restructure(text, policy, "".join(sorted(dropped)))
    assert restructure(once, policy, "".join(sorted(dropped))) == (once, {})
