"""LAMB (You et al., 2020, arXiv:1904.00962, algorithm 2): Adam whose steps fit each matrix.

Every matrix moves by the learning rate times its own norm, whatever the size of its gradient, which
keeps training stable with batches of thousands of windows. Biases and the weights of norms move as
in AdamW, as in the authors' own code: their norms, zero at first, say nothing about a good step.

The ratio is that of whole matrices. A sharded parameter (DTensor) has a sharded norm, whose whole
is taken; an optimizer that sees only flat slices of parameters computes something that is not LAMB
and depends on the number of ranks.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor


class Lamb(torch.optim.Optimizer):
    """LAMB. A group with `adapt: False` moves as in AdamW."""

    def __init__(
        self,
        groups: list[dict[str, Any]],
        lr: float,
        betas: tuple[float, float],
        eps: float,
        weight_decay: float,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "adapt": True,
        }
        super().__init__(groups, defaults)

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Move every parameter that has a gradient. There is no closure."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    update = self._direction(parameter, group)
                    if group["adapt"]:
                        update.mul_(trust_ratio(parameter, update))
                    parameter.sub_(update, alpha=group["lr"])

    def _direction(self, parameter: Tensor, group: dict[str, Any]) -> Tensor:
        """Adam's step with decay: r + lambda x in the paper."""
        state, gradient = self.state[parameter], parameter.grad
        if not state:
            # A tensor, as in torch's optimizers, so that checkpoints treat it like theirs.
            state["step"] = torch.zeros((), dtype=torch.float32)
            state["exp_avg"] = torch.zeros_like(parameter)
            state["exp_avg_sq"] = torch.zeros_like(parameter)
        state["step"] += 1
        first, second = group["betas"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.mul_(first).add_(gradient, alpha=1 - first)
        square.mul_(second).addcmul_(gradient, gradient, value=1 - second)
        taken = float(state["step"])
        root = (square / (1 - second**taken)).sqrt_().add_(group["eps"])
        update = (mean / (1 - first**taken)).div_(root)
        return update.add_(parameter, alpha=group["weight_decay"])


def trust_ratio(parameter: Tensor, update: Tensor) -> Tensor:
    """Norm of a whole parameter over that of its update, shape (); 1 where either is zero."""
    weight, step = whole_norm(parameter), whole_norm(update)
    return torch.where((weight > 0) & (step > 0), weight / step, 1.0)


def whole_norm(values: Tensor) -> Tensor:
    """Norm of all values, on this rank or not, shape (), in fp32."""
    norm = torch.linalg.vector_norm(values, dtype=torch.float32)
    return norm.full_tensor() if isinstance(norm, DTensor) else norm
