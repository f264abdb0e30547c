"""Run tasks on a Dask cluster.

Tasks travel to the workers, tallies travel back, records never touch the scheduler. The rules come
from how distributed behaves when things go wrong:

* A bounded window of tasks is in flight, so neither the driver nor the scheduler grows with the
  corpus.
* A key is never used twice: a future that failed would answer for the new attempt.
* When a worker dies, all tasks it held are suspects. Suspects run again one by one at the end, so
  that only the task that really kills workers fails.
* A future that is cancelled although nobody cancelled it means that the scheduler is gone. Futures
  sent to a lost scheduler stay pending for ever, so the run ends at once; receipts keep the rest.
"""

import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from threading import Event
from uuid import uuid4

from distributed import Client, Future, KilledWorker, wait

from corpusforge.errors import CorpusforgeError, RunError, Stopped
from corpusforge.work import Tally, Task, Work

_Future = Future[Tally]

WINDOW = 64
ATTEMPTS = 3
POLL = 0.5  # seconds between looks at the stop event
GATHER = 10.0  # seconds that a worker has to tell the tally of a task that has ended
LOOK = 5.0  # seconds between looks at the workers
LAST_WAIT = 120.0  # seconds that tasks in flight have after a request to stop
RESTARTS = 12  # new workers without a finished task after which starting more is pointless


class DaskExecutor:
    """Sends tasks to the workers of a client.

    Args:
        client: Connected; its workers have one thread each.
        stop: When set, no further task is sent; those in flight are waited for.
        patience: Seconds without any task ending after which the run is given up as stalled.
    """

    def __init__(self, client: Client, stop: Event, patience: float = 3600.0) -> None:
        self._client = client
        self._stop = stop
        self._patience = patience

    def run(self, label: str, work: Work, tasks: Sequence[Task]) -> Iterator[Tally]:
        troubles = _Troubles()
        yield from self._drain(label, work, tasks, WINDOW, troubles)
        suspects, troubles.suspects = troubles.suspects, []
        yield from self._drain(label, work, suspects, 1, troubles)
        for task in troubles.suspects:
            troubles.failures[task.name] = "every worker that tried it died; out of memory?"
        troubles.raise_if_any(label, len(tasks))

    def _drain(
        self, label: str, work: Work, tasks: Sequence[Task], window: int, troubles: "_Troubles"
    ) -> Iterator[Tally]:
        """Run tasks, `window` at a time; what goes wrong is noted in `troubles`."""
        queue = deque((task, 1) for task in tasks)
        active: dict[_Future, tuple[Task, int]] = {}
        while queue or active:
            while queue and len(active) < window and not self._stop.is_set():
                task, attempt = queue.popleft()
                active[self._send(label, work, task)] = (task, attempt)
            if not active:
                raise Stopped(f"{label} was stopped; the same command continues it")
            for future in self._ended(label, active):
                task, attempt = active[future]
                try:
                    yield future.result(timeout=GATHER)
                except CancelledError as error:
                    raise _scheduler_lost(label) from error
                except Exception as error:  # whatever a task may raise
                    if not future.done():  # its worker died before it told, and it runs again
                        continue
                    if troubles.may_try_again(task, attempt, error):
                        queue.append((task, attempt + 1))
                del active[future]
                future.release()

    def _send(self, label: str, work: Work, task: Task) -> _Future:
        # Dask groups its dashboard by the text before the last dash and 8 hex digits.
        key = (f"{label}-{uuid4().hex[:8]}", task.name)
        return self._client.submit(work, task, key=key, pure=False)

    def _ended(self, label: str, active: dict[_Future, tuple[Task, int]]) -> list[_Future]:
        """The futures that have ended, at least one."""
        watch = _Watch(self._client, self._patience)
        while True:
            try:
                return list(wait(list(active), timeout=POLL, return_when="FIRST_COMPLETED").done)
            except TimeoutError:
                names = ", ".join(sorted(task.name for task, _ in active.values())[:3])
                watch.look(f"{label} ({names} ...)", self._stop.is_set())
            except CancelledError as error:
                raise _scheduler_lost(label) from error


class _Watch:
    """Patience with a phase in which no task ends."""

    def __init__(self, client: Client, patience: float) -> None:
        self._client = client
        self._patience = patience
        self._began = self._looked = time.monotonic()
        self._asked: float | None = None
        self._seen: set[str] = set()

    def look(self, what: str, stopping: bool) -> None:
        """Give up if there is no point in waiting longer.

        Raises:
            Stopped: A stop was asked for, and the tasks in flight do not end.
            RunError: No task ends, or workers die faster than they work.
        """
        now = time.monotonic()
        if stopping:
            self._asked = self._asked or now
            if now > self._asked + LAST_WAIT:
                raise Stopped(f"{what} was stopped in the middle; the same command does it again")
        if now > self._began + self._patience:
            raise RunError(
                f"{what}: no task ended for {self._patience:.0f} s; workers paused by a full "
                f"scratch disk do this. See the dashboard, then run the same command again"
            )
        if now > self._looked + LOOK:
            self._looked = now
            workers = set(self._client.scheduler_info(n_workers=-1)["workers"])
            self._seen |= workers
            if len(self._seen) > len(workers) + RESTARTS:
                raise RunError(
                    f"{what}: {len(self._seen)} workers were started and none finished a task; "
                    f"they die, probably of too little memory: raise cluster.memory"
                )


@dataclass
class _Troubles:
    """What went wrong in one phase, while the other tasks went on."""

    suspects: list[Task] = field(default_factory=list)  # held by a worker that died
    failures: dict[str, str] = field(default_factory=dict)  # task name -> why

    def may_try_again(self, task: Task, attempt: int, error: Exception) -> bool:
        """Whether another attempt may end otherwise; notes the trouble if not."""
        if isinstance(error, KilledWorker):
            self.suspects.append(task)
            return False
        if isinstance(error, CorpusforgeError):
            self.failures[task.name] = str(error)
            return False
        if attempt < ATTEMPTS:
            return True
        self.failures[task.name] = f"{type(error).__name__}: {error}"
        return False

    def raise_if_any(self, label: str, tasks: int) -> None:
        if self.failures:
            shown = "; ".join(f"{name}: {why}" for name, why in sorted(self.failures.items())[:3])
            raise RunError(
                f"{label}: {len(self.failures)} of {tasks} tasks failed ({shown}). The others are "
                f"done and kept; mend the cause and run the same command again"
            )


def _scheduler_lost(label: str) -> RunError:
    return RunError(
        f"{label}: the Dask scheduler is gone; finished tasks are kept. Start a cluster again and "
        f"run the same command"
    )
