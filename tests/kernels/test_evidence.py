"""Who counts as a copy of whom, against the rules written out one by one."""

import re

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.evidence import (
    COMPARISON,
    MIN_SHARED,
    Evidence,
    Limits,
    Rule,
    judge_pair,
    judge_pairs,
)

SHARES = st.sampled_from([0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 0.9, 1.0])
LIMITS = st.builds(
    Limits,
    similarity=SHARES,
    containment=SHARES,
    identifier=SHARES,
    bibliographic=SHARES,
    min_contained=st.integers(1, 20),
    max_years_apart=st.integers(0, 2),
)


@st.composite
def comparisons(draw):
    one, other = draw(st.integers(0, 60)), draw(st.integers(0, 60))
    shared = draw(st.integers(0, min(one, other)))
    title = draw(st.integers(0, 12))
    return draw(st.integers(0, 31)), draw(st.integers(0, 3)), title, one, other, shared


def pair(evidence, sizes, shared, title=0, years_apart=0):
    return np.array((evidence, years_apart, title, *sizes, shared), COMPARISON)


def oracle(row, limits):
    """Every rule by its definition; the first that holds. Texts alone never say SAME_RECORD."""
    evidence, years_apart, title, one, other, shared = row
    union, smaller = one + other - shared, min(one, other)
    holds = {
        Rule.EXACT: bool(evidence & Evidence.EXACT) and 0 < shared == one == other,
        Rule.NEAR: shared > 0 and shared / union >= limits.similarity,
        Rule.CONTAINED: smaller >= limits.min_contained and shared / smaller >= limits.containment,
        Rule.IDENTIFIER: shared >= MIN_SHARED
        and shared / smaller >= limits.identifier
        and (
            bool(evidence & Evidence.IDENTIFIER)
            or (bool(evidence & Evidence.DOUBTED) and shared / smaller >= limits.bibliographic)
        ),
        Rule.BIBLIOGRAPHIC: bool(evidence & Evidence.BIBLIOGRAPHIC)
        and years_apart <= limits.max_years_apart
        and shared - title >= MIN_SHARED
        and (shared - title) / (smaller - title) >= limits.bibliographic,
    }
    return next((rule for rule in sorted(holds) if holds[rule]), None)


@given(st.lists(comparisons()), LIMITS)
def test_pairs_are_judged_as_the_rules_say(rows, limits):
    judged = judge_pairs(np.array(rows, COMPARISON), limits)
    assert [Rule(code) if code else None for code in judged] == [
        oracle(row, limits) for row in rows
    ]


@given(comparisons(), LIMITS)
def test_which_document_comes_first_does_not_matter(row, limits):
    *before, one, other, shared = row
    there = np.array((*before, one, other, shared), COMPARISON)
    back = np.array((*before, other, one, shared), COMPARISON)
    assert judge_pair(there, limits) == judge_pair(back, limits)


@given(comparisons(), LIMITS, st.sampled_from(list(Evidence)))
def test_more_evidence_never_parts_a_pair(row, limits, more):
    evidence, *rest = row
    before = judge_pair(np.array(row, COMPARISON), limits)
    after = judge_pair(np.array((evidence | more, *rest), COMPARISON), limits)
    assert before is None or (after is not None and after <= before)


@pytest.mark.parametrize("limit", [n / 100 for n in range(5, 100, 5)])
def test_a_pair_on_a_limit_counts_whatever_its_size(limit):
    limits = Limits(similarity=1, containment=limit, min_contained=1)
    for hundreds in range(1, 40):
        smaller = 20 * hundreds
        on, below = round(smaller * limit), round(smaller * limit) - 1
        found = pair(Evidence.NEAR, (smaller, 10 * smaller), on)
        missed = pair(Evidence.NEAR, (smaller, 10 * smaller), below)
        assert judge_pair(found, limits) is Rule.CONTAINED
        assert judge_pair(missed, limits) is None


def test_near_copies_are_those_from_the_limit_on():
    assert judge_pair(pair(Evidence.NEAR, (90, 90), 80), Limits()) is Rule.NEAR
    assert judge_pair(pair(Evidence.NEAR, (90, 90), 79), Limits()) is None


