"""One step of data-parallel training, and the model's answer outside of training."""

import math
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule

from corpusforge.training.checkpoint import State
from corpusforge.training.config import TrainConfig, micro_batch
from corpusforge.training.data import Batch
from corpusforge.training.evaluate import total_loss
from corpusforge.training.feed import Portion
from corpusforge.training.launch import World
from corpusforge.training.mlstm import MLSTM
from corpusforge.training.model import Model, carry_out
from corpusforge.training.neox import NeoX, draw_neox
from corpusforge.training.noise import NoiseScale
from corpusforge.training.optimizer import build_optimizer
from corpusforge.training.parallel import clip_gradients, is_outline, keeping_gradients, spread
from corpusforge.training.schedule import learning_rate
from corpusforge.training.shapes import MLSTMConfig
from corpusforge.training.small_batches import OwnGradient, squared_norm, watch

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step. Its loss and `small_square` are parts that add up over ranks."""

    loss: float  # mean over all targets, in nats
    gradient_norm: float  # of the whole batch, before clipping
    learning_rate: float
    small_square: float  # mean squared norm of the gradients of small batches
    loss_scale: float  # that the gradients were multiplied by
    skipped: bool  # the gradients overflowed, on whatever rank, and no rank took the step


@dataclass(eq=False)
class Trainer:
    """A model, spread over all ranks, its optimizer, and what both carry from step to step."""

    config: TrainConfig
    world: World
    model: Model
    replica: nn.Module
    optimizer: torch.optim.Optimizer
    scaler: torch.amp.GradScaler
    memory: Tensor | None  # of this rank's streams, (streams, 2, hidden); None without streams
    own: OwnGradient | None  # None where a part of the batch is measured otherwise, or not at all
    noise: NoiseScale = field(default_factory=NoiseScale)

    @classmethod
    def of(cls, config: TrainConfig, world: World, model: Model) -> "Trainer":
        """A trainer of a model that every rank built alike, or of one that is yet to be drawn.

        Raises:
            ConfigError: The batch does not divide among the ranks and their micro-batches.
        """
        parts = config.execution.accumulate
        rows = micro_batch(config, world.size) * parts
        carry_out(model, config.execution)
        parallel, precision = config.execution.parallel, DTYPES[config.precision]
        outline = is_outline(model)
        replica = spread(model, parallel, precision, world.device)
        if outline and isinstance(model, NeoX):
            draw_neox(model, config.seed)
        optimizer = build_optimizer(model, config)
        scaler = torch.amp.GradScaler(
            world.device.type,
            config.loss_scaling.initial,
            growth_interval=config.loss_scaling.growth_steps,
            enabled=config.precision == "fp16",
        )
        memory = None
        if config.streams and isinstance(model, MLSTM):
            memory = model.empty_memory(rows, world.device)
        own = watch(replica) if world.size > 1 and parts == 1 else None
        return cls(config, world, model, replica, optimizer, scaler, memory, own)

    @property
    def state(self) -> State:
        """All that changes from step to step; loading a checkpoint into it changes this trainer."""
        streams = {} if self.memory is None else {"memory": self.memory}
        return State(self.model, self.optimizer, self.scaler, streams, self.noise)

    @property
    def small_batch(self) -> int | None:
        """Windows of the small batches that `Step.small_square` is about; None if not measured."""
        parts = self.config.execution.accumulate
        if self.own is None and parts == 1:
            return None
        together = self.world.size if isinstance(self.replica, FSDPModule) else 1
        return together * self.config.batch // self.world.size // parts

    def step(self, number: int, portion: Portion) -> Step:
        """Take step `number`, counted from 0."""
        rate = learning_rate(number, self.config)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        scale = self.scaler.get_scale()
        loss, small_square = self._gradients(portion)
        self.scaler.unscale_(self.optimizer)
        norm = float(clip_gradients(self.model.parameters(), self.config.clip))
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()
        return Step(
            loss=loss,
            gradient_norm=norm,
            learning_rate=rate,
            small_square=small_square / scale**2 / self.world.size,
            loss_scale=scale,
            skipped=self.scaler.get_scale() < scale,
        )

    def measure_noise(self, taken: Step) -> None:
        """Count a step, its parts added up over ranks, into the estimate of the noise scale."""
        small, large_square = self.small_batch, taken.gradient_norm**2
        if small is not None and math.isfinite(taken.small_square + large_square):
            self.noise.add(small, taken.small_square, self.config.batch, large_square)

    def predict(self, tokens: Tensor, positions: Tensor) -> Tensor:
        """Logits, with `fsdp` on all ranks at once. What streams carry is left alone.

        A state that no document ended in training is not ended by one here either.
        """
        carried = isinstance(self.config.model, MLSTMConfig) and self.config.model.reset == "stream"
        with self._precision():
            answer = self.model(tokens, None if carried else positions)
        return answer if isinstance(answer, Tensor) else answer[0]

    def _gradients(self, portion: Portion) -> tuple[float, float]:
        """Add up this rank's gradients; its part of the loss, and a small batch's squared norm."""
        parts = self.config.execution.accumulate
        loss, small_square = torch.zeros((), device=self.world.device), 0.0
        for number, rows in enumerate(_equal_parts(len(portion.batch.inputs), parts)):
            last = number == parts - 1
            with nullcontext() if last else keeping_gradients(self.replica):
                with self._precision():
                    logits = self._logits(portion.batch, rows)
                targets = self._on_device(portion.batch.targets[rows])
                part = total_loss(logits, targets) / portion.targets
                # The ranks' gradients are averaged; that of their parts of the loss is the sum.
                torch.autograd.backward(self.scaler.scale(part * self.world.size))
            loss += part.detach()
            if number == 0 and not last:
                small_square = squared_norm(self.model.parameters()) * parts**2
        return float(loss), small_square if self.own is None else self.own.take()

    def _logits(self, batch: Batch, rows: slice) -> Tensor:
        inputs = self._on_device(batch.inputs[rows])
        positions = self._on_device(batch.positions[rows])
        if self.memory is None:
            answer = self.replica(inputs, positions)
            return answer if isinstance(answer, Tensor) else answer[0]
        logits, self.memory[rows] = self.replica(inputs, positions, self.memory[rows])
        return logits

    def _precision(self) -> torch.autocast:
        dtype = DTYPES[self.config.precision]
        return torch.autocast(self.world.device.type, dtype, enabled=dtype != torch.float32)

    def _on_device(self, values: NDArray[np.int64]) -> Tensor:
        return torch.from_numpy(values).to(self.world.device)


def _equal_parts(rows: int, parts: int) -> Iterator[slice]:
    size = rows // parts
    return (slice(start, start + size) for start in range(0, rows, size))
