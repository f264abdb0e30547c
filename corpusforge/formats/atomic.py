"""A file appears under its name complete and on disk, or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

PARTIAL = ".partial"  # suffix of files still being written; safe to delete when no run is active


@contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """A path beside `target` to write to; renamed to `target` when the block ends well.

    Two attempts at the same task may overlap, so each gets a name of its own. On an exception
    the partial file is removed and `target` is left as it was.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{uuid4().hex[:8]}{PARTIAL}")
    try:
        yield partial
        _sync(partial)
        os.replace(partial, target)
        _sync(target.parent)
    finally:
        partial.unlink(missing_ok=True)


def write_atomic(target: Path, content: bytes) -> None:
    """Replace `target` by these bytes in one step."""
    with atomic_path(target) as partial:
        partial.write_bytes(content)


def publish_folder(partial: Path, target: Path) -> None:
    """Replace `target` by the folder `partial` beside it, in which all files are on disk."""
    shutil.rmtree(target, ignore_errors=True)
    os.replace(partial, target)
    _sync(target.parent)


def remove_partials(folder: Path) -> None:
    """Delete what killed processes left half-written anywhere below a folder that nobody uses."""
    for partial in folder.rglob(f"*{PARTIAL}"):
        partial.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
