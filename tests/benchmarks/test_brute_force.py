"""The check of dedup by brute force finds what it looks for, and nothing else."""

import numpy as np
import pytest
from corpora import prose

from corpusforge.kernels.evidence import Limits

WHOLE = prose("whole", sentences=12)
CUT = WHOLE.rsplit(" ", 8)[0]  # both are near duplicates
OTHER = prose("other", sentences=12)
TEXTS = [WHOLE, CUT, OTHER]


@pytest.fixture(scope="module")
def brute(benchmark_script):
    return benchmark_script("brute_force")


@pytest.fixture(scope="module")
def done(brute, tmp_path_factory):
    return brute.deduplicated(TEXTS, tmp_path_factory.mktemp("brute"))


def test_what_dedup_does_has_no_violations(brute, done):
    survivors, removed = done
    assert set(survivors) == {0, 2}
    assert set(removed) == {1}
    assert set(brute.violations(TEXTS, survivors, removed, Limits()).values()) == {0}


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({1: ("near_duplicate", 2, 0.9)}, {"below the limit": 1, "told otherwise": 1}),
        ({1: ("contained", 2, 0.0)}, {"below the limit": 1}),
        (
            {1: ("exact_duplicate", 1, 1.0)},
            {"for a text that is not kept": 1, "clusters without a survivor": 1},
        ),
        ({1: ("near_duplicate", 0, 0.5)}, {"told otherwise": 1}),
        ({}, {"texts lost or twice": 1}),
    ],
)
def test_a_wrong_removal_is_counted(brute, done, changed, wrong):
    survivors, _ = done
    broken = brute.violations(TEXTS, survivors, changed, Limits())
    assert {what: count for what, count in broken.items() if count} == wrong


def test_a_document_both_kept_and_removed_is_counted(brute, done):
    survivors, removed = done
    twice = brute.violations(TEXTS, survivors | {1: survivors[0]}, removed, Limits())
    assert twice["texts lost or twice"] == 1


def test_every_pair_is_compared_once_with_its_similarity(brute):
    pairs, likeness, met = brute.compared(TEXTS)
    sets = [set(brute.shingles(text)) for text in TEXTS]
    assert pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert likeness.tolist() == [len(sets[a] & sets[b]) / len(sets[a] | sets[b]) for a, b in pairs]
    assert met.tolist() == [True, False, False]


def test_pairs_that_the_curve_does_not_explain_stand_out(brute):
    likeness = np.full(400, 0.5)
    none, every = (brute.beside_theory(np.full(400, found), likeness) for found in (False, True))
    assert float(none.split()[-2]) < -3
    assert float(every.split()[-2]) > 3
