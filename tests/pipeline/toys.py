"""Stages of a few lines, and executors that break off: what the tests of the runner run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct

from corpusforge.formats.atomic import write_atomic
from corpusforge.pipeline.plan import Step, fingerprint
from corpusforge.stages.stage import SCRATCH, Inputs, Phase, Stage
from corpusforge.work import Tally, Task, Work


class ToyConfig(Struct, frozen=True):
    """How many tasks."""

    tasks: int = 3


THREE_TASKS = ToyConfig()


@dataclass
class Toy:
    """A stage of two phases that notes what it does: `mark` per task, then `sum` once."""

    marked: list[str] = field(default_factory=list)
    between: list[Tally] = field(default_factory=list)  # what the stage was told after `mark`
    mark: Callable[[Task], Tally] | None = None  # instead of the work that keeps every record

    def phases(self, config, inputs, out):
        marks = [out / SCRATCH / f"{i}.txt" for i in range(config.tasks)]
        told = yield Phase(
            "mark",
            self._mark,
            [Task(f"task-{i}", (), (mark,), (i,)) for i, mark in enumerate(marks)],
        )
        self.between.append(told)
        yield Phase("sum", self._sum, [Task("all", tuple(marks), (out / "table" / "sum.txt",))])

    def _mark(self, task):
        self.marked.append(task.name)
        write_atomic(task.targets[0], b"x" * (task.arguments[0] + 1))
        if self.mark is not None:
            return self.mark(task)
        return Tally(read=2, kept=1, rejected={"too_short": 1}, counts={"marks": 1})

    def _sum(self, task):
        self.marked.append("sum")
        write_atomic(task.targets[0], b"".join(path.read_bytes() for path in task.sources))
        return Tally(counts={"sums": 1})


def step(
    folder: Path,
    toy: Toy,
    config: ToyConfig = THREE_TASKS,
    records_from: str | None = None,
    reads: Mapping[str, Path] | None = None,
) -> Step:
    """The step of a toy stage in `folder`."""
    stage = Stage("toy", 1, ToyConfig, tuple(reads or ()), toy.phases, records_from)
    name = fingerprint("toy", 1, config, [])
    return Step(stage, config, name, Inputs(folder, reads or {}), folder / f"toy-{name}")


class BreakingExecutor:
    """Fails when it has done `tasks` tasks, whatever the stage; then again, after as many more."""

    def __init__(self, tasks: int) -> None:
        self._tasks = tasks
        self._left = tasks

    def run(self, label: str, work: Work, tasks: Sequence[Task]) -> Iterator[Tally]:
        for task in tasks:
            if self._left == 0:
                self._left = self._tasks
                raise OSError("the power failed")
            self._left -= 1
            yield work(task)


class TwiceBackwardsExecutor:
    """Runs the tasks of a phase from last to first, each one twice."""

    def run(self, label: str, work: Work, tasks: Sequence[Task]) -> Iterator[Tally]:
        for task in reversed(tasks):
            work(task)
            yield work(task)
