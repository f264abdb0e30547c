"""Batches of a folder of shards as plain numpy arrays, for any training loop.

    for batch in batches("runs/demo/shards", sequence_length=2048, batch=64):
        loss = model(batch.inputs, batch.positions, batch.targets)

The order depends on the folder, the lengths and the seed alone: ranks divide each step among them,
so that together they see the same on any number of them, and a run that stopped after `n` steps
goes on with `start_step=n`. A thread reads two batches ahead. The iterators have no end; close them
(`contextlib.closing`) to stop the thread before the program ends.
"""

import sys
from collections.abc import Generator
from os import PathLike
from pathlib import Path

import numpy as np

from corpusforge.errors import ConfigError
from corpusforge.training.corpus import open_corpus
from corpusforge.training.data import IGNORED, Batch, Order, Shuffled, share, windows_of
from corpusforge.training.feed import Steps, portions
from corpusforge.training.streams import streams_of
from corpusforge.training.tokens import Tokens

__all__ = ["IGNORED", "Batch", "batches", "stream_batches"]


def batches(  # noqa: PLR0913
    folder: str | PathLike[str],
    split: str = "train",
    *,
    sequence_length: int = 2048,
    batch: int = 64,
    seed: int = 0,
    rank: int = 0,
    ranks: int = 1,
    start_step: int = 0,
) -> Generator[Batch, None, None]:
    """One rank's batches of windows in a random order, every window once per epoch.

    Args:
        folder: A folder of shards, with `shards.json` and a folder per split.
        split: Which split.
        sequence_length: Tokens per window.
        batch: Windows per step, over all ranks.
        seed: Of the order.
        rank: Which part of each step, counted from 0.
        ranks: Parts that each step is divided into.
        start_step: Steps that were taken before.

    Raises:
        ConfigError: The folder has no such split, a shard is shorter than a window, or the batch
            does not divide among the ranks, or a count is out of bounds.
        FormatError: A shard is missing or damaged.
    """
    _check(sequence_length, batch, rank, ranks, start_step)
    windows = windows_of(open_corpus(Path(folder)).prefixes(split), sequence_length)
    source = Shuffled(windows, Order(len(windows), batch, seed))
    return _endless(source, start_step, rank, ranks)


def stream_batches(  # noqa: PLR0913
    folder: str | PathLike[str],
    split: str = "train",
    *,
    sequence_length: int = 256,
    batch: int = 128,
    documents: bool = False,
    rank: int = 0,
    ranks: int = 1,
    start_step: int = 0,
) -> Generator[Batch, None, None]:
    """One rank's batches of contiguous streams: each row goes on where it ended the step before.

    Args:
        folder: As for `batches`.
        split: As for `batches`.
        sequence_length: Tokens that each stream takes in a step.
        batch: Streams, over all ranks.
        documents: Whether positions are 0 at the start of each document too, and not only where a
            stream starts: where they are, a state that is carried along is to be forgotten.
        rank: As for `batches`.
        ranks: As for `batches`.
        start_step: As for `batches`.

    Raises:
        ConfigError: The folder has no such split, or too few tokens for one step, or the batch does
            not divide among the ranks, or a count is out of bounds.
        FormatError: A shard is missing or damaged.
    """
    _check(sequence_length, batch, rank, ranks, start_step)
    tokens = Tokens.of(open_corpus(Path(folder)).prefixes(split))
    source = streams_of(tokens, sequence_length, batch, documents=documents)
    return _endless(source, start_step, rank, ranks)


def _endless(source: Steps, step: int, rank: int, ranks: int) -> Generator[Batch, None, None]:
    """One rank's batches from a step on."""
    return (portion.batch for portion in portions(source, range(step, sys.maxsize), rank, ranks))


def _check(sequence_length: int, batch: int, rank: int, ranks: int, start_step: int) -> None:
    """Refuse now what the first batch would stumble over, or would be empty or repeated for."""
    if not 0 <= rank < ranks or start_step < 0 or batch < 1 or sequence_length < 1:
        raise ConfigError(
            f"rank={rank} of ranks={ranks}, start_step={start_step}, batch={batch}, "
            f"sequence_length={sequence_length}: ranks count from 0 and are below their number, "
            f"steps count from 0, a batch has at least 1 row and a row at least 1 token"
        )
    share(np.arange(batch), rank, ranks)
