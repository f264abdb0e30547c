"""The tokens of a split, all shards end to end, read from anywhere without loading anything.

Shards are mapped when first read, and the one not used for longest is unmapped when there are
many. No file stays open. Memory grows with the shards (some 100 bytes each) and neither with their
tokens nor with their documents; what a system reports as shared or file memory is page cache.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from corpusforge.errors import ConfigError, FormatError
from corpusforge.formats.mapped_file import MappedFile
from corpusforge.formats.megatron import HEADER, data_path, index_path, open_shard
from corpusforge.kernels.token_windows import (
    DATA,
    DOCUMENTS,
    FIRST,
    OUT_OF_ORDER,
    POINTERS,
    ROWS,
    TOKEN_BYTES,
    TOKENS,
    USED,
    all_within,
    copy_windows,
    place_tokens,
)

MOST_MAPPED = 4096  # shards at a time, two files each: well below what Linux allows a process


@dataclass(frozen=True)
class ShardExtent:
    """How large a shard is."""

    prefix: Path
    dtype: np.dtype[Any]
    tokens: int
    documents: int


def shard_extent(prefix: Path) -> ShardExtent:
    """Measure a shard, checking that its files are whole.

    Raises:
        FormatError: They are not; see `open_shard`.
    """
    shard = open_shard(prefix)
    return ShardExtent(prefix, shard.tokens.dtype, shard.tokens.size, shard.documents)


class Tokens:
    """The tokens of some shards as one row: token t of all is token t - firsts[j] of shard j."""

    def __init__(self, shards: Sequence[ShardExtent], most_mapped: int = MOST_MAPPED) -> None:
        """Read shards, at most `most_mapped` of them mapped from one call to the next.

        Raises:
            ConfigError: The shards store tokens in different ways.
        """
        self.shards = tuple(shards)
        for one, other in pairwise(self.shards):
            if one.dtype != other.dtype:
                raise ConfigError(
                    f"{other.prefix} stores tokens as {other.dtype} but {one.prefix} as "
                    f"{one.dtype}; they are not of one tokenizer: make the shards again"
                )
        self.dtype = self.shards[0].dtype if self.shards else np.dtype("<u2")
        self.sizes = np.array([shard.tokens for shard in self.shards], np.int64)
        self.firsts = np.cumsum(self.sizes) - self.sizes
        self._count = int(self.sizes.sum())
        self._table = np.zeros((ROWS, len(self.shards)), np.int64)
        self._table[FIRST], self._table[TOKENS] = self.firsts, self.sizes
        self._table[DOCUMENTS] = [shard.documents for shard in self.shards]
        self._table[TOKEN_BYTES] = self.dtype.itemsize
        self._files: dict[int, tuple[MappedFile, MappedFile]] = {}
        self._most_mapped, self._now = most_mapped, 0
        self._lock = Lock()  # else one thread could unmap what another reads

    @classmethod
    def of(cls, prefixes: Sequence[Path]) -> Self:
        """The tokens of the shards with these paths, without `.bin` and `.idx`.

        Raises:
            FormatError: A shard is missing or damaged.
            ConfigError: The shards store tokens in different ways.
        """
        return cls([shard_extent(prefix) for prefix in prefixes])

    def __len__(self) -> int:
        return self._count

    def read(self, starts: NDArray[np.int64], rows: NDArray[Any]) -> None:
        """Fill row w with the tokens from starts[w] on.

        Args:
            starts: Shape (windows,).
            rows: Shape (windows, length), C-contiguous, of `dtype`.

        Raises:
            ValueError: `rows` has another type or shape, or a window leaves the tokens.
            FormatError: A shard has changed since it was measured.
        """
        if rows.dtype != self.dtype or len(rows) != len(starts) or not rows.flags.c_contiguous:
            raise ValueError(
                f"rows of {rows.dtype} {rows.shape} for {len(starts)} windows of {self.dtype}; "
                f"expected one row per window, of that type, C-contiguous"
            )
        self._check(starts, rows.shape[1])

        def copy(now: int) -> int:
            return copy_windows(self._table, starts, now, rows)

        self._with_shards(copy)

    def place(
        self, starts: NDArray[np.int64], floors: NDArray[np.int64], places: NDArray[np.int64]
    ) -> None:
        """Fill places[w, i] with the place of token starts[w] + i in its document.

        Places count from the start of the document, or from token floors[w] if that is later.

        Raises:
            ValueError: There is not a row of places for each window, a window leaves the tokens, or
                it starts before its floor.
            FormatError: A shard has changed since it was measured, or its index is damaged.
        """
        self._check(starts, places.shape[1])
        if not len(places) == len(floors) == len(starts) or (floors > starts).any():
            raise ValueError(
                f"{len(places)} rows and {len(floors)} floors for {len(starts)} windows; expected "
                f"one each, and no floor after its window's start"
            )

        def place(now: int) -> int:
            missing, shard = place_tokens(self._table, starts, floors, now, places)
            if missing == OUT_OF_ORDER:
                raise FormatError(
                    f"{index_path(self.shards[shard].prefix)} has documents that do not start one "
                    f"after the other within the {self.sizes[shard]:,} tokens; copy or write the "
                    f"shard again"
                )
            return missing

        self._with_shards(place)

    def will_need(self, starts: NDArray[np.int64], length: int) -> None:
        """Have windows read from disk ahead of their use, without waiting for them.

        From a cold disk, windows asked for together arrive five times as fast as one by one.

        Raises:
            ValueError: A window leaves the tokens.
            FormatError: A shard has changed since it was measured.
        """
        self._check(starts, length)
        size = self.dtype.itemsize
        with self._lock:
            self._now += 1
            for shard, begin, end in self._pieces(starts, length):
                self._table[USED, shard] = self._now
                data, _ = self._files.get(shard) or self._map(shard)
                data.will_need(begin * size, (end - begin) * size)
            self._forget()

    def _pieces(self, starts: NDArray[np.int64], length: int) -> Iterator[tuple[int, int, int]]:
        """Shard, first and last token in it (exclusive) of each part of each window."""
        shards = np.searchsorted(self.firsts, starts, "right") - 1
        for start, shard in zip(starts.tolist(), shards.tolist(), strict=True):
            at, end = start, start + length
            while at < end:
                before = int(self.firsts[shard])
                stop = min(end, before + int(self.sizes[shard]))
                if at < stop:
                    yield shard, at - before, stop - before
                    at = stop
                shard += 1  # noqa: PLW2901

    @property
    def mapped(self) -> int:
        """How many shards are mapped now."""
        return len(self._files)

    def unmap(self) -> None:
        """Give back all mapped memory; what is read next is mapped again."""
        with self._lock:
            for shard in list(self._files):
                self._unmap(shard)

    def _check(self, starts: NDArray[np.int64], length: int) -> None:
        """Keep compiled code, which checks nothing, within the tokens."""
        if not all_within(starts, 0, self._count - length):
            raise ValueError(
                f"windows of {length:,} tokens from {starts.min():,} to {starts.max():,} on are "
                f"not all within the {len(self):,} tokens"
            )

    def _with_shards(self, work: Callable[[int], int]) -> None:
        """Do work that notes the shards it uses, after mapping those that it finds missing."""
        with self._lock:
            self._now += 1
            if work(self._now):
                missing = np.flatnonzero(
                    (self._table[USED] == self._now) & (self._table[DATA] == 0)
                )
                for shard in missing.tolist():
                    self._map(shard)
                work(self._now)
                self._forget()

    def _map(self, shard: int) -> tuple[MappedFile, MappedFile]:
        extent = self.shards[shard]
        data = MappedFile(data_path(extent.prefix), extent.tokens * extent.dtype.itemsize)
        before = HEADER.size + 4 * extent.documents
        index = MappedFile(index_path(extent.prefix), before + 8 * extent.documents)
        self._files[shard] = data, index
        self._table[DATA, shard] = data.address
        self._table[POINTERS, shard] = index.address + before
        return data, index

    def _forget(self) -> None:
        """Unmap the shards not used for longest, if more are mapped than may be."""
        if len(self._files) <= self._most_mapped:
            return
        held = np.array(list(self._files))
        longest_ago = held[np.argsort(self._table[USED, held], kind="stable")]
        for shard in longest_ago[: len(held) - self._most_mapped].tolist():
            self._unmap(shard)

    def _unmap(self, shard: int) -> None:
        self._table[[DATA, POINTERS], shard] = 0
        for file in self._files.pop(shard):
            file.close()
