"""What a MinHash signature promises."""

import numpy as np
import pyarrow as pa
import pytest
from datasketch import MinHash
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.minhash import HashFamily, signatures, text_signatures
from corpusforge.kernels.shingles import letter_table, shingle_sets
from corpusforge.tables.text import text_buffers

FAMILY = HashFamily.seeded(k=16, seed=3)
shingle_lists = st.lists(st.integers(0, 2**32 - 1), max_size=30)
documents = st.lists(st.text("ab漢 ."), max_size=6)


def sign(*sets, family=FAMILY):
    bounds = np.cumsum([0, *map(len, sets)])
    return signatures(bounds, np.array([x for s in sets for x in s], np.uint32), family)


def peer_signature(shingles, k, seed):
    minhash = MinHash(num_perm=k, seed=seed, scheme="affine32", hashfunc=int)
    minhash.update_batch(shingles)
    return minhash.hashvalues.tolist()


@given(st.lists(shingle_lists, max_size=4), st.sampled_from([1, 2, 16, 128]), st.integers(0, 99))
def test_signatures_are_those_of_datasketch_bit_for_bit(sets, k, seed):
    ours = sign(*sets, family=HashFamily.seeded(k, seed))
    assert ours.tolist() == [peer_signature(shingles, k, seed) for shingles in sets]


@given(shingle_lists)
def test_order_and_repeats_do_not_matter(shingles):
    once, again = sign(shingles, shingles[::-1] + shingles)
    assert np.array_equal(once, again)


@given(shingle_lists, shingle_lists)
def test_the_signature_of_a_union_is_the_elementwise_minimum(a, b):
    union, left, right = sign(a + b, a, b)
    assert np.array_equal(union, np.minimum(left, right))


@given(documents, st.integers(1, 5))
def test_texts_sign_like_their_sets_of_shingles(texts, n):
    data, offsets = text_buffers(pa.array(texts, pa.large_string()))
    bounds, shingles, digests = shingle_sets(data, offsets, letter_table(), n)
    direct, same = text_signatures(data, offsets, letter_table(), n, FAMILY)
    assert np.array_equal(direct, signatures(bounds, shingles, FAMILY))
    assert np.array_equal(digests, same)


@pytest.mark.parametrize("shared", [200, 500, 800, 950])
def test_the_estimate_is_within_four_standard_errors(shared):
    k, size = 4096, 1000
    numbers = np.random.default_rng(7).choice(2**32, 2 * size - shared, replace=False)
    a, b = sign(numbers[:size], numbers[size - shared :], family=HashFamily.seeded(k, seed=1))
    jaccard = shared / (2 * size - shared)
    assert abs((a == b).mean() - jaccard) < 4 * np.sqrt(jaccard * (1 - jaccard) / k)


@given(shingle_lists.filter(bool))
def test_an_empty_set_resembles_only_the_empty_set(shingles):
    empty, other, some = sign([], [], shingles)
    assert (empty == 2**32 - 1).all()
    assert np.array_equal(empty, other)
    assert not np.array_equal(empty, some)


def test_the_same_seed_is_the_same_family_and_another_seed_another():
    families = [HashFamily.seeded(8, seed).coefficients.tolist() for seed in (5, 5, 6)]
    assert families[0] == families[1] != families[2]
    assert HashFamily.seeded(8, 5).size == 8


def test_signatures_on_disk_stay_comparable():
    """Golden values. If this fails, raise the dedup stage's version; do not edit the numbers."""
    [got] = sign([1, 2, 3], family=HashFamily.seeded(k=4, seed=0))
    assert got.tolist() == [1349945298, 267287268, 35669317, 688952334]
