"""GPT-NeoX (Black et al., 2022, arXiv:2204.06745) with the parameter names of its checkpoints.

Parameters carry the names that Hugging Face's `GPTNeoXForCausalLM` reads, so a trained model is
exported without conversion. Rotary embeddings: Su et al., 2021, arXiv:2104.09864.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from corpusforge.training.attention import Reach, angles, attend, reach_of, rotate
from corpusforge.training.parallel import fill
from corpusforge.training.shapes import NeoXConfig

ROTARY_BASE = 10_000
INITIAL_DEVIATION = 0.02
NORM_EPSILON = 1e-5


class Attention(nn.Module):
    """Self-attention in which a part of each head rotates with the position."""

    def __init__(self, config: NeoXConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.query_key_value = nn.Linear(config.hidden, 3 * config.hidden)
        self.dense = nn.Linear(config.hidden, config.hidden)

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor, reach: Reach) -> Tensor:
        """Shape (batch, time, hidden), as is `x`."""
        batch, time, hidden = x.shape
        # Each head's query, key and value lie together: (heads, 3, head size), not (3, heads, ...).
        mixed = self.query_key_value(x).view(batch, time, self.heads, -1)
        query, key, value = mixed.chunk(3, dim=-1)
        query, key = rotate(query, cosine, sine), rotate(key, cosine, sine)
        return self.dense(attend(query, key, value, reach).reshape(batch, time, hidden))


class FeedForward(nn.Module):
    """Two layers, four times as wide in between."""

    def __init__(self, config: NeoXConfig) -> None:
        super().__init__()
        self.dense_h_to_4h = nn.Linear(config.hidden, 4 * config.hidden)
        self.dense_4h_to_h = nn.Linear(4 * config.hidden, config.hidden)

    def forward(self, x: Tensor) -> Tensor:
        """Shape of `x`."""
        return self.dense_4h_to_h(functional.gelu(self.dense_h_to_4h(x)))


class Layer(nn.Module):
    """Attention and feed-forward, side by side or one after the other."""

    def __init__(self, config: NeoXConfig) -> None:
        super().__init__()
        self.parallel_residual = config.parallel_residual
        self.input_layernorm = nn.LayerNorm(config.hidden, eps=NORM_EPSILON)
        self.post_attention_layernorm = nn.LayerNorm(config.hidden, eps=NORM_EPSILON)
        self.attention = Attention(config)
        self.mlp = FeedForward(config)

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor, reach: Reach) -> Tensor:
        """Shape of `x`."""
        attended = self.attention(self.input_layernorm(x), cosine, sine, reach)
        if self.parallel_residual:
            return x + attended + self.mlp(self.post_attention_layernorm(x))
        x = x + attended
        return x + self.mlp(self.post_attention_layernorm(x))


class Trunk(nn.Module):
    """Embedding, layers and the last norm."""

    def __init__(self, config: NeoXConfig, vocab_size: int) -> None:
        super().__init__()
        self.rotary_size = config.rotary_size
        self.activation_checkpointing = False
        self.embed_in = nn.Embedding(vocab_size, config.hidden)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.final_layer_norm = nn.LayerNorm(config.hidden, eps=NORM_EPSILON)

    def forward(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """Shape (batch, time, hidden) from ids of shape (batch, time)."""
        places = torch.arange(tokens.shape[1], device=tokens.device)
        places = places if positions is None else positions
        cosine, sine = angles(places, self.rotary_size, ROTARY_BASE)
        x = self.embed_in(tokens)
        device = tokens.device.type
        half = torch.is_autocast_enabled(device)
        reach = reach_of(positions, torch.get_autocast_dtype(device) if half else x.dtype)
        for layer in self.layers:
            if self.activation_checkpointing and torch.is_grad_enabled():
                x = checkpoint(layer, x, cosine, sine, reach, use_reentrant=False)
            else:
                x = layer(x, cosine, sine, reach)
        return self.final_layer_norm(x)


class NeoX(nn.Module):
    """The language model: logits of the next token at every position."""

    def __init__(self, config: NeoXConfig, vocab_size: int) -> None:
        super().__init__()
        self.gpt_neox = Trunk(config, vocab_size)
        self.embed_out = nn.Linear(config.hidden, vocab_size, bias=False)

    def forward(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """Logits, shape (batch, time, vocabulary).

        Args:
            tokens: Ids, shape (batch, time).
            positions: Place of each token in its document, shape (batch, time); a token attends to
                nothing before the last 0. Without them each row is one document.
        """
        return self.embed_out(self.gpt_neox(tokens, positions))


def build_neox(config: NeoXConfig, vocab_size: int, seed: int) -> NeoX:
    """A model with weights drawn from the seed."""
    model = NeoX(config, vocab_size)
    draw_neox(model, seed)
    return model


def outline_neox(config: NeoXConfig, vocab_size: int) -> NeoX:
    """A model without weights: `draw_neox` gives them once it is spread over the ranks.

    So that no rank ever holds the whole: eight ranks with 22 billion parameters each would need
    720 GB of their host.
    """
    with torch.device("meta"):
        return NeoX(config, vocab_size)


@torch.no_grad()
def draw_neox(model: NeoX, seed: int) -> None:
    """Draw weights from the seed, the same ones however the model is spread.

    Matrices are normal with deviation 0.02, those that write to the residual stream smaller by
    sqrt(2 layers), so that its variance does not grow with depth (Radford et al., 2019).
    """
    generator = torch.Generator().manual_seed(seed)
    layers = len(model.gpt_neox.layers)
    for name, parameter in model.named_parameters():
        values = torch.empty(parameter.shape)
        if parameter.dim() == 2:
            writes = name.endswith(("attention.dense.weight", "dense_4h_to_h.weight"))
            scale = 1 / math.sqrt(2 * layers) if writes else 1.0
            values.normal_(std=INITIAL_DEVIATION * scale, generator=generator)
        else:
            values.fill_(0.0 if name.endswith("bias") else 1.0)
        fill(parameter, values)
