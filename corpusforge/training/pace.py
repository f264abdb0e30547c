"""How fast a run goes, how much of the machine that takes, and how long it will go on."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from corpusforge.memory import peak_memory
from corpusforge.training.config import TrainConfig, padded_vocabulary
from corpusforge.training.launch import World
from corpusforge.training.size import flops_per_token
from corpusforge.training.trainer import DTYPES

ROUNDS = 4  # of which the best counts: the first one warms up, others may be disturbed
SQUARE = {"cpu": 512, "cuda": 8192}  # rows of the matrices: a few milliseconds on either


@dataclass
class Pace:
    """How fast a step went, or those since the last line."""

    steps: int = 0
    targets: int = 0
    seconds: float = 0.0
    waited: float = 0.0  # seconds of them, for the next batch

    def add(self, other: "Pace") -> None:
        """Count more steps."""
        self.steps += other.steps
        self.targets += other.targets
        self.seconds += other.seconds
        self.waited += other.waited


@dataclass(frozen=True)
class Reading:
    """What the instruments show."""

    tokens_per_second: float
    utilisation: float  # share of the peak operations that the model's own are (MFU)
    waited: float  # share of the time, for the next batch
    memory: int  # most bytes that this rank took so far: of the GPU, or else of the process
    seconds_left: float


@dataclass(frozen=True)
class Gauge:
    """What a pace is measured against."""

    steps: int
    flops_per_token: int
    peak_flops: float  # operations per second, all ranks together
    device: torch.device

    @classmethod
    def of(cls, config: TrainConfig, vocab_size: int, world: World) -> "Gauge":
        """The gauge of a run; to be called on all ranks, which measure themselves together."""
        rows, peak = padded_vocabulary(vocab_size), config.execution.peak_flops
        flops = flops_per_token(config.model, rows, config.sequence_length)
        if peak is None:
            # CPUs without units for fp16 are slower in it than in fp32, which models need too.
            kinds = {torch.float32, DTYPES[config.precision]}
            peak = max(measured_peak(world.device, dtype) for dtype in kinds)
        [together] = world.add(peak)
        return cls(config.steps, flops, together, world.device)

    def read(self, pace: Pace, steps_done: int) -> Reading:
        """The reading after some steps; `pace` has at least one of them."""
        speed = pace.targets / pace.seconds
        return Reading(
            tokens_per_second=speed,
            utilisation=speed * self.flops_per_token / self.peak_flops,
            waited=pace.waited / pace.seconds,
            memory=self._memory(),
            seconds_left=pace.seconds / pace.steps * (self.steps - steps_done),
        )

    def _memory(self) -> int:
        if self.device.type == "cuda":
            return torch.cuda.max_memory_allocated(self.device)
        return peak_memory()


def measured_peak(device: torch.device, dtype: torch.dtype) -> float:
    """Operations per second in a product of two large matrices, which nothing else comes up to.

    A little less than what the maker promises.
    """
    size = SQUARE[device.type]
    left = torch.randn(size, size, device=device).to(dtype)
    right = torch.randn(size, size, device=device).to(dtype)
    best = min(_seconds(lambda: left @ right, device) for _ in range(ROUNDS))
    return 2 * size**3 / best


def _seconds(work: Callable[[], object], device: torch.device) -> float:
    _wait_for(device)
    began = time.perf_counter()
    work()
    _wait_for(device)
    return time.perf_counter() - began


def _wait_for(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
