"""Verbs for a folder of shards, wherever it lies: verify, takedown, licences, merge, split."""

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from corpusforge.errors import ConfigError
from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.shard_folder import NAME, Description
from corpusforge.formats.takedowns import Takedown
from corpusforge.lock import exclusive
from corpusforge.pipeline.affected import Run, affected
from corpusforge.pipeline.licences import licences as licences_of
from corpusforge.pipeline.plan import Plan, reopen_plan
from corpusforge.pipeline.recut import merge as merge_folders
from corpusforge.pipeline.recut import recut
from corpusforge.pipeline.shard_verify import verify as verify_folder
from corpusforge.pipeline.takedown import takedown as take_down
from corpusforge.stages.shard_removal import doc_ids_of

Verb = Callable[[str, Callable[[argparse.Namespace, Console], int], str], argparse.ArgumentParser]


def add_verbs(verb: Verb) -> None:
    """Make these verbs known to the parser."""
    check = verb("verify", verify, "whether shards are what was written, down to the texts")
    check.add_argument("--all", action="store_true", help="compare every text, not a sample")
    remove = verb("takedown", takedown, "take documents out of the shards that hold them")
    remove.add_argument("doc_id", nargs="*", help="such as pubmed:33728380")
    remove.add_argument("--file", type=Path, help="doc_ids, one on each line")
    remove.add_argument(
        "--samples", type=Path, metavar="FILE", help="write which samples of training had them"
    )
    for name, about in RUN_OPTIONS.items():
        remove.add_argument(f"--{name}", type=int, help=f"{about} (default: the pipeline's)")
    remove.add_argument("--streams", action="store_true", help="its rows were contiguous streams")
    count = verb("licences", licences, "documents and tokens by licence and source")
    for command in (check, remove, count):
        add_folder_options(command)
    join = verb("merge", merge, "make one folder of shards from several")
    join.add_argument("folder", type=Path, nargs="+")
    join.add_argument("--into", type=Path, required=True, metavar="FOLDER")
    cut = verb("split", split, "cut shards into others of another size")
    cut.add_argument("folder", type=Path)
    cut.add_argument("--shard-tokens", type=int, required=True, metavar="N", help="at most, each")
    cut.add_argument("--into", type=Path, required=True, metavar="FOLDER")


def add_folder_options(command: argparse.ArgumentParser) -> None:
    """Let a verb be told which shards are meant."""
    command.add_argument(
        "-p",
        "--pipeline",
        type=Path,
        default=Path(os.environ.get("PIPELINE", "pipelines/demo.yaml")),
        help="pipeline file whose shards are meant (default: $PIPELINE, pipelines/demo.yaml)",
    )
    command.add_argument("--shards", type=Path, metavar="FOLDER", help="instead: this folder")


RUN_OPTIONS = {
    "sequence-length": "tokens of a window of that training",
    "batch": "its windows per step",
    "steps": "its steps",
    "seed": "its seed",
}


