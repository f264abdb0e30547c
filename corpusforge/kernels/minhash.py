"""MinHash: estimate how much two sets overlap from k small integers per set.

Broder (1997). The k hash functions are those of `datasketch` 2's "affine32" scheme, bit for bit:
a shingle is mixed once by the MurmurHash3 finalizer, then h_i(x) = (a_i * x + b_i) mod 2**32 with
a_i odd, so that its indexes can be queried with ours and the reverse.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from datasketch import MinHash
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit
from corpusforge.kernels.mixing import fmix32
from corpusforge.kernels.shingles import sequence_digest, shingle_hashes, word_hashes


@dataclass(frozen=True, eq=False)
class HashFamily:
    """k hash functions. The same seed gives the same family on every machine."""

    coefficients: NDArray[np.uint32]  # (2, k): the a_i, all odd, and the b_i

    @classmethod
    def seeded(cls, k: int, seed: int) -> Self:
        permutations = MinHash(num_perm=k, seed=seed, scheme="affine32").permutations
        return cls(np.asarray(permutations, np.uint32))

    @property
    def size(self) -> int:
        """k."""
        return self.coefficients.shape[1]


def signatures(
    bounds: NDArray[np.int64], shingles: NDArray[np.uint32], family: HashFamily
) -> NDArray[np.uint32]:
    """The k smallest hashes of each of D sets of shingles.

    Args:
        bounds: (D + 1,) where each set starts and ends in `shingles`.
        shingles: Shingle hashes; order and repeats within a set do not matter.
        family: Only signatures from one family are comparable.

    Returns:
        Shape (D, k). The fraction of entries two signatures share estimates their Jaccard
        similarity J with standard error sqrt(J * (1 - J) / k): 0.035 at J = 0.8, k = 128. An empty
        set has the largest value everywhere and resembles no other but the empty set.
    """
    out = np.empty((len(bounds) - 1, family.size), np.uint32)
    _sign_sets(bounds, shingles, family.coefficients, out)
    return out


def text_signatures(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    letters: NDArray[np.uint32],
    n: int,
    family: HashFamily,
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """`signatures` (D, k) and digests (D,) of D texts, without storing their shingles.

    Arguments, and what a digest is, as in `shingles.shingle_sets`.
    """
    out = np.empty((len(offsets) - 1, family.size), np.uint32)
    digests = np.empty(len(offsets) - 1, np.uint64)
    _sign_texts((data, offsets), letters, n, family.coefficients, (out, digests))
    return out, digests


@jit
def _fold(shingle: np.uint32, ab: NDArray[np.uint32], row: NDArray[np.uint32]) -> None:
    x = fmix32(shingle)
    for i in range(ab.shape[1]):
        # Everything must stay in 32 bits: that is what lets the loop run in SIMD lanes.
        h = np.uint32(np.uint32(ab[0, i] * x) + ab[1, i])
        row[i] = min(row[i], h)


@jit
def _sign_sets(
    bounds: NDArray[np.int64],
    shingles: NDArray[np.uint32],
    ab: NDArray[np.uint32],
    out: NDArray[np.uint32],
) -> None:
    out[:] = np.uint32(0xFFFFFFFF)
    for d in range(len(bounds) - 1):
        for i in range(bounds[d], bounds[d + 1]):
            _fold(shingles[i], ab, out[d])


@jit
def _sign_texts(
    texts: tuple[NDArray[np.uint8], NDArray[np.int64]],
    letters: NDArray[np.uint32],
    n: int,
    ab: NDArray[np.uint32],
    made: tuple[NDArray[np.uint32], NDArray[np.uint64]],
) -> None:
    out, digests = made
    out[:] = np.uint32(0xFFFFFFFF)
    data, offsets = texts
    longest = 0
    for d in range(len(offsets) - 1):
        longest = max(longest, offsets[d + 1] - offsets[d])
    words = np.empty(longest + 1, np.uint64)
    shingles = np.empty(longest + 1, np.uint32)
    for d in range(len(offsets) - 1):
        count = word_hashes(data, offsets[d], offsets[d + 1], letters, words)
        digests[d] = sequence_digest(words, count)
        for i in range(shingle_hashes(words, count, n, shingles)):
            _fold(shingles[i], ab, out[d])
