"""Which tokens are trained on when: windows over shards, in an order every rank can compute.

A shard of T tokens has T - 1 targets (every token but its first is to be predicted). Window k
reads tokens [k S, k S + S) and predicts the token after each, so windows share one token. The last
window of a shard ends with the shard: where that makes it overlap the window before, the targets
they share are marked IGNORED in it. Each target of a split is thus trained on exactly once per
epoch; only the first token of each shard is never a target.

Sample g of a run is window `permute(g mod n)` of epoch g div n, keyed by the seed and the epoch.
Step s takes the samples from s B on, rank r of R the r-th of R equal parts of them. There is
nothing else to save or to agree on: the order is the same on any number of ranks, from any step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpusforge.errors import ConfigError
from corpusforge.kernels.permutation import permute
from corpusforge.training.tokens import Tokens

IGNORED = -100  # a target that does not count; torch's cross_entropy knows it by this number


@dataclass(frozen=True, eq=False)
class Batch:
    """Windows, one per row.

    A position is the place of a token in its document, counted from the start of the document or of
    the window, whichever is later (in `Streams`: or of the stream). It is 0 where what comes before
    must not be seen, so that `(positions == 0).cumsum(1)` numbers the documents of a window.
    """

    inputs: NDArray[np.int64]  # (windows, S)
    targets: NDArray[np.int64]  # (windows, S); IGNORED where another window has the target
    positions: NDArray[np.int64]  # (windows, S)


@dataclass(frozen=True, eq=False)
class Windows:
    """All windows of a split."""

    tokens: Tokens
    length: int  # S, tokens per window
    ends: NDArray[np.int64]  # (shards,) windows up to and including each shard

    def __len__(self) -> int:
        return int(self.ends[-1])

    def targets(self, windows: NDArray[np.int64]) -> int:
        """How many targets these windows have, the ignored ones left out."""
        _, repeated = self._places(windows)
        return len(windows) * self.length - int(repeated.sum())

    def starts(self, windows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The first token of each window, counted through all shards."""
        return self._places(windows)[0]

    def batch(self, windows: NDArray[np.int64]) -> Batch:
        """The windows with these numbers, in this order."""
        starts, repeated = self._places(windows)
        batch = without_positions(self.tokens, starts, self.length)
        for row in np.flatnonzero(repeated).tolist():
            batch.targets[row, : repeated[row]] = IGNORED
        self.tokens.place(starts, starts, batch.positions)
        return batch

    def will_need(self, windows: NDArray[np.int64]) -> None:
        """Have windows read from disk ahead of their use, without waiting for them."""
        starts, _ = self._places(windows)
        self.tokens.will_need(starts, self.length + 1)

    def _places(self, windows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first token of each window, and how many targets the one before has of it."""
        shards = np.searchsorted(self.ends, windows, side="right")
        before = np.concatenate([[0], self.ends])[shards]
        first = (windows - before) * self.length
        start = np.minimum(first, self.tokens.sizes[shards] - 1 - self.length)
        return self.tokens.firsts[shards] + start, first - start


def without_positions(tokens: Tokens, starts: NDArray[np.int64], length: int) -> Batch:
    """Windows from these tokens on, with room for positions that the caller fills."""
    rows = np.empty((len(starts), length + 1), tokens.dtype)
    tokens.read(starts, rows)
    # One array: glibc keeps what it gets back of it for the next batch, while three would be given
    # to the system and taken again, page by page, which costs more than reading.
    batch = Batch(*np.empty((3, len(starts), length), np.int64))
    batch.inputs[...], batch.targets[...] = rows[:, :-1], rows[:, 1:]
    return batch


def windows_of(prefixes: Sequence[Path], length: int) -> Windows:
    """The windows of the shards with these paths; shards without tokens have none.

    Raises:
        ConfigError: A shard is too short for one window, or none has tokens.
        FormatError: A shard is missing or damaged.
    """
    tokens = Tokens.of(prefixes)
    for shard in tokens.shards:
        if 0 < shard.tokens <= length:
            raise ConfigError(
                f"{shard.prefix} has {shard.tokens:,} tokens, fewer than the {length + 1:,} "
                f"of one window and its last target; make fewer and larger shards, or lower "
                f"sequence_length"
            )
    if not len(tokens):
        where = prefixes[0].parent if prefixes else "a split"
        raise ConfigError(
            f"{where} has no tokens to train or evaluate on; give it a larger share of the "
            f"documents when making the shards"
        )
    counts = np.maximum(0, -((1 - tokens.sizes) // length))
    return Windows(tokens, length, np.cumsum(counts))


@dataclass(frozen=True)
class Order:
    """Which windows each step takes. Equal on every rank of every job with the same values."""

    windows: int
    batch: int  # windows per step, over all ranks
    seed: int

    def step(self, step: int) -> NDArray[np.int64]:
        """The windows of a step, counted from 0, over all ranks."""
        samples = np.arange(step * self.batch, (step + 1) * self.batch)
        chosen = np.empty_like(samples)
        epochs = samples // self.windows
        for epoch in np.unique(epochs):
            now = epochs == epoch
            key = [self.seed, int(epoch)]
            chosen[now] = permute(samples[now] % self.windows, self.windows, key)
        return chosen


@dataclass(frozen=True, eq=False)
class Shuffled:
    """Steps of windows in a random order: what models take that see one window at a time."""

    windows: Windows
    order: Order

    def batch(self, step: int, rank: int, ranks: int) -> Batch:
        """One rank's part of a step."""
        return self.windows.batch(share(self.order.step(step), rank, ranks))

    def targets(self, step: int) -> int:
        """How many targets of a step count, over all ranks."""
        return self.windows.targets(self.order.step(step))

    def will_need(self, step: int, rank: int, ranks: int) -> None:
        """Have one rank's part of a step read from disk ahead of its use."""
        self.windows.will_need(share(self.order.step(step), rank, ranks))


def share(windows: NDArray[np.int64], rank: int, ranks: int) -> NDArray[np.int64]:
    """The part of a step that one rank takes.

    Raises:
        ConfigError: The step does not divide among the ranks.
    """
    if len(windows) % ranks:
        raise ConfigError(
            f"a batch of {len(windows)} windows does not divide among {ranks} ranks; set batch to "
            f"a multiple of {ranks}, or start another number of ranks"
        )
    part = len(windows) // ranks
    return windows[rank * part : (rank + 1) * part]
