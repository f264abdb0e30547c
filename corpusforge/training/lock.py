"""One run at a time per output folder."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpusforge.errors import RunError


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the folder until the block ends or the process dies.

    Raises:
        RunError: Another run holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunError(
                f"another run is writing to {folder}; wait for it to end, or give another --out"
            ) from error
        except OSError:  # a file system without locks, as Lustre may be mounted
            pass
        yield
