"""The order of models that carry a state from step to step: contiguous streams.

Puri et al. (2018, arXiv:1808.01371, section 4.1) cut the text into as many pieces as the batch has
rows; each row goes through its piece from step to step, and the hidden state goes with it. Here all
shards of a split, one after the other, are cut into B streams of K S targets each: step k gives
stream b the S tokens from b K S + k S on, and the token after each as its target. K is the largest
number for which that fits; the fewer than B S targets after the last stream are left out, as is the
first token of all. After K steps every stream starts anew.

Rank r of R takes the r-th of R equal parts of the streams, so that its own go on from step to step
and, put together, the ranks see the same on any number of them, from any step.
"""

from dataclasses import dataclass

import numpy as np

from corpusforge.errors import ConfigError
from corpusforge.training.data import Batch, share, without_positions
from corpusforge.training.tokens import Tokens


@dataclass(frozen=True, eq=False)
class Streams:
    """Steps of B streams. A position of 0 says that the state starts anew with that token."""

    tokens: Tokens
    length: int  # S, tokens per step
    count: int  # B, over all ranks
    per_pass: int  # K, steps
    documents: bool  # positions start anew with each document too, not only with each stream

    @property
    def left_out(self) -> int:
        """Targets at the end of the split that no stream reaches; fewer than B S."""
        return len(self.tokens) - 1 - self.count * self.per_pass * self.length

    def batch(self, step: int, rank: int, ranks: int) -> Batch:
        """One rank's streams in a step."""
        origins, starts = self._places(step, rank, ranks)
        batch = without_positions(self.tokens, starts, self.length)
        if self.documents:
            self.tokens.place(starts, origins, batch.positions)
        else:
            batch.positions[...] = (starts - origins)[:, None] + np.arange(self.length)
        return batch

    def targets(self, _step: int) -> int:
        """How many targets of a step count, over all ranks."""
        return self.count * self.length

    def will_need(self, step: int, rank: int, ranks: int) -> None:
        """Have one rank's streams of a step read from disk ahead of their use."""
        _, starts = self._places(step, rank, ranks)
        self.tokens.will_need(starts, self.length + 1)

    def _places(self, step: int, rank: int, ranks: int) -> tuple[np.ndarray, np.ndarray]:
        """Where each stream starts, and where it is at a step."""
        mine = share(np.arange(self.count), rank, ranks)
        origins = mine * (self.per_pass * self.length)
        return origins, origins + step % self.per_pass * self.length


def streams_of(tokens: Tokens, length: int, count: int, *, documents: bool) -> Streams:
    """Streams over the tokens of a split.

    Args:
        tokens: The tokens.
        length: Tokens that each stream takes in a step.
        count: Streams, over all ranks.
        documents: Whether positions count from the start of a document where one starts within a
            stream; otherwise from the start of the stream only.

    Raises:
        ConfigError: There are not tokens enough for one step.
    """
    per_pass = (len(tokens) - 1) // (count * length)
    if per_pass < 1:
        raise ConfigError(
            f"the {len(tokens):,} tokens of a split are too few for one step of {count} streams of "
            f"{length:,} tokens and a last target; lower batch or sequence_length"
        )
    return Streams(tokens, length, count, per_pass, documents)
