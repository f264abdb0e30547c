"""Single fields as dumps write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.parsers.fields import (
    family_name,
    language_code,
    licence_of,
    lined,
    one_line,
    paragraphed,
    sane_year,
    whole_id,
)


@given(st.text())
def test_a_line_has_no_line_end_and_no_double_space(text):
    line = one_line(text)
    assert not {"\n", "\t", "\r"} & set(line)
    assert "  " not in line
    assert line == line.strip()


@given(st.lists(st.text("ab \n\r\f", min_size=1)))
def test_lines_and_pages_of_paragraphs_stay_as_they_are(texts):
    text = "\n \n".join(texts)
    assert "\n\n\n" not in lined(text)
    assert lined(text).split() == text.split()
    assert lined(lined(text)) == lined(text)


def test_a_line_and_a_page_end_where_they_did():
    assert lined(" one wa-\nter \n \n\ftwo\fthree ") == "one wa-\nter\n\ntwo\fthree"
    assert lined(None) == ""


@given(st.lists(st.text("ab \n", min_size=1)))
def test_paragraphs_are_parted_by_one_blank_line(texts):
    text = paragraphed("\n \n".join(texts))
    assert "\n\n\n" not in text
    assert "\n" not in text.replace("\n\n", "")
    assert "".join(text.split()) == "".join("".join(texts).split())


@pytest.mark.parametrize(
    ("value", "year"),
    [
        (2010, 2010),
        (2010.0, 2010),
        ("2010", 2010),
        ("2015-07-01T01:00:00", 2015),
        ("Mon, 2 Apr 2007 19:18:42 GMT", 2007),
        ("2011-11", 2011),
        (0, None),
        (9999, None),
        ("0001-01-01", None),
        ("20155", None),
        ("", None),
        (None, None),
    ],
)
def test_years_that_can_be_are_read(value, year):
    assert sane_year(value) == year


def test_the_first_sane_year_counts():
    assert sane_year(9999, "n.d.", "1987", 1990) == 1987


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Ludwig van Beethoven", "van Beethoven"),
        ("Martin Luther King Jr.", "King"),
        ("King, Jr.", "King"),
        ("John Smith, Jr.", "Smith"),
        ("De Clercq, Orphée", "De Clercq"),
        ("Plato", "Plato"),
        ("van", "van"),
        ("  J.  \n Doe\r", "Doe"),
        ("", ""),
        (None, ""),
        (",", ""),
    ],
)
def test_family_names(name, family):
    assert family_name(name) == family


@pytest.mark.parametrize("value", [None, "", "x", "1.5", 0, -3, 7.0, "1e9", "9" * 30, 10**20])
def test_what_is_no_whole_number_names_nothing(value):
    assert whole_id(value) is None


@pytest.mark.parametrize(
    ("told", "licence"),
    [
        ("cc-by", "CC-BY"),
        ("CC BY 4.0", "CC-BY-4.0"),
        ("cc-by-nc-sa", "CC-BY-NC-SA"),
        ("CCBYNCND", "CC-BY-NC-ND"),
        ("cc0", "CC0-1.0"),
        ("https://creativecommons.org/licenses/by/4.0", "CC-BY-4.0"),
        ("public-domain", "CC-PDM"),
        ("publisher-specific-oa", None),
        ("http://www.elsevier.com/tdm/userlicense/1.0/", None),
        ("", None),
    ],
)
def test_licences_by_code_and_by_address(told, licence):
    assert licence_of(told) == licence


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ("en", "en"),
        ("eng", "en"),
        ("pt-BR", "pt"),
        ("English", "en"),
        ("Elvish", None),
        (None, None),
    ],
)
def test_languages_by_code_and_by_name(told, code):
    assert language_code(told) == code
