"""Batches read ahead of the model by one thread.

One thread and no worker processes: copying from mapped files delivers 1e8 tokens/s from memory and
1e7 from a cold disk, a hundred times what a GPU takes, while a process would spend more on passing
the batch on. The thread also tells the system which parts of the disk are read next.
"""

from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from corpusforge.training.data import Batch

AHEAD = 2  # batches read before they are asked for
HINTED = 4  # batches that the disk is asked for before they are read


class Steps(Protocol):
    """What a run reads, step by step: `Shuffled` windows, or `Streams`."""

    def batch(self, step: int, rank: int, ranks: int) -> Batch:
        """One rank's part of a step."""
        ...

    def targets(self, step: int) -> int:
        """How many targets of a step count, over all ranks."""
        ...

    def will_need(self, step: int, rank: int, ranks: int) -> None:
        """Have one rank's part of a step read from disk ahead of its use."""
        ...


@dataclass(frozen=True)
class Portion:
    """What one rank trains on in one step."""

    batch: Batch
    targets: int  # that count, over all ranks


def portions(source: Steps, steps: range, rank: int, ranks: int) -> Generator[Portion, None, None]:
    """This rank's portion of each step."""

    def read(number: int) -> Portion:
        first = number + HINTED if number else 0
        for step in steps[first : number + HINTED + 1]:
            source.will_need(step, rank, ranks)
        step = steps[number]
        return Portion(source.batch(step, rank, ranks), source.targets(step))

    with ThreadPoolExecutor(1, thread_name_prefix="batches") as pool:
        pending: deque[Future[Portion]] = deque()
        for number in range(len(steps)):
            while len(pending) <= AHEAD and number + len(pending) < len(steps):
                pending.append(pool.submit(read, number + len(pending)))
            yield pending.popleft().result()
