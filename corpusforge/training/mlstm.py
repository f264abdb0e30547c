"""Multiplicative LSTM (Krause et al., 2016, arXiv:1609.07959) as a language model.

An input x and a hidden state h first meet in m = (W_mx x) * (W_mh h), which then takes the place of
h in an ordinary LSTM. The recurrent matrices are weight-normalised (Salimans and Kingma, 2016), as
in Radford et al. (2017, arXiv:1704.01444) and Puri et al. (2018, arXiv:1808.01371).

All products with inputs are taken for a whole window at once; only those with the hidden state
have to wait for the token before. State and cell are fp32 in every precision.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.parametrizations import weight_norm

from corpusforge.training.shapes import MLSTMConfig


class Cell(nn.Module):
    """One token of every stream. It has no parameters of its own: they are the same at each."""

    def forward(
        self,
        from_input: Tensor,
        state: tuple[Tensor, Tensor],
        weights: tuple[Tensor, Tensor, Tensor],
    ) -> tuple[Tensor, Tensor]:
        """The next hidden state and cell.

        Args:
            from_input: W_mx x and the input's part of the gates, shape (streams, 5 hidden).
            state: Hidden state and cell, each of shape (streams, hidden).
            weights: W_mh, shape (hidden, hidden); from m to the gates (in, forget, out, new),
                shape (4 hidden, hidden); and the bias of the gates, shape (4 hidden,).
        """
        hidden, cell = state
        to_factor, to_gates, bias = weights
        width = hidden.shape[1]
        factor = from_input[:, :width] * functional.linear(hidden.type_as(to_factor), to_factor)
        gates = from_input[:, width:] + functional.linear(factor, to_gates, bias)
        take, keep, give, new = gates.chunk(4, dim=1)
        cell = keep.sigmoid() * cell + take.sigmoid() * new.tanh()
        return give.sigmoid() * cell.tanh(), cell


class MLSTM(nn.Module):
    """The language model: logits of the next token at every position, and where it got to."""

    def __init__(self, config: MLSTMConfig, vocab_size: int) -> None:
        super().__init__()
        self.hidden = config.hidden
        self.embed_in = nn.Embedding(vocab_size, config.embedding)
        self.from_input = nn.Linear(config.embedding, 5 * config.hidden, bias=False)
        self.factor = weight_norm(nn.Linear(config.hidden, config.hidden, bias=False))
        self.gates = weight_norm(nn.Linear(config.hidden, 4 * config.hidden))
        self.embed_out = nn.Linear(config.hidden, vocab_size)
        self.cell = Cell()

    def forward(
        self, tokens: Tensor, positions: Tensor | None = None, memory: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Logits, shape (streams, time, vocabulary), and the memory after the last token, detached.

        Args:
            tokens: Ids, shape (streams, time).
            positions: Shape (streams, time); the state is zero before each token whose position
                is 0. Without them the state is kept throughout.
            memory: Hidden state and cell before the first token, shape (streams, 2, hidden).
        """
        inputs = self.from_input(self.embed_in(tokens))
        # Normalised, and rounded to the precision of the products, once and not for each token.
        recurrent = (self.factor.weight, self.gates.weight, self.gates.bias)
        weights = tuple(weight.type_as(inputs) for weight in recurrent)
        if memory is None:
            memory = self.empty_memory(len(tokens), tokens.device)
        hidden, cell = memory.unbind(1)
        goes_on = None if positions is None else (positions != 0).to(memory.dtype)
        states = []
        for time in range(tokens.shape[1]):
            if goes_on is not None:
                hidden, cell = hidden * goes_on[:, time, None], cell * goes_on[:, time, None]
            hidden, cell = self.cell(inputs[:, time], (hidden, cell), weights)
            states.append(hidden)
        logits = self.embed_out(torch.stack(states, dim=1))
        return logits, torch.stack((hidden, cell), dim=1).detach()

    def empty_memory(self, streams: int, device: torch.device) -> Tensor:
        """The memory of streams that have not begun, shape (streams, 2, hidden)."""
        return torch.zeros(streams, 2, self.hidden, device=device)


def build_mlstm(config: MLSTMConfig, vocab_size: int, seed: int) -> MLSTM:
    """A model with weights drawn from the seed.

    Matrices are normal with a deviation of 1 / sqrt(inputs), and what weight norm keeps apart
    (lengths and directions of rows) are those of such a matrix.
    """
    model = MLSTM(config, vocab_size)
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if name.endswith(("weight", "original1")):
            deviation = 1.0 if name == "embed_in.weight" else parameter.shape[1] ** -0.5
            nn.init.normal_(parameter, std=deviation, generator=generator)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
    with torch.no_grad():
        for recurrent in (model.factor, model.gates):
            lengths, directions = recurrent.parametrizations.weight.parameters()
            lengths.copy_(directions.norm(dim=1, keepdim=True))
    return model
