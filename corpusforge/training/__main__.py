"""Train a language model on token shards.

    mpiexec -n 2 python -m mpi4py -m corpusforge.training \
        --shards SHARDS --tokenizer TOKENIZER --config train.json --out RUN

Without mpiexec it runs as one rank. A run that was stopped or killed continues when the same
command is given again; the file RUN/DONE says that it is complete. The exit status is 0 when it
is, 75 when it was asked to stop (SIGTERM or SIGUSR1), and 1 when something is wrong.
"""

import argparse
import sys
from pathlib import Path

from corpusforge.training.launch import launch
from corpusforge.training.loop import train
from corpusforge.training.material import Job


def main() -> int:
    """Parse the command line and train; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m corpusforge.training",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--shards", type=Path, required=True, help="folder with corpus.json")
    parser.add_argument("--tokenizer", type=Path, required=True, help="its tokenizer.json")
    parser.add_argument("--config", type=Path, required=True, help="JSON; see TrainConfig")
    parser.add_argument("--out", type=Path, required=True, help="folder of this run")
    parser.add_argument("--log-every", type=int, default=10, help="steps between lines")
    options = parser.parse_args()
    if options.log_every < 1:
        parser.error(f"--log-every {options.log_every}: at least 1 step between lines")
    job = Job(options.shards, options.tokenizer, options.config, options.out, options.log_every)
    return launch(lambda world: train(job, world))


if __name__ == "__main__":
    sys.exit(main())
