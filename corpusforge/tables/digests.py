"""Digests of texts in a buffer."""

import numpy as np
import xxhash
from numpy.typing import NDArray


def digests(data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """xxh3-64 of each text: text i is data[bounds[i]:bounds[i + 1]]."""
    view, digest, edges = data.data, xxhash.xxh3_64_intdigest, bounds.tolist()
    return np.array(
        [digest(view[edges[i] : edges[i + 1]]) for i in range(len(edges) - 1)], np.uint64
    )
