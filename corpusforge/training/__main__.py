"""Train a language model on token shards.

    mpiexec -n 2 python -m mpi4py -m corpusforge.training \
        --shards SHARDS --tokenizer TOKENIZER --config train.json --out RUN

Without mpiexec it runs as one rank. A run that was stopped or killed continues when the same
command is given again; the file RUN/DONE says that it is complete. The exit status is 0 when it
is, 75 when it was asked to stop (SIGTERM or SIGUSR1), and 1 when something is wrong. With --plan
it only says what a run will need: parameters, operations, steps, and the memory of a rank.
"""

import argparse
import sys
from pathlib import Path

from corpusforge.errors import ConfigError
from corpusforge.training.config import load_config
from corpusforge.training.corpus import open_corpus
from corpusforge.training.launch import launch
from corpusforge.training.loop import train
from corpusforge.training.material import Job
from corpusforge.training.plan import plan_lines


def main() -> int:
    """Parse the command line and train; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m corpusforge.training",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--shards", type=Path, required=True, help="folder with shards.json")
    parser.add_argument("--tokenizer", type=Path, help="its tokenizer.json")
    parser.add_argument("--config", type=Path, required=True, help="JSON; see TrainConfig")
    parser.add_argument("--out", type=Path, help="folder of this run")
    parser.add_argument("--log-every", type=int, default=10, help="steps between lines")
    parser.add_argument(
        "--live", type=int, metavar="COLUMNS", help="show a table in a terminal so wide"
    )
    parser.add_argument("--tensorboard", action="store_true", help="event files in OUT/tensorboard")
    parser.add_argument("--plan", action="store_true", help="say what it needs, and do nothing")
    parser.add_argument("--ranks", type=int, default=1, help="of the plan (default 1)")
    options = parser.parse_args()
    if options.ranks < 1:
        parser.error(f"--ranks {options.ranks}: at least 1 rank")
    if options.plan:
        return _plan(options)
    if not options.tokenizer or not options.out:
        parser.error("--tokenizer and --out are needed, except with --plan")
    if options.log_every < 1:
        parser.error(f"--log-every {options.log_every}: at least 1 step between lines")
    job = Job(
        shards=options.shards,
        tokenizer=options.tokenizer,
        config=options.config,
        out=options.out,
        log_every=options.log_every,
        live=options.live,
        tensorboard=options.tensorboard,
    )
    return launch(lambda world: train(job, world))


def _plan(options: argparse.Namespace) -> int:
    try:
        corpus = open_corpus(options.shards).description
        config, tokens = load_config(options.config), corpus.splits["train"].tokens
        lines = plan_lines(config, corpus.vocab_size, tokens, options.ranks)
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
