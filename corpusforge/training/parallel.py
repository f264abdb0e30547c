"""How one model trains on many ranks: a copy on each (DDP), or a part on each (FSDP2).

`ddp` keeps parameters, gradients and the optimizer's state whole on every rank. `fsdp` keeps an
equal part of each parameter's rows on each rank, gathers a layer when it is needed and gives it
back afterwards (Zhao et al., 2023, arXiv:2304.11277, per parameter as in torch's `fully_shard`).
Both give the same losses; `fsdp` fits models that `ddp` does not, for more talk between ranks.
"""

import warnings
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch
from torch import Tensor, distributed, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

Parallel = Literal["ddp", "fsdp"]


def mesh_of_all(device: torch.device) -> DeviceMesh:
    """All ranks in a row, over the devices that they compute on."""
    return init_device_mesh(device.type, (distributed.get_world_size(),))


def spread(
    model: nn.Module, parallel: Parallel, precision: torch.dtype, device: torch.device
) -> nn.Module:
    """What to call instead of `model` so that gradients are means over the ranks.

    Args:
        model: Built alike on every rank. With `fsdp` it is changed in place, and only a part of
            each parameter stays. One without weights gets memory for its part, to be filled.
        parallel: How.
        precision: Of activations. With `fsdp`, parameters are gathered in it; the parts that ranks
            own and the sums of gradients are fp32 always.
        device: Where this rank computes.
    """
    if parallel == "ddp":
        model.to(device)
        devices = [device] if device.type == "cuda" else None
        # Gradients live in the buffers that are exchanged: one copy of them less.
        return DistributedDataParallel(model, devices, gradient_as_bucket_view=True)
    # Said of every model whose last layer is linear. No output is changed in place here.
    warnings.filterwarnings("ignore", r"FSDP2-wrapped module .* returned a view tensor")
    mesh = mesh_of_all(device)
    # Inputs are left alone: cosines and sines of positions must not be rounded.
    policy = MixedPrecisionPolicy(precision, torch.float32, cast_forward_inputs=False)
    for layer in _layers(model):
        fully_shard(layer, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    if is_outline(model):
        model.to_empty(device=device)
    return model


def is_outline(model: nn.Module) -> bool:
    """Whether a model has shapes but no memory for its parameters yet (torch's meta device)."""
    return any(parameter.is_meta for parameter in model.parameters())


def fill(parameter: Tensor, values: Tensor) -> None:
    """Set a parameter to these values, of which this rank may hold a part of the rows."""
    if isinstance(parameter, DTensor):
        mesh = parameter.device_mesh
        parts, rank = values.chunk(mesh.size()), mesh.get_local_rank()  # as fully_shard does
        parameter.to_local().copy_(parts[rank] if rank < len(parts) else values[:0])
    else:
        parameter.copy_(values)


def keeping_gradients(spread_model: nn.Module) -> AbstractContextManager[None]:
    """Gradients of this block's backward passes add up on each rank; `ddp` exchanges none of them.

    For all micro-batches of a step but the last, whose backward pass exchanges the sum of all.
    With `fsdp` they are exchanged with every part: a rank has no room for those of a whole model.
    """
    if isinstance(spread_model, DistributedDataParallel):
        return spread_model.no_sync()
    return nullcontext()


def clip_gradients(parameters: Iterable[nn.Parameter], largest: float) -> Tensor:
    """Scale all gradients so that their norm is at most `largest`; their norm before that."""
    return whole(nn.utils.clip_grad_norm_(parameters, largest))


def whole(tensor: Tensor) -> Tensor:
    """The tensor of which this rank may hold a part; to be called on all ranks."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def _layers(model: nn.Module) -> list[nn.Module]:
    """The blocks of a model that are gathered one after the other."""
    return [
        layer for blocks in model.modules() if isinstance(blocks, nn.ModuleList) for layer in blocks
    ]
