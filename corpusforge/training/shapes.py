"""Shapes of the models that can be trained: GPT-NeoX and mLSTM. Nothing here needs torch."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class NeoXConfig(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="neox"
):
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

    def __str__(self) -> str:
        return f"GPT-NeoX, {self.layers} layers, {self.hidden} wide, {self.heads} heads"


class MLSTMConfig(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="mlstm"
):
    """Shape of a multiplicative LSTM. The vocabulary comes from the tokenizer."""

    hidden: Annotated[int, Meta(ge=1, description="Width of the hidden state and of the cell.")]
    embedding: Annotated[int, Meta(ge=1, description="Width of a token's embedding.")] = 64
    reset: Annotated[
        Literal["stream", "document", "window"],
        Meta(
            description="Where the hidden state starts anew: with a stream of the corpus, carried "
            "from step to step; with each document in it too; or with each window, in any order."
        ),
    ] = "stream"

    def __str__(self) -> str:
        return f"mLSTM, {self.hidden} wide, state anew with each {self.reset}"


ModelConfig = NeoXConfig | MLSTMConfig
