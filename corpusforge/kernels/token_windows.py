"""Windows of the tokens of many shards, and the place of each token in its document.

The shards of a split are taken as one long row of tokens, and a window may run from one shard into
the next. What is known of the shards is a table of integers with a column per shard, of shape
(`ROWS`, shards); files are in it by the addresses they are mapped at, 0 for one that is not mapped.

Both kernels note in the table which shards they touch, and stop short of reading one that is not
mapped; they return how many windows that kept them from. The caller maps what is missing and calls
again. Where all is mapped, the common case, a batch thus costs one call whatever the shards.
"""

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit
from corpusforge.kernels.raw_memory import copy_bytes, load_int64, prefetch

# Rows of the table.
FIRST = 0  # tokens of all shards before
TOKENS = 1
DOCUMENTS = 2
TOKEN_BYTES = 3
DATA = 4  # address of the tokens
POINTERS = 5  # address of the bytes at which the documents start, int64 each, ascending
USED = 6  # when it was touched last, by the caller's count
ROWS = 7

LINE = 64  # bytes that memory delivers at once
OUT_OF_ORDER = -1


@jit
def all_within(values: NDArray[np.int64], low: int, high: int) -> bool:
    """Whether low <= value <= high for each; numpy would take longer over it than a copy takes."""
    outside = 0
    for value in values:
        outside += value < low or value > high
    return outside == 0


@jit
def copy_windows(
    table: NDArray[np.int64], starts: NDArray[np.int64], now: int, rows: NDArray[np.generic]
) -> int:
    """Fill row w with the tokens from starts[w] on.

    Args:
        table: The shards.
        starts: First token of each window, shape (windows,). Windows end within the tokens.
        now: Noted with each shard touched.
        rows: Shape (windows, length), C-contiguous, of the type that the tokens are stored as.

    Returns:
        How many windows could not be copied because a shard is not mapped.
    """
    width, target, missing, next_shard = rows.shape[1], rows.ctypes.data, 0, 0
    for w in range(len(starts)):
        # Windows lie anywhere, so that the processor cannot guess the next; it is told instead.
        soon = starts[min(w + 1, len(starts) - 1)]
        shard = next_shard if w else _shard(table, starts[0])
        next_shard = _shard(table, soon)
        ahead = table[DATA, next_shard] + (soon - table[FIRST, next_shard]) * rows.itemsize
        at, end, complete = starts[w], starts[w] + width, True
        while at < end:
            count = min(end, table[FIRST, shard] + table[TOKENS, shard]) - at
            if count > 0:
                table[USED, shard] = now
                size = count * rows.itemsize
                if table[DATA, shard] == 0:
                    complete = False
                else:
                    source = table[DATA, shard] + (at - table[FIRST, shard]) * rows.itemsize
                    _copy_and_prefetch(target, source, size, ahead)
                at += count
                target += size
                ahead += size
            shard += 1
        missing += not complete
    return missing


@jit
def _shard(table: NDArray[np.int64], token: int) -> int:
    """The shard that a token lies in: the last to start at or before it. Empty ones come first."""
    return int(np.searchsorted(table[FIRST], token, side="right")) - 1


@jit
def _copy_and_prefetch(target: int, source: int, count: int, ahead: int) -> None:
    """Copy bytes, and ask for as many more in step: all at once would be more than can wait."""
    whole = count - count % LINE
    for at in range(0, whole, LINE):
        prefetch(ahead + at)
        copy_bytes(target + at, source + at, LINE)
    if whole < count:
        prefetch(ahead + whole)
        copy_bytes(target + whole, source + whole, count - whole)


@jit
def place_tokens(
    table: NDArray[np.int64],
    starts: NDArray[np.int64],
    floors: NDArray[np.int64],
    now: int,
    positions: NDArray[np.int64],
) -> tuple[int, int]:
    """Fill positions[w, i] with the place of token starts[w] + i in its document.

    Places count from the start of the document, or from token floors[w] if that is later; a shard
    starts a document. The documents are found in the index itself, by binary search: nothing is
    held in memory, however many there are.

    Args:
        table: The shards.
        starts: As for `copy_windows`.
        floors: Not after `starts`, shape (windows,).
        now: As for `copy_windows`.
        positions: Shape (windows, length).

    Returns:
        How many windows could not be done because a shard is not mapped, and -1; or
        `OUT_OF_ORDER` and a shard whose documents do not start one after the other.
    """
    missing, width = 0, positions.shape[1]
    for w in range(len(starts)):
        at, end, complete = starts[w], starts[w] + width, True
        shard = _shard(table, at)
        while at < end:
            stop = min(end, table[FIRST, shard] + table[TOKENS, shard])
            if at < stop:
                table[USED, shard] = now
                if table[POINTERS, shard] == 0:
                    complete = False
                else:
                    places = positions[w, at - starts[w] : stop - starts[w]]
                    if not _place_in_shard(table[:, shard], at, floors[w], places):
                        return OUT_OF_ORDER, shard
                at = stop
            shard += 1
        missing += not complete
    return missing, -1


@jit
def _place_in_shard(
    column: NDArray[np.int64], start: int, floor: int, places: NDArray[np.int64]
) -> bool:
    """Places of the tokens from `start` on, which all lie in one shard; False if it is damaged."""
    first, pointers, documents = column[FIRST], column[POINTERS], column[DOCUMENTS]
    size, shard_end = column[TOKEN_BYTES], column[FIRST] + column[TOKENS]
    document = _last_at_or_before(pointers, documents, (start - first) * size)
    if document < 0:
        return False
    at, end = start, start + len(places)
    begin = first + load_int64(pointers + 8 * document) // size
    while at < end:
        document += 1
        stop = shard_end
        if document < documents:
            stop = first + load_int64(pointers + 8 * document) // size
        if begin < first or stop < at or stop > shard_end:
            return False
        origin = max(begin, floor)
        for token in range(at, min(stop, end)):
            places[token - start] = token - origin
        at, begin = min(stop, end), stop
    return True


@jit
def _last_at_or_before(pointers: int, documents: int, byte: int) -> int:
    """The last document that starts at or before a byte; -1 if none does."""
    low, high = 0, documents
    while low < high:
        middle = (low + high) // 2
        if load_int64(pointers + 8 * middle) <= byte:
            low = middle + 1
        else:
            high = middle
    return low - 1
