"""Which records locality-sensitive hashing brings together."""

from collections import defaultdict
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.lsh import band_keys, candidate_pairs, collision_probability

limits = st.tuples(st.integers(1, 8), st.integers(0, 6)).filter(lambda pair: pair[1] < pair[0])
sorted_keys = st.lists(st.integers(0, 4), max_size=30).map(sorted)

# PITFALLS.md, B1: chance to meet at similarity .5, .6, .7, .75, .8, .85, .9
TABLE = {
    (14, 8): (0.053, 0.211, 0.565, 0.772, 0.924, 0.988, 1.0),
    (20, 13): (0.002, 0.026, 0.177, 0.382, 0.677, 0.924, 0.997),
    (26, 11): (0.013, 0.090, 0.405, 0.674, 0.903, 0.991, 1.0),
    (9, 13): (0.001, 0.012, 0.084, 0.195, 0.399, 0.686, 0.929),
    (50, 4): (0.960, 0.999, 1.0, 1.0, 1.0, 1.0, 1.0),
}
SIMILARITIES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)


def pairs(keys, limits, start=0, end=None):
    end = len(keys) if end is None else end
    left, right = candidate_pairs(np.array(keys, np.uint64), limits, start, end)
    assert len(left) == len(right)
    return list(zip(left.tolist(), right.tolist(), strict=True))


def groups(keys):
    positions = defaultdict(list)
    for position, key in enumerate(keys):
        positions[key].append(position)
    return list(positions.values())


@given(sorted_keys, limits)
def test_pairs_are_those_of_the_textbook_each_once(keys, limits):
    """Every group: first with all, and all within the window; a small one is complete."""
    expected = set()
    most, window = limits
    for group in groups(keys):
        for a, b in combinations(range(len(group)), 2):
            if a == 0 or b - a <= window or len(group) <= most:
                expected.add((group[a], group[b]))
    found = pairs(keys, limits)
    assert len(found) == len(set(found))
    assert set(found) == expected


@given(sorted_keys, limits, st.lists(st.integers(0, 30), max_size=4))
def test_stretches_give_what_all_records_give_at_once(keys, limits, cuts):
    bounds = sorted({0, len(keys), *(cut for cut in cuts if cut < len(keys))})
    found = [pairs(keys, limits, start, end) for start, end in pairwise(bounds)]
    assert [pair for stretch in found for pair in stretch] == pairs(keys, limits)


@given(sorted_keys, limits)
def test_a_pair_is_ordered_and_shares_its_key(keys, limits):
    for i, j in pairs(keys, limits):
        assert i < j
        assert keys[i] == keys[j]


def test_a_hot_key_gives_a_connected_chain_of_linear_size():
    found = pairs([9] * 10_000, (30, 5))
    assert {j for i, j in found if i == 0} == set(range(1, 10_000))
    assert {(i, i + 1) for i in range(9_999)} <= set(found)
    assert len(found) < 6 * 10_000


@pytest.mark.parametrize("keys", [[], [1], [1, 2, 3]])
def test_records_alone_with_their_keys_have_no_pairs(keys):
    assert pairs(keys, (5, 3)) == []


@given(st.integers(1, 4), st.integers(1, 3), st.data())
def test_records_share_a_band_exactly_when_its_rows_are_equal(bands, rows, data):
    row = st.lists(st.integers(0, 1), min_size=bands * rows, max_size=bands * rows)
    made = np.array(data.draw(st.lists(row, min_size=1, max_size=6)), np.uint32)
    keys = band_keys(made, bands)
    assert keys.shape == (len(made), bands)
    for a, b in combinations(range(len(made)), 2):
        for band in range(bands):
            part = slice(band * rows, (band + 1) * rows)
            assert (keys[a, band] == keys[b, band]) == np.array_equal(made[a, part], made[b, part])


def test_equal_rows_in_different_bands_do_not_meet():
    keys = band_keys(np.full((1, 64), 7, np.uint32), 16)
    assert len(set(keys[0].tolist())) == 16


@pytest.mark.parametrize(("bands", "rows"), TABLE)
def test_the_recipes_of_the_field_have_the_curves_they_are_known_for(bands, rows):
    found = [collision_probability(s, bands, rows) for s in SIMILARITIES]
    assert found == pytest.approx(TABLE[bands, rows], abs=0.0005)


@pytest.mark.parametrize(("bands", "rows"), [(14, 8), (50, 4), (9, 13)])
@pytest.mark.parametrize("similarity", [0.6, 0.8])
def test_the_formula_agrees_with_simulation_within_four_sigma(bands, rows, similarity):
    """20,000 pairs whose signatures agree in each entry with this probability."""
    trials = 20_000
    agree = np.random.default_rng(11).random((trials, bands, rows)) < similarity
    met = agree.all(axis=2).any(axis=1).mean()
    expected = collision_probability(similarity, bands, rows)
    assert abs(met - expected) <= 4 * np.sqrt(expected * (1 - expected) / trials)


def test_keys_on_disk_stay_comparable():
    """Golden values. If this fails, raise the dedup stage's version; do not edit the numbers."""
    assert band_keys(np.array([[1, 2, 3, 4]], np.uint32), 2).tolist() == [
        [15839785061582574730, 13825833240081900799]
    ]
