"""One run at a time in an output folder."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpusforge.errors import ConfigError


@contextmanager
def run_lock(output: Path) -> Iterator[None]:
    """Hold the output folder for this process.

    The system releases the lock when the process ends, however it ends, so a killed run leaves
    nothing to clean up.

    Raises:
        ConfigError: Another run holds it, or the folder cannot be written.
    """
    path = output / ".lock"
    try:
        output.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise ConfigError(
            f"{output} cannot be written: {error.strerror}; change `output` in the pipeline file "
            f"or the folder's permissions"
        ) from error
    with os.fdopen(descriptor, "r+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = file.read().strip() or "another process"
            raise ConfigError(
                f"{output} is in use by {holder}: wait until that run ends, or stop it; "
                f"two runs in one folder would do the same work twice"
            ) from error
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        file.flush()
        yield
