"""What the sections of `train.py` run under MPI; rank 0 prints what was found as JSON.

mpiexec -n 2 python -m mpi4py training_job.py pace SHARDS CONFIG STEPS
mpiexec -n 2 python -m mpi4py training_job.py update SHARDS CONFIG FOLDER
mpiexec -n 1 python -m mpi4py training_job.py learn SHARDS CONFIG
"""

import json
import sys
import time
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from itertools import product
from pathlib import Path

import msgspec
import torch
from training_setup import new_trainer

from corpusforge.training.data import IGNORED
from corpusforge.training.evaluate import evaluate
from corpusforge.training.export import whole_weights
from corpusforge.training.feed import portions
from corpusforge.training.launch import launch
from corpusforge.training.material import Job, gather

WARM = 2  # steps before the clock starts
TAKEN = 10  # steps whose update is compared


def pace(material, world, steps, whole_windows):
    """Losses and seconds of each step, with what a run exchanges between ranks in each."""
    trainer, losses = new_trainer(material, world), []
    seconds, processor, waits = [], [], []
    with closing(portions(material.steps, range(WARM + steps), world.rank, world.size)) as feed:
        for step in range(WARM + steps):
            began, used = time.perf_counter(), time.process_time()
            portion = next(feed)
            waited = time.perf_counter() - began
            if whole_windows:
                portion = as_one_document(portion)
            taken = trainer.step(step, portion)
            losses += world.add(taken.loss)
            if step >= WARM:
                seconds.append(time.perf_counter() - began)
                processor.append(time.process_time() - used)
                waits.append(waited)
    tokens = material.config.batch * material.config.sequence_length
    return {
        "tokens": tokens,
        "seconds": seconds,
        "processor": processor,
        "waited": sum(waits) / sum(seconds),
        "losses": losses,
        "threads": torch.get_num_threads(),
    }


def as_one_document(portion):
    """Windows as programs see them that know no documents, and no target after the last token."""
    batch, length = portion.batch, portion.batch.inputs.shape[1]
    batch.positions[...] = range(length)
    batch.targets[:, -1] = IGNORED
    return replace(portion, targets=int((batch.targets != IGNORED).sum()))


def update(material, world, folder):
    """Write the weights after ten steps with each optimizer, spread in each way."""
    ways = {"ddp": {}, "fsdp": {"parallel": "fsdp"}}
    if world.size == 1:
        ways = {"ddp": {}, "halves": {"accumulate": 2}}
    for optimizer, (way, changes) in product(("adamw", "lamb"), ways.items()):
        config = material.config
        execution = msgspec.structs.replace(config.execution, **changes)
        config = msgspec.structs.replace(config, optimizer=optimizer, execution=execution)
        trainer = new_trainer(replace(material, config=config), world)
        with closing(portions(material.steps, range(TAKEN), world.rank, world.size)) as feed:
            for step, portion in enumerate(feed):
                trainer.step(step, portion)
        weights = whole_weights(trainer.model)
        if world.rank == 0:
            torch.save(weights, Path(folder) / f"{optimizer}-{way}-{world.size}.pt")
    return {}


def learn(material, world):
    """Take all steps; how well the validation text is predicted then, and a digest of it."""
    trainer, steps = new_trainer(material, world), range(material.config.steps)
    with closing(portions(material.steps, steps, world.rank, world.size)) as feed:
        for step, portion in enumerate(feed):
            trainer.step(step, portion)
    probe = material.probe
    text = sha256(probe.windows.batch(probe.chosen).targets).hexdigest()
    return {"bits_per_byte": evaluate(trainer.predict, probe, world).bits_per_byte, "text": text}


def main():
    what, shards, config, *rest = sys.argv[1:]
    job = Job(Path(shards), Path(shards), Path(config), Path(config).with_suffix(".out"))

    def body(world):
        material = gather(job, world)
        if what == "pace":
            found = pace(material, world, int(rest[0]), whole_windows="whole" in rest)
        elif what == "update":
            found = update(material, world, rest[0])
        else:
            found = learn(material, world)
        if world.rank == 0:
            print("found " + json.dumps(found), flush=True)
        return 0

    return launch(body)


if __name__ == "__main__":
    sys.exit(main())
