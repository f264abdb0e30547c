"""What exact similarity promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.similarity import jaccard

sets = st.sets(st.integers(0, 40) | st.integers(2**32 - 20, 2**32 - 1))


def measured(a, b):
    return jaccard(*(np.array(sorted(s), np.uint32) for s in (a, b)))


@given(sets, sets)
def test_it_is_the_shared_part_of_the_union(a, b):
    assert measured(a, b) == (len(a & b) / len(a | b) if a and b else 0.0)


@given(sets, sets)
def test_it_does_not_matter_which_document_comes_first(a, b):
    assert measured(a, b) == measured(b, a)


@given(sets.filter(bool))
def test_a_document_is_wholly_like_itself(a):
    assert measured(a, a) == 1.0


@pytest.mark.parametrize(("a", "b"), [(set(), set()), (set(), {1}), ({1}, set())])
def test_a_document_without_shingles_resembles_none(a, b):
    assert measured(a, b) == 0.0
