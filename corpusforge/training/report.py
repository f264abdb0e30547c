"""What a run tells: lines for people, flushed one by one into job logs, and `log.jsonl`."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import nn

from corpusforge.formats.atomic import write_atomic
from corpusforge.training.evaluate import Evaluation
from corpusforge.training.launch import World
from corpusforge.training.material import Material
from corpusforge.training.trainer import Step


@dataclass
class Pace:
    """How fast steps went since the last line."""

    targets: int = 0
    seconds: float = 0.0
    waited: float = 0.0  # seconds of them, for the next batch

    def add(self, targets: int, seconds: float, waited: float) -> None:
        """Count one step."""
        self.targets += targets
        self.seconds += seconds
        self.waited += waited


@dataclass(frozen=True)
class Report:
    """Lines and log of one run; silent on every rank but the first."""

    log: Path
    speaks: bool

    @classmethod
    def continuing(cls, log: Path, steps_done: int, world: World) -> "Report":
        """A report whose log holds what was logged up to `steps_done`, and nothing after it."""
        if world.rank == 0:
            lines = log.read_bytes().splitlines() if log.is_file() else []
            # A killed run may have logged steps that no checkpoint holds, and half a line.
            complete = [line for line in lines if line.endswith(b"}")]
            kept = [line for line in complete if msgspec.json.decode(line)["step"] <= steps_done]
            write_atomic(log, b"".join(line + b"\n" for line in kept))
        return cls(log, world.rank == 0)

    def say(self, *lines: str) -> None:
        """Print lines."""
        if self.speaks:
            print("".join(line + "\n" for line in lines), end="", flush=True)

    def step(self, steps_done: int, steps: int, loss: float, taken: Step, pace: Pace) -> None:
        """Tell of a step and of the pace since the last one told of."""
        speed, waiting = pace.targets / pace.seconds, pace.waited / pace.seconds
        self.say(
            f"step {steps_done}/{steps}  loss {loss:.3f}  lr {taken.learning_rate:.2e}  "
            f"{speed:,.0f} tokens/s  waited {waiting:.1%}"
        )
        self._record(
            {
                "step": steps_done,
                "loss": loss,
                "learning_rate": taken.learning_rate,
                "gradient_norm": taken.gradient_norm,
                "tokens_per_second": speed,
                "waited": waiting,
            }
        )

    def evaluation(self, steps_done: int, evaluation: Evaluation) -> None:
        """Tell of an evaluation."""
        self.say(
            f"validation loss {evaluation.loss:.3f} nats/token  "
            f"{evaluation.bits_per_byte:.3f} bits/byte"
        )
        self._record(
            {
                "step": steps_done,
                "validation_loss": evaluation.loss,
                "bits_per_byte": evaluation.bits_per_byte,
            }
        )

    def _record(self, entry: dict[str, Any]) -> None:
        if self.speaks:
            with self.log.open("ab") as file:
                file.write(msgspec.json.encode(entry) + b"\n")


def header(material: Material, model: nn.Module, steps_done: int, world: World) -> list[str]:
    """What is about to run, on what and where."""
    config, splits = material.config, material.corpus.description.splits
    shape, step_tokens = config.model, config.batch * config.sequence_length
    epochs = config.steps * config.batch / len(material.train)
    lines = [
        f"ranks      {describe_ranks(world)}, {_plural(torch.get_num_threads(), 'thread')} each, "
        f"{config.precision}",
        f"model      {parameter_count(model):,} parameters: {shape.layers} layers, {shape.hidden} "
        f"wide, {shape.heads} heads, {material.corpus.description.vocab_size:,} tokens known",
        *(
            f"{name:<10} {splits[name].tokens:,} tokens, {splits[name].documents:,} documents, "
            f"{len(windows):,} windows of {config.sequence_length}"
            for name, windows in (("train", material.train), ("valid", material.valid))
        ),
        f"steps      {config.steps:,} of {step_tokens:,} tokens: {config.steps * step_tokens:,} "
        f"tokens, {epochs:.2f} epochs",
        f"unigram    {material.baseline.loss:.3f} nats/token  "
        f"{material.baseline.bits_per_byte:.3f} bits/byte on the {len(material.evaluated):,} "
        f"validation windows used",
    ]
    if steps_done:
        lines.append(f"continuing after step {steps_done:,}, from its checkpoint")
    return lines


def summary(
    evaluation: Evaluation, baseline: Evaluation, out: Path, peak_memory: float
) -> list[str]:
    """How it ended, and the bytes of memory that the hungriest rank took."""
    verdict = "better" if evaluation.loss < baseline.loss else "WORSE"
    return [
        f"done: validation loss {evaluation.loss:.3f} nats/token "
        f"({evaluation.bits_per_byte:.3f} bits/byte), {verdict} than the unigram baseline's "
        f"{baseline.loss:.3f} ({baseline.bits_per_byte:.3f})",
        f"peak memory {peak_memory / 1e6:,.0f} MB in one rank; the model is in {out / 'model'}",
    ]


def parameter_count(model: nn.Module) -> int:
    """How many numbers are trained."""
    return sum(parameter.numel() for parameter in model.parameters())


def describe_ranks(world: World) -> str:
    """Where the ranks are.

    >>> describe_ranks(World(0, 3, 0, ("n1", "n1", "n2"), torch.device("cpu")))
    '3 ranks on 2 hosts (n1: 2, n2: 1), cpu'
    """
    hosts = Counter(world.hosts)
    each = ", ".join(f"{host}: {ranks}" for host, ranks in hosts.items())
    return (
        f"{_plural(world.size, 'rank')} on {_plural(len(hosts), 'host')} ({each}), "
        f"{world.device.type}"
    )


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
