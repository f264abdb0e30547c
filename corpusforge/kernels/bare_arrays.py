"""Arrays in an inner loop: without counting references, and eight bytes at a time."""

# ruff: noqa: ANN401 (what Numba hands over while it compiles has no types of its own)

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

Array = TypeVar("Array", bound=NDArray[Any])


def _bare(_context: Any, array: Any) -> tuple[Any, Callable[..., Any]]:
    def strip(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        stripped = context.make_array(signature.args[0])(context, builder, arguments[0])
        stripped.meminfo = context.get_constant_null(types.voidptr)
        return stripped._getvalue()

    return array(array), strip


def _eight_bytes(_context: Any, data: Any, _i: Any) -> tuple[Any, Callable[..., Any]]:
    def load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte = builder.gep(array.data, [arguments[1]])
        number = context.get_value_type(types.uint64)
        return builder.load(builder.bitcast(byte, number.as_pointer()), align=1)

    return types.uint64(data, types.int64), load


# bare(array): the same array, whose references Numba does not count. Each function that an array
# is passed to counts it up and down, some 10 ns together, even where it is inlined: without that
# an encoder is three times as fast. Only for arguments of a kernel, which its caller holds: an
# array that the kernel made would be freed before its last use.
bare = cast(Callable[[Array], Array], intrinsic(_bare))

# eight_bytes(data, i): data[i:i + 8], the first of them lowest; 0 <= i <= len(data) - 8. One load,
# where Numba makes eight of eight bytes that are put together.
eight_bytes = cast(Callable[[NDArray[np.uint8], int], np.uint64], intrinsic(_eight_bytes))
