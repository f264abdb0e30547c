"""Tasks, what they count, and who runs them."""

import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Protocol

from corpusforge.errors import CorpusforgeError, QuotaStop, RunError, Stopped


@dataclass(frozen=True)
class Task:
    """One unit of work. Running it twice writes the same bytes to the same targets."""

    name: str  # unique within its phase, such as "part-00017"
    sources: tuple[Path, ...]
    targets: tuple[Path, ...]  # every file it promises; its receipt records their sizes
    arguments: tuple[str | int, ...] = ()  # what else its work needs to know, such as a key range


@dataclass(frozen=True)
class Tally:
    """What happened to some records. Tallies add up in any order and any grouping."""

    read: int = 0
    kept: int = 0
    rejected: dict[str, int] = field(default_factory=dict)  # reason -> records
    bytes_read: int = 0
    counts: dict[str, int] = field(default_factory=dict)  # anything else a phase counts

    @property
    def total_rejected(self) -> int:
        return sum(self.rejected.values())

    @property
    def balances(self) -> bool:
        """Whether every record read was kept or rejected."""
        return self.read == self.kept + self.total_rejected

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            read=self.read + other.read,
            kept=self.kept + other.kept,
            rejected=_added(self.rejected, other.rejected),
            bytes_read=self.bytes_read + other.bytes_read,
            counts=_added(self.counts, other.counts),
        )


def _added(a: dict[str, int], b: dict[str, int]) -> dict[str, int]:
    # Not Counter: its sum forgets what was counted and found to be 0.
    return {name: a.get(name, 0) + b.get(name, 0) for name in sorted(a | b)}


Work = Callable[[Task], Tally]


def node_name() -> str:
    """The machine this process is on: its name in SLURM where SLURM started it, or the host's."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


class Executor(Protocol):
    """Where tasks run."""

    def run(self, label: str, work: Work, tasks: Sequence[Task]) -> Iterator[Tally]:
        """Yield one tally per task as tasks finish, in any order. A failure raises at the end.

        Args:
            label: `stage.phase`, for dashboards and messages.
            work: Picklable; called with each task at least once.
            tasks: Independent of each other.
        """
        ...


class SerialExecutor:
    """In this process, in order: for the network, tests, notebooks and debuggers.

    A task that ends with an error of ours keeps no other from its turn; a defect of the program is
    shown at once.

    Args:
        stop: When set, no further task is started.
    """

    def __init__(self, stop: Event | None = None) -> None:
        self._stop = stop or Event()

    def run(self, label: str, work: Work, tasks: Sequence[Task]) -> Iterator[Tally]:
        failures: dict[str, CorpusforgeError] = {}
        for task in tasks:
            if self._stop.is_set():
                raise Stopped(f"{label} was stopped; the same command continues it")
            try:
                tally = work(task)
            except Stopped:
                raise
            except CorpusforgeError as error:
                failures[task.name] = error
                continue
            yield tally
        if failures:
            raise _failed(label, failures, len(tasks)) from next(iter(failures.values()))


def _failed(label: str, failures: Mapping[str, CorpusforgeError], tasks: int) -> RunError:
    """One error for those of all tasks, by name: errors come first, then quotas that are used up.

    Only where nothing else went wrong is it a matter of waiting, until the first quota is free.
    """
    quotas = {name: error for name, error in failures.items() if isinstance(error, QuotaStop)}
    if len(quotas) == len(failures):
        moments = [error.come_back for error in quotas.values() if error.come_back is not None]
        what = "; ".join(f"{name}: {error.what}" for name, error in quotas.items())
        return QuotaStop(what, min(moments, default=None))
    errors = {name: error for name, error in failures.items() if name not in quotas} | quotas
    told = "; ".join(f"{name}: {error}" for name, error in errors.items())
    return RunError(
        f"{label}: {len(failures)} of {tasks} tasks failed ({told}). The others are done and "
        f"kept; mend the cause and run the same command again"
    )
