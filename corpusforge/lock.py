"""One run at a time in a folder."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpusforge.errors import ConfigError

NAME = ".lock"


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold a folder until the block ends, making it if need be.

    The system releases the lock when the process ends, however it ends, so a killed run leaves
    nothing to clean up. Where a file system has no locks, as Lustre may be mounted, nobody is
    refused.

    Raises:
        ConfigError: Another run holds the folder, or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise ConfigError(
            f"{folder} cannot be written: {error.strerror}; change the output folder or its "
            f"permissions"
        ) from error
    with os.fdopen(descriptor, "r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = file.read().strip() or "another process"
            raise ConfigError(
                f"{folder} is in use by {holder}: wait until that run ends, or stop it; "
                f"two runs in one folder would do the same work twice"
            ) from error
        except OSError:
            pass  # no locks here
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        file.flush()
        yield
