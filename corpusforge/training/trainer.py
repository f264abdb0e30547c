"""One step of data-parallel training, and the model's answer outside of training."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from corpusforge.training.config import TrainConfig
from corpusforge.training.evaluate import total_loss
from corpusforge.training.feed import Portion
from corpusforge.training.launch import World
from corpusforge.training.optimizer import learning_rate


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step."""

    loss: float  # this rank's part of the mean over all targets, in nats; the parts add up
    gradient_norm: float  # of the whole batch, before clipping
    learning_rate: float


@dataclass(frozen=True, eq=False)
class Trainer:
    """A model, replicated on every rank, and its optimizer."""

    config: TrainConfig
    world: World
    model: nn.Module
    replica: DistributedDataParallel
    optimizer: torch.optim.Optimizer

    @classmethod
    def of(
        cls, config: TrainConfig, world: World, model: nn.Module, optimizer: torch.optim.Optimizer
    ) -> "Trainer":
        """A trainer of a model that every rank built alike and put on its device."""
        devices = [world.device] if world.device.type == "cuda" else None
        replica = DistributedDataParallel(model, device_ids=devices)
        return cls(config, world, model, replica, optimizer)

    def step(self, number: int, portion: Portion) -> Step:
        """Take step `number`, counted from 0."""
        rate = learning_rate(number, self.config)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        with self._precision():
            logits = self.replica(self._on_device(portion.batch.inputs))
        part = total_loss(logits, self._on_device(portion.batch.targets)) / portion.targets
        # DDP takes the mean of the ranks' gradients; that of the parts is to be their sum.
        torch.autograd.backward(part * self.world.size)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return Step(float(part.detach()), float(norm), rate)

    def predict(self, tokens: Tensor) -> Tensor:
        """Logits, without the other ranks taking part."""
        with self._precision():
            return self.model(tokens)

    def _precision(self) -> torch.autocast:
        enabled = self.config.precision == "bf16"
        return torch.autocast(self.world.device.type, torch.bfloat16, enabled=enabled)

    def _on_device(self, values: NDArray[np.int64]) -> Tensor:
        return torch.from_numpy(values).to(self.world.device)
