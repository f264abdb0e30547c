"""Integer hash functions that compiled kernels and numpy expressions share.

Constants: splitmix64 (Steele, Lea, Flood, OOPSLA 2014, the mix64 variant 13 of D. Stafford) and
the 32-bit finalizer of MurmurHash3 (A. Appleby, public domain).
"""

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit


@jit
def mix64(x: np.uint64) -> np.uint64:
    """A bijection of 64-bit integers in which every input bit moves half the output bits."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@jit
def fmix32(x: np.uint32) -> np.uint32:
    """A bijection of 32-bit integers; `datasketch` mixes with it before permuting."""
    x = np.uint32((x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B))
    x = np.uint32((x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    return np.uint32(x ^ (x >> np.uint32(16)))


@jit
def seeded_order(uids: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """A pseudo-random 64-bit key per uid: the same for a uid whatever else is in the corpus."""
    start = mix64(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15))
    keys = np.empty(len(uids), np.uint64)
    for i in range(len(uids)):
        keys[i] = mix64(uids[i] ^ start)
    return keys
