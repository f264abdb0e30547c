"""Counting by 64-bit key: two arrays, open addressing, linear steps. A slot of count 0 is free."""

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit
from corpusforge.kernels.mixing import mix64


@jit
def room(keys: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """An empty table, at most half of which so many keys fill: its keys and its counts."""
    size = 4
    while size < 2 * keys:
        size *= 2
    return np.zeros(size, np.uint64), np.zeros(size, np.int64)


@jit
def slot_of(keys: NDArray[np.uint64], counts: NDArray[np.int64], key: np.uint64) -> np.uint64:
    """Where a key stands, or the free slot where it would; the table must have a free one."""
    mask = np.uint64(len(keys) - 1)
    slot = mix64(key) & mask
    while counts[slot] and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot
