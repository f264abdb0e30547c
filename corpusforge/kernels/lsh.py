"""Locality-sensitive hashing: similar sets share a band of their signatures.

Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, section 3.4.
"""

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit
from corpusforge.kernels.mixing import mix64


def collision_probability(similarity: float, bands: int, rows: int) -> float:
    """Chance that two sets of this Jaccard similarity share at least one band.

    >>> round(collision_probability(0.8, bands=14, rows=8), 3)
    0.924
    """
    return 1.0 - (1.0 - similarity**rows) ** bands


@jit
def band_keys(signatures: NDArray[np.uint32], bands: int) -> NDArray[np.uint64]:
    """A 64-bit key per band of each signature.

    Args:
        signatures: (D, k), k a multiple of `bands`.
        bands: Equal keys in any two columns never meet: the band's number is part of the key.

    Returns:
        Shape (D, bands). Two different bands share a key with probability 2**-64.
    """
    documents, k = signatures.shape
    rows = k // bands
    keys = np.empty((documents, bands), np.uint64)
    for d in range(documents):
        for band in range(bands):
            key = np.uint64(band + 1)
            for i in range(band * rows, (band + 1) * rows):
                key = mix64(key ^ np.uint64(signatures[d, i]))
            keys[d, band] = key
    return keys


@jit
def candidate_pairs(
    keys: NDArray[np.uint64], limits: tuple[int, int], start: int, end: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions (i, j), i < j, of records with equal keys; start <= j < end.

    Args:
        keys: Sorted.
        limits: A key that at most the first number of records share gives all its pairs. Of a
            hotter one every record is paired with the first, and with as many records before it as
            the second number says: a connected chain instead of a quadratic number of pairs.
        start: Pairs of several stretches of j are those of all, so memory can be bounded.
        end: At most len(keys).

    Returns:
        Two arrays of equal length.
    """
    none = np.empty(0, np.int64)
    total = _visit_pairs(keys, limits, (start, end), (none, none))
    left, right = np.empty(total, np.int64), np.empty(total, np.int64)
    _visit_pairs(keys, limits, (start, end), (left, right))
    return left, right


@jit
def _visit_pairs(
    keys: NDArray[np.uint64],
    limits: tuple[int, int],
    stretch: tuple[int, int],
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> int:
    left, right = pairs
    most, few = limits
    start, end = stretch
    first = start
    while first > 0 and first < len(keys) and keys[first - 1] == keys[first]:
        first -= 1
    after = first  # of the records with this key
    made = window = 0
    for i in range(start, end):
        while after <= i:
            first = after
            while after < len(keys) and keys[after] == keys[first]:
                after += 1
            window = after - first if after - first <= most else few
        if i - first > window:
            if len(left) > 0:
                left[made], right[made] = first, i
            made += 1
        for j in range(max(first, i - window), i):
            if len(left) > 0:
                left[made], right[made] = j, i
            made += 1
    return made
