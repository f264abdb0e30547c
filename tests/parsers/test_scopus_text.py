"""What is promised of Scopus abstracts: the text is the same wherever the statement stands."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.parsers.scopus_text import Abstract, plain_line, read_abstract


@pytest.fixture
def samples(real_data):
    return real_data / "samples" / "scopus"


TEXT = "We examine the effect of climate change on extremes. It grows."
STATEMENTS = [
    "© 2018",
    "© 2018, Springer-Verlag GmbH Germany, part of Springer Nature.",
    "© 2018 The Authors",
    "© 2020, The Author(s).",
    "© 2015. American Geophysical Union. All Rights Reserved.",
    "© The Ocean Agency / XL Catlin Seaview Survey / Chrisophe Bailhache.",
    "© 2014, Crown Copyright.",
    "© 2006, the Meteorological Society of Japan.",
    "© 2016 IOP Publishing Ltd.",
    "© 2016 Wiley Periodicals, Inc.",
    "© 2019 Elsevier B.V.",
    "© 2019 Elsevier B.V. All rights reserved.",
    "© 2019 Elsevier Ltd",
    "Copyright 2005 by the American Geophysical Union.",
    "Copyright © 2012 Inderscience Enterprises Ltd.",
    "(c) 2011 IEEE.",
]
SUFFIXES = [
    "© 2013 Macmillan Publishers Limited. All rights reserved.",
    "©2013. Crown copyright. This article is published with the permission of the Controller of "
    "HMSO and the Queen's Printer for Scotland.",
    "© 2010.",
    "© 2011 Author(s).",
    "©2013. American Geophysical Union. All Rights Reserved.",
    "Copyright 2005 by the American Geophysical Union.",
    "© 2013 by the American Physical Society.",
]


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("between", [" ", ""])
def test_t18_a_statement_in_front_is_kept_apart(statement, between):
    if not between and statement.endswith("Authors"):
        between = "."
    got = read_abstract(statement + between + TEXT)
    assert got.text == TEXT
    assert got.statement.rstrip(".") == statement.rstrip(".")


@pytest.mark.parametrize("statement", SUFFIXES)
@pytest.mark.parametrize("between", [" ", ""])
def test_t18_a_statement_behind_is_kept_apart(statement, between):
    assert read_abstract(TEXT + between + statement) == Abstract(TEXT, statement)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "Edited in Photoshop © 2013 for the figures, and measured.",
        "The symbol © is used for copies. We count them.",
        "The copyright of 2005 works was examined.",
        "Copyright law changed. We examine how.",
        "p < 0.05 and x > 3 hold for a <b and c> d.",
        "",
    ],
)
def test_a_text_without_statement_stays(text):
    assert read_abstract(text) == Abstract(text)


def test_the_records_own_statement_is_recognised_whatever_it_is():
    statement = "© 2024 by the authors of this strange house"
    assert read_abstract(f"{statement}. {TEXT}", statement) == Abstract(TEXT, f"{statement}.")
    assert read_abstract(TEXT, statement) == Abstract(TEXT, statement)


@pytest.mark.parametrize("text", ["[No abstract available]", "No abstract available.", None, " "])
def test_a_placeholder_is_no_abstract(text):
    assert read_abstract(text) == Abstract("")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("CO<inf>2</inf> at 10<sup>-5</sup> m", "CO2 at 10^-5 m"),
        ("x<sup>2</sup> &amp; y &lt; 1", "x2 & y < 1"),
        ("1-in-10\xa0year\n  event", "1-in-10 year event"),
    ],
)
def test_markup_becomes_text(markup, text):
    assert plain_line(markup) == text


def test_paragraphs_stay_apart():
    assert read_abstract("<p>One.</p><p>Two.</p>").text == "One.\n\nTwo."
    assert read_abstract("<ce:para>One.</ce:para>").text == "One."


@given(st.text())
def test_no_text_breaks_the_reading(text):
    read_abstract(text, text[:5])


def _entries(samples):
    names = ("search_COMPLETE_page_start0.json", "search_COMPLETE_page_last_start17_overlaps.json")
    for name in names:
        yield from json.loads((samples / name).read_bytes())["search-results"]["entry"]


def test_33_of_42_recorded_abstracts_have_a_statement(samples):
    entries = {entry["eid"]: entry.get("dc:description") for entry in _entries(samples)}
    assert len(entries) == 42
    read = [read_abstract(text) for text in entries.values() if text]
    assert sum(bool(abstract.statement) for abstract in read) == 33
    assert not any("©" in abstract.text or "Copyright" in abstract.text for abstract in read)


def test_t18_two_captures_of_the_same_abstracts_give_the_same_texts(samples):
    """Those of 2017 are glued, those of 2019 are not."""
    capture = (samples / "search_COMPLETE_2017_request_response.txt").read_text()
    pairs = re.findall(r'"eid": "([^"]+)"|"dc:description": ("(?:[^"\\]|\\.)*")', capture)
    old, eid = {}, None
    for name, text in pairs:
        eid = name or eid
        if text:
            old[eid] = json.loads(text)
    both = {
        e["eid"]: e["dc:description"]
        for e in _entries(samples)
        if e["eid"] in old and e.get("dc:description")
    }
    same = [read_abstract(old[k]).text == read_abstract(both[k]).text for k in both]
    raw = [old[k] == both[k] for k in both]
    assert len(both) >= 20
    assert not all(raw)
    assert all(same)
