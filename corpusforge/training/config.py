"""Training configuration: what decides the model, and how it is computed."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

import msgspec
from msgspec import Meta, Struct

from corpusforge.errors import ConfigError
from corpusforge.training.preset import PresetName, with_preset
from corpusforge.training.shapes import MLSTMConfig, ModelConfig

VOCAB_MULTIPLE = 128  # rows of the embedding; matrix units work in tiles of this size


class LearningRateScaling(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the learning rate follows the size of the batch."""

    rule: Annotated[
        Literal["linear", "sqrt"],
        Meta(description="A k times as large batch takes a k or a sqrt(k) times as large rate."),
    ]
    reference_batch: Annotated[
        int, Meta(ge=1, description="Windows per step that learning_rate is meant for.")
    ]
    cap: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="Highest rate, however large the batch."),
    ] = None


class LossScaling(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Factor that keeps fp16 gradients from vanishing: halved when they overflow, else doubled."""

    initial: Annotated[float, Meta(gt=0, description="Factor of the first step.")] = 65536.0
    growth_steps: Annotated[
        int, Meta(ge=1, description="Steps without overflow after which it doubles.")
    ] = 1000


class ExecutionConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a run is carried out: memory against time. It changes nothing but rounding.

    So a run may continue with other values, as it may on another number of ranks.
    """

    accumulate: Annotated[
        int, Meta(ge=1, description="Parts that each rank takes its windows in, one by one.")
    ] = 1
    activation_checkpointing: Annotated[
        bool, Meta(description="Compute the layers again going back, instead of keeping them.")
    ] = False
    compile: Annotated[bool, Meta(description="Let torch.compile fuse layers or cells.")] = False
    parallel: Annotated[
        Literal["ddp", "fsdp"],
        Meta(description="The whole model on each rank, or a part of it (FSDP2)."),
    ] = "ddp"
    keep_checkpoints: Annotated[int, Meta(ge=1, description="Checkpoints kept, the last.")] = 2
    async_checkpoints: Annotated[
        bool, Meta(description="Write checkpoints while the next steps are taken.")
    ] = False
    peak_flops: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(
            description="Operations per second that a rank's device can do, which the log's "
            "utilisation is a share of; measured with a product of matrices where not given."
        ),
    ] = None


class TrainConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One training run. Ranks, threads and machines are not part of it: they change nothing."""

    model: Annotated[ModelConfig, Meta(description="What is trained, by its kind.")]
    preset: Annotated[
        PresetName | None,
        Meta(description="Settings that hold where none are given; gone once a file is read."),
    ] = None
    sequence_length: Annotated[int, Meta(ge=2, description="Tokens per window.")] = 256
    batch: Annotated[int, Meta(ge=1, description="Windows per step, over all ranks.")] = 16
    steps: Annotated[int, Meta(ge=1, description="Optimizer steps.")] = 300
    warmup: Annotated[int, Meta(ge=0, description="Steps of linear warm-up.")] = 20
    decay: Annotated[
        Literal["cosine", "linear", "constant"], Meta(description="Of the rate after warm-up.")
    ] = "cosine"
    final_fraction: Annotated[
        float, Meta(ge=0, le=1, description="Of the highest rate, left at the last step.")
    ] = 0.1
    learning_rate: Annotated[float, Meta(gt=0, description="Highest learning rate.")] = 2e-3
    learning_rate_scaling: Annotated[
        LearningRateScaling | None, Meta(description="By the batch; the rate as it is without.")
    ] = None
    optimizer: Annotated[
        Literal["adamw", "lamb"], Meta(description="LAMB for batches of thousands of windows.")
    ] = "adamw"
    weight_decay: Annotated[float, Meta(ge=0, description="Decay of matrices, not of biases.")] = (
        0.1
    )
    betas: Annotated[
        tuple[float, float], Meta(description="Decay of the optimizer's two averages.")
    ] = (0.9, 0.95)
    epsilon: Annotated[float, Meta(gt=0, description="Added to the root of the second.")] = 1e-8
    clip: Annotated[float, Meta(gt=0, description="Largest norm of the gradient.")] = 1.0
    seed: Annotated[int, Meta(ge=0, description="Of the weights and of the data order.")] = 0
    evaluate_every: Annotated[int, Meta(ge=1, description="Steps between evaluations.")] = 100
    evaluation_windows: Annotated[
        int, Meta(ge=1, description="Validation windows, always the same ones.")
    ] = 64
    checkpoint_every: Annotated[int, Meta(ge=1, description="Steps between checkpoints.")] = 100
    precision: Annotated[
        Literal["fp32", "bf16", "fp16"],
        Meta(description="Of activations; weights, loss and norms are always fp32."),
    ] = "fp32"
    loss_scaling: Annotated[LossScaling, Meta(description="With fp16 only.")] = LossScaling()
    execution: Annotated[
        ExecutionConfig, Meta(description="How it is carried out; may change between restarts.")
    ] = ExecutionConfig()

    def __post_init__(self) -> None:
        if self.preset is not None:
            raise ValueError(
                f"preset={self.preset} was not replaced by its settings; give what the file says "
                f"to with_preset first"
            )
        if self.warmup > self.steps:
            raise ValueError(
                f"warmup={self.warmup} is longer than steps={self.steps}; lower warmup"
            )
        if not all(0 <= beta < 1 for beta in self.betas):
            raise ValueError(f"betas={list(self.betas)} must both be at least 0 and below 1")
        if self.execution.activation_checkpointing and isinstance(self.model, MLSTMConfig):
            raise ValueError(
                "activation_checkpointing is for the layers of kind neox, and kind mlstm has none; "
                "raise accumulate to save memory"
            )

    @property
    def streams(self) -> bool:
        """Whether each row of a batch goes on where it ended in the step before."""
        return isinstance(self.model, MLSTMConfig) and self.model.reset != "window"

    @property
    def recipe(self) -> Self:
        """All that decides the model: everything but how it is carried out."""
        return msgspec.structs.replace(self, execution=ExecutionConfig())


def load_config(path: Path) -> TrainConfig:
    """The configuration in a JSON file.

    Raises:
        ConfigError: There is no such file, it is not JSON, or a value is wrong.
    """
    try:
        settings = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        return msgspec.convert(with_preset(settings), TrainConfig)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except msgspec.MsgspecError as error:
        raise ConfigError(f"{path}: {error}") from error


def micro_batch(config: TrainConfig, ranks: int) -> int:
    """Windows that each of `ranks` ranks takes at once.

    Raises:
        ConfigError: They do not come out even.
    """
    parts = config.execution.accumulate
    if config.batch % (ranks * parts):
        each, other = "", "start another number of ranks"
        if parts > 1:
            each, other = f" in accumulate={parts} parts each", "change accumulate"
        raise ConfigError(
            f"a batch of {config.batch} windows does not divide among {ranks} ranks{each}; set "
            f"batch to a multiple of {ranks * parts}, or {other}"
        )
    return config.batch // (ranks * parts)


def padded_vocabulary(vocab_size: int) -> int:
    """Rows of the embedding: the vocabulary, rounded up; the added rows are never a target.

    >>> padded_vocabulary(8192), padded_vocabulary(52001)
    (8192, 52096)
    """
    return -(-vocab_size // VOCAB_MULTIPLE) * VOCAB_MULTIPLE
