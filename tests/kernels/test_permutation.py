"""What the keyed permutation promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.permutation import permute

sizes = st.integers(1, 3000)
keys = st.lists(st.integers(0, 2**40), min_size=1, max_size=3)


@given(sizes, keys)
def test_every_value_appears_exactly_once(n, key):
    assert sorted(permute(np.arange(n), n, key).tolist()) == list(range(n))


@given(sizes, keys, st.data())
def test_any_part_can_be_asked_for_alone(n, key, data):
    indices = np.array(data.draw(st.lists(st.integers(0, n - 1), max_size=20)), np.int64)
    assert np.array_equal(permute(indices, n, key), permute(np.arange(n), n, key)[indices])


@given(st.integers(2**40, 2**62), keys)
def test_huge_ranges_stay_in_range_and_distinct(n, key):
    indices = np.arange(50) * (n // 50)
    permuted = permute(indices, n, key)
    assert permuted.min() >= 0
    assert permuted.max() < n
    assert len(set(permuted.tolist())) == 50


def test_the_shape_is_kept():
    assert permute(np.arange(6).reshape(2, 3), 6, [1]).shape == (2, 3)


def test_fixed_points_are_as_rare_as_chance_allows():
    """Fixed points of a random permutation are Poisson with mean 1: of 400, 400 +- 20."""
    fixed = sum((permute(np.arange(500), 500, [k]) == np.arange(500)).sum() for k in range(400))
    assert abs(fixed - 400) < 4 * 20


def test_neighbours_do_not_stay_neighbours():
    """The mean distance of two random values of range(n) is n / 3; 10,000 of them: sigma 0.24 %."""
    n = 10_001
    distance = np.abs(np.diff(permute(np.arange(n), n, [7, 0]))).mean() / n
    assert abs(distance - 1 / 3) < 4 * 0.0024


def test_orders_of_running_jobs_stay_as_they_are():
    """Golden values. If this fails, resumed runs would see other data; do not edit the numbers."""
    assert permute(np.arange(10), 10, [0, 0]).tolist() == [1, 9, 6, 4, 7, 0, 8, 3, 5, 2]
    large = permute(np.arange(5), 1_000_003, [17, 3])
    assert large.tolist() == [496767, 381421, 488422, 979466, 913543]


@pytest.mark.parametrize("n", [0, 2**62 + 1])
def test_a_range_that_cannot_be_permuted_is_refused(n):
    with pytest.raises(ValueError, match=rf"range\({n}\): expected 1 to 2\*\*62"):
        permute(np.arange(0), n, [0])


@pytest.mark.parametrize("indices", [[-1, 4], [0, 5]])
def test_an_index_outside_the_range_is_refused(indices):
    with pytest.raises(ValueError, match=rf"{indices[0]} to {indices[1]} are not all in range\(5"):
        permute(np.array(indices), 5, [0])
