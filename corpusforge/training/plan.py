"""What a run will need, before it is started: memory, operations, steps; without torch.

Weights, gradients and the optimizer's state are exact. Activations are what backward keeps of a
forward pass, counted tensor by tensor, and exact to a few percent; what a kernel needs besides for
a moment, what the allocator wastes and what the libraries themselves take (1 to 2 GB on a GPU) is
not in here. On CPUs, documents in a window cost another 2 to 4 bytes per layer and pair of tokens.
"""

from dataclasses import dataclass, fields
from typing import Literal

from corpusforge.training.config import TrainConfig, micro_batch, padded_vocabulary
from corpusforge.training.schedule import highest_rate
from corpusforge.training.shapes import NeoXConfig
from corpusforge.training.size import flops_per_token, layer_parameters, parameters

FULL = 4  # bytes of a weight, of a gradient, and of each of the optimizer's two averages
UNITS = ((1e21, "Z"), (1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True)
class Memory:
    """Bytes that one rank needs at the end of a forward pass."""

    weights: int
    gradients: int
    optimizer: int
    copies: int  # of weights: normalised, rounded to the precision, gathered from other ranks
    activations: int
    logits: int

    @property
    def total(self) -> int:
        """All of it."""
        return sum(getattr(self, field.name) for field in fields(self))


def memory(
    config: TrainConfig, vocab_size: int, ranks: int, parallel: Literal["ddp", "fsdp"]
) -> Memory:
    """What each of `ranks` ranks needs.

    Raises:
        ConfigError: The batch does not divide among the ranks and their micro-batches.
    """
    tokens = micro_batch(config, ranks) * config.sequence_length
    rows = padded_vocabulary(vocab_size)
    count = parameters(config.model, rows)
    half = FULL if config.precision == "fp32" else 2
    part = -(-count // ranks) if parallel == "fsdp" else count
    return Memory(
        weights=FULL * part,
        gradients=FULL * part,
        optimizer=2 * FULL * part,
        copies=_copies(config, count, half, parallel),
        activations=tokens * _kept_per_token(config, half),
        # As the model gives them, in fp32 for the loss, and the logarithm of their softmax.
        logits=tokens * rows * (half + 2 * 4),
    )


def _copies(config: TrainConfig, count: int, half: int, parallel: str) -> int:
    model = config.model
    if not isinstance(model, NeoXConfig):
        return half * (5 * model.hidden**2 if half == FULL and parallel == "ddp" else count)
    if parallel == "ddp":
        return 0 if half == FULL else half * count
    # The embeddings all the time, and two layers: one that computes, one that is on its way.
    layers = layer_parameters(model)
    return half * (count - model.layers * layers + 2 * layers)


def _kept_per_token(config: TrainConfig, half: int) -> int:
    """Bytes that backward needs per token, the logits left out.

    A layer keeps its input in fp32 (and again between its halves, where they follow each other),
    and in the precision of products: two normed inputs, rotated queries and keys, the mixed three
    that hold the values, attention's answer, and four times the width before and after gelu.
    """
    model = config.model
    if not isinstance(model, NeoXConfig):
        return model.hidden * (2 * 4 + 13 * half) + model.embedding * half
    streams = 1 if model.parallel_residual else 2
    layer = model.hidden * (streams * 4 + 16 * half)
    last = model.hidden * (4 + half)
    if config.execution.activation_checkpointing:
        return model.hidden * 4 * model.layers + layer + last
    return layer * model.layers + last


def plan_lines(config: TrainConfig, vocab_size: int, tokens: int | None, ranks: int) -> list[str]:
    """The plan of a run as a table.

    Args:
        config: What is to be trained.
        vocab_size: Entries of the tokenizer.
        tokens: Of the training split; None where there are no shards yet.
        ranks: How many share the work.

    Raises:
        ConfigError: The batch does not divide among the ranks and their micro-batches.
    """
    rows, step_tokens = padded_vocabulary(vocab_size), config.batch * config.sequence_length
    flops = flops_per_token(config.model, rows, config.sequence_length)
    ways = {way: memory(config, vocab_size, ranks, way) for way in ("ddp", "fsdp")}
    names = [field.name for field in fields(Memory)] + ["total"]
    return [
        f"model        {config.model}, vocabulary {vocab_size:,}",
        f"parameters   {parameters(config.model, rows):,}",
        f"operations   {scaled(flops)}FLOP per token, {scaled(flops * step_tokens)}FLOP per step",
        f"step         {config.batch:,} windows of {config.sequence_length:,}: {step_tokens:,} "
        f"tokens; {micro_batch(config, ranks):,} windows at once on each of {ranks:,} ranks",
        f"run          {config.steps:,} steps, {scaled(config.steps * step_tokens)} tokens, "
        f"{scaled(config.steps * step_tokens * flops)}FLOP{_epochs(config, tokens)}",
        f"rate         {highest_rate(config):g} after {config.warmup:,} steps, {config.decay} to "
        f"{config.final_fraction:g} of it; {config.optimizer}, {config.precision}",
        f"{'memory of a rank, GB':<24}{'ddp':>10}{'fsdp':>10}",
        *(
            f"  {name:<22}" + "".join(f"{getattr(way, name) / 1e9:>10.3f}" for way in ways.values())
            for name in names
        ),
        "  libraries, kernels and allocators take more: 0.5 GB and up on CPUs, 1 to 2 on GPUs",
    ]


def scaled(number: float) -> str:
    """A number with the prefix of its unit.

    >>> scaled(9_100_000_000), scaled(12)
    ('9.1 G', '12 ')
    """
    size, prefix = next((unit for unit in UNITS if abs(number) >= unit[0]), (1, ""))
    return f"{number / size:.3g} {prefix}"


def _epochs(config: TrainConfig, tokens: int | None) -> str:
    if not tokens:
        return ""
    seen = config.steps * config.batch * config.sequence_length
    return f", {seen / tokens:.3g} epochs of {tokens:,} tokens"
