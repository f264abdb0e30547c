"""Every figure about reading shards for training, with a bare memcpy beside it.

Generated shards of 800 MB in a temporary folder, one thread, everything from the page cache but in
the part that says otherwise. Both sides of a ratio take turns in one process.

    python benchmarks/reader.py [--folder TMP]
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from contextlib import closing
from pathlib import Path

import numpy as np
from numba import njit

from corpusforge.formats.megatron import HEADER, data_path, index_path
from corpusforge.kernels.raw_memory import copy_bytes
from corpusforge.training.data import Order, Shuffled, windows_of
from corpusforge.training.feed import portions
from corpusforge.training.streams import streams_of
from corpusforge.training.tokens import Tokens

TOKENS, VOCABULARY, LENGTH, ROWS = 400_000_000, 52_000, 2048, 64
BATCHES, ROUNDS = 300, 9
READER = Path(__file__).with_name("reader_process.py")


def lay(folder, shards, tokens=TOKENS, each=800):
    """Shards of random tokens in documents of `each` tokens; their paths."""
    folder.mkdir()
    size = tokens // shards // each * each
    random = np.random.default_rng(0)
    for j in range(shards):
        prefix = folder / f"train-{j:05d}"
        random.integers(0, VOCABULARY, size, np.uint16).tofile(data_path(prefix))
        lay_index(prefix, size // each, each)
    return sorted(path.with_suffix("") for path in folder.glob("*.idx"))


def lay_index(prefix, documents, each):
    with index_path(prefix).open("wb") as file:
        file.write(HEADER.pack(b"MMIDIDX\0\0", 1, 8, documents, documents + 1))
        np.full(documents, each, "<i4").tofile(file)
        (np.arange(documents, dtype="<i8") * (2 * each)).tofile(file)
        np.arange(documents + 1, dtype="<i8").tofile(file)


def rates(works, tokens):
    """Tokens per second of this thread's processor time, all works in turn, the median of rounds.

    Nothing here waits for anything, so that only what else the machine does is left out.
    """
    seconds = {name: [] for name in works}
    for _ in range(ROUNDS + 1):
        for name, work in works.items():
            started = time.thread_time()
            work()
            seconds[name].append(time.thread_time() - started)
    return {name: tokens / statistics.median(each[1:]) for name, each in seconds.items()}


def show(title, found, reference):
    print(f"\n{title}")
    for name, rate in found.items():
        ratio = rate / found[reference]
        print(f"  {name:<52} {rate / 1e6:8.0f} M tokens/s {rate * 2 / 1e9:6.1f} GB/s  x{ratio:.2f}")


@njit(nogil=True)
def memcpy_windows(address, starts, rows):
    """memcpy as the C library has it, from compiled code, one call per window."""
    size = rows.shape[1] * rows.itemsize
    for w in range(len(starts)):
        copy_bytes(rows.ctypes.data + w * size, address + starts[w] * rows.itemsize, size)


def copying(prefixes, many):
    """Rows of the type on disk: what a memcpy can be compared with."""
    tokens, spread = Tokens.of(prefixes), Tokens.of(many)
    [prefix] = prefixes
    mapped = np.memmap(data_path(prefix), np.uint16, "r").view(np.ndarray)
    mapped[::2048].sum()  # every page in the page table
    random, width = np.random.default_rng(1), LENGTH + 1
    last = min(len(tokens), len(spread)) - width
    starts = [random.integers(0, last, ROWS) for _ in range(BATCHES)]
    rows = np.empty((ROWS, width), np.uint16)
    pieces = [mapped[i * rows.size : (i + 1) * rows.size] for i in range(BATCHES)]
    views = np.lib.stride_tricks.sliding_window_view(mapped, width)

    def one_by_one():
        for chosen in starts:
            for row, start in enumerate(chosen.tolist()):
                rows[row] = mapped[start : start + width]

    works = {
        "memcpy of as many bytes, one after the other": lambda: [
            np.copyto(rows.reshape(-1), piece) for piece in pieces
        ],
        "memcpy of the same windows, from compiled code": lambda: [
            memcpy_windows(mapped.ctypes.data, chosen, rows) for chosen in starts
        ],
        "numpy: rows[i] = tokens[a:b]": one_by_one,
        "numpy: sliding_window_view(tokens, n)[starts]": lambda: [
            views[chosen] for chosen in starts
        ],
        "Tokens.read, 1 shard": lambda: [tokens.read(chosen, rows) for chosen in starts],
        f"Tokens.read, {len(many)} shards": lambda: [
            spread.read(chosen, rows) for chosen in starts
        ],
    }
    found = rates(works, BATCHES * rows.size)
    show(f"Random windows of {width:,} tokens, {ROWS} at a time, uint16", found, next(iter(works)))
    windows = "memcpy of the same windows, from compiled code"
    for name in list(works)[-2:]:
        print(f"  {name}: x{found[name] / found[windows]:.2f} of {windows}")


def batching(prefixes):
    """What a training loop takes: int64, inputs and targets apart, with positions."""
    windows = windows_of(prefixes, LENGTH)
    tokens, order = windows.tokens, Order(len(windows), ROWS, 0)
    streams = streams_of(tokens, LENGTH, ROWS, documents=True)
    chosen = [order.step(step) for step in range(BATCHES // 4)]
    starts = [np.minimum(numbers * LENGTH, len(tokens) - LENGTH - 1) for numbers in chosen]
    wide = np.empty((ROWS, LENGTH + 1), np.int64)
    places = np.empty((ROWS, LENGTH), np.int64)
    rows = np.empty(wide.shape, np.uint16)
    shuffled, steps = Shuffled(windows, order), range(len(starts))

    def batch_of(source):
        return lambda step: source.batch(step, 0, 1)

    def nanogpt_way():
        for numbers in starts:
            data = np.memmap(data_path(prefixes[0]), np.uint16, "r")
            np.stack([data[i : i + LENGTH].astype(np.int64) for i in numbers])
            np.stack([data[i + 1 : i + 1 + LENGTH].astype(np.int64) for i in numbers])

    def widened():
        for numbers in starts:
            tokens.read(numbers, rows)
            np.copyto(wide, rows)

    works = {
        "nanoGPT's way: memmap, astype and stack, no positions": nanogpt_way,
        "Tokens.read and widening to int64, preallocated": widened,
        "positions alone, preallocated": lambda: [tokens.place(at, at, places) for at in starts],
        "whole batches of windows": lambda: deque(map(batch_of(shuffled), steps), 0),
        "whole batches of streams": lambda: deque(map(batch_of(streams), steps), 0),
    }
    found = rates(works, len(starts) * ROWS * LENGTH)
    show("Batches as int64", found, next(iter(works)))


def in_a_process(*arguments, files=1024):
    """What `reader_process.py` measures in a process of its own that may open so many files."""

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    done = subprocess.run(
        [sys.executable, str(READER), *map(str, arguments)],
        stdout=subprocess.PIPE,
        check=True,
        preexec_fn=limit,
    )
    return json.loads(done.stdout)


def starting(many):
    print(f"\nFirst batch of {len(many)} shards, {ROWS} windows, in a process of its own (5 times)")
    for reading in sorted(
        (in_a_process("first", many[0].parent) for _ in range(5)), key=lambda each: each["open"]
    ):
        print("  " + ", ".join(f"{name} {value * 1e3:.0f} ms" for name, value in reading.items()))


def memory(folder):
    print("\nMemory of a process by the documents of its corpus, after 500 batches with positions")
    for documents in (1_000, 100_000, 10_000_000):
        place = folder / f"documents-{documents}"
        place.mkdir()
        prefix, size = place / "train-00000", 80_000_000
        with data_path(prefix).open("wb") as file:
            file.truncate(2 * size)
        lay_index(prefix, documents, size // documents)
        found = in_a_process("memory", place)
        indexed = index_path(prefix).stat().st_size / 1e6
        print(
            f"  {documents:>10,} documents, index {indexed:5.0f} MB: own memory"
            f" {found['own'] / 1e6:.1f} MB more than before, {found['rate'] / 1e6:.0f} M tokens/s"
        )


def thousands(folder):
    shards = 5_000
    prefixes = lay(folder / "thousands", shards, tokens=shards * 8_000)
    found = in_a_process("many", prefixes[0].parent, files=256)
    print(
        f"\n{shards:,} shards by a process that may open 256 files: opened in {found['open']:.2f}"
        f" s, {found['mapped']:,.0f} mapped, {found['rate'] / 1e6:.0f} M tokens/s"
    )


def cold(prefixes):
    """Windows that are not in memory, asked for ahead of their use or not."""
    print("\nFrom a cold disk, 40 batches")
    windows = windows_of(prefixes, LENGTH)
    shuffled = Shuffled(windows, Order(len(windows), ROWS, 0))

    def drop():
        for prefix in prefixes:
            descriptor = os.open(data_path(prefix), os.O_RDONLY)
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)

    def alone(steps):
        return (shuffled.batch(step, 0, 1) for step in steps)

    def ahead(steps):
        return portions(shuffled, steps, 0, 1)

    for name, read in {"batch by batch": alone, "by the feed, which asks ahead": ahead}.items():
        windows.tokens.unmap()
        drop()
        steps = range(40)
        started = time.perf_counter()
        for _ in read(steps):
            pass
        rate = len(steps) * ROWS * LENGTH / (time.perf_counter() - started)
        print(f"  {name:<32} {rate / 1e6:8.1f} M tokens/s")


def waiting(prefixes):
    """How long a model waits for its batches, in the order of windows and in that of streams."""
    import torch  # noqa: PLC0415

    from corpusforge.training.evaluate import total_loss  # noqa: PLC0415
    from corpusforge.training.model import build_model  # noqa: PLC0415
    from corpusforge.training.shapes import NeoXConfig  # noqa: PLC0415

    torch.set_num_threads(1)
    model = build_model(NeoXConfig(layers=2, hidden=64, heads=2), 8192, 0)
    length, rows, steps = 128, 8, 40
    windows = windows_of(prefixes, length)
    sources = {
        "windows": Shuffled(windows, Order(len(windows), rows, 0)),
        "streams": streams_of(windows.tokens, length, rows, documents=True),
    }
    print(f"\nWaiting share of a small model's steps ({rows} windows of {length} tokens, 1 thread)")
    for name, source in sources.items():
        waited = 0.0
        with closing(portions(source, range(10**9), 0, 1)) as feed:
            next(feed)
            began = time.perf_counter()
            for _ in range(steps):
                asked = time.perf_counter()
                batch = next(feed).batch
                waited += time.perf_counter() - asked
                logits = model(
                    torch.from_numpy(batch.inputs % 8192), torch.from_numpy(batch.positions)
                )
                total_loss(logits, torch.from_numpy(batch.targets % 8192)).backward()
            took = time.perf_counter() - began
        rate = steps * rows * length / took
        print(f"  {name}: {waited / took:.2%} of {took / steps * 1e3:.0f} ms, {rate:,.0f} tokens/s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the shards are written for a while")
    with tempfile.TemporaryDirectory(dir=parser.parse_args().folder) as name:
        folder = Path(name)
        one, many = lay(folder / "one", 1), lay(folder / "many", 100)
        copying(one, many)
        batching(one)
        starting(many)
        memory(folder)
        thousands(folder)
        waiting(one)
        cold(one)


if __name__ == "__main__":
    main()
