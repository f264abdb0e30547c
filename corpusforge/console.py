"""What a person sees in a terminal: progress, ledger, rejects, the story of one document."""

import time
from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from corpusforge.api import Corpus
from corpusforge.pipeline.config import PipelineConfig
from corpusforge.pipeline.ledger import Entry
from corpusforge.pipeline.manifest import read_manifest
from corpusforge.pipeline.plan import Step
from corpusforge.pipeline.runner import run_step
from corpusforge.pipeline.trace import Event
from corpusforge.sources.web_files import Look
from corpusforge.work import Executor, Tally

# Counts of things that are no records, and how the ledger calls them.
DETAILS = {
    "added": "translations",
    "deletions": "deletions",
    "deletions_without_record": "of no record",
    "documents encoded by tokenizers": "by tokenizers",
}
# Of stages whose phases count more than a line should say: the counts that it says.
TOLD = {
    "tokenizer": ("sampled_documents", "sampled_bytes", "held_out_documents", "given_vocabulary")
}
FROM = "from "  # starts the counts that say how many records were of which source
LINE_EVERY = 30.0  # seconds between lines where no terminal shows a bar


def run_with_progress(
    step: Step, executor: Executor, config: PipelineConfig, console: Console
) -> None:
    """Run one stage behind a progress bar, or with a line now and then; one line at its end."""
    columns = [
        TextColumn("{task.description:<20}"),
        BarColumn(20),
        TextColumn("{task.completed}/{task.total} tasks"),
        TextColumn("{task.fields[told]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    ]
    resumed, began = 0, time.monotonic()
    told = began
    watched = console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=not watched) as progress:
        bar = progress.add_task(step.stage.name, total=None, told="")
        budget = config.reject_budget.get(step.stage.name)
        for update in run_step(step, executor, budget, config.max_fall, config.max_loss):
            phase, now = f"{update.stage}.{update.phase}", time.monotonic()
            resumed += update.resumed if update.done == update.resumed else 0
            pace = _pace(update.tally)
            progress.update(
                bar, description=phase, total=update.tasks, completed=update.done, told=pace
            )
            if not watched and now > told + LINE_EVERY:
                told = now
                line = f"  {phase} {update.done}/{update.tasks} tasks, {pace}, {now - began:.0f} s"
                console.print(line, highlight=False, soft_wrap=True)
    manifest = read_manifest(step.folder)
    if manifest is not None:
        again = f"  ({resumed} tasks were done before)" if resumed else ""
        name, counted = step.stage.name, _counts(step.stage.name, manifest.tally)
        line = f"{name:<10} {counted}  {manifest.seconds:.1f} s{again}"
        console.print(line, highlight=False, soft_wrap=True)


def _pace(tally: Tally) -> str:
    return (
        f"{tally.read:,} read, {tally.kept:,} kept, {tally.total_rejected:,} rejected, "
        f"{tally.bytes_read / 1e6:,.0f} MB"
    )


def _counts(stage: str, tally: Tally) -> str:
    if tally.read:
        return f"{tally.read:>9,} read {tally.kept:>9,} kept {tally.total_rejected:>8,} rejected"
    told = [name for name in TOLD.get(stage, tally.counts) if name in tally.counts]
    return "  ".join(f"{name.replace('_', ' ')} {tally.counts[name]:,}" for name in told)


def print_ledger(entries: list[Entry], console: Console) -> None:
    """Every stage: records in, records out, why, and whether the two agree."""
    table = Table(
        title="Ledger: read = kept + rejected, at every stage",
        title_justify="left",
        box=SIMPLE,
        pad_edge=False,
    )
    table.add_column("stage", no_wrap=True, max_width=20)
    for name in ("read", "kept", "rejected", "seconds", "peak MB"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for entry in entries:
        tally = entry.tally
        numbers = (tally.read, tally.kept, tally.total_rejected)
        counted = any(numbers)
        table.add_row(
            entry.stage,
            *(f"{n:,}" if counted else "" for n in numbers),
            f"{entry.seconds:.1f}" if entry.complete else "",
            f"{entry.peak_memory / 1e6:,.0f}" if entry.peak_memory else "",
            entry.verdict,
            style="red" if "NOT" in entry.verdict else None,
        )
        for name, count in tally.counts.items():
            if name in DETAILS and count:
                table.add_row(f"  {DETAILS[name]}", f"{count:,}", style="dim")
            elif name.startswith(FROM):
                table.add_row(f"  {name.removeprefix(FROM)}", f"{count:,}", style="dim")
        for reason, count in sorted(tally.rejected.items(), key=lambda item: (-item[1], item[0])):
            table.add_row(f"  {reason}", "", "", f"{count:,}", style="dim")
    console.print(table)


def print_training(corpus: Corpus, console: Console) -> None:
    """Where the model is, and what it reached."""
    result = corpus.training_result()
    folder = corpus.plan.train_folder
    if result is None:
        log = corpus.training_log()
        state = f"at step {log[-1]['step']}" if log else "not run"
        console.print(f"train: {state} ({folder})", soft_wrap=True, highlight=False)
        return
    valid, unigram = result["validation"], result["unigram"]
    console.print(
        f"train: done, {result['steps']} steps; validation loss "
        f"{valid['loss']:.3f} nats/token ({valid['bits_per_byte']:.3f} bits/byte), unigram "
        f"{unigram['loss']:.3f}; model in {folder / result['model']}",
        soft_wrap=True,
        highlight=False,
    )


def print_rejects(corpus: Corpus, stage: str | None, limit: int, console: Console) -> None:
    """How many rejects there are of each reason, and the first of them."""
    total = 0
    for entry in corpus.ledger():
        for reason, count in entry.tally.rejected.items() if stage in (None, entry.stage) else ():
            total += count
            console.print(f"{entry.stage:<10} {reason:<16} {count:>9,}", highlight=False)
    rows = corpus.first_rejects(stage, limit)
    console.print(f"\nfirst {len(rows):,} of {total:,}:", highlight=False)
    for row in rows:
        console.print(_reject_line(row), soft_wrap=True, highlight=False, markup=False)


def _reject_line(row: dict[str, Any]) -> str:
    """One reject on one line, so that it can be searched with grep."""
    measured = "" if row["observed"] is None else f" {_shown(row['observed'])}"
    limit = "" if row["limit"] is None else f" (limit {_shown(row['limit'])})"
    detail = "" if row["detail"] is None else f": {row['detail']}"
    return f"{row['doc_id']}  {row['stage']}  {row['reason']}{measured}{limit}{detail}"


def print_events(doc_id: str, events: list[Event], console: Console) -> None:
    """The story of one document."""
    table = Table(title=escape(doc_id), title_justify="left", show_header=False)
    for event in events:
        facts = "\n".join(f"{key}: {_shown(value)}" for key, value in event.facts.items())
        verdict = "kept" if event.kept else "REJECTED"
        table.add_row(event.stage, verdict, escape(facts), end_section=True)
    console.print(table)


def print_provenance(shard: str, token: int, found: dict[str, Any], console: Console) -> None:
    """The document that a token is from."""
    console.print(
        f"token {token:,} of {shard} is token {found['position']:,} of {found['tokens']:,} of "
        f"{found['doc_id']}",
        highlight=False,
    )
    for name in ("source", "content", "doi", "year", "licence", "retracted", "cluster"):
        if found[name] is not None:
            console.print(f"  {name}: {found[name]}", highlight=False, markup=False)


def print_files(name: str, looks: Sequence[Look], console: Console) -> None:
    """What a download of files would bring: one line in all, and one for each file."""
    sizes = [look.size for look in looks if look.size is not None]
    unknown = f", {len(looks) - len(sizes):,} of unknown size" if len(sizes) < len(looks) else ""
    here = sum(look.here for look in looks)
    console.print(
        f"{name}: {len(looks):,} files, {sum(sizes):,} bytes{unknown}; {here:,} are here, "
        f"{sum(look.missing for look in looks):,} bytes are to come",
        highlight=False,
        soft_wrap=True,
    )
    for look in looks:
        size = "unknown" if look.size is None else f"{look.size:,}"
        line = f"  {size:>15}  {'here  ' if look.here else ''}{look.wanted.name}"
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _shown(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
