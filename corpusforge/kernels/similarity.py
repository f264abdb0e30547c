"""Exact Jaccard similarity of two sets of shingles."""

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit


@jit
def jaccard(a: NDArray[np.uint32], b: NDArray[np.uint32]) -> float:
    """Shared over all elements of two ascending arrays without repeats; 0 if one is empty."""
    if len(a) == 0 or len(b) == 0:
        return 0.0
    i = j = shared = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            shared += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return shared / (len(a) + len(b) - shared)
