"""Run the steps of a plan: what is done is skipped, what is missing is made."""

import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from corpusforge.errors import ContractError, RunError
from corpusforge.formats.atomic import remove_partials
from corpusforge.pipeline.losses import check_losses
from corpusforge.pipeline.manifest import is_complete, read_manifest, write_manifest
from corpusforge.pipeline.plan import Step
from corpusforge.pipeline.receipts import perform, valid_receipts
from corpusforge.pipeline.releases import accept_releases
from corpusforge.stages.stage import ADDED, SCRATCH, Phase
from corpusforge.work import Executor, Tally


@dataclass(frozen=True)
class Update:
    """How far a stage is."""

    stage: str
    phase: str
    tasks: int  # of the phase
    done: int
    resumed: int  # of the done ones, how many an earlier run had done
    tally: Tally  # of the stage so far


def run_step(
    step: Step,
    executor: Executor,
    reject_budget: float | None = None,
    max_fall: Mapping[str, float] | None = None,
    max_loss: Mapping[str, float] | None = None,
) -> Iterator[Update]:
    """Bring one stage to completion, telling how far it is after every task.

    Args:
        step: From a plan; nothing happens if it is complete.
        executor: Where its tasks run.
        reject_budget: Largest share of its records that it may reject; None: all but all.
        max_fall: By source, largest share of what it had that may be gone; see `releases`.
        max_loss: By source, largest share that dedup may remove; see `losses`.

    Raises:
        ContractError: A record vanished or multiplied.
        RunError: Tasks failed, more was rejected than the budget allows, a source fell, or dedup
            left too little of one.
    """
    if is_complete(step):
        _remove_scratch(step)  # of a run that was killed just after it wrote the manifest
        return
    started = time.monotonic()
    before = Tally()
    phases = step.stage.phases(step.config, step.inputs, step.folder)
    phase = next(phases)
    while True:
        counted = Tally()
        for resumed, done, tally in _run_phase(step, phase, executor):
            counted += tally
            yield Update(
                step.stage.name, phase.name, len(phase.tasks), done, resumed, before + counted
            )
        before += counted
        try:
            phase = phases.send(counted)
        except StopIteration:
            break
    _check_conservation(step, before)
    _check_budget(step, before, reject_budget)
    check_losses(before, max_loss or {})
    accept_releases(step.folder, step.folder.parent, max_fall or {})
    remove_partials(step.folder)
    write_manifest(step, before, time.monotonic() - started)
    _remove_scratch(step)


def _remove_scratch(step: Step) -> None:
    scratch = step.folder / SCRATCH
    if scratch.exists():
        shutil.rmtree(scratch)


def _run_phase(step: Step, phase: Phase, executor: Executor) -> Iterator[tuple[int, int, Tally]]:
    """(tasks resumed, tasks done, tally of what was just added), once per change."""
    receipts = valid_receipts(step.folder, phase.name)
    finished = [receipts[task.name] for task in phase.tasks if task.name in receipts]
    yield len(finished), len(finished), sum((r.tally for r in finished), Tally())
    missing = [task for task in phase.tasks if task.name not in receipts]
    work = partial(perform, work=phase.work, stage_folder=step.folder, phase=phase.name)
    label = f"{step.stage.name}.{phase.name}"
    for done, tally in enumerate(executor.run(label, work, missing), start=len(finished) + 1):
        yield len(finished), done, tally


def _check_conservation(step: Step, tally: Tally) -> None:
    if not tally.balances:
        raise ContractError(
            f"{step.stage.name} read {tally.read:,} records, kept {tally.kept:,} and rejected "
            f"{tally.total_rejected:,}: {tally.read - tally.kept - tally.total_rejected:,} are "
            f"unaccounted for. This is a defect of the program; nothing was published"
        )
    if step.stage.records_from is None:
        return
    source = step.inputs.stages[step.stage.records_from]
    earlier = read_manifest(source)
    if earlier is None or earlier.tally.kept != tally.read - tally.counts.get(ADDED, 0):
        kept = "nothing" if earlier is None else f"{earlier.tally.kept:,} records"
        raise ContractError(
            f"{step.stage.records_from} kept {kept} but {step.stage.name} read {tally.read:,}; "
            f"were files added to or removed from {source}? Delete that folder and run again"
        )


def _check_budget(step: Step, tally: Tally, budget: float | None) -> None:
    # Without a budget anything may go, but not everything: then a setting is wrong.
    share = tally.total_rejected / tally.read if tally.read else 0.0
    if share == 1.0 if budget is None else share > budget:
        worst = sorted(tally.rejected.items(), key=lambda item: -item[1])
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in worst)
        allowed = "without a budget for that" if budget is None else f"its budget is {budget:.0%}"
        raise RunError(
            f"{step.stage.name} rejected {tally.total_rejected:,} of {tally.read:,} records "
            f"({share:.0%}), {allowed}: {reasons}. Look at `corpusforge rejects`; set "
            f"reject_budget.{step.stage.name} in the pipeline file if this is meant"
        )
