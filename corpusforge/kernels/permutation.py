"""Keyed permutation of range(n) that can be asked for any part of itself.

A Feistel network (Luby and Rackoff, 1988) of four rounds permutes 2 b bits, the smallest even
number of bits that holds n - 1. Cycle walking (Black and Rogaway, 2002, section 3) turns that into
a permutation of range(n): a value that falls outside is permuted again until it falls inside, on
average fewer than four times because 4**b < 4 n. Nothing is stored, so every process of a job can
compute its own part of one shuffled order. This shuffles; it does not encrypt.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ROUNDS = 4


def permute(indices: NDArray[np.int64], n: int, key: Sequence[int]) -> NDArray[np.int64]:
    """Where a keyed permutation of range(n) sends each index.

    Args:
        indices: Values in range(n), any shape.
        n: Size of the range, 1 to 2**62.
        key: Integers >= 0, such as (seed, epoch). Equal keys give equal permutations on every
            machine; different keys give unrelated ones.

    Returns:
        Values in range(n), the shape of `indices`. All of range(n) gives all of range(n).

    Raises:
        ValueError: `n` is out of bounds, or an index is not in range(n).
    """
    if not 1 <= n <= 2**62:
        raise ValueError(f"cannot permute range({n}): expected 1 to 2**62 values")
    if indices.size and (indices.min() < 0 or indices.max() >= n):
        raise ValueError(f"indices {indices.min()} to {indices.max()} are not all in range({n})")
    half_bits = max(1, -(-(n - 1).bit_length() // 2))
    words = np.random.SeedSequence(list(key)).generate_state(ROUNDS, np.uint64)
    round_keys = words.astype(np.uint64)
    permuted = _feistel(indices.astype(np.uint64).ravel(), half_bits, round_keys)
    while (outside := np.flatnonzero(permuted >= n)).size:
        permuted[outside] = _feistel(permuted[outside], half_bits, round_keys)
    return permuted.astype(np.int64).reshape(indices.shape)


def _feistel(
    values: NDArray[np.uint64], half_bits: int, round_keys: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """One pass over 2 * half_bits bits; any mixing function makes this a bijection."""
    shift, mask = np.uint64(half_bits), np.uint64((1 << half_bits) - 1)
    left, right = values >> shift, values & mask
    for round_key in round_keys:
        left, right = right, left ^ (_mix(right ^ round_key) & mask)
    return (left << shift) | right


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64 (Steele, Lea and Flood, 2014), modulo 2**64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
