"""Sorted run: records ordered by a 64-bit key, for exchange between tasks through files.

A task that produces records writes one run; a task that consumes a range of keys takes its slice
from every run. How many ranges there are is decided after all runs are written, when their total
size is known, so no task ever holds more than a range.

    offset    size          content (little-endian)
    0         8             magic, b"CFRUN001"
    8         8             records, n
    16        8             bytes per record, w
    24        8n            keys, uint64, ascending
    24 + 8n   wn            records, in the order of their keys
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusforge.errors import FormatError
from corpusforge.formats.atomic import atomic_path

MAGIC = b"CFRUN001"
HEADER = struct.Struct("<8sQQ")
KEY = np.dtype("<u8")


@dataclass(frozen=True, eq=False)
class Run:
    """Memory-mapped views of one sorted run."""

    keys: NDArray[np.uint64]  # (n,) ascending
    records: NDArray[Any]  # (n,) structured

    def between(self, low: int, high: int) -> "Run":
        """The part with low <= key < high."""
        start, end = _count_below(self.keys, low), _count_below(self.keys, high)
        return Run(self.keys[start:end], self.records[start:end])


def _count_below(keys: NDArray[np.uint64], bound: int) -> int:
    # 2**64, the end of the last range, is not a uint64; comparing as float would lose keys.
    return len(keys) if bound >= 2**64 else int(np.searchsorted(keys, np.uint64(bound)))


def write_run(target: Path, keys: NDArray[np.uint64], records: NDArray[Any]) -> None:
    """Write records ordered by key; equal keys keep the order given.

    Raises:
        ValueError: Keys and records differ in number.
    """
    if len(keys) != len(records):
        raise ValueError(f"{len(keys)} keys for {len(records)} records")
    order = np.argsort(keys, kind="stable")
    with atomic_path(target) as partial, partial.open("wb") as file:
        file.write(HEADER.pack(MAGIC, len(keys), records.dtype.itemsize))
        file.write(keys[order].astype(KEY).tobytes())
        file.write(records[order].tobytes())


def open_run(path: Path, dtype: np.dtype[Any]) -> Run:
    """Map a run.

    Raises:
        FormatError: Not a run, of other records, or not as long as its header says.
    """
    with path.open("rb") as file:
        head = file.read(HEADER.size)
    if len(head) < HEADER.size or not head.startswith(MAGIC):
        raise FormatError(f"{path} is not a sorted run: it starts with {head[:8]!r}, not {MAGIC!r}")
    _, count, width = HEADER.unpack(head)
    expected = HEADER.size + count * (KEY.itemsize + dtype.itemsize)
    actual = path.stat().st_size
    if width != dtype.itemsize or actual != expected:
        raise FormatError(
            f"{path} holds {count:,} records of {width} bytes in {actual:,} bytes, expected "
            f"records of {dtype.itemsize} bytes in {expected:,}; delete its stage folder and run "
            f"the stage again"
        )
    if count == 0:
        return Run(np.empty(0, KEY), np.empty(0, dtype))
    raw = np.memmap(path, np.uint8, "r")
    split = HEADER.size + count * KEY.itemsize
    return Run(keys=raw[HEADER.size : split].view(KEY), records=raw[split:].view(dtype))


def runs_in(folder: Path) -> list[Path]:
    """The runs of a folder, in order. A task is told the folder: the list grows with the corpus."""
    return sorted(folder.glob("[!.]*.run"))


def gather(paths: Sequence[Path], dtype: np.dtype[Any], low: int, high: int) -> Run:
    """The records of a key range from many runs, in the order of the paths, not sorted."""
    slices = [open_run(path, dtype).between(low, high) for path in paths]
    return Run(
        keys=np.concatenate([*(s.keys for s in slices), np.empty(0, KEY)]),
        records=np.concatenate([*(s.records for s in slices), np.empty(0, dtype)]),
    )


def key_ranges(records: int, limit: int) -> list[tuple[str, str]]:
    """The 64-bit keys cut into as many equal ranges [low, high) as hold `limit` records each.

    Keys are hashes, so ranges of equal width hold nearly equal numbers. Bounds are decimal
    strings, fit for a task's arguments; the last one, 2**64, is beyond 64-bit integers.
    """
    ranges = 1 + records // limit
    bounds = [str((2**64 * i) // ranges) for i in range(ranges + 1)]
    return list(pairwise(bounds))
