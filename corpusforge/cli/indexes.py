"""Verbs of dedup's memory from run to run: index, forget, superseded."""

import argparse

from rich.console import Console

from corpusforge.api import Corpus
from corpusforge.errors import ConfigError, FormatError
from corpusforge.formats.dedup_index import CLAIMS, FACTS, SETS, Index, damaged_files, open_index
from corpusforge.lock import exclusive
from corpusforge.pipeline.duplicates import index_folder
from corpusforge.pipeline.plan import reopen_plan
from corpusforge.stages.dedup_forget import forget as forget_in


def index(options: argparse.Namespace, console: Console) -> int:
    folder = options.folder or index_folder(reopen_plan(options.pipeline))
    found = open_index(folder)
    _print_index(found, console)
    if not options.verify:
        return 0
    damaged = damaged_files(found)
    if damaged:
        raise FormatError(
            f"{folder} is damaged: {', '.join(damaged)}; the content is not what was written, so "
            f"delete that stage folder and run its pipeline again, or copy the index anew"
        )
    console.print("every file is as it was written")
    return 0


def forget(options: argparse.Namespace, console: Console) -> int:
    wanted = list(options.doc_id)
    if options.file is not None:
        lines = options.file.read_text(encoding="utf-8").splitlines()
        wanted += [line.strip() for line in lines if line.strip()]
    if not wanted:
        raise ConfigError("no doc_id is given; name some, or a file with one on each line")
    open_index(options.index)
    with exclusive(options.index):
        done = forget_in(open_index(options.index), wanted)
    told = f"forgotten: {len(done.forgotten):,}; gone before: {len(done.before):,}"
    console.print(told, highlight=False)
    for doc_id in done.unknown:
        console.print(f"not in the index: {doc_id}", style="yellow", markup=False, highlight=False)
    return 0


def superseded(options: argparse.Namespace, console: Console) -> int:
    for row in Corpus.open(options.pipeline).superseded().to_pylist():
        told = f"\t{row['replaced_by']}\t{row['rule']}\t{row['similarity']:.4g}"
        # Not the console: it would turn tabs into spaces and cut long lines.
        print(row["doc_id"] + (told if options.why else ""), file=console.file)
    return 0


def _print_index(found: Index, console: Console) -> None:
    generations = found.manifest.generations
    sizes = ", ".join(f"{kind} {found.size(kind) / 1e6:,.1f}" for kind in (CLAIMS, SETS, FACTS))
    made = found.manifest.parameters
    told = {
        "index": found.folder,
        "documents": f"{found.documents:,}",
        "gone": f"{sum(g.documents for g in generations) - found.documents:,}",
        "generations": ", ".join(f"{g.documents:,}" for g in generations),
        "MB": f"{found.size() / 1e6:,.1f} ({sizes})",
        "made with": f"shingle_words {made.shingle_words}, bands {made.bands}, rows {made.rows}, "
        f"seed {made.seed}, keep {', '.join(made.keep)}, sources {', '.join(made.sources) or '-'}",
        "digest": found.digest,
    }
    for name, value in told.items():
        console.print(f"{name:<12}{value}", markup=False, highlight=False, soft_wrap=True)
