"""Receipts: the files that say which tasks are done and what they counted.

A task writes its targets, each in one step, and then its receipt. A receipt is valid while every
target has the size it records. A task with a valid receipt is never run again; one without is run
again and writes the same bytes.
"""

import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from corpusforge.errors import ContractError, FormatError
from corpusforge.formats.atomic import write_atomic
from corpusforge.memory import forget_peak, peak_memory
from corpusforge.stages.stage import SCRATCH
from corpusforge.work import Tally, Task, Work, node_name


class Receipt(Struct, frozen=True):
    """One task, done."""

    task: str
    tally: Tally
    targets: dict[str, int]  # path relative to the stage's folder -> bytes
    seconds: float
    peak_memory: int  # bytes, of its process while it ran
    worker: str  # node and process


def perform(task: Task, work: Work, stage_folder: Path, phase: str) -> Tally:
    """Run a task and leave its receipt. This is what workers call."""
    started = time.monotonic()
    forget_peak()
    tally = work(task)
    missing = [str(path) for path in task.targets if not path.is_file()]
    if missing:
        raise ContractError(f"task {phase}/{task.name} ended without writing {missing}")
    receipt = Receipt(
        task=task.name,
        tally=tally,
        targets={str(p.relative_to(stage_folder)): p.stat().st_size for p in task.targets},
        seconds=round(time.monotonic() - started, 3),
        peak_memory=peak_memory(),
        worker=f"{node_name()}:{os.getpid()}",
    )
    write_atomic(_folder(stage_folder, phase) / f"{task.name}.json", msgspec.json.encode(receipt))
    return tally


def valid_receipts(stage_folder: Path, phase: str) -> dict[str, Receipt]:
    """The receipts of a phase whose targets are all in place, by task."""
    receipts = {r.task: r for r in read_receipts(stage_folder, phase)}
    return {
        name: receipt
        for name, receipt in receipts.items()
        if all(_size(stage_folder / path) == size for path, size in receipt.targets.items())
    }


def read_receipts(stage_folder: Path, phase: str) -> list[Receipt]:
    """All receipts of a phase, whatever became of their targets.

    Raises:
        FormatError: One of them is not a receipt.
    """
    receipts = []
    for path in sorted(_folder(stage_folder, phase).glob("[!.]*.json")):
        try:
            receipts.append(msgspec.json.decode(path.read_bytes(), type=Receipt))
        except msgspec.MsgspecError as error:
            raise FormatError(f"{path}: {error}; delete it, and its task runs again") from error
    return receipts


def results_in_place(stage_folder: Path) -> bool:
    """Whether every file that outlives the stage still has the size of its receipt."""
    scratch = f"{SCRATCH}/"
    return all(
        _size(stage_folder / path) == size
        for phase in phases_done(stage_folder)
        for receipt in read_receipts(stage_folder, phase)
        for path, size in receipt.targets.items()
        if not path.startswith(scratch)
    )


def renew_receipts(stage_folder: Path, sizes: Mapping[str, int]) -> None:
    """Let receipts promise these sizes, by path relative to the folder; others stay as they are.

    For whoever replaces results of a complete stage on purpose.
    """
    for phase in phases_done(stage_folder):
        for receipt in read_receipts(stage_folder, phase):
            targets = {path: sizes.get(path, size) for path, size in receipt.targets.items()}
            if targets != receipt.targets:
                renewed = msgspec.structs.replace(receipt, targets=targets)
                path = _folder(stage_folder, phase) / f"{receipt.task}.json"
                write_atomic(path, msgspec.json.encode(renewed))


def phases_done(stage_folder: Path) -> list[str]:
    """Phases that have left receipts."""
    return sorted(path.name for path in (stage_folder / "receipts").glob("*") if path.is_dir())


def _folder(stage_folder: Path, phase: str) -> Path:
    return stage_folder / "receipts" / phase


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1
