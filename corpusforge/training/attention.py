"""Attention that stays inside documents, and the positions that start anew with each of them.

A window holds parts of several documents, one after the other. Each token attends to itself and to
the tokens of its own document before it, so a document reads the same alone and in a window.
"""

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor
from torch.nn import functional

HALVES = (torch.bfloat16, torch.float16)  # what the kernel for documents computes in


@dataclass(frozen=True, eq=False)
class Reach:
    """Which tokens each token attends to: all before it, or those that a field tells."""

    mask: Tensor | None = None  # (batch, 1, time, time); True where the column is attended to
    bounds: Tensor | None = None  # (documents + 1,) int32, in the tokens of all windows in a row


def reach_of(positions: Tensor | None, dtype: torch.dtype) -> Reach:
    """The reach of each token of some windows.

    Args:
        positions: Place of each token in its document, shape (batch, time); 0 where a document
            starts. Without them each window is one document.
        dtype: What attention computes in.
    """
    if positions is None:
        return Reach()
    if positions.device.type == "cuda" and dtype in HALVES:
        # One kernel over all documents of all windows skips what lies outside of them.
        return Reach(bounds=bounds_of(positions))
    if not (positions[:, 1:] == 0).any():  # no document starts within a window
        return Reach()
    documents = (positions == 0).cumsum(1)
    same = documents[:, :, None] == documents[:, None, :]
    return Reach(mask=same.tril()[:, None])


def bounds_of(positions: Tensor) -> Tensor:
    """Where documents start in all windows in a row, and the end; each window starts one."""
    starts = positions == 0
    starts[:, 0] = True
    firsts = starts.flatten().nonzero().flatten()
    return functional.pad(firsts, (0, 1), value=starts.numel()).int()


def attend(query: Tensor, key: Tensor, value: Tensor, reach: Reach) -> Tensor:
    """Attention within reach, shape (batch, time, heads, head size) as all three."""
    if reach.bounds is not None:
        return _attend_packed(query, key, value, reach.bounds)
    return functional.scaled_dot_product_attention(
        query.transpose(1, 2),
        key.transpose(1, 2),
        value.transpose(1, 2),
        attn_mask=reach.mask,
        is_causal=reach.mask is None,
    ).transpose(1, 2)


def _attend_packed(query: Tensor, key: Tensor, value: Tensor, bounds: Tensor) -> Tensor:
    # Importing it loads the compiler, which takes seconds and makes a folder: on GPUs only.
    from torch.nn.attention.varlen import varlen_attn  # noqa: PLC0415

    longest = query.shape[1]
    attended = varlen_attn(
        query.flatten(0, 1),
        key.flatten(0, 1),
        value.flatten(0, 1),
        bounds,
        bounds,
        longest,
        longest,
        window_size=(-1, 0),  # nothing after the token itself
    )
    return cast("Tensor", attended).view_as(query)


def angles(positions: Tensor, rotary_size: int, base: float) -> tuple[Tensor, Tensor]:
    """Cosine and sine of the angle of each pair, shape (..., 1, rotary_size) from (...)."""
    exponents = torch.arange(0, rotary_size, 2, device=positions.device) / rotary_size
    half = positions[..., None].float() * base**-exponents
    whole = torch.cat((half, half), dim=-1).unsqueeze(-2)
    return whole.cos(), whole.sin()


def rotate(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """The first values of each head rotated by their angles, the others as they are.

    Value i is paired with value i + rotary_size / 2, which is NeoX's order, not GPT-J's.
    """
    turning, still = x[..., : cosine.shape[-1]], x[..., cosine.shape[-1] :]
    first, second = turning.chunk(2, dim=-1)
    turned = turning * cosine + torch.cat((-second, first), dim=-1) * sine
    return torch.cat((turned.type_as(x), still), dim=-1)
