"""A request to stop: a signal, which schedulers send some time before they kill."""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from types import FrameType

from corpusforge.errors import Stopped

# What SLURM sends at walltime, or is told to send before; and what a person at a terminal sends.
SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)
ECHO = 1.0  # seconds in which another Ctrl-C is taken for the same one


def _silent() -> None:
    pass


@contextmanager
def stop_requests(
    announce: Callable[[], None] = _silent, signals: Sequence[signal.Signals] = SIGNALS
) -> Iterator[Event]:
    """An event that the first such signal sets; the handlers before are put back at the end.

    Repeats change nothing: a launcher passes on what the terminal has sent already. Only a Ctrl-C
    that comes later than that interrupts as usual.

    Args:
        announce: Called once, when the event is set.
        signals: Others keep their meaning.
    """
    requested = Event()
    first = 0.0

    def note(number: int, _frame: FrameType | None) -> None:
        nonlocal first
        now = time.monotonic()
        if not requested.is_set():
            first = now
            requested.set()
            announce()
        elif number == signal.SIGINT and now > first + ECHO:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, note) for number in signals}
    try:
        yield requested
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def stop_at_once(what: str) -> Iterator[None]:
    """A block that the first signal interrupts, for work that has no end in sight.

    What the block has done must be on disk at any moment.

    Raises:
        Stopped: A signal came; `what` says what that means.
    """

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in SIGNALS}
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped(what) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
