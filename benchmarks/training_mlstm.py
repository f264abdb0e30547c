"""The character model: bits per character in three precisions, and what carrying its state gives.

A byte of PubMed's text counts as a character, as in Puri et al. (2018). Models are measured on
streams of validation text, their state either carried from window to window or begun anew with
each. Streams are read from start to end and windows at random, which is worth something too; so a
state is also forgotten after each step over the very same streams. One thread: matrices as small as
these gain nothing from a second.
"""

import math
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
import torch
from training_setup import alone, new_trainer, threads
from training_text import byte_shards

from corpusforge.training.evaluate import total_loss
from corpusforge.training.feed import portions
from corpusforge.training.streams import streams_of
from corpusforge.training.trainer import DTYPES, Trainer

SHAPE = {"kind": "mlstm", "hidden": 128, "embedding": 32, "reset": "stream"}
SETTINGS = {
    "model": SHAPE,
    "sequence_length": 64,
    "batch": 32,
    "warmup": 5,
    "decay": "linear",
    "learning_rate": 4e-3,
    "weight_decay": 0,
}
STREAMS, WINDOWS = 32, 8  # of validation text
PRECISIONS = ("fp32", "bf16", "fp16")
POINTS = 12  # of a curve


@dataclass(frozen=True)
class Trained:
    """A trained model, and how it came to be."""

    trainer: Trainer
    curve: dict[int, float] = field(default_factory=dict)  # bits per character by step
    skipped: int = 0  # steps whose gradients overflowed


def mlstm(bench):
    """Bits per character on PubMed against steps: precisions; a carried state against a new one."""
    sizes = {"train": 8_000_000, "valid": 200_000}
    folder = byte_shards(bench.corpus, bench.scratch / "bytes", sizes)
    with alone() as world, threads(1):
        text = validation(bench.material(SETTINGS, folder))

        def trained(after_step=lambda _trainer: None, **changes):
            material = bench.material(SETTINGS | changes, folder)
            return train(material, world, text, after_step)

        steps = bench.times(300, 6)
        models = {name: trained(precision=name, steps=steps) for name in PRECISIONS}
        told_precisions(models)
        steps = bench.times(1000, 6)
        changes = {"precision": "bf16", "steps": steps}
        windows = SHAPE | {"reset": "window"}
        ways = {
            "carried": trained(**changes),
            "forgotten after each step": trained(forget, **changes),
            "anew, windows at random": trained(model=windows, **changes),
        }
        bits = {
            name: {how: bits_per_character(model.trainer, text, how) for how in ("carried", "anew")}
            for name, model in ways.items()
        }
    print(f"after {steps:,} steps in bf16, by how the state was treated in training and measuring:")
    for name, found in bits.items():
        told = ", ".join(f"measured {how} {value:.4f}" for how, value in found.items())
        print(f"  trained {name:<26} {told} bits per character")
    reset = bits["forgotten after each step"]["anew"]
    gain = reset - bits["carried"]["carried"]
    print(f"  on the same batches, carrying it throughout saves {gain:.4f}, {gain / reset:.1%}")
    return {"curves": {name: model.curve for name, model in models.items()}, "state": bits}


def forget(trainer):
    """Begin the state of every stream anew."""
    trainer.memory.zero_()


def train(material, world, text, after_step):
    """A model, measured at a few points on the way."""
    trainer, curve, skipped = new_trainer(material, world), {}, 0
    steps = material.config.steps
    every = max(1, steps // POINTS)
    with closing(portions(material.steps, range(steps), 0, 1)) as feed:
        for step, portion in enumerate(feed):
            skipped += trainer.step(step, portion).skipped
            after_step(trainer)
            if (step + 1) % every == 0:
                curve[step + 1] = bits_per_character(trainer, text, "carried")
    return Trained(trainer, curve, skipped)


def validation(material):
    """Windows of contiguous streams of validation text."""
    tokens, length = material.valid.tokens, material.config.sequence_length
    source = streams_of(tokens, length, STREAMS, documents=False)
    return [source.batch(step, 0, 1) for step in range(min(WINDOWS, source.per_pass))]


@torch.no_grad()
def bits_per_character(trainer, text, how):
    """Of validation text, with a state that is `carried` or that begins `anew` in each window."""
    nats, memory = 0.0, None
    dtype = DTYPES[trainer.config.precision]
    for batch in text:
        tokens, targets = (torch.from_numpy(part) for part in (batch.inputs, batch.targets))
        with torch.autocast("cpu", dtype, enabled=dtype != torch.float32):
            logits, left = trainer.model(tokens, None, memory)
        nats += float(total_loss(logits, targets))
        memory = left if how == "carried" else None
    return nats / sum(batch.targets.size for batch in text) / math.log(2)


def told_precisions(models):
    """Print the curves side by side, and how far they are from that of fp32."""
    curves = {name: model.curve for name, model in models.items()}
    print(f"{'step':>8}" + "".join(f"{name:>10}" for name in curves))
    for step in curves["fp32"]:
        print(f"{step:>8}" + "".join(f"{curve[step]:10.4f}" for curve in curves.values()))
    whole = np.array(list(curves["fp32"].values()))
    for name in PRECISIONS[1:]:
        apart = np.abs(np.array(list(curves[name].values())) / whole - 1)
        print(
            f"  {name}: {apart[-1]:.2%} from fp32 at the end, {apart.max():.2%} at most, "
            f"{models[name].skipped} steps skipped for an overflow; asked <= 1 %"
        )
