"""A job of two ranks that compares ways of spreading a model with one process; see test_parallel.

    mpiexec -n 2 python -m mpi4py spread_job.py FOLDER

Prints one JSON object, on rank 0, and leaves a checkpoint in the folder.
"""

import json
import sys
from pathlib import Path

import msgspec
import torch
from torch import nn

from corpusforge.training.checkpoint import Checkpoints, State
from corpusforge.training.config import TrainConfig
from corpusforge.training.identity import Identity
from corpusforge.training.lamb import Lamb
from corpusforge.training.launch import launch
from corpusforge.training.parallel import clip_gradients, keeping_gradients, spread, whole

SHAPE = {"kind": "neox", "layers": 1, "hidden": 16, "heads": 2}
IDENTITY = Identity(msgspec.convert({"model": SHAPE}, TrainConfig), "f1")
ROWS = 8  # of a batch, over all ranks
STEPS = 6


class Odd(nn.Module):
    """Layers of which none has rows that two ranks could share equally, and biases."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 5)
        self.layers = nn.ModuleList([nn.Linear(5, 5), nn.Linear(5, 5)])
        self.head = nn.Linear(5, 11)

    def forward(self, tokens):
        x = self.embed(tokens)
        for layer in self.layers:
            x = x + torch.tanh(layer(x))
        return self.head(x)


def fresh():
    model, generator = Odd(), torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5, generator=generator)
    return model


def make(kind, model):
    groups = [{"params": list(model.parameters())}]
    settings = {"lr": 0.01, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1}
    return Lamb(groups, **settings) if kind == "lamb" else torch.optim.AdamW(groups, **settings)


def batches():
    generator = torch.Generator().manual_seed(2)
    return torch.randint(0, 11, (STEPS, ROWS, 7), generator=generator)


def loss_of(logits, tokens):
    return nn.functional.cross_entropy(logits.float().flatten(0, 1), tokens.flatten())


def trained(kind, world=None, parallel="ddp", parts=1):
    """Parameters after STEPS steps by name, losses and gradient norms; alone without a world."""
    model = fresh()
    called = spread(model, parallel, torch.float32, world.device) if world else model
    optimizer = make(kind, model)
    losses, norms = [], []
    for batch in batches():
        mine = batch[world.rank :: world.size] if world else batch
        *firsts, last = mine.chunk(parts)
        total = 0.0
        with keeping_gradients(called):
            for rows in firsts:
                part = loss_of(called(rows), rows) / parts
                part.backward()
                total += part.item()
        part = loss_of(called(last), last) / parts
        part.backward()
        total += part.item()
        norms.append(float(clip_gradients(model.parameters(), 0.5)))
        losses.append(world.add(total)[0] / world.size if world else total)
        optimizer.step()
        optimizer.zero_grad()
    values = {name: whole(value).detach() for name, value in model.named_parameters()}
    return values, losses, norms


def distance(values, expected):
    """Norm of the difference over that of the whole change, the worst of all parameters."""
    start = fresh().state_dict()
    return max(
        float((values[name] - expected[name]).norm() / (expected[name] - start[name]).norm())
        for name in expected
    )


def overflow(world):
    """Scales of both ranks after a step in which only the last rank's gradients overflow."""
    model = fresh()
    spread(model, "fsdp", torch.float16, world.device)
    optimizer = make("adamw", model)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    before = [whole(value).detach().clone() for value in model.parameters()]
    factor = 1e30 if world.rank == world.size - 1 else 1.0
    with torch.autocast("cpu", torch.float16):
        loss = loss_of(model(batches()[0]), batches()[0]) * factor
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    clip_gradients(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    after = [whole(value).detach() for value in model.parameters()]
    same = all(torch.equal(a, b) for a, b in zip(before, after, strict=True))
    return {"scales": world.each(scaler.get_scale()), "unchanged": world.each(float(same))}


def accumulated(world, parallel):
    """Norms on both ranks of the gradients inside the block and after it."""
    model = fresh()
    called = spread(model, parallel, torch.float32, world.device)
    rows = batches()[0][world.rank :: world.size]
    with keeping_gradients(called):
        loss_of(called(rows), rows).backward()
        inside = world.each(float(whole(next(model.parameters()).grad).norm()))
    loss_of(called(rows), rows).backward()
    after = world.each(float(whole(next(model.parameters()).grad).norm()))
    return {"inside": inside, "after": after}


def state_of(model, optimizer, streams):
    """A state with an optimizer and a memory of so many streams of this rank."""
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    return State(model, optimizer, scaler, {"memory": torch.zeros(streams, 3)})


def saved(world, folder):
    """Save the state of a sharded model after a step, each rank with two streams; its values."""
    model = fresh()
    spread(model, "fsdp", torch.float32, world.device)
    optimizer = make("lamb", model)
    loss_of(model(batches()[0]), batches()[0]).backward()
    optimizer.step()
    optimizer.zero_grad()
    state = state_of(model, optimizer, streams=2)
    state.streams["memory"][:] = torch.tensor([[1.0], [2.0]]) + 10 * world.rank
    Checkpoints.of(folder, IDENTITY).save(1, state)
    averages = [optimizer.state[parameter]["exp_avg"] for parameter in model.parameters()]
    return {
        "parameters": [whole(value).tolist() for value in model.parameters()],
        "averages": [whole(value).tolist() for value in averages],
    }


def body(world):
    found = {}
    for kind in ("adamw", "lamb"):
        expected, losses, norms = trained(kind)
        for parallel in ("ddp", "fsdp"):
            for parts in (1, 2):
                values, got_losses, got_norms = trained(kind, world, parallel, parts)
                found[f"{kind} {parallel} {parts}"] = {
                    "update": distance(values, expected),
                    "loss": max(abs(a - b) for a, b in zip(losses, got_losses, strict=True)),
                    "norm": max(abs(a - b) for a, b in zip(norms, got_norms, strict=True)),
                    "clipped": sum(norm > 0.5 for norm in got_norms),
                }
    found["overflow"] = overflow(world)
    found["accumulated"] = {parallel: accumulated(world, parallel) for parallel in ("ddp", "fsdp")}
    found["saved"] = saved(world, Path(sys.argv[1]))
    if world.rank == 0:
        print("found " + json.dumps(found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(launch(body))
