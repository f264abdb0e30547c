"""Gradients of less than a whole batch, as the noise scale needs them, where they exist anyway.

With several ranks, each has the gradient of its own windows before they are averaged, whole with
`ddp` only; with several micro-batches, there is that of the first: of one rank with `ddp`, of all
ranks with `fsdp`. Neither costs more than taking its norm.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.distributed import GradBucket, ProcessGroup  # type: ignore[attr-defined]  # no __all__
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DistributedDataParallel

from corpusforge.training.parallel import whole


@dataclass(eq=False)
class OwnGradient:
    """Squared norm of this rank's gradient, added up while DDP averages it with the others'."""

    ranks: ProcessGroup
    square: float | Tensor = 0.0

    def take(self) -> float:
        """The sum since the last call."""
        square, self.square = float(self.square), 0.0
        return square


def watch(replica: nn.Module) -> OwnGradient | None:
    """Measure the gradient of each rank from now on; None where it is never whole on one."""
    if not isinstance(replica, DistributedDataParallel):
        return None
    own = OwnGradient(replica.process_group)
    replica.register_comm_hook(own, _measured)
    return own


def _measured(own: OwnGradient, bucket: GradBucket) -> torch.futures.Future[Tensor]:
    norm = torch.linalg.vector_norm(bucket.buffer(), dtype=torch.float32)  # copies nothing
    own.square = own.square + norm.square()
    return allreduce_hook(own.ranks, bucket)


def squared_norm(parameters: Iterable[nn.Parameter]) -> float:
    """Squared norm of the gradients that parameters have; to be called on all ranks."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    return float(whole(nn.utils.get_total_norm(gradients))) ** 2
