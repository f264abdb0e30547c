"""The model of a configuration, and how it is to compute."""

from torch import nn

from corpusforge.training.config import ExecutionConfig, TrainConfig
from corpusforge.training.mlstm import MLSTM, build_mlstm
from corpusforge.training.neox import NeoX, build_neox, outline_neox
from corpusforge.training.shapes import ModelConfig, NeoXConfig

Model = NeoX | MLSTM


def build_model(config: ModelConfig, vocab_size: int, seed: int) -> Model:
    """A model with weights drawn from the seed; `vocab_size` counts the rows of its embedding."""
    if isinstance(config, NeoXConfig):
        return build_neox(config, vocab_size, seed)
    return build_mlstm(config, vocab_size, seed)


def model_to_spread(config: TrainConfig, vocab_size: int) -> Model:
    """What a trainer spreads over the ranks: where they share a large model, without weights."""
    if config.execution.parallel == "fsdp" and isinstance(config.model, NeoXConfig):
        return outline_neox(config.model, vocab_size)
    return build_model(config.model, vocab_size, config.seed)


def carry_out(model: Model, execution: ExecutionConfig, backend: str = "inductor") -> None:
    """Let a model compute as configured, before it is spread over ranks.

    What repeats is compiled, not the whole: a layer or a cell compiles in seconds, and once for
    all of them.
    """
    if isinstance(model, NeoX):
        model.gpt_neox.activation_checkpointing = execution.activation_checkpointing
    if execution.compile:
        repeated: list[nn.Module] = (
            list(model.gpt_neox.layers) if isinstance(model, NeoX) else [model.cell]
        )
        for part in repeated:
            part.compile(backend=backend)
