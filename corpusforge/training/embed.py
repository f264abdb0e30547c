"""Texts as vectors: the mean of a trained model's last hidden states over the tokens of a text.

FORGE (Yin et al., SC '23) gives such vectors to small models: to tell the domain of a paper, or to
predict a number from a table and a text together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from corpusforge.training.generate import Exported

TOKENS_AT_ONCE = 8192  # padding included


@dataclass(frozen=True, eq=False)
class Embedder:
    """A trained model without the layer that names the next token."""

    exported: Exported

    @classmethod
    def of(cls, exported: Exported) -> "Embedder":
        """The model, which can name no tokens from now on."""
        # What is left gives the hidden states in the place of logits.
        exported.model.embed_out = nn.Identity()  # type: ignore[assignment]
        return cls(exported)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector per text, shape (texts, hidden).

        Of a text longer than the windows of training the first window counts; a text without
        tokens is the end of a document.
        """
        vectors: dict[int, NDArray[np.float32]] = {}
        encoded = self._encode(texts)
        for rows in _alike(encoded):
            hidden = self._hidden([encoded[row] for row in rows])
            for row, states in zip(rows, hidden, strict=True):
                vectors[row] = states[: len(encoded[row])].mean(0).numpy()
        return np.stack([vectors[row] for row in range(len(texts))])

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        tokenizer, length = self.exported.tokenizer, self.exported.length
        encoded = tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [one.ids[:length] or [self.exported.end] for one in encoded]

    @torch.no_grad()
    def _hidden(self, encoded: list[list[int]]) -> Tensor:
        """Hidden states, shape (texts, longest, hidden); what follows a text does not change it."""
        longest = max(map(len, encoded))
        padded = [ids + [self.exported.end] * (longest - len(ids)) for ids in encoded]
        answer = self.exported.model(torch.tensor(padded))
        return answer if isinstance(answer, Tensor) else answer[0]


def _alike(encoded: list[list[int]]) -> Iterator[list[int]]:
    """Places of texts that are about as long as each other, a batch at a time."""
    order = sorted(range(len(encoded)), key=lambda place: len(encoded[place]))
    batch: list[int] = []
    for place in order:
        if batch and (len(batch) + 1) * len(encoded[place]) > TOKENS_AT_ONCE:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
