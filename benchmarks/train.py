"""The figures of training: how fast, how exact, and what a clean corpus is worth.

    python benchmarks/train.py [SECTION ...] [--quick] [--pipeline pipelines/demo.yaml]

It trains on the shards of a pipeline, the demo's unless told otherwise: `corpusforge run` makes
them. Ratios are of two sides that take turns in the same run. `--quick` does little of everything,
to see that it works; its figures mean nothing. What is found is also written to
work/benchmarks/train.json, section by section, for notebooks/05_training.ipynb.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from training_exact import optimizers, resume
from training_feed import feed
from training_gpu import gpu
from training_mlstm import mlstm
from training_quality import quality
from training_ranks import ranks, trainer
from training_setup import Bench

SECTIONS = {
    section.__name__: section
    for section in (feed, ranks, trainer, optimizers, resume, mlstm, quality, gpu)
}
ROOT = Path(__file__).parents[1]
FOUND = ROOT / "work" / "benchmarks" / "train.json"


def keep(name, found):
    """Put what a section found beside what others found before."""
    FOUND.parent.mkdir(parents=True, exist_ok=True)
    before = json.loads(FOUND.read_text()) if FOUND.is_file() else {}
    FOUND.write_text(json.dumps(before | {name: found}, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="to see that it works")
    parser.add_argument("--pipeline", type=Path, default=ROOT / "pipelines" / "demo.yaml")
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS):
        sys.exit(f"no section {sorted(unknown)[0]!r}; there are {', '.join(SECTIONS)}")
    for name in options.sections or SECTIONS:
        began = time.perf_counter()
        print(f"== {name}: {SECTIONS[name].__doc__}")
        with tempfile.TemporaryDirectory() as scratch:
            found = SECTIONS[name](Bench(options.pipeline, Path(scratch), options.quick))
        if not options.quick:
            keep(name, found)
        print(f"   {time.perf_counter() - began:.0f} s\n", flush=True)


if __name__ == "__main__":
    main()
