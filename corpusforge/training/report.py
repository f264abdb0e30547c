"""What a run tells: lines or a live table for people, `log.jsonl`, and TensorBoard if wanted."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import torch
from torch import nn

from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.shard_folder import SplitRecord
from corpusforge.training.board import numbers_of, open_board
from corpusforge.training.evaluate import Evaluation
from corpusforge.training.launch import World
from corpusforge.training.live import View
from corpusforge.training.material import Job, Material
from corpusforge.training.moment import Moment
from corpusforge.training.streams import Streams

if TYPE_CHECKING:
    from torch.utils.tensorboard.writer import SummaryWriter


@dataclass(frozen=True)
class Report:
    """Lines and log of one run; silent on every rank but the first."""

    log: Path
    speaks: bool
    view: View | None = None  # in the place of lines about steps
    board: "SummaryWriter | None" = None

    @classmethod
    def continuing(cls, job: Job, steps_done: int, world: World) -> "Report":
        """A report whose log holds what was logged up to `steps_done`, and nothing after it.

        Raises:
            ConfigError: TensorBoard is wanted, and not installed.
        """
        log = job.out / "log.jsonl"
        if world.rank != 0:
            return cls(log, speaks=False)
        board = open_board(job.out / "tensorboard", steps_done) if job.tensorboard else None
        lines = log.read_bytes().splitlines() if log.is_file() else []
        # A killed run may have logged steps that no checkpoint holds, and half a line.
        complete = [line for line in lines if line.endswith(b"}")]
        kept = [line for line in complete if msgspec.json.decode(line)["step"] <= steps_done]
        write_atomic(log, b"".join(line + b"\n" for line in kept))
        view = None if job.live is None else View(job.live)
        return cls(log, speaks=True, view=view, board=board)

    def say(self, *lines: str) -> None:
        """Print lines."""
        if self.view is not None:
            self.view.say("\n".join(lines))
        elif self.speaks:
            print("".join(line + "\n" for line in lines), end="", flush=True)

    def record(self, moment: Moment) -> None:
        """Log a step."""
        self._record(moment.entry)

    def show(self, moment: Moment) -> None:
        """Tell of any step to those who watch."""
        if self.view is not None:
            self.view.show(moment)

    def line(self, moment: Moment) -> None:
        """Tell of a step to those who read lines."""
        if self.view is None:
            self.say(moment.line)

    def evaluation(self, steps_done: int, evaluation: Evaluation) -> None:
        """Tell of an evaluation."""
        self.say(
            f"validation loss {evaluation.loss:.3f} nats/token  "
            f"{evaluation.bits_per_byte:.3f} bits/byte"
        )
        by = {
            column: {value: score.bits_per_byte for value, score in scores.items()}
            for column, scores in evaluation.by.items()
        }
        self._record(
            {
                "step": steps_done,
                "validation_loss": evaluation.loss,
                "bits_per_byte": evaluation.bits_per_byte,
                "bits_per_byte_by": by,
            }
        )

    def close(self) -> None:
        """Let go of the terminal and of files."""
        if self.view is not None:
            self.view.close()
        if self.board is not None:
            self.board.close()

    def _record(self, entry: dict[str, Any]) -> None:
        if self.speaks:
            with self.log.open("ab") as file:
                file.write(msgspec.json.encode(entry) + b"\n")
        if self.board is not None:
            for name, number in numbers_of(entry).items():
                self.board.add_scalar(name, number, entry["step"])


def header(material: Material, model: nn.Module, steps_done: int, world: World) -> list[str]:
    """What is about to run, on what and where."""
    config, splits = material.config, material.corpus.description.splits
    step_tokens = config.batch * config.sequence_length
    length, source = config.sequence_length, material.steps
    pass_steps = len(material.train) / config.batch
    trained = f"{len(material.train):,} windows of {length}"
    if isinstance(source, Streams):
        pass_steps = source.per_pass
        trained = f"{source.count:,} streams of {source.per_pass * length:,}"
    lines = [
        f"ranks      {describe_ranks(world)}, {_plural(torch.get_num_threads(), 'thread')} each, "
        f"{config.precision}",
        f"model      {parameter_count(model):,} parameters: {config.model}, "
        f"{material.corpus.description.vocab_size:,} tokens known",
        _of_split("train", splits["train"], trained),
        _of_split("valid", splits["valid"], f"{len(material.valid):,} windows of {length}"),
        f"steps      {config.steps:,} of {step_tokens:,} tokens: {config.steps * step_tokens:,} "
        f"tokens, {config.steps / pass_steps:.2f} epochs",
        f"unigram    {material.baseline.loss:.3f} nats/token  "
        f"{material.baseline.bits_per_byte:.3f} bits/byte on the {len(material.probe.chosen):,} "
        f"validation windows used",
    ]
    if steps_done:
        lines.append(f"continuing after step {steps_done:,}, from its checkpoint")
    return lines


def _of_split(name: str, split: SplitRecord, divided: str) -> str:
    documents = _plural(split.documents, "document")
    return f"{name:<10} {split.tokens:,} tokens, {documents}, {divided}"


def summary(
    evaluation: Evaluation, baseline: Evaluation, out: Path, peak_memory: float
) -> list[str]:
    """How it ended, and the bytes of memory that the hungriest rank took."""
    verdict = "better" if evaluation.loss < baseline.loss else "WORSE"
    return [
        *_by_kind(evaluation, baseline),
        f"done: validation loss {evaluation.loss:.3f} nats/token "
        f"({evaluation.bits_per_byte:.3f} bits/byte), {verdict} than the unigram baseline's "
        f"{baseline.loss:.3f} ({baseline.bits_per_byte:.3f})",
        f"peak memory {peak_memory / 1e6:,.0f} MB in one rank; the model is in {out / 'model'}",
    ]


def _by_kind(evaluation: Evaluation, baseline: Evaluation) -> Iterator[str]:
    """Bits per byte of the validation text by what its provenance says, as a table."""
    if evaluation.by:
        yield f"{'bits/byte of validation text':<34}{'tokens':>12}{'model':>10}{'unigram':>10}"
    for column, scores in evaluation.by.items():
        for value, score in scores.items():
            unigram = baseline.by[column][value].bits_per_byte
            yield (
                f"  {column:<9} {value:<22}{score.tokens:>12,}{score.bits_per_byte:>10.3f}"
                f"{unigram:>10.3f}"
            )


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
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
