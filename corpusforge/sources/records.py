"""What a source file yields: papers, losses and withdrawals, in the order of the file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from corpusforge.parsers.paper import Paper
from corpusforge.reasons import Rejection


@dataclass(frozen=True, slots=True)
class Found:
    """A paper, and xxh3-64 of the bytes it was read from."""

    paper: Paper
    digest: int
    provider: str = ""  # who gave it to the source, where the file says so


@dataclass(frozen=True, slots=True)
class Lost:
    """A record that could not be read; `key` says where it is, as `file@byte`."""

    key: str
    rejection: Rejection


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The source takes back what it said earlier of this document, in this version."""

    source_id: str
    version: int


Record = Found | Lost | Withdrawn
Reader = Callable[[Path], Iterator[Record]]
