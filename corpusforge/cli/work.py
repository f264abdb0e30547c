"""Verbs that do the work: fetch and run."""

import argparse
from pathlib import Path
from threading import Event

import msgspec
from rich.console import Console

from corpusforge.api import Corpus
from corpusforge.console import (
    print_files,
    print_ledger,
    run_with_progress,
)
from corpusforge.errors import RunError, Stopped
from corpusforge.executors.clusters import dashboard_note, open_client
from corpusforge.executors.dask import DaskExecutor
from corpusforge.interrupts import stop_at_once, stop_requests
from corpusforge.lock import exclusive
from corpusforge.memory import peak_memory
from corpusforge.pipeline.config import ClusterConfig
from corpusforge.pipeline.forecast import dedup_forecast
from corpusforge.pipeline.manifest import is_complete
from corpusforge.pipeline.plan import Plan, Step, open_plan
from corpusforge.pipeline.receipts import valid_receipts
from corpusforge.pipeline.report import write_report
from corpusforge.pipeline.survey import remember
from corpusforge.sources.harvest import (
    ApiConfig,
    Surroundings,
    estimate,
    keys_found,
    landed_before,
)
from corpusforge.sources.replay import Estimate
from corpusforge.sources.web_files import look_at_files
from corpusforge.sources.web_files_plan import FilesConfig
from corpusforge.stages.fetch import PHASE, WheelDownload, doubts, surroundings
from corpusforge.work import Executor, SerialExecutor

STOPPING = "stopping: tasks in flight are finished first"
FETCHING = "what has come is kept; the same command goes on"


def fetch(options: argparse.Namespace, console: Console) -> int:
    if not options.dry_run:
        options.until, options.executor, options.scheduler_file = "fetch", "serial", None
        return run(options, console)
    plan = open_plan(options.pipeline)
    around = surroundings(plan.base, plan.output, plan.config.network)
    for name, wanted in sorted(plan.config.stages.fetch.downloads.items()):
        if isinstance(wanted, WheelDownload):
            console.print(f"{name}: {wanted.package}=={wanted.version} from PyPI", highlight=False)
            continue
        if isinstance(wanted, FilesConfig):
            print_files(name, look_at_files(wanted, around), console)
            continue
        guess = estimate(wanted, around)
        requests = "as many as the source has pages" if guess.requests is None else guess.requests
        took = "" if guess.seconds is None else f", {guess.seconds:,.0f} s or more"
        line = f"{name}: {guess.what}; requests: {requests}; quota: {guess.quota}{took}"
        console.print(line, highlight=False, soft_wrap=True, markup=False)
        for fact in _known_before(guess, wanted, around):
            console.print(f"  {fact}", highlight=False, soft_wrap=True, markup=False)
    return 0


def _known_before(guess: Estimate, wanted: ApiConfig, around: Surroundings) -> list[str]:
    """What a download finds in place."""
    found = keys_found(wanted, around)
    facts = [f"key {name}: {'found' if there else 'missing'}" for name, there in found.items()]
    landed = landed_before(guess, wanted, around)
    return facts if landed is None else [*facts, f"answers landed before: {landed:,}"]


def run(options: argparse.Namespace, console: Console) -> int:
    plan = open_plan(options.pipeline)
    with exclusive(plan.output), stop_requests(lambda: console.print(STOPPING)) as stop:
        remember(plan.output, plan.config, plan.evidence)
        steps = [step for step in plan.until(options.until) if not is_complete(step)]
        serial = SerialExecutor(stop)
        with stop_at_once(FETCHING):
            local = [step for step in steps if step.stage.network]
            _run_steps(local, serial, plan, console)
        if local:
            _print_doubts(plan, console)
        remote = [step for step in steps if not step.stage.network]
        if options.executor == "serial":
            _run_steps(remote, serial, plan, console)
        elif remote:
            _run_on_cluster(remote, options.scheduler_file, plan, stop, console)
        print_ledger(Corpus(plan).ledger(), console)
        peak = f"peak memory {peak_memory() / 1e6:,.0f} MB in the driver"
        console.print(peak, highlight=False)
        write_report(plan)
    return 0


def _print_doubts(plan: Plan, console: Console) -> None:
    receipts = valid_receipts(plan.step("fetch").folder, PHASE)
    tallies = {name: receipt.tally for name, receipt in receipts.items()}
    for doubt in doubts(plan.config.stages.fetch, tallies):
        line = f"warning: {doubt}"
        console.print(line, style="yellow", highlight=False, soft_wrap=True, markup=False)


def _run_on_cluster(
    steps: list[Step], scheduler_file: Path | None, plan: Plan, stop: Event, console: Console
) -> None:
    cluster = _cluster(plan.config.cluster, scheduler_file)
    try:
        with open_client(cluster, plan.base) as client:
            console.print(dashboard_note(client, cluster), highlight=False, soft_wrap=True)
            _run_steps(steps, DaskExecutor(client, stop), plan, console)
    except RunError as error:
        # The signal may have reached the workers too, and then nothing is what it was.
        if stop.is_set() and not isinstance(error, Stopped):
            raise Stopped(f"{error}; the same command continues it") from error
        raise


def _cluster(configured: ClusterConfig, scheduler_file: Path | None) -> ClusterConfig:
    """The cluster of the pipeline file, unless the command line names another."""
    if scheduler_file is None:
        return configured
    return msgspec.structs.replace(
        configured, kind="scheduler-file", scheduler_file=str(scheduler_file.absolute())
    )


def _run_steps(steps: list[Step], executor: Executor, plan: Plan, console: Console) -> None:
    for step in steps:
        if step.stage.name == "dedup" and (plan_of_dedup := dedup_forecast(plan)):
            console.print(str(plan_of_dedup), style="dim", highlight=False, soft_wrap=True)
        run_with_progress(step, executor, plan.config, console)
