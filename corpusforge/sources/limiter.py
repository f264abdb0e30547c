"""How often and how many at once a host is asked, over all processes that share a folder.

For each host the folder holds `<host>.next`, the moment from which the next request may start, and
`<host>.slot-0` … `-n`, of which a request holds one while it runs. Both are guarded by locks of the
operating system, so a killed process leaves nothing behind.
"""

import errno
import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpusforge.errors import ConfigError, QuotaStop, RunError
from corpusforge.sources.network import Clock, NetworkConfig

POLL_S = 0.05  # between looks for a free slot
WIDTH = 24  # bytes of the moment on disk: always overwritten as a whole
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


class Limiter:
    """Lets requests to one host through.

    Args:
        folder: Shared by all processes that ask this host; its file system needs locks.
        host: Name and port.
        config: How many requests a second and at once, and how long a wait may be.
        clock: Time, and the passing of it.
    """

    def __init__(self, folder: Path, host: str, config: NetworkConfig, clock: Clock) -> None:
        self._host = host
        self._stem = folder / re.sub(r"[^A-Za-z0-9.-]", "_", host)
        self._interval = 1 / config.per_second
        self._concurrency = config.concurrency
        self._max_sleep = config.max_sleep_s
        self._clock = clock

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a free slot and for this request's moment; hold the slot inside the block.

        Raises:
            QuotaStop: The host may not be asked for longer than `max_sleep_s`.
            RunError: No slot became free for as long.
            ConfigError: The folder's file system has no locks.
        """
        slot = self._take_slot()
        try:
            wait = self._book()
            if wait > 0:
                self._clock.sleep(wait)
            yield
        finally:
            os.close(slot)  # gives the lock back

    def hold(self, seconds: float) -> None:
        """No process starts a request for so long."""
        with self._next_moment() as descriptor:
            until = max(self._read(descriptor), self._clock.now() + seconds)
            self._write(descriptor, until)

    def _book(self) -> float:
        """Seconds until this request's moment, which is taken from all others."""
        with self._next_moment() as descriptor:
            now = self._clock.now()
            moment = max(now, self._read(descriptor))
            if moment - now > self._max_sleep:
                raise QuotaStop(f"{self._host} may not be asked for {moment - now:,.0f} s", moment)
            self._write(descriptor, moment + self._interval)
            return moment - now

    @contextmanager
    def _next_moment(self) -> Iterator[int]:
        descriptor = self._locked(".next", fcntl.LOCK_EX)
        if descriptor is None:
            raise RunError(f"{self._stem}.next could not be locked; start the run again")
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _take_slot(self) -> int:
        looks = int(self._max_sleep / POLL_S) + 1
        for _ in range(looks):
            for number in range(self._concurrency):
                descriptor = self._locked(f".slot-{number}", fcntl.LOCK_EX | fcntl.LOCK_NB)
                if descriptor is not None:
                    return descriptor
            self._clock.sleep(POLL_S)
        raise RunError(
            f"all {self._concurrency} slots for {self._host} stayed taken for "
            f"{self._max_sleep:,.0f} s; another run hangs: look at the processes that hold "
            f"{self._stem}.slot-*, then start this one again"
        )

    def _locked(self, suffix: str, kind: int) -> int | None:
        """An open, locked file, or None if another process holds it."""
        path = self._stem.with_name(self._stem.name + suffix)
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, kind)
        except OSError as error:
            os.close(descriptor)
            if error.errno in NO_LOCKS:
                raise ConfigError(
                    f"{path.parent} is on a file system without locks ({error.strerror}), so "
                    f"processes cannot share the limits of {self._host}; choose another folder"
                ) from error
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
            return None
        return descriptor

    def _read(self, descriptor: int) -> float:
        """The next moment; a file that is new or damaged means that anything goes."""
        try:
            return float(os.pread(descriptor, WIDTH, 0))
        except ValueError:
            return 0.0

    def _write(self, descriptor: int, moment: float) -> None:
        os.pwrite(descriptor, f"{moment:<{WIDTH}.6f}".encode(), 0)
