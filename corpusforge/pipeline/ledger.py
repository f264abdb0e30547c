"""Ledger: what every stage read, kept and rejected, from its manifest."""

from dataclasses import dataclass

from corpusforge.pipeline.manifest import read_manifest
from corpusforge.pipeline.plan import Plan
from corpusforge.pipeline.receipts import phases_done, read_receipts
from corpusforge.work import Tally


@dataclass(frozen=True)
class Entry:
    """One stage of the ledger."""

    stage: str
    complete: bool
    begun: bool  # whether a task of it is done
    tally: Tally  # of the finished tasks, where the stage is not complete
    seconds: float  # of the run that completed it; 0 where it is not
    peak_memory: int  # bytes, of its hungriest worker process

    @property
    def verdict(self) -> str:
        """`balanced`, or what else there is to say."""
        if not self.complete:
            return "not complete" if self.begun else "not run"
        if not self.tally.balances:
            return "DOES NOT BALANCE"
        return "balanced" if self.tally.read else "complete"  # fetch and tokenizer read no records


def ledger(plan: Plan) -> list[Entry]:
    """One entry per stage, in order."""
    entries = []
    for step in plan.steps:
        manifest = read_manifest(step.folder)
        receipts = [
            r for phase in phases_done(step.folder) for r in read_receipts(step.folder, phase)
        ]
        entries.append(
            Entry(
                stage=step.stage.name,
                complete=manifest is not None,
                begun=bool(receipts),
                tally=manifest.tally if manifest else sum((r.tally for r in receipts), Tally()),
                seconds=manifest.seconds if manifest else 0.0,
                peak_memory=max((r.peak_memory for r in receipts), default=0),
            )
        )
    return entries
