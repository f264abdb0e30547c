"""A request to stop: a signal, which schedulers send some time before they kill."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from types import FrameType

# What SLURM sends at walltime, or is told to send before; and what a person at a terminal sends.
SIGNALS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)


def _silent() -> None:
    pass


@contextmanager
def stop_requests(
    announce: Callable[[], None] = _silent, signals: Sequence[signal.Signals] = SIGNALS
) -> Iterator[Event]:
    """An event that the first such signal sets; the handlers before are put back at the end.

    Repeats change nothing, because launchers send them, but for a second Ctrl-C, which interrupts
    as usual.

    Args:
        announce: Called once, when the event is set.
        signals: Others keep their meaning.
    """
    requested = Event()

    def note(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if not requested.is_set():
            requested.set()
            announce()

    before = {number: signal.signal(number, note) for number in signals}
    try:
        yield requested
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
