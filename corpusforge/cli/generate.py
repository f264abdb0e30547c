"""The verb that lets a trained model write."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from corpusforge.errors import ConfigError
from corpusforge.pipeline.plan import reopen_plan
from corpusforge.pipeline.training import model_folder

Verb = Callable[[str, Callable[[argparse.Namespace, Console], int], str], argparse.ArgumentParser]


def add_verbs(verb: Verb) -> None:
    """Make this verb known to the parser."""
    added = verb("generate", generate, "text from the trained model, on from a prompt")
    added.add_argument("prompt", help='how the text starts; "" for a new document')
    added.add_argument(
        "-p",
        "--pipeline",
        type=Path,
        default=Path(os.environ.get("PIPELINE", "pipelines/demo.yaml")),
        help="pipeline file whose model is meant (default: $PIPELINE, or pipelines/demo.yaml)",
    )
    added.add_argument("--model", type=Path, metavar="FOLDER", help="instead: this folder")
    added.add_argument("--tokens", type=int, default=100, help="at most (default 100)")
    added.add_argument(
        "--temperature", type=float, default=1.0, help="below 1 is surer, 0 takes the likeliest"
    )
    added.add_argument("--top-k", type=int, metavar="K", help="only among the K likeliest tokens")
    added.add_argument("--seed", type=int, default=0, help="another one gives another text")


def generate(options: argparse.Namespace, console: Console) -> int:
    folder = options.model or model_folder(reopen_plan(options.pipeline))
    try:
        # Other verbs do not need torch, and should not wait for it.
        from corpusforge.training import generate as training  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f"generate needs torch ({error}); `pip install 'corpusforge[train]'` brings it"
        ) from error
    sampling = training.Sampling(
        tokens=options.tokens,
        temperature=options.temperature,
        top_k=options.top_k,
        seed=options.seed,
    )
    text = training.generate(training.open_model(folder), options.prompt, sampling)
    print(text, file=console.file)  # not the console: it would read [brackets] as markup
    return 0
