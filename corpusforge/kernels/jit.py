"""How kernels are compiled: without the GIL, and once per machine."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def jit(function: F) -> F:
    """Compile with Numba, keeping the type of the function for the type checker.

    A task that held the GIL for minutes would be taken for dead by the Dask scheduler; the
    cache spares every worker process the compilation.
    """
    return cast(F, numba.njit(cache=True, nogil=True)(function))


def inlined(function: F) -> F:
    """Compile into every kernel that calls it: for the small functions of an inner loop."""
    return cast(F, numba.njit(inline="always")(function))
