"""What it costs to feed a model from shards, against the same batches from one tensor in memory."""

import os
import time
from contextlib import closing

import numpy as np
from training_setup import WAYS, alone, new_trainer, spread_of, threads

from corpusforge.training.data import Batch
from corpusforge.training.feed import Portion, portions

STEPS = {"demo": 20, "10M": 4}  # in a row on each side
WARM = 2


def feed(bench):
    """Tokens/s fed from shards and from one tensor in memory, the same batches, in turns."""
    found = {}
    with alone() as world, threads(len(os.sched_getaffinity(0))):
        for name, settings in WAYS.items():
            material = bench.material(settings)
            trainer, steps = new_trainer(material, world), STEPS[name]
            sides = {"shards": from_shards, "memory": from_memory}
            taken = {side: [] for side in sides}
            for number in range(bench.times(10, 2) + 1):
                begin = WARM + number * steps
                memory = in_memory(material.steps, range(begin, begin + steps))
                # Each side goes first every other time: the first finds colder caches.
                for side in sorted(sides, reverse=number % 2 == 0):
                    taken[side].append(sides[side](trainer, material.steps, memory, begin))
            found[name] = told(name, material.config, steps, {k: v[1:] for k, v in taken.items()})
    return found


def in_memory(source, steps):
    """The batches of these steps as one array, shape (steps, 3, windows, S), and their targets."""
    each = [source.batch(step, 0, 1) for step in steps]
    parts = [(batch.inputs, batch.targets, batch.positions) for batch in each]
    return np.array(parts), [source.targets(step) for step in steps]


def from_memory(trainer, _source, memory, begin):
    """Seconds, seconds of the processor, seconds waited and the last loss."""
    started, used = time.perf_counter(), time.process_time()
    parts, targets = memory
    for number, count in enumerate(targets):
        taken = trainer.step(begin + number, Portion(Batch(*parts[number]), count))
    return time.perf_counter() - started, time.process_time() - used, 0.0, taken.loss


def from_shards(trainer, source, memory, begin):
    """The same, of a feed that starts and ends with these steps: it reads nothing for others."""
    started, used, waited = time.perf_counter(), time.process_time(), 0.0
    steps = range(begin, begin + len(memory[1]))
    with closing(portions(source, steps, 0, 1)) as batches:
        for step in steps:
            asked = time.perf_counter()
            portion = next(batches)
            waited += time.perf_counter() - asked
            taken = trainer.step(step, portion)
    return time.perf_counter() - started, time.process_time() - used, waited, taken.loss


def told(name, config, steps, taken):
    """Print both sides; the figures."""
    shards, memory = (np.array(taken[side]) for side in ("shards", "memory"))
    tokens = steps * config.batch * config.sequence_length
    speeds = {side: float(np.median(tokens / np.array(rows)[:, 0])) for side, rows in taken.items()}
    clock, processor = (memory[:, i] / shards[:, i] for i in (0, 1))
    waiting = shards[:, 2] / shards[:, 0]
    print(f"{name}: {speeds['shards']:,.0f} tokens/s from shards, {speeds['memory']:,.0f} from "
          f"memory, {steps} steps of {tokens // steps:,} tokens in turns")  # fmt: skip
    print(f"  speed from shards / from memory, on the clock {spread_of(clock)}; asked >= 0.98")
    print(f"  the same in seconds of the processor          {spread_of(processor)}")
    print(f"  waited {np.median(waiting):.3%} of the time; asked <= 3 %")
    return {
        "tokens_per_second": speeds,
        "clock": clock.tolist(),
        "processor": processor.tolist(),
        "waited": waiting.tolist(),
    }
