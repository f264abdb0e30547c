"""GPT-NeoX (Black et al., 2022, arXiv:2204.06745) with the parameter names of its checkpoints.

Parameters carry the names that Hugging Face's `GPTNeoXForCausalLM` reads, so a trained model is
exported without conversion. Rotary embeddings: Su et al., 2021, arXiv:2104.09864.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from corpusforge.training.config import ModelConfig

ROTARY_BASE = 10_000
INITIAL_DEVIATION = 0.02
NORM_EPSILON = 1e-5


class Attention(nn.Module):
    """Causal self-attention in which a part of each head rotates with the position."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.query_key_value = nn.Linear(config.hidden, 3 * config.hidden)
        self.dense = nn.Linear(config.hidden, config.hidden)

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        """Shape (batch, time, hidden), as is `x`."""
        batch, time, hidden = x.shape
        # Each head's query, key and value lie together: (heads, 3, head size), not (3, heads, ...).
        mixed = self.query_key_value(x).view(batch, time, self.heads, -1).transpose(1, 2)
        query, key, value = mixed.chunk(3, dim=-1)
        query, key = rotate(query, cosine, sine), rotate(key, cosine, sine)
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.dense(attended.transpose(1, 2).reshape(batch, time, hidden))


class FeedForward(nn.Module):
    """Two layers, four times as wide in between."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.dense_h_to_4h = nn.Linear(config.hidden, 4 * config.hidden)
        self.dense_4h_to_h = nn.Linear(4 * config.hidden, config.hidden)

    def forward(self, x: Tensor) -> Tensor:
        """Shape of `x`."""
        return self.dense_4h_to_h(functional.gelu(self.dense_h_to_4h(x)))


class Layer(nn.Module):
    """Attention and feed-forward, side by side or one after the other."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.parallel_residual = config.parallel_residual
        self.input_layernorm = nn.LayerNorm(config.hidden, eps=NORM_EPSILON)
        self.post_attention_layernorm = nn.LayerNorm(config.hidden, eps=NORM_EPSILON)
        self.attention = Attention(config)
        self.mlp = FeedForward(config)

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        """Shape of `x`."""
        attended = self.attention(self.input_layernorm(x), cosine, sine)
        if self.parallel_residual:
            return x + attended + self.mlp(self.post_attention_layernorm(x))
        x = x + attended
        return x + self.mlp(self.post_attention_layernorm(x))


class Trunk(nn.Module):
    """Embedding, layers and the last norm."""

    def __init__(self, config: ModelConfig, vocab_size: int) -> None:
        super().__init__()
        self.rotary_size = config.rotary_size
        self.embed_in = nn.Embedding(vocab_size, config.hidden)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.final_layer_norm = nn.LayerNorm(config.hidden, eps=NORM_EPSILON)

    def forward(self, tokens: Tensor) -> Tensor:
        """Shape (batch, time, hidden) from ids of shape (batch, time)."""
        cosine, sine = angles(tokens.shape[1], self.rotary_size, tokens.device)
        x = self.embed_in(tokens)
        for layer in self.layers:
            x = layer(x, cosine, sine)
        return self.final_layer_norm(x)


class NeoX(nn.Module):
    """The language model: logits of the next token at every position."""

    def __init__(self, config: ModelConfig, vocab_size: int) -> None:
        super().__init__()
        self.gpt_neox = Trunk(config, vocab_size)
        self.embed_out = nn.Linear(config.hidden, vocab_size, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Shape (batch, time, vocabulary) from ids of shape (batch, time)."""
        return self.embed_out(self.gpt_neox(tokens))


def angles(time: int, rotary_size: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Cosine and sine of the angle of each pair at each position, shape (time, rotary_size)."""
    exponents = torch.arange(0, rotary_size, 2, device=device) / rotary_size
    positions = torch.arange(time, device=device, dtype=torch.float32)
    half = torch.outer(positions, ROTARY_BASE**-exponents)
    whole = torch.cat((half, half), dim=-1)
    return whole.cos(), whole.sin()


def rotate(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """The first values of each head rotated by their angles, the others as they are.

    Value i is paired with value i + rotary_size / 2, which is NeoX's order, not GPT-J's.
    """
    turning, still = x[..., : cosine.shape[-1]], x[..., cosine.shape[-1] :]
    first, second = turning.chunk(2, dim=-1)
    turned = turning * cosine + torch.cat((-second, first), dim=-1) * sine
    return torch.cat((turned.type_as(x), still), dim=-1)


def build_model(config: ModelConfig, vocab_size: int, seed: int) -> NeoX:
    """A model with weights drawn from the seed.

    Matrices are normal with deviation 0.02, those that write to the residual stream smaller by
    sqrt(2 layers), so that its variance does not grow with depth (Radford et al., 2019).
    """
    model = NeoX(config, vocab_size)
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if parameter.dim() == 2:
            writes = name.endswith(("attention.dense.weight", "dense_4h_to_h.weight"))
            scale = 1 / math.sqrt(2 * config.layers) if writes else 1.0
            nn.init.normal_(parameter, std=INITIAL_DEVIATION * scale, generator=generator)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
    return model
