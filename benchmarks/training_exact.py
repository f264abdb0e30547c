"""Whether training is the same however it is spread and whatever interrupts it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import torch
from training_setup import configured, run_job

from corpusforge.training.config import padded_vocabulary
from corpusforge.training.corpus import open_corpus
from corpusforge.training.model import build_model

SMALL = {"kind": "neox", "layers": 2, "hidden": 64, "heads": 2}
SAVED_EVERY, KILLED_AFTER, SHOWN_EVERY = 20, 30, 6
LIMIT = 600  # seconds until a run counts as hanging


def optimizers(bench):
    """How far the update of ten steps on 2 ranks is from that of one process.

    One process that adds up the gradients of two halves of each batch shows what rounding alone
    does: Adam makes steps of full size of gradients that are nothing but rounding, as those of the
    biases of keys are.
    """
    settings = {"preset": "demo", "warmup": 0}
    config = bench.written("update", settings)
    for ranks in (1, 2):
        run_job(ranks, 1, "update", bench.shards, config, bench.scratch)
    names = {
        "halves-1": "1 process, in halves",
        "ddp-2": "2 ranks, DDP",
        "fsdp-2": "2 ranks, FSDP2",
    }
    start, found = first_weights(bench, settings), {}
    print("norm of the difference over the norm of the whole update; asked of LAMB <= 1e-5")
    for optimizer in ("adamw", "lamb"):
        alone = torch.load(bench.scratch / f"{optimizer}-ddp-1.pt")
        for way, name in names.items():
            spread = torch.load(bench.scratch / f"{optimizer}-{way}.pt")
            apart = distance(spread, alone, start)
            worst, where = max((distance({p: spread[p]}, alone, start), p) for p in alone)
            found[f"{optimizer}, {name}"] = apart
            print(f"  {optimizer:<6}{name:<22}{apart:.1e}; worst parameter {worst:.1e}, {where}")
    return found


def first_weights(bench, settings):
    """Those that each of these runs begins with."""
    config = configured(settings)
    rows = padded_vocabulary(open_corpus(bench.shards).description.vocab_size)
    return build_model(config.model, rows, config.seed).state_dict()


def distance(spread, alone, start):
    """Norm of all differences of some parameters over that of what they moved."""
    moved = sum(float((alone[name] - start[name]).double().square().sum()) for name in spread)
    apart = sum(float((spread[name] - alone[name]).double().square().sum()) for name in spread)
    return (apart / moved) ** 0.5


def resume(bench):
    """Losses of a run on 2 ranks, and of two that are killed with -9 and go on with 1 and with 3.

    A checkpoint is written every 20 steps, and the runs are killed after step 30.
    """
    config = bench.written(
        "resume",
        {
            "model": SMALL,
            "sequence_length": 128,
            "batch": 6,
            "steps": 60,
            "warmup": 5,
            "evaluate_every": 60,
            "checkpoint_every": SAVED_EVERY,
        },
    )
    runs = {"2": (2, 2), "2, then 1": (2, 1), "2, then 3": (2, 3)}
    losses, killed_after = {}, {}
    for name, (before, after) in runs.items():
        out = bench.scratch / f"{before}-{after}"
        if before != after:
            killed_after[name] = killed(bench, config, before, out)
        completed(bench, config, after, out)
        losses[name] = logged(out)
    steps = sorted(losses["2"])
    print(f"{'step':>8}" + "".join(f"{'ranks ' + name:>18}" for name in runs))
    for step in steps[SHOWN_EVERY - 1 :: SHOWN_EVERY]:
        print(f"{step:>8}" + "".join(f"{losses[name][step]:18.9f}" for name in runs))
    apart = {
        name: max(abs(losses[name][step] / losses["2"][step] - 1) for step in steps)
        for name in killed_after
    }
    for name, largest in apart.items():
        print(
            f"  {name}: killed after step {killed_after[name]}; of {len(steps)} losses the "
            f"furthest is {largest:.1e} of itself from the undisturbed; asked <= 1e-6"
        )
    return {"losses": losses, "apart": apart}


def command(bench, config, ranks, out):
    mpiexec = Path(sys.executable).with_name("mpiexec")
    job = [mpiexec, "-n", ranks, sys.executable, "-m", "mpi4py", "-m", "corpusforge.training"]
    job += ["--shards", bench.shards, "--tokenizer", bench.shards, "--config", config]
    return [str(word) for word in [*job, "--out", out, "--log-every", "1"]]


def killed(bench, config, ranks, out):
    """Start a run, and kill all of it between two checkpoints; the last step it logged."""
    with subprocess.Popen(
        command(bench, config, ranks, out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        start_new_session=True,
    ) as job:
        began = time.monotonic()
        while max(logged(out), default=0) < KILLED_AFTER:
            if job.poll() is not None or time.monotonic() - began > LIMIT:
                os.killpg(job.pid, signal.SIGKILL)
                sys.exit(f"the run in {out} did not come to step {KILLED_AFTER}")
            time.sleep(0.02)
        os.killpg(job.pid, signal.SIGKILL)
    return max(logged(out))


def completed(bench, config, ranks, out):
    """Run to the end, from the last checkpoint if there is one."""
    done = subprocess.run(
        command(bench, config, ranks, out),
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        timeout=LIMIT,
    )
    if done.returncode:
        sys.exit(f"{out} ended with {done.returncode}: {done.stdout[-1000:]}{done.stderr[-2000:]}")


def logged(out):
    """The loss of each step in the log, of which the last line may be half written."""
    log = out / "log.jsonl"
    lines = log.read_bytes().splitlines() if log.is_file() else []
    entries = [msgspec.json.decode(line) for line in lines if line.endswith(b"}")]
    return {entry["step"]: entry["loss"] for entry in entries if "loss" in entry}
