"""What a stage is: a config, the stages it reads, and a generator of phases."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from corpusforge.formats.partition import partition_writer
from corpusforge.sources.network import NetworkConfig
from corpusforge.tables.outcome import Outcome
from corpusforge.tables.schemas import REJECTS
from corpusforge.work import Tally, Task, Work

TABLE = "table"
REJECTED = "rejects"
SCRATCH = "scratch"  # removed when the stage is complete
ADDED = "added"  # counts records of a stage that come from a record which it read beside them


@dataclass(frozen=True)
class Inputs:
    """Where a stage finds what it reads."""

    base: Path  # folder of the pipeline file; relative paths in configs start here
    stages: Mapping[str, Path]  # folders of the stages read
    # For the stage that uses it; it changes no output.
    network: NetworkConfig = field(default_factory=NetworkConfig)
    # Fingerprints of all that the stage depends on, by stage; they change no output but a record.
    lineage: Mapping[str, str] = field(default_factory=dict)

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
