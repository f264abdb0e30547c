"""How training scales from one rank to two, and how it compares with `transformers`' Trainer."""

import sys

import numpy as np
from training_setup import BESIDE, WAYS, answer, configured, run_job, spread_of

# Ranks, threads of each, and batches of the configuration: with 2 the work of a rank is the same.
LAYOUTS = {
    "1 rank x 1 thread": (1, 1, 1),
    "2 ranks x 1 thread, strong": (2, 1, 1),
    "2 ranks x 1 thread, weak": (2, 1, 2),
    "1 rank x 2 threads": (1, 2, 1),
}
ALONE, STRONG, WEAK, THREADS = LAYOUTS
ASKED = {(STRONG, ALONE): 1.9, (WEAK, ALONE): 1.9, (STRONG, THREADS): 0.98}
STEPS = {"demo": 30, "10M": 8}
ROUNDS = 3


def ranks(bench):
    """Tokens/s of 2 ranks against 1, under mpiexec, in turns."""
    found = {}
    for name, settings in WAYS.items():
        speeds = {layout: [] for layout in LAYOUTS}
        for _ in range(bench.times(ROUNDS, 1)):
            for layout in LAYOUTS:
                speeds[layout].append(speed(paced(bench, name, layout)))
        print(f"{name}: {configured(settings).model}")
        for layout, values in speeds.items():
            print(f"  {layout:<28}{np.median(values):10,.0f} tokens/s")
        for (above, below), asked in ASKED.items():
            ratios = np.array(speeds[above]) / np.array(speeds[below])
            print(f"  {above} / {below}: {spread_of(ratios)}; asked >= {asked}")
        found[name] = speeds
    return found


def paced(bench, name, layout):
    """What a job of these ranks found."""
    count, threads, batches = LAYOUTS[layout]
    batch = configured(WAYS[name]).batch * batches
    path = bench.written(f"{name}-{batches}", WAYS[name] | {"batch": batch})
    steps = bench.times(STEPS[name], 4)
    return run_job(count, threads, "pace", bench.shards, path, steps)


def speed(found):
    """Tokens per second of the median step."""
    return found["tokens"] / float(np.median(found["seconds"]))


def trainer(bench):
    """Tokens/s against `transformers`' Trainer: the same weights, batches and optimizer, in turns.

    It knows no documents, so windows are one document each on both sides, and the losses agree.
    One thread: two wait for each other as soon as anything else runs, whichever side they are on.
    """
    found = {}
    constant = {"warmup": 0, "decay": "constant"}
    for name, settings in WAYS.items():
        path = bench.written(f"{name}-constant", settings | constant)
        steps = bench.times(STEPS[name], 4)
        speeds, apart, used = {"ours": [], "theirs": []}, [], []
        for _ in range(bench.times(ROUNDS, 1)):
            ours = run_job(1, 1, "pace", bench.shards, path, steps, "whole")
            peer = [sys.executable, BESIDE / "training_peer.py", bench.shards, path, steps]
            theirs = answer(peer, 1)
            speeds["ours"].append(speed(ours))
            speeds["theirs"].append(speed(theirs))
            used.append(np.median(theirs["processor"]) / np.median(ours["processor"]))
            losses = np.array([ours["losses"], theirs["losses"]])
            apart.append(float(np.abs(losses[0] - losses[1]).max()))
        ratios = np.array(speeds["ours"]) / np.array(speeds["theirs"])
        print(f"{name}: {np.median(speeds['ours']):,.0f} tokens/s here, "
              f"{np.median(speeds['theirs']):,.0f} with Trainer, 1 rank x 1 thread")  # fmt: skip
        print(f"  ratio on the clock {spread_of(ratios)}; asked >= 1")
        print(f"  ratio in seconds of the processor {spread_of(used)}")
        print(f"  losses of all {len(losses[0])} steps at most {max(apart):.1e} apart")
        found[name] = speeds | {"apart": apart, "processor": used}
    return found
