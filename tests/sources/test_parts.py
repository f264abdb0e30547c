"""What parts of a search promise: together they are the whole, and they do not overlap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.sources.parts import Part, check_either, check_years, halves


def years_of(part):
    return list(range(part.years[0], part.years[1] + 1))


def pieces(part):
    """The single years into which a part falls in the end."""
    smaller = halves(part)
    return [part] if smaller is None else [p for half in smaller for p in pieces(half)]


@given(st.integers(1900, 2100), st.integers(0, 60))
def test_halving_ends_in_single_years_each_of_them_once(first, length):
    whole = Part("q", (first, first + length))
    found = pieces(whole)
    assert [years_of(part) for part in found] == [[year] for year in years_of(whole)]
    assert {part.query for part in found} == {"q"}


def test_a_search_without_years_cannot_be_split():
    assert halves(Part("q")) is None


@pytest.mark.parametrize(
    ("query", "ids", "ids_file"), [(None, [], None), ("q", ["1"], None), ("q", [], "f")]
)
def test_a_query_and_ids_exclude_each_other(query, ids, ids_file):
    with pytest.raises(ValueError, match="dimensions needs either query, or ids or ids_file"):
        check_either("dimensions", query, ids, ids_file)


@pytest.mark.parametrize("years", [(2005, 2001), (5, 2001), (2001, 20010)])
def test_years_are_years_in_order(years):
    with pytest.raises(ValueError, match=rf"years: \({years[0]}, {years[1]}\) - expected"):
        check_years(years)