def test_no_evidence_makes_copies_of_texts_that_share_nothing():
    every = Evidence(31)
    assert judge_pair(pair(every, (100, 100), 0), Limits()) is None
    assert judge_pair(pair(every, (100, 100), MIN_SHARED - 1), Limits()) is None
    assert judge_pair(pair(every, (0, 100), 0), Limits()) is None


def test_an_abstract_is_contained_in_its_full_text_but_a_title_is_not():
    assert judge_pair(pair(Evidence.NEAR, (180, 6000), 175), Limits()) is Rule.CONTAINED
    assert judge_pair(pair(Evidence.NEAR, (8, 6000), 8), Limits()) is None


def test_the_right_title_over_another_abstract_is_no_copy():
    """All that these two share is the title; with a rewritten abstract they share more."""
    title, size = 12, 60
    assert judge_pair(pair(Evidence.BIBLIOGRAPHIC, (size, 150), title, title), Limits()) is None
    assert judge_pair(pair(Evidence.BIBLIOGRAPHIC, (size, 150), title + 2, title), Limits()) is None
    assert (
        judge_pair(pair(Evidence.BIBLIOGRAPHIC, (size, 150), title + 12, title), Limits())
        is Rule.BIBLIOGRAPHIC
    )


def test_what_is_in_the_title_counts_on_neither_side():
    """Of 60 shingles 20 are the title's; 8 of the 40 others are a fifth."""
    assert (
        judge_pair(pair(Evidence.BIBLIOGRAPHIC, (60, 90), 28, title=20), Limits())
        is Rule.BIBLIOGRAPHIC
    )
    assert judge_pair(pair(Evidence.BIBLIOGRAPHIC, (60, 90), 27, title=20), Limits()) is None


def test_the_next_edition_of_a_title_is_no_copy():
    here = {"evidence": Evidence.BIBLIOGRAPHIC, "sizes": (100, 100), "shared": 40}
    assert judge_pair(pair(**here, years_apart=1), Limits()) is Rule.BIBLIOGRAPHIC
    assert judge_pair(pair(**here, years_apart=2), Limits()) is None


def test_an_identifier_needs_little_text_and_a_title_more():
    shared = 10
    assert judge_pair(pair(Evidence.IDENTIFIER, (100, 100), shared), Limits()) is Rule.IDENTIFIER
    assert judge_pair(pair(Evidence.BIBLIOGRAPHIC, (100, 100), shared), Limits()) is None
    assert judge_pair(pair(Evidence.NEAR, (100, 100), shared), Limits()) is None


def test_an_identifier_in_doubt_needs_as_much_text_as_a_title():
    doubted = pair(Evidence.DOUBTED, (100, 100), 19), pair(Evidence.DOUBTED, (100, 100), 20)
    assert [judge_pair(compared, Limits()) for compared in doubted] == [None, Rule.IDENTIFIER]
    strict = Limits(identifier=0.3)
    assert judge_pair(doubted[1], strict) is None


def test_equal_digests_of_different_texts_or_of_none_are_no_exact_copies():
    assert judge_pair(pair(Evidence.EXACT, (100, 100), 100), Limits()) is Rule.EXACT
    assert judge_pair(pair(Evidence.EXACT, (0, 0), 0), Limits()) is None
    assert judge_pair(pair(Evidence.EXACT, (100, 100), 10), Limits()) is None


def test_codes_on_disk_keep_their_meaning():
    """Golden values: raise the version of the stage that writes them, do not edit numbers."""
    assert {rule.name.lower(): int(rule) for rule in Rule} == {
        "exact": 1,
        "near": 2,
        "contained": 3,
        "identifier": 4,
        "bibliographic": 5,
        "same_record": 6,
    }
    assert [int(bit) for bit in Evidence] == [1, 2, 4, 8, 16]


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [("identifier", 0, "> 0.0"), ("similarity", 1.2, "<= 1.0"), ("min_contained", 0, ">= 1"),
     ("shingles", 5, "unknown field `shingles`")],
)  # fmt: skip
def test_a_limit_that_would_let_everything_through_is_refused(field, value, wanted):
    with pytest.raises(msgspec.ValidationError, match=re.escape(wanted)):
        msgspec.convert({field: value}, Limits)
