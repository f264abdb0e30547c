"""A request to stop: SIGTERM or SIGUSR1, which schedulers send some time before they kill."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGUSR1)


@contextmanager
def stop_requests() -> Iterator[Event]:
    """An event that is set by the first such signal; the handlers before are put back."""
    requested = Event()

    def note(_number: int, _frame: FrameType | None) -> None:
        requested.set()

    before = {number: signal.signal(number, note) for number in SIGNALS}
    try:
        yield requested
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
