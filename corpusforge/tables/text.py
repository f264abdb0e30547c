"""The bytes behind a column of texts."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def text_buffers(texts: pa.Array) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """UTF-8 bytes (n,) and bounds (D + 1,) of a large_string array without nulls, not copied.

    Text i is data[bounds[i]:bounds[i + 1]]; bounds[0] is not 0 in a slice.

    Raises:
        ValueError: Another type, or a null.
    """
    if texts.type != pa.large_string() or texts.null_count:
        raise ValueError(
            f"expected large_string without nulls, got {texts.type} with {texts.null_count} nulls"
        )
    _, bounds, data = texts.buffers()
    if len(texts) == 0 or data is None:
        return np.empty(0, np.uint8), np.zeros(len(texts) + 1, np.int64)
    every = np.frombuffer(bounds, np.int64)
    return np.frombuffer(data, np.uint8), every[texts.offset : texts.offset + len(texts) + 1]
