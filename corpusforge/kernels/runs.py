"""Runs of numbers from one array to places of another: documents on their way to their order."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit


@jit
def copy_runs(
    source: NDArray[Any],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    target: NDArray[Any],
    places: NDArray[np.int64],
) -> None:
    """Copy run i, source[starts[i]:starts[i] + lengths[i]], to target[places[i]:] and on.

    Runs must lie within their array, and the target's must not overlap: nothing is checked here.
    Numbers are cast to the type of the target.
    """
    for i in range(len(starts)):
        start, place = starts[i], places[i]
        for j in range(lengths[i]):
            target[place + j] = source[start + j]
