"""What a job script needs beside `dask scheduler` and `dask worker`.

    python -m corpusforge.executors.allocation pending PIPELINE      stages that need a cluster
    python -m corpusforge.executors.allocation settings              YAML for DASK_CONFIG
    python -m corpusforge.executors.allocation wait FILE WORKERS     until so many have joined
    python -m corpusforge.executors.allocation shutdown FILE         end scheduler and workers
    python -m corpusforge.executors.allocation trained PIPELINE      whether its model is complete

FILE is the scheduler file. `pending` prints nothing when there is nothing to do, and fails when the
pipeline file is wrong: both are better known before a cluster is started. With `settings`,
schedulers and workers that a script starts behave as those of a local cluster do: both read the
same table.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import dask
import msgspec
from distributed import Client

from corpusforge.errors import ConfigError, CorpusforgeError, RunError
from corpusforge.executors.clusters import CONNECT, SETTINGS
from corpusforge.pipeline.manifest import is_complete
from corpusforge.pipeline.plan import Plan, open_plan
from corpusforge.work import node_name


def pending_stages(plan: Plan) -> list[str]:
    """The stages whose tasks have yet to run on workers."""
    return [
        step.stage.name for step in plan.steps if not step.stage.network and not is_complete(step)
    ]


def settings_yaml() -> bytes:
    """The settings of scheduler and workers, as a Dask configuration file."""
    nested: dict[str, Any] = {}
    dask.config.set(SETTINGS, config=nested)
    return msgspec.yaml.encode(nested)


def wait_for_workers(scheduler_file: Path, workers: int, seconds: float = CONNECT) -> str:
    """Wait until the workers have joined; one line that says on which nodes they are.

    A node that does not come must not hold up the others: after `seconds` one worker is enough.

    Raises:
        ConfigError: No worker has joined by then.
    """
    with Client(scheduler_file=str(scheduler_file), timeout=seconds) as client:
        try:
            client.wait_for_workers(workers, timeout=seconds)
        except TimeoutError:
            if not client.scheduler_info(n_workers=-1)["workers"]:
                raise ConfigError(
                    f"no Dask worker joined the scheduler of {scheduler_file} within "
                    f"{seconds:.0f} s; the log of the workers says why"
                ) from None
        return describe_workers(list(client.run(node_name).values()), workers)


def describe_workers(nodes: list[str], expected: int) -> str:
    """How many workers each node has.

    >>> describe_workers(["n1", "n2", "n1"], expected=4)
    '3 of 4 workers on 2 nodes (n1: 2, n2: 1)'
    """
    counts = Counter(nodes)
    each = ", ".join(f"{node}: {count}" for node, count in sorted(counts.items()))
    plural = "" if len(counts) == 1 else "s"
    return f"{len(nodes)} of {expected} workers on {len(counts)} node{plural} ({each})"


def shut_down(scheduler_file: Path) -> None:
    """Ask the scheduler to end, and its workers with it."""
    with Client(scheduler_file=str(scheduler_file), timeout=CONNECT) as client:
        client.shutdown()


def check_trained(plan: Plan) -> str:
    """One line that says so.

    Raises:
        RunError: Its training has not said that it is complete.
    """
    done = plan.train_folder / "DONE"
    if not done.is_file():
        raise RunError(
            f"{done} is missing although the launcher's status is 0, as after a rank that ended "
            f"without a word; look at what the ranks printed and run the same command again"
        )
    return f"the training is complete: {done}"


def main() -> int:
    """Parse the command line and do it; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m corpusforge.executors.allocation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name in ("pending", "trained"):
        verbs.add_parser(name).add_argument("pipeline", type=Path, help="pipeline file")
    verbs.add_parser("settings")
    for name in ("wait", "shutdown"):
        verb = verbs.add_parser(name)
        verb.add_argument("file", type=Path, help="scheduler file")
        if name == "wait":
            verb.add_argument("workers", type=int, help="how many are expected")
    options = parser.parse_args()
    try:
        if options.verb == "pending":
            print(" ".join(pending_stages(open_plan(options.pipeline))))
        elif options.verb == "trained":
            print(check_trained(open_plan(options.pipeline)))
        elif options.verb == "settings":
            sys.stdout.buffer.write(settings_yaml())
        elif options.verb == "wait":
            print(wait_for_workers(options.file, options.workers))
        else:
            shut_down(options.file)
    except (CorpusforgeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
