"""One measurement of `reader.py` in a process of its own; prints it as JSON.

python benchmarks/reader_process.py first|memory|many FOLDER_OF_SHARDS
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

from corpusforge.training.data import Order, Shuffled, windows_of

ROWS, LENGTH = 64, 2048


def prefixes_in(folder):
    return sorted(path.with_suffix("") for path in Path(folder).glob("*.idx"))


def opened(folder, length):
    windows = windows_of(prefixes_in(folder), length)
    return Shuffled(windows, Order(len(windows), ROWS, 0))


def first(folder):
    """Seconds to open all shards, until the first batch, and the same once more in this process.

    What differs is the start of Numba, which the first compiled call of a process waits for.
    """
    clock = [time.perf_counter()]
    for _ in range(2):
        steps = opened(folder, LENGTH)
        clock.append(time.perf_counter())
        steps.batch(0, 0, 1)
        clock.append(time.perf_counter())
    took = np.diff(clock)
    return {
        "open": took[0],
        "first batch with Numba's start": took[1],
        "open again": took[2],
        "first batch without": took[3],
        "together": took[2] + took[3],
    }


def own_memory():
    """Bytes that belong to this process alone; pages of mapped files can be dropped at any time."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/self/status says nothing about RssAnon; this needs Linux")


def memory(folder):
    """Growth of own memory over 500 batches, and tokens per second."""
    opened(folder, LENGTH).batch(0, 0, 1)  # Numba started
    before = own_memory()
    steps = opened(folder, LENGTH)
    started = time.perf_counter()
    for step in range(500):
        steps.batch(step, 0, 1)
    seconds = time.perf_counter() - started
    return {"own": own_memory() - before, "rate": 500 * ROWS * LENGTH / seconds}


def many(folder):
    """Seconds to open all shards, how many end up mapped, and tokens per second."""
    started = time.perf_counter()
    steps = opened(folder, LENGTH)
    took = time.perf_counter() - started
    for step in range(300):
        steps.batch(step, 0, 1)
    started = time.perf_counter()
    for step in range(300, 600):
        steps.batch(step, 0, 1)
    rate = 300 * ROWS * LENGTH / (time.perf_counter() - started)
    return {"open": took, "mapped": steps.windows.tokens.mapped, "rate": rate}


if __name__ == "__main__":
    print(json.dumps({"first": first, "memory": memory, "many": many}[sys.argv[1]](sys.argv[2])))
