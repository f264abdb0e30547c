"""A new folder of files of limited size, which appears whole or not at all."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from corpusforge.errors import ConfigError
from corpusforge.formats.atomic import PARTIAL, publish_folder
from corpusforge.formats.shard_folder import NAME, Description, read_description
from corpusforge.pipeline.takedown import PENDING

FILE_BYTES = 500_000_000  # unless told otherwise
Exported = dict[str, tuple[int, int]]  # split -> documents or samples, and files
W = TypeVar("W")


@contextmanager
def new_folder(into: Path) -> Iterator[Path]:
    """A folder to fill; it takes the name `into` when the block ends well.

    Raises:
        ConfigError: There is something under this name already.
    """
    target = into.absolute()
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise ConfigError(f"{into} is not empty; give a folder that is, or a new one")
    partial = target.with_name(f".{target.name}{PARTIAL}")
    shutil.rmtree(partial, ignore_errors=True)  # of an export that was killed
    partial.mkdir(parents=True)
    try:
        yield partial
        publish_folder(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


class FilesInTurn(Generic[W]):
    """Files of one split, `train-00000` and so on, each begun when the one before is full."""

    def __init__(
        self,
        prefix: Path,
        suffix: str,
        max_bytes: int,
        start: Callable[[Path], AbstractContextManager[W]],
    ) -> None:
        self._prefix, self._suffix, self._max_bytes = prefix, suffix, max_bytes
        self._start = start
        self._open = ExitStack()
        self._writer: W | None = None
        self._bytes = 0
        self.paths: list[Path] = []

    def writer(self, size: int) -> W:
        """What takes the next so many bytes; only a piece larger than the limit passes it."""
        if self._writer is None or (self._bytes and self._bytes + size > self._max_bytes):
            self._open.close()
            name = f"{self._prefix.name}-{len(self.paths):05d}{self._suffix}"
            self.paths.append(self._prefix.with_name(name))
            self._writer, self._bytes = self._open.enter_context(self._start(self.paths[-1])), 0
        self._bytes += size
        return self._writer

    def close(self) -> None:
        self._open.close()


def cut_rows(sizes: NDArray[np.int64], limit: int, max_rows: int) -> Iterator[slice]:
    """Consecutive rows in as few pieces as hold at most `limit` bytes and `max_rows` rows.

    A row larger than the limit is a piece of its own.
    """
    ends = np.cumsum(sizes)
    at = 0
    while at < len(sizes):
        fits = int(np.searchsorted(ends, ends[at] - sizes[at] + limit, side="right"))
        stop = min(max(fits, at + 1), at + max_rows)
        yield slice(at, stop)
        at = stop


def settled(folder: Path) -> Description:
    """The description of a folder of shards from which nothing is just being taken.

    Raises:
        ConfigError: There is no description, or a takedown was cut short.
    """
    if (folder / PENDING).exists():
        raise ConfigError(
            f"{folder / PENDING} is there: a takedown was cut short, and what it takes out would "
            f"be exported; give the same takedown again first"
        )
    if not (folder / NAME).exists():
        raise ConfigError(f"{folder / NAME} does not exist; `corpusforge run PIPELINE` makes it")
    return read_description(folder)