def verify(options: argparse.Namespace, console: Console) -> int:
    folder, checked, faults = _folder(options), Counter[str](), 0
    for verdict in verify_folder(folder, everything=options.all):
        checked += verdict.checked
        faults += len(verdict.faults)
        for fault in verdict.faults:
            console.print(f"FAULT {fault}", style="red", markup=False, soft_wrap=True)
        for note in verdict.notes:
            console.print(note, style="yellow", markup=False, soft_wrap=True)
    told = ", ".join(f"{count:,} {what}" for what, count in checked.items())
    console.print(f"{folder}: checked {told}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"{faults:,} faults" if faults else "all is as it was written", highlight=False)
    return 1 if faults else 0


def licences(options: argparse.Namespace, console: Console) -> int:
    found = licences_of(_folder(options))
    table = Table(box=SIMPLE, pad_edge=False)
    for name in ("licence", "source"):
        table.add_column(name, no_wrap=True)
    for name in ("documents", "tokens", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    for licence in found.by_licence():
        for group in (g for g in found.groups if g.licence == licence):
            share = f"{group.tokens / found.tokens:.2%}"
            name = "not stated" if licence is None else licence
            table.add_row(name, group.source, f"{group.documents:,}", f"{group.tokens:,}", share)
    console.print(table)
    return 0


def takedown(options: argparse.Namespace, console: Console) -> int:
    doc_ids = [*options.doc_id, *(doc_ids_of(options.file) if options.file else ())]
    if not doc_ids:
        raise ConfigError("takedown needs doc_ids, such as pubmed:33728380, or --file with them")
    run = _run(options) if options.samples else None
    with _held(options) as folder:
        result = take_down(folder, doc_ids)
    told = {"removed": result.removed, "removed before": result.already}
    for what, names in {**told, "in no shard": result.unknown}.items():
        if names:
            shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
            line = f"{what}: {len(names):,} ({shown})"
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    if result.unknown:
        console.print(
            "what is in no shard may have a copy there: `corpusforge duplicates DOC_ID` names it",
            highlight=False,
            soft_wrap=True,
        )
    if result.record is not None:
        touched = {(row.split, row.shard) for row in result.record.documents}
        line = f"{len(touched):,} shards written anew; corpus {result.record.before} is now"
        console.print(f"{line} {result.record.after}", highlight=False, soft_wrap=True)
        if run is not None:
            _write_samples(options.samples, result.record, run, console)
    return 0


def _write_samples(target: Path, record: Takedown, run: Run, console: Console) -> None:
    rows = ["step\tplace\twindow\tdoc_id"]
    rows += [f"{s.step}\t{s.place}\t{s.window}\t{s.doc_id}" for s in affected(record, run)]
    write_atomic(target, "".join(f"{row}\n" for row in rows).encode())
    console.print(
        f"{len(rows) - 1:,} samples of training on {record.before} had them: {target}",
        highlight=False,
        soft_wrap=True,
    )


def merge(options: argparse.Namespace, console: Console) -> int:
    _print_made(options.into, merge_folders(options.folder, options.into), console)
    return 0


def split(options: argparse.Namespace, console: Console) -> int:
    if options.shard_tokens < 1:
        raise ConfigError(f"--shard-tokens {options.shard_tokens}: expected 1 or more")
    _print_made(options.into, recut(options.folder, options.into, options.shard_tokens), console)
    return 0


def _print_made(folder: Path, made: Description, console: Console) -> None:
    for name, record in made.splits.items():
        line = f"{name}: {len(record.shards):,} shards, {record.documents:,} documents, "
        console.print(f"{line}{record.tokens:,} tokens", highlight=False)
    console.print(f"wrote {folder / NAME}", highlight=False, soft_wrap=True)


def plan_of(options: argparse.Namespace) -> Plan | None:
    """The plan of the pipeline whose shards are meant; None where a folder was given."""
    return None if options.shards else reopen_plan(options.pipeline)


def _folder(options: argparse.Namespace) -> Path:
    plan = plan_of(options)
    return options.shards if plan is None else plan.step("shards").folder


@contextmanager
def _held(options: argparse.Namespace) -> Iterator[Path]:
    """The folder of shards, while nobody else works on it."""
    plan = plan_of(options)
    with exclusive(options.shards if plan is None else plan.output):
        yield _folder(options)


def _run(options: argparse.Namespace) -> Run:
    """The training that is asked about: as the options say, else as the pipeline does."""
    plan = plan_of(options)
    train = None if plan is None else plan.config.stages.train
    settings = {}
    for option in RUN_OPTIONS:
        name = option.replace("-", "_")
        given = getattr(options, name)
        if given is None and train is None:
            raise ConfigError(f"--samples needs --{option} where no pipeline file says it")
        settings[name] = getattr(train, name) if given is None else given
    return Run(**settings, streams=options.streams or (train is not None and train.streams))
