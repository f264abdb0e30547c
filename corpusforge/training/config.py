"""Training configuration: everything in it changes what a run leaves behind, nothing else does."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from corpusforge.errors import ConfigError

VOCAB_MULTIPLE = 128  # rows of the embedding; matrix units work in tiles of this size


class ModelConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Shape of a GPT-NeoX model. The vocabulary comes from the tokenizer."""

    layers: Annotated[int, Meta(ge=1, description="Transformer layers.")]
    hidden: Annotated[int, Meta(ge=8, description="Width of the residual stream.")]
    heads: Annotated[int, Meta(ge=1, description="Attention heads; they share the width.")]
    rotary_fraction: Annotated[
        float, Meta(gt=0, le=1, description="Part of each head that rotates with the position.")
    ] = 0.25
    parallel_residual: Annotated[
        bool, Meta(description="Attention and feed-forward read the same input.")
    ] = True

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise ValueError(
                f"hidden={self.hidden} does not divide among heads={self.heads}; "
                f"choose hidden as a multiple of heads"
            )
        if self.head_size % 8:
            raise ValueError(
                f"hidden={self.hidden} over heads={self.heads} makes heads of {self.head_size}; "
                f"fast attention kernels need a multiple of 8"
            )
        if self.rotary_size < 2 or self.rotary_size % 2:
            raise ValueError(
                f"rotary_fraction={self.rotary_fraction} rotates {self.rotary_size} of "
                f"{self.head_size} values per head; rotation works on pairs"
            )

    @property
    def head_size(self) -> int:
        """Values per head."""
        return self.hidden // self.heads

    @property
    def rotary_size(self) -> int:
        """Values per head that rotate."""
        return int(self.head_size * self.rotary_fraction)


class TrainConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One training run. Ranks, threads and machines are not part of it: they change nothing."""

    model: ModelConfig
    sequence_length: Annotated[int, Meta(ge=2, description="Tokens per window.")] = 256
    batch: Annotated[int, Meta(ge=1, description="Windows per step, over all ranks.")] = 16
    steps: Annotated[int, Meta(ge=1, description="Optimizer steps.")] = 300
    warmup: Annotated[int, Meta(ge=0, description="Steps of linear warm-up.")] = 20
    learning_rate: Annotated[float, Meta(gt=0, description="Highest learning rate.")] = 2e-3
    weight_decay: Annotated[float, Meta(ge=0, description="Decay of matrices, not of biases.")] = (
        0.1
    )
    betas: Annotated[tuple[float, float], Meta(description="Decay of AdamW's two averages.")] = (
        0.9,
        0.95,
    )
    clip: Annotated[float, Meta(gt=0, description="Largest norm of the gradient.")] = 1.0
    seed: Annotated[int, Meta(ge=0, description="Of the weights and of the data order.")] = 0
    evaluate_every: Annotated[int, Meta(ge=1, description="Steps between evaluations.")] = 100
    evaluation_windows: Annotated[
        int, Meta(ge=1, description="Validation windows, always the same ones.")
    ] = 64
    checkpoint_every: Annotated[int, Meta(ge=1, description="Steps between checkpoints.")] = 100
    precision: Annotated[
        Literal["fp32", "bf16"], Meta(description="Of activations; weights are always fp32.")
    ] = "fp32"

    def __post_init__(self) -> None:
        if self.warmup > self.steps:
            raise ValueError(
                f"warmup={self.warmup} is longer than steps={self.steps}; lower warmup"
            )
        if not all(0 <= beta < 1 for beta in self.betas):
            raise ValueError(f"betas={list(self.betas)} must both be at least 0 and below 1")


def load_config(path: Path) -> TrainConfig:
    """The configuration in a JSON file.

    Raises:
        ConfigError: There is no such file, it is not JSON, or a value is wrong.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=TrainConfig)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except msgspec.MsgspecError as error:
        raise ConfigError(f"{path}: {error}") from error


def padded_vocabulary(vocab_size: int) -> int:
    """Rows of the embedding: the vocabulary, rounded up; the added rows are never a target.

    >>> padded_vocabulary(8192), padded_vocabulary(52001)
    (8192, 52096)
    """
    return -(-vocab_size // VOCAB_MULTIPLE) * VOCAB_MULTIPLE
