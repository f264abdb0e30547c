"""How much two sets of shingles have in common, exactly."""

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit


@jit
def jaccard(a: NDArray[np.uint32], b: NDArray[np.uint32]) -> float:
    """Shared over all elements of two ascending arrays without repeats; 0 if one is empty."""
    if len(a) == 0 or len(b) == 0:
        return 0.0
    both = shared(a, b)
    return both / (len(a) + len(b) - both)


@jit
def shared(a: NDArray[np.uint32], b: NDArray[np.uint32]) -> int:
    """How many elements two ascending arrays without repeats have in common."""
    i = j = both = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            both += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return both
