"""What a stage is: a config, the stages it reads, and a generator of phases."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pyarrow as pa

from corpusforge.formats.partition import partition_writer, read_batches
from corpusforge.sources.network import NetworkConfig
from corpusforge.tables.outcome import Outcome
from corpusforge.tables.schemas import REJECTS
from corpusforge.work import Tally, Task, Work

C = TypeVar("C", bound=msgspec.Struct)

TABLE = "table"
REJECTED = "rejects"
SCRATCH = "scratch"  # removed when the stage is complete


@dataclass(frozen=True)
class Inputs:
    """Where a stage finds what it reads."""

    base: Path  # folder of the pipeline file; relative paths in configs start here
    stages: Mapping[str, Path]  # folders of the stages read
    # For the stage that uses it; it changes no output.
    network: NetworkConfig = field(default_factory=NetworkConfig)

    def partitions(self, stage: str) -> list[Path]:
        """The partitions of a stage's table, in order."""
        return sorted((self.stages[stage] / TABLE).glob("part-*.parquet"))


@dataclass(frozen=True)
class Phase:
    """Tasks that may run at the same time."""

    name: str
    work: Work
    tasks: Sequence[Task]


Phases = Generator[Phase, Tally, None]


def _nothing(_config: msgspec.Struct, _base: Path) -> list[Any]:
    return []


@dataclass(frozen=True)
class Stage:
    """What the runner needs to know. No behaviour lives here."""

    name: str
    version: int  # raise it when the same config and input give different output
    config: type[msgspec.Struct]
    reads: tuple[str, ...]
    phases: Callable[[Any, Inputs, Path], Phases]
    records_from: str | None = None  # the stage whose kept records are exactly what it reads
    # What of the world outside the pipeline decides the output, such as the input files' digests.
    evidence: Callable[[Any, Path], list[Any]] = _nothing
    network: bool = False  # its tasks need the network: they run in the driver, not on workers


def part_name(index: int) -> str:
    """Partition file stem: part-00017."""
    return f"part-{index:05d}"


def partition_targets(out: Path, stem: str) -> tuple[Path, Path]:
    """Where a task puts one partition of the table, and its rejects."""
    return out / TABLE / f"{stem}.parquet", out / REJECTED / f"{stem}.parquet"


def write_outcome(task: Task, outcome: Outcome) -> None:
    """Write both sides of a whole partition to the task's first two targets."""
    table, rejects = task.targets[:2]
    with partition_writer(table, outcome.kept.schema) as writer:
        writer.write(outcome.kept)
    with partition_writer(rejects, REJECTS) as writer:
        writer.write(outcome.rejected)


def per_partition(
    stage: str,
    transform: Callable[[pa.RecordBatch, C], Outcome],
    source: pa.Schema,
    target: pa.Schema,
) -> Callable[[C, Inputs, Path], Phases]:
    """The phases of a stage that treats every partition of `stage` alike."""

    def phases(config: C, inputs: Inputs, out: Path) -> Phases:
        work = partial(_apply, transform=transform, config=config, source=source, target=target)
        partitions = inputs.partitions(stage)
        yield Phase(
            "map", work, [Task(p.stem, (p,), partition_targets(out, p.stem)) for p in partitions]
        )

    return phases


def _apply(
    task: Task,
    transform: Callable[[pa.RecordBatch, C], Outcome],
    config: C,
    source: pa.Schema,
    target: pa.Schema,
) -> Tally:
    tally = Tally()
    table, rejects = task.targets
    with (
        partition_writer(table, target) as kept,
        partition_writer(rejects, REJECTS) as rejected,
    ):
        for batch in read_batches(task.sources[0], source):
            outcome = transform(batch, config).conserving(batch.num_rows)
            kept.write(outcome.kept)
            rejected.write(outcome.rejected)
            tally += outcome.tally(bytes_read=batch.nbytes)
    return tally
