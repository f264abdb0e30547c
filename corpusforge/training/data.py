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

import numpy as np
from numpy.typing import NDArray

from corpusforge.errors import ConfigError
from corpusforge.formats.megatron import Shard
from corpusforge.kernels.permutation import permute

IGNORED = -100  # a target that does not count; torch's cross_entropy knows it by this number


@dataclass(frozen=True, eq=False)
class Batch:
    """Windows, one per row."""

    inputs: NDArray[np.int64]  # (windows, S)
    targets: NDArray[np.int64]  # (windows, S); IGNORED where another window has the target


@dataclass(frozen=True, eq=False)
class Windows:
    """All windows of a split."""

    shards: tuple[Shard, ...]
    length: int  # S, tokens per window
    ends: NDArray[np.int64]  # (shards,) windows up to and including each shard

    def __len__(self) -> int:
        return int(self.ends[-1])

    def targets(self, windows: NDArray[np.int64]) -> int:
        """How many targets these windows have, the ignored ones left out."""
        shards = np.searchsorted(self.ends, windows, side="right")
        sizes = np.array([shard.tokens.size - 1 for shard in self.shards])
        last = windows == self.ends[shards] - 1
        partial = sizes[shards[last]] % self.length
        return len(windows) * self.length - int((self.length - partial)[partial > 0].sum())

    def batch(self, windows: NDArray[np.int64]) -> Batch:
        """The windows with these numbers, in this order."""
        rows = np.empty((len(windows), self.length + 1), np.int64)
        repeated = np.zeros(len(windows), np.int64)
        for row, window in enumerate(windows):
            j = int(np.searchsorted(self.ends, window, side="right"))
            tokens = self.shards[j].tokens
            first = int(window - (self.ends[j - 1] if j else 0)) * self.length
            start = min(first, tokens.size - 1 - self.length)
            rows[row] = tokens[start : start + self.length + 1]
            repeated[row] = first - start
        targets = rows[:, 1:].copy()
        targets[np.arange(self.length) < repeated[:, None]] = IGNORED
        return Batch(rows[:, :-1], targets)


def windows_of(shards: Sequence[Shard], length: int) -> Windows:
    """The windows of some shards; shards without tokens have none.

    Raises:
        ConfigError: A shard is too short for one window, or none has tokens.
    """
    for shard in shards:
        if 0 < shard.tokens.size <= length:
            raise ConfigError(
                f"{shard.prefix} has {shard.tokens.size:,} tokens, fewer than the {length + 1:,} "
                f"of one window and its last target; make fewer and larger shards, or lower "
                f"sequence_length"
            )
    counts = [max(0, -(-(shard.tokens.size - 1) // length)) for shard in shards]
    if not sum(counts):
        where = shards[0].prefix.parent if shards else "a split"
        raise ConfigError(
            f"{where} has no tokens to train or evaluate on; give it a larger share of the "
            f"documents when making the shards"
        )
    return Windows(tuple(shards), length, np.cumsum(counts, dtype=np.int64))


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
