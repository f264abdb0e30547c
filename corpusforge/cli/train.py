"""Verb about the model: what it will need, and its training."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from rich.console import Console

from corpusforge.pipeline.plan import reopen_plan
from corpusforge.pipeline.training import training_command, training_plan

Verb = Callable[[str, Callable[[argparse.Namespace, Console], int], str], argparse.ArgumentParser]


def add_verbs(verb: Verb) -> None:
    """Make this verb known to the parser."""
    added = verb("train", train, "train the model on the shards, under MPI")
    added.add_argument("pipeline", type=Path, help="pipeline file")
    added.add_argument("--plan", action="store_true", help="only say what it will need")
    added.add_argument("--ranks", type=_ranks, help="that share the work (default: the pipeline's)")
    added.add_argument("--plain", action="store_true", help="lines, not a table that is drawn anew")
    added.add_argument(
        "--tensorboard", action="store_true", help="event files for TensorBoard beside the log"
    )
    added.add_argument("--launcher", help='instead of mpiexec, such as "srun --mpi=pmi2 -n 8"')


def train(options: argparse.Namespace, console: Console) -> int:
    plan = reopen_plan(options.pipeline)
    if not options.plan:
        command = training_command(plan, options.launcher, options.ranks)
        _start([*command, *_telling(options, console)], console)
    lines = training_plan(plan, options.ranks)
    console.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)
    return 0


def _telling(options: argparse.Namespace, console: Console) -> list[str]:
    """How training is to tell of itself: it writes to the launcher, and sees no terminal."""
    live = console.is_terminal and not console.is_dumb_terminal and not options.plain
    return [
        *(("--live", str(console.width)) if live else ()),
        *(("--tensorboard",) if options.tensorboard else ()),
    ]


def _start(command: list[str], console: Console) -> NoReturn:
    console.print(" ".join(command), style="dim", markup=False, highlight=False, soft_wrap=True)
    sys.stdout.flush()
    # The launcher takes this process's place, so signals and the exit status are its own.
    os.execvp(command[0], command)


def _ranks(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not a number of ranks")
    return number
