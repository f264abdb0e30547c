"""Verb for other trainers: the corpus as WebDataset tars, or as Parquet of the clean texts.

MosaicML's MDS is not offered: its library wants older releases of numpy, tokenizers, transformers
and xxhash than this package, and its writer alone cannot be imported without torchvision and the
clients of several clouds.
"""

import argparse
from contextlib import nullcontext
from pathlib import Path

from rich.console import Console

from corpusforge.cli.shards import Verb, add_folder_options, plan_of
from corpusforge.errors import ConfigError
from corpusforge.lock import exclusive
from corpusforge.pipeline.export_documents import export_documents
from corpusforge.pipeline.export_folder import FILE_BYTES
from corpusforge.pipeline.export_samples import export_samples

FORMATS = ("parquet", "webdataset")
ABOUT = "write the corpus for other trainers: Parquet of the texts, or WebDataset"


def add_verb(verb: Verb) -> None:
    """Make the verb known to the parser."""
    command = verb("export", export, ABOUT)
    command.add_argument("folder", type=Path, help="a new folder, or an empty one")
    command.add_argument(
        "--format",
        choices=FORMATS,
        required=True,
        help="parquet: the clean texts, for Hugging Face datasets; webdataset: tars of documents "
        "(.json, .txt, .npy) in the order of the shards. MosaicML's MDS is not offered: its "
        "library needs older releases than this package",
    )
    command.add_argument(
        "--windows",
        type=int,
        metavar="LENGTH",
        help="of webdataset: windows of LENGTH + 1 tokens instead of documents",
    )
    command.add_argument(
        "--megabytes",
        type=int,
        default=FILE_BYTES // 1_000_000,
        metavar="N",
        help="of a tar, or of the text in a Parquet file, at most (default %(default)s)",
    )
    add_folder_options(command)


def export(options: argparse.Namespace, console: Console) -> int:
    for name in ("windows", "megabytes"):
        if (given := getattr(options, name)) is not None and given < 1:
            raise ConfigError(f"--{name} {given}: expected 1 or more")
    max_bytes = options.megabytes * 1_000_000
    what = "documents" if options.windows is None else "windows"
    plan = plan_of(options)
    # A folder of shards by itself may lie where nothing can be written, not even a lock.
    with nullcontext() if plan is None else exclusive(plan.output):
        if options.format == "webdataset":
            shards = options.shards if plan is None else plan.step("shards").folder
            made = export_samples(shards, options.folder, max_bytes, options.windows)
        elif plan is None or options.windows is not None:
            raise ConfigError(
                f"{'--shards' if plan is None else '--windows'} goes with --format webdataset; "
                f"Parquet has the texts of a pipeline's documents: give --pipeline alone"
            )
        else:
            made = export_documents(plan, options.folder, max_bytes)
    for split, (count, files) in made.items():
        console.print(f"{split}: {count:,} {what}, {files:,} files", highlight=False)
    console.print(f"wrote {options.folder}", highlight=False, markup=False, soft_wrap=True)
    return 0
