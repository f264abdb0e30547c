"""Validation loss over windows that never change, and the baseline it has to beat."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from corpusforge.formats.megatron import Shard
from corpusforge.kernels.permutation import permute
from corpusforge.training.data import IGNORED, Windows
from corpusforge.training.launch import World

WINDOWS_AT_ONCE = 8
COUNT_CHUNK = 1 << 22  # tokens; bincount makes an int64 copy of what it counts


@dataclass(frozen=True)
class Evaluation:
    """How well the validation text is predicted."""

    loss: float  # nats per token
    bits_per_byte: float  # of text, comparable between tokenizers


def evaluation_windows(windows: int, wanted: int) -> NDArray[np.int64]:
    """Which windows are evaluated: up to `wanted`, spread over the split, for every run alike."""
    return permute(np.arange(min(windows, wanted)), windows, [0])


def total_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Sum of the cross-entropy of all targets that count, in nats."""
    flat = logits.float().flatten(0, 1)
    return functional.cross_entropy(flat, targets.flatten(), ignore_index=IGNORED, reduction="sum")


def evaluate(
    predict: Callable[[Tensor], Tensor],
    windows: Windows,
    chosen: NDArray[np.int64],
    byte_lengths: NDArray[np.int64],
    world: World,
) -> Evaluation:
    """Measure a model on chosen windows, each rank a part of them.

    Args:
        predict: Logits, shape (windows, S, vocabulary), from ids of shape (windows, S).
        windows: The windows of the validation split.
        chosen: The windows to measure on; their number need not divide among the ranks.
        byte_lengths: Bytes of text per token.
        world: The ranks that share the work.
    """
    loss, count, size = 0.0, 0, 0
    mine = chosen[world.rank :: world.size]
    for start in range(0, len(mine), WINDOWS_AT_ONCE):
        batch = windows.batch(mine[start : start + WINDOWS_AT_ONCE])
        counted = batch.targets[batch.targets != IGNORED]
        with torch.no_grad():
            logits = predict(torch.from_numpy(batch.inputs).to(world.device))
        loss += float(total_loss(logits, torch.from_numpy(batch.targets).to(world.device)))
        count += counted.size
        size += int(byte_lengths[counted].sum())
    loss, total_count, total_size = world.add(loss, count, size)
    return Evaluation(loss / total_count, _bits_per_byte(loss, total_size))


def unigram_counts(shards: Sequence[Shard], vocab_size: int, world: World) -> NDArray[np.int64]:
    """Occurrences of each token in some shards, shape (vocab_size,), each rank a part of them."""
    counts = np.zeros(vocab_size, np.int64)
    for shard in shards[world.rank :: world.size]:
        for start in range(0, shard.tokens.size, COUNT_CHUNK):
            chunk = shard.tokens[start : start + COUNT_CHUNK]
            counts += np.bincount(chunk, minlength=vocab_size)
    return world.add_counts(torch.from_numpy(counts)).numpy()


def unigram_evaluation(
    counts: NDArray[np.int64],
    windows: Windows,
    chosen: NDArray[np.int64],
    byte_lengths: NDArray[np.int64],
) -> Evaluation:
    """What is reached by knowing only how frequent each token is, one added to each count.

    A model that is not clearly better than this has not learned to read its context.
    """
    surprise = np.log(counts.sum() + counts.size) - np.log(counts + 1)
    targets = windows.batch(chosen).targets
    counted = targets[targets != IGNORED]
    loss = float(surprise[counted].sum())
    return Evaluation(loss / counted.size, _bits_per_byte(loss, float(byte_lengths[counted].sum())))


def _bits_per_byte(nats: float, size: float) -> float:
    """Not a number where the targets stand for no text, such as documents that are all empty."""
    return nats / math.log(2) / size if size else math.nan
