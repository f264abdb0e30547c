"""A cache of words and their tokens: a table that is never larger, and forgets.

A slot is 64 bytes, one line of a processor's cache: the word itself in 32 bytes, zeros behind it
and its length last, then how many tokens it has and up to seven of them. A word is found only if
all its bytes are the same. One that is longer, or has more tokens, is not kept.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.bare_arrays import bare, eight_bytes
from corpusforge.kernels.jit import inlined

LONGEST = 31  # bytes of a word
MOST_TOKENS = 7
WAYS = 4  # slots, one after the other, that a word may be in
_LINE = 64  # bytes
_NUMBERS = 8  # of 64 bits in a slot, the first four of them the word
_COUNT = 8  # place of the number of tokens, in numbers of 32 bits; the tokens follow

_FACTORS = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xD6E8FEB86659FD93),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)
_HALF, _LENGTH, _ZERO, _ONE = np.uint64(32), np.uint64(56), np.uint64(0), np.uint64(1)
# Which bits of eight bytes belong to a word that ends so many bytes behind their start, less 24.
_MASKS = np.array([0] * 25 + [2 ** (8 * i) - 1 for i in range(1, 8)] + [2**64 - 1] * 25, np.uint64)

Key = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


class Cache(NamedTuple):
    """The words of one thread: two views of one memory."""

    numbers: NDArray[np.uint64]  # (slots + WAYS - 1, 8)
    halves: NDArray[np.uint32]  # (slots + WAYS - 1, 16)


def empty_cache(slots: int) -> Cache:
    """A cache without words; the number of slots is a power of two."""
    size = (slots + WAYS - 1) * _LINE
    room = np.zeros(size + _LINE, np.uint8)
    start = -room.ctypes.data % _LINE  # numpy begins an array anywhere in a line
    numbers = room[start : start + size].view(np.uint64).reshape(-1, _NUMBERS)
    return Cache(numbers, numbers.view(np.uint32))


@inlined
def bare_cache(cache: Cache) -> Cache:
    """The same, for an inner loop; see `bare`."""
    return Cache(bare(cache.numbers), bare(cache.halves))


@inlined
def recall(
    data: NDArray[np.uint8],
    span: tuple[int, int],
    cache: Cache,
    out: NDArray[np.uint32],
    used: int | np.int64,
) -> np.int64:
    """Write the tokens of data[span[0]:span[1]] to `out` from `used` on; how many, 0 if unknown."""
    count = np.int64(0)
    if span[1] - span[0] <= LONGEST:
        key = _key(data, span[0], span[1])
        home = _home(key, cache)
        for slot in range(home, home + WAYS):
            if (
                cache.numbers[slot, 0] == key[0]
                and cache.numbers[slot, 1] == key[1]
                and cache.numbers[slot, 2] == key[2]
                and cache.numbers[slot, 3] == key[3]
            ):
                count = np.int64(cache.halves[slot, _COUNT])
                for i in range(count):
                    out[used + i] = cache.halves[slot, _COUNT + 1 + i]
                break
    return count


@inlined
def keep(
    data: NDArray[np.uint8],
    span: tuple[int, int],
    cache: Cache,
    ids: NDArray[np.uint32],
    count: int | np.int64,
) -> None:
    """Put an unknown word and its tokens ids[:count] into a free slot or in another's place."""
    if span[1] - span[0] <= LONGEST and count <= MOST_TOKENS:
        key = _key(data, span[0], span[1])
        home = _home(key, cache)
        # Whose place does not depend on when: what is frequent soon is there again.
        slot = home + np.int64((key[0] * _FACTORS[1]) >> np.uint64(62))
        for way in range(home, home + WAYS):
            if cache.numbers[way, 3] == _ZERO:  # no word has length 0
                slot = np.int64(way)
                break
        cache.numbers[slot, 0] = key[0]
        cache.numbers[slot, 1] = key[1]
        cache.numbers[slot, 2] = key[2]
        cache.numbers[slot, 3] = key[3]
        cache.halves[slot, _COUNT] = count
        for i in range(count):
            cache.halves[slot, _COUNT + 1 + i] = ids[i]


@inlined
def _key(data: NDArray[np.uint8], start: int, end: int) -> Key:
    """A word of up to `LONGEST` bytes and its length, as four numbers."""
    size = end - start
    length = np.uint64(size) << _LENGTH
    if start + 32 > len(data):  # eight bytes at a time would read behind the buffer
        return (
            _tail(data, start, end),
            _tail(data, start + 8, end),
            _tail(data, start + 16, end),
            _tail(data, start + 24, end) | length,
        )
    first = eight_bytes(data, start) & _MASKS[size + 24]
    second = eight_bytes(data, start + 8) & _MASKS[size + 16]
    if size <= 16:
        return first, second, _ZERO, length
    third = eight_bytes(data, start + 16) & _MASKS[size + 8]
    return first, second, third, eight_bytes(data, start + 24) & _MASKS[size] | length


@inlined
def _tail(data: NDArray[np.uint8], start: int, end: int) -> np.uint64:
    """Up to eight bytes from start on, none of them behind end."""
    number = _ZERO
    for i in range(start, min(start + 8, end)):
        number |= np.uint64(data[i]) << np.uint64(8 * (i - start))
    return number


@inlined
def _home(key: Key, cache: Cache) -> np.int64:
    """The first slot that a word may be in."""
    mixed = key[0] * _FACTORS[0] + key[1] * _FACTORS[1]
    mixed += key[2] * _FACTORS[2] + key[3] * _FACTORS[3]
    mixed = (mixed ^ (mixed >> _HALF)) * _FACTORS[0]
    slots = np.uint64(len(cache.numbers) - (WAYS - 1))
    return np.int64((mixed >> _HALF) & (slots - _ONE))
