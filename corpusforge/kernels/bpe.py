"""Byte-pair encoding: texts to tokens, straight from an Arrow string buffer.

A text is split into words by a pattern of `pretokens`. The tokens of most words are known already;
the others are merged from bytes by the rank of the merges. The tokens are those of `tokenizers`.
"""

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.bare_arrays import bare
from corpusforge.kernels.bpe_cache import Cache, bare_cache, keep, recall
from corpusforge.kernels.bpe_long import merge_long
from corpusforge.kernels.bpe_merges import Merges, bare_merges, merge_short
from corpusforge.kernels.jit import jit
from corpusforge.kernels.pretokens import next_pretoken

# Bytes; the time of `merge_short` grows with their square, that of `merge_long` with the
# vocabulary, and at so many both take some 20 microseconds.
LONGEST_SHORT = 256
_BYTES_PER_TOKEN = 3  # less than in prose, for the first guess


@jit
def encode_texts(
    data: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    merges: Merges,
    splitting: tuple[int, NDArray[np.uint8]],
    cache: Cache,
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The tokens of some texts.

    Args:
        data: Valid UTF-8.
        bounds: Text i is data[bounds[i]:bounds[i + 1]], shape (D + 1,).
        merges: From `merge_table`.
        splitting: A `Pattern` and the table of `unicode_classes`.
        cache: From `empty_cache`, or as an earlier call with the same merges left it.

    Returns:
        ids (n,), and bounds (D + 1,) of each text in them.
    """
    texts = len(bounds) - 1
    token_bounds = np.zeros(texts + 1, np.int64)
    out = np.empty((bounds[texts] - bounds[0]) // _BYTES_PER_TOKEN, np.uint32)
    scratch = np.empty((2, LONGEST_SHORT), np.uint32)
    for text in range(texts):
        used = token_bounds[text]
        most = bounds[text + 1] - bounds[text]
        if used + most > len(out):
            grown = np.empty(used + max(used, most), np.uint32)
            grown[:used] = out[:used]
            out = grown
        span = bounds[text], bounds[text + 1]
        made = _encode_text(data, span, merges, splitting, (cache, scratch, out[used:]))
        token_bounds[text + 1] = used + made
    return out[: token_bounds[texts]].copy(), token_bounds


@jit
def _encode_text(
    data: NDArray[np.uint8],
    span: tuple[int, int],
    merges: Merges,
    splitting: tuple[int, NDArray[np.uint8]],
    room: tuple[Cache, NDArray[np.uint32], NDArray[np.uint32]],
) -> int | np.int64:
    """Write the tokens of one text to the last of `room`; how many."""
    data, merges = bare(data), bare_merges(merges)
    pattern, classes = splitting[0], bare(splitting[1])
    cache, ids, ranks, out = bare_cache(room[0]), bare(room[1][0]), bare(room[1][1]), bare(room[2])
    at, end = span
    used: int | np.int64 = 0
    while at < end:
        stop = next_pretoken(data, at, end, pattern, classes)
        count: int | np.int64 = recall(data, (at, stop), cache, out, used)
        if count == 0:
            if stop - at > LONGEST_SHORT:
                count = merge_long(data, (at, stop), merges, out[used:])
            else:
                count = merge_short(data, (at, stop), merges, ids, ranks)
                out[used : used + count] = ids[:count]
                keep(data, (at, stop), cache, ids, count)
        used += count
        at = stop
    return used
