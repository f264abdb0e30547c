"""The optimizer of a run: AdamW (Loshchilov and Hutter, 2019) or LAMB."""

from typing import Any

import torch
from torch import nn

from corpusforge.training.config import TrainConfig
from corpusforge.training.lamb import Lamb


def build_optimizer(model: nn.Module, config: TrainConfig) -> torch.optim.Optimizer:
    """An optimizer that decays matrices, and leaves biases and norms alone.

    To be called once the model is spread over the ranks: parameters are others afterwards.
    """
    matrices, others = split_parameters(model)
    plain: dict[str, Any] = {"params": others, "weight_decay": 0.0}
    if config.optimizer == "lamb":
        groups = [{"params": matrices}, plain | {"adapt": False}]
        decay = config.weight_decay
        return Lamb(groups, config.learning_rate, config.betas, config.epsilon, decay)
    return torch.optim.AdamW(
        [{"params": matrices}, plain],
        lr=config.learning_rate,
        betas=config.betas,
        eps=config.epsilon,
        weight_decay=config.weight_decay,
        fused=True,  # 2 ms instead of 6 for 3 M parameters on one core
    )


def split_parameters(model: nn.Module) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Matrices; and biases, the weights of norms and the lengths of weight-normalised rows."""
    matrices: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for parameter in model.parameters():
        flat = parameter.dim() < 2 or parameter.shape[1] == 1
        (others if flat else matrices).append(parameter)
    return matrices, others
