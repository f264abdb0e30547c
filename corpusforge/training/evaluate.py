"""Validation loss over windows that never change, by kinds of text, and the baseline to beat."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from corpusforge.formats.megatron import open_shard
from corpusforge.kernels.permutation import permute
from corpusforge.training.data import IGNORED, Windows
from corpusforge.training.groups import COLUMNS, Groups
from corpusforge.training.launch import World

WINDOWS_AT_ONCE = 8
COUNTED = 1 << 25  # tokens at most: of 65,000 kinds, a few thousandths of a nat from all there are
COUNT_CHUNK = 1 << 22  # tokens; bincount makes an int64 copy of what it counts


@dataclass(frozen=True)
class Score:
    """How well some text is predicted."""

    loss: float  # nats per token
    bits_per_byte: float  # of text, comparable between tokenizers; not a number without text
    tokens: int  # that were predicted


@dataclass(frozen=True)
class Evaluation:
    """How well the validation text is predicted, all of it and by what its provenance says."""

    loss: float
    bits_per_byte: float
    by: dict[str, dict[str, Score]]  # column of provenance, its value


@dataclass(frozen=True, eq=False)
class Probe:
    """The text that models are measured on."""

    windows: Windows  # of the validation split
    chosen: NDArray[np.int64]  # those of them that are measured
    byte_lengths: NDArray[np.int64]  # (vocab_size,) bytes of text per token
    groups: Groups  # of the chosen windows

    def sums(
        self, rows: NDArray[np.int64], targets: NDArray[np.int64], surprise: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Nats, tokens and bytes of each kind of text, shape (3, kinds).

        Args:
            rows: Which of the chosen windows.
            targets: Their targets, shape (rows, S).
            surprise: The loss of each, in nats, of the same shape.
        """
        counted = targets != IGNORED
        kinds, number = self.groups.of_targets[rows][counted], len(self.groups.kinds)
        values = (surprise[counted], np.ones(len(kinds)), self.byte_lengths[targets[counted]])
        return np.stack([np.bincount(kinds, value, number) for value in values])

    def evaluation(self, sums: NDArray[np.float64]) -> Evaluation:
        """What such sums over all chosen windows amount to."""
        whole, by = _score(sums.sum(axis=1)), {}
        for column in COLUMNS:
            scores = {
                value: _score(sums[:, places].sum(axis=1))
                for value, places in self.groups.values(column).items()
                if sums[1, places].sum()
            }
            if scores:
                by[column] = scores
        return Evaluation(whole.loss, whole.bits_per_byte, by)


def evaluation_windows(windows: int, wanted: int) -> NDArray[np.int64]:
    """Which windows are evaluated: up to `wanted`, spread over the split, for every run alike."""
    return permute(np.arange(min(windows, wanted)), windows, [0])


def total_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Sum of the cross-entropy of all targets that count, in nats."""
    flat = logits.float().flatten(0, 1)
    return functional.cross_entropy(flat, targets.flatten(), ignore_index=IGNORED, reduction="sum")


def evaluate(predict: Callable[[Tensor, Tensor], Tensor], probe: Probe, world: World) -> Evaluation:
    """Measure a model, each rank on a part of the text.

    Args:
        predict: Logits, shape (windows, S, vocabulary), from ids and positions in their documents,
            both of shape (windows, S).
        probe: The text; the number of its windows need not divide among the ranks.
        world: The ranks that share the work.
    """
    count = len(probe.chosen)
    mine = np.arange(count)[world.rank :: world.size]
    sums = np.zeros((3, len(probe.groups.kinds)))
    # With `fsdp` the model answers only where all ranks ask: those with fewer windows ask again.
    for start in range(0, -(-count // world.size), WINDOWS_AT_ONCE):
        own = mine[start : start + WINDOWS_AT_ONCE]
        rows = own if own.size else np.zeros(1, np.int64)
        batch = probe.windows.batch(probe.chosen[rows])
        if not own.size:
            batch.targets.fill(IGNORED)
        with torch.no_grad():
            inputs, positions, targets = (
                torch.from_numpy(part).to(world.device)
                for part in (batch.inputs, batch.positions, batch.targets)
            )
            surprise = _losses(predict(inputs, positions), targets)
        sums += probe.sums(rows, batch.targets, surprise.cpu().double().numpy())
    return probe.evaluation(np.array(world.add(*sums.flat)).reshape(sums.shape))


def unigram_counts(prefixes: Sequence[Path], vocab_size: int, world: World) -> NDArray[np.int64]:
    """Occurrences of each token in some shards, shape (vocab_size,), each rank a part of them.

    Of many large shards only the start of each is counted: documents lie in them in no order.
    """
    counts = np.zeros(vocab_size, np.int64)
    for prefix in prefixes[world.rank :: world.size]:
        tokens = open_shard(prefix).tokens[: COUNTED // len(prefixes)]
        for start in range(0, tokens.size, COUNT_CHUNK):
            chunk = tokens[start : start + COUNT_CHUNK]
            counts += np.bincount(chunk, minlength=vocab_size)
    return world.add_counts(torch.from_numpy(counts)).numpy()


def unigram_evaluation(counts: NDArray[np.int64], probe: Probe) -> Evaluation:
    """What is reached by knowing only how frequent each token is, one added to each count.

    A model that is not clearly better than this has not learned to read its context.
    """
    surprise = np.log(counts.sum() + counts.size) - np.log(counts + 1)
    targets = probe.windows.batch(probe.chosen).targets
    rows = np.arange(len(probe.chosen))
    of_targets = surprise[np.where(targets == IGNORED, 0, targets)]
    return probe.evaluation(probe.sums(rows, targets, of_targets))


def _losses(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy of each target, in nats; 0 where it does not count."""
    flat, wanted = logits.float().flatten(0, 1), targets.flatten()
    losses = functional.cross_entropy(flat, wanted, ignore_index=IGNORED, reduction="none")
    return losses.view_as(targets)


def _score(sums: NDArray[np.float64]) -> Score:
    nats, tokens, size = sums.tolist()
    bits_per_byte = nats / math.log(2) / size if size else math.nan
    return Score(nats / tokens, bits_per_byte, int(tokens))
