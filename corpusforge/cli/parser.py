"""The verbs and their few options; every setting lives in the pipeline file."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from corpusforge.cli import export, generate, indexes, look, shards, train, work
from corpusforge.pipeline.config import STAGES

EXAMPLES = """examples:
  corpusforge run pipelines/demo.yaml              all data stages, on the cluster of the file
  corpusforge run pipelines/demo.yaml --until clean --executor serial
  corpusforge train pipelines/demo.yaml --plan     what the model will need
  corpusforge train pipelines/demo.yaml            the model, with mpiexec
  corpusforge generate "The aim of this study"     what the model makes of it
  corpusforge explain pubmed:33728380              what happened to one paper
  corpusforge lookup train-00000 123456            which paper a token is from
  corpusforge sources pubmed                       where to get it, and what to write for it
"""


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="corpusforge",
        description="Scientific papers to a pre-training corpus, and a model trained on it.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    stages = [stage.name for stage in STAGES]

    def verb(
        name: str, carry_out: Callable[[argparse.Namespace, Console], int], about: str
    ) -> argparse.ArgumentParser:
        added = verbs.add_parser(name, help=about, description=about)
        added.set_defaults(verb=carry_out)
        return added

    run = verb("run", work.run, "run the data stages; what is done already is skipped")
    run.add_argument("pipeline", type=Path, help="pipeline file")
    run.add_argument("--until", choices=stages, help="last stage to run")
    run.add_argument("--executor", choices=["dask", "serial"], default="dask")
    run.add_argument(
        "--scheduler-file",
        type=Path,
        metavar="FILE",
        help="join the Dask cluster whose scheduler wrote FILE, whatever the pipeline file says",
    )
    fetch = verb("fetch", work.fetch, "bring what the pipeline wants from the network")
    fetch.add_argument("pipeline", type=Path, help="pipeline file")
    fetch.add_argument("--dry-run", action="store_true", help="say what would be asked for")
    train.add_verbs(verb)
    generate.add_verbs(verb)
    status = verb("status", look.status, "how far every stage is, and whether it balances")
    rejects = verb("rejects", look.rejects, "records left out, with their reasons")
    rejects.add_argument("--stage", choices=stages)
    rejects.add_argument("--limit", type=_count, default=20, help="rows shown (default 20)")
    explain = verb("explain", look.explain, "what happened to one document at every stage")
    explain.add_argument("doc_id", help="such as pubmed:33728380")
    diff = verb("diff", look.diff, "what clean did to one document, rule by rule")
    diff.add_argument("doc_id", help="such as pubmed:33728380")
    duplicates = verb("duplicates", look.duplicates, "the copies of one document, and why")
    duplicates.add_argument("doc_id", help="such as pubmed:33728380, kept or removed")
    superseded = verb(
        "superseded", indexes.superseded, "doc_ids of earlier runs that a better copy replaces"
    )
    superseded.add_argument("--why", action="store_true", help="and by what, and on what evidence")
    index = verb("index", indexes.index, "what dedup remembers for later runs, and where it is")
    index.add_argument("folder", type=Path, nargs="?", help="default: that of the pipeline")
    index.add_argument("--verify", action="store_true", help="read every file against its digest")
    forget = verb("forget", indexes.forget, "take documents out of an index of dedup, for good")
    forget.add_argument("index", type=Path, help="its folder; `corpusforge index` tells it")
    forget.add_argument("doc_id", nargs="*", help="such as pubmed:33728380")
    forget.add_argument("--file", type=Path, help="doc_ids, one on each line")
    lookup = verb("lookup", look.lookup, "which document a token of a shard is from")
    lookup.add_argument("shard", help="such as train-00000")
    lookup.add_argument("token", type=int, help="offset in the shard")
    report = verb("report", look.report, "write report.html into the output folder")
    looking = (status, rejects, explain, diff, duplicates, superseded, index, lookup, report)
    for command in looking:
        command.add_argument(
            "-p",
            "--pipeline",
            type=Path,
            default=Path(os.environ.get("PIPELINE", "pipelines/demo.yaml")),
            help="pipeline file (default: $PIPELINE, or pipelines/demo.yaml)",
        )
    shards.add_verbs(verb)
    export.add_verb(verb)
    sources = verb(
        "sources", look.sources, "what can be fetched and read; or all about one of them"
    )
    sources.add_argument("name", nargs="?", help="such as pubmed")
    sources.add_argument("--write", type=Path, metavar="FOLDER", help="all pages, as files")
    presets = verb("presets", look.presets, "presets of quality and of training, as YAML to copy")
    presets.add_argument("name", nargs="?", choices=look.ALL_PRESETS)
    schemas = verb("schemas", look.schemas, "write the published schemas")
    schemas.add_argument("folder", type=Path)
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is not a number of rows")
    return number
