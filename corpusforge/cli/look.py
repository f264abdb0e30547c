"""Verbs that look at what is there: status, rejects, one document, one token, sources."""

import argparse
from pathlib import Path

from rich.console import Console

from corpusforge.api import Corpus
from corpusforge.cli.differences import print_changes, print_family
from corpusforge.console import (
    print_events,
    print_ledger,
    print_provenance,
    print_rejects,
    print_training,
)
from corpusforge.errors import ConfigError
from corpusforge.pipeline.diff import changes
from corpusforge.pipeline.duplicates import family
from corpusforge.pipeline.guide import overview, page, published_guide
from corpusforge.pipeline.plan import reopen_plan
from corpusforge.pipeline.publish import published
from corpusforge.pipeline.report import write_report
from corpusforge.stages.clean_quality import PRESETS, preset_text
from corpusforge.training import preset as training

ALL_PRESETS = (*PRESETS, *training.PRESETS)


def status(options: argparse.Namespace, console: Console) -> int:
    corpus = Corpus.open(options.pipeline)
    print_ledger(corpus.ledger(), console)
    print_training(corpus, console)
    return 0


def rejects(options: argparse.Namespace, console: Console) -> int:
    print_rejects(Corpus.open(options.pipeline), options.stage, options.limit, console)
    return 0


def explain(options: argparse.Namespace, console: Console) -> int:
    events = Corpus.open(options.pipeline).explain(options.doc_id)
    if not events:
        raise ConfigError(
            f"no stage has seen {options.doc_id!r}; a doc_id is `source:id`, such as "
            f"pubmed:33728380, with a source of {options.pipeline}"
        )
    print_events(options.doc_id, events, console)
    return 0


def diff(options: argparse.Namespace, console: Console) -> int:
    found = changes(reopen_plan(options.pipeline), options.doc_id)
    print_changes(options.doc_id, found, console)
    return 0


def duplicates(options: argparse.Namespace, console: Console) -> int:
    print_family(family(reopen_plan(options.pipeline), options.doc_id), console)
    return 0


def lookup(options: argparse.Namespace, console: Console) -> int:
    found = Corpus.open(options.pipeline).lookup(options.shard, options.token)
    print_provenance(options.shard, options.token, found, console)
    return 0


def report(options: argparse.Namespace, console: Console) -> int:
    console.print(f"wrote {write_report(reopen_plan(options.pipeline))}", soft_wrap=True)
    return 0


def sources(options: argparse.Namespace, console: Console) -> int:
    if options.write is not None:
        return _write(published_guide(), options.write, "pages", console)
    text = page(options.name) if options.name else f"{overview()}\n\ncorpusforge sources NAME"
    console.print(text.rstrip(), markup=False, highlight=False, soft_wrap=True)
    return 0


def presets(options: argparse.Namespace, console: Console) -> int:
    for name in [options.name] if options.name else ALL_PRESETS:
        text = preset_text(name) if name in PRESETS else training.preset_text(name)
        console.print(f"# {name}\n{text}", markup=False, highlight=False, soft_wrap=True)
    return 0


def schemas(options: argparse.Namespace, console: Console) -> int:
    return _write(published(), options.folder, "schemas", console)


def _write(contents: dict[str, str], folder: Path, what: str, console: Console) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    console.print(f"wrote {len(contents)} {what} into {folder}", soft_wrap=True)
    return 0
