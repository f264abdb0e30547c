"""Token ids back to the bytes that they stand for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit


@jit
def decode_runs(
    tokens: NDArray[Any],
    bounds: NDArray[np.int64],
    table: NDArray[np.uint8],
    table_bounds: NDArray[np.int64],
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The bytes of documents, (n,), and their bounds, (D + 1,).

    Document i is tokens[bounds[i]:bounds[i + 1]]; token t is
    table[table_bounds[t]:table_bounds[t + 1]]. Ids must be below the size of the table.
    """
    ends = np.zeros(len(bounds), np.int64)
    for i in range(len(bounds) - 1):
        size = 0
        for j in range(bounds[i], bounds[i + 1]):
            token = np.int64(tokens[j])
            size += table_bounds[token + 1] - table_bounds[token]
        ends[i + 1] = ends[i] + size
    decoded = np.empty(ends[-1], np.uint8)
    at = 0
    for j in range(bounds[0], bounds[-1]):
        token = np.int64(tokens[j])
        for k in range(table_bounds[token], table_bounds[token + 1]):
            decoded[at] = table[k]
            at += 1
    return decoded, ends
