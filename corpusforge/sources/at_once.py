"""Several files at a time, and a place for each of them."""

import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TypeVar

from corpusforge.formats.atomic import atomic_path
from corpusforge.sources.http import Client

A = TypeVar("A")
B = TypeVar("B")


def all_at_once(work: Callable[[A], B], items: Sequence[A], client: Client) -> list[B]:
    """What `work` makes of each item, in order; as many at a time as the client may ask at once.

    The first exception stops the client, so that what is under way ends soon, and is raised.
    """
    with ThreadPoolExecutor(client.config.concurrency) as pool:
        futures = [pool.submit(work, item) for item in items]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            client.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in futures]


def place(stored: Path, target: Path) -> None:
    """Let a file be at a second place too, without a second copy where the file system can."""
    with atomic_path(target) as partial:
        try:
            os.link(stored, partial)
        except OSError:  # a file system without links
            shutil.copyfile(stored, partial)
