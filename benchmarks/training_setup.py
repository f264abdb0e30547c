"""What the sections of `train.py` share: models, text, runs in this process, and jobs under MPI."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import torch
from torch import distributed

from corpusforge.formats.megatron import write_shard
from corpusforge.formats.shard_folder import (
    Description,
    ShardRecord,
    split_record,
    write_description,
)
from corpusforge.training.config import TrainConfig, padded_vocabulary
from corpusforge.training.launch import World
from corpusforge.training.material import Job, gather
from corpusforge.training.model import model_to_spread
from corpusforge.training.preset import with_preset
from corpusforge.training.trainer import Trainer
from corpusforge.work import node_name

BESIDE = Path(__file__).parent
WAYS = {
    "demo": {"preset": "demo"},
    # 8 x 256 with 8,192 tokens: 10.5 million parameters.
    "10M": {
        "model": {"kind": "neox", "layers": 8, "hidden": 256, "heads": 8},
        "sequence_length": 256,
        "batch": 8,
        "learning_rate": 1e-3,
    },
}


@dataclass(frozen=True)
class Bench:
    """What a section is given."""

    pipeline: Path
    scratch: Path
    quick: bool

    @property
    def corpus(self):
        # Not needed on a machine that only trains.
        from corpusforge import Corpus  # noqa: PLC0415

        return Corpus.open(self.pipeline)

    @property
    def shards(self):
        """The folder of shards of the pipeline, which holds its tokenizer too."""
        folder = self.corpus.plan.step("shards").folder
        if not (folder / "shards.json").is_file():
            sys.exit(f"{folder} has no shards.json; `corpusforge run {self.pipeline}` makes it")
        return folder

    def times(self, whole, quick):
        """How often: `whole` for a figure, `quick` to see that it works."""
        return quick if self.quick else whole

    def written(self, name, settings):
        """The file of a configuration."""
        path = self.scratch / f"{name}.json"
        path.write_text(json.dumps(settings))
        return path

    def material(self, settings, shards=None):
        """What a run with these settings on one rank works with."""
        shards = shards or self.shards
        config = self.written("material", settings)
        return gather(Job(shards, shards, config, self.scratch / "out"), one_rank())


def configured(settings):
    """The configuration of some settings."""
    return msgspec.convert(with_preset(settings), TrainConfig)


def one_rank(device="cpu"):
    return World(0, 1, 0, (node_name(),), torch.device(device))


@contextmanager
def alone(device="cpu"):
    """A job of one rank in this process."""
    backend = "nccl" if device.startswith("cuda") else "gloo"
    store = distributed.HashStore()
    distributed.init_process_group(backend, store=store, rank=0, world_size=1)
    yield one_rank(device)
    distributed.destroy_process_group()


@contextmanager
def threads(count):
    """So many threads for torch."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    yield
    torch.set_num_threads(before)


def new_trainer(material, world):
    """A trainer at its first step."""
    rows = padded_vocabulary(material.corpus.description.vocab_size)
    return Trainer.of(material.config, world, model_to_spread(material.config, rows))


def run_job(ranks, threads_each, *arguments):
    """What rank 0 of an MPI job of `training_job.py` found."""
    job = [sys.executable, "-m", "mpi4py", BESIDE / "training_job.py", *arguments]
    mpiexec = Path(sys.executable).with_name("mpiexec")
    return answer([mpiexec, "-n", ranks, *job], threads_each)


def answer(command, threads_each):
    """The JSON that a process prints after the word `found`."""
    environment = os.environ | {"OMP_NUM_THREADS": str(threads_each)}
    done = subprocess.run(
        [str(word) for word in command],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )
    found = [line for line in done.stdout.splitlines() if line.startswith("found ")]
    if done.returncode or not found:
        sys.exit(f"{command} ended with {done.returncode}:\n{done.stdout[-3000:]}")
    return json.loads(found[-1].removeprefix("found "))


def write_shards(folder, splits, vocab_size, end):
    """A folder of shards, one per split, with these documents in this order."""
    described = {}
    for split, documents in splits.items():
        shard = write_shard(folder / split / f"{split}-00000", documents, vocab_size)
        record = ShardRecord(f"{split}-00000", len(shard), len(shard.tokens), [], {})
        described[split] = split_record([record])
    description = Description(
        fingerprint=folder.name,
        revision=folder.name,
        dtype=str(shard.tokens.dtype),
        vocab_size=vocab_size,
        eod_id=end,
        tokenizer_sha256="",
        split={},
        seed=0,
        made_by={},
        splits=described,
    )
    write_description(folder, description)
    return folder


def spread_of(values):
    """Median and quartiles, as text."""
    low, middle, high = np.percentile(values, [25, 50, 75])
    return f"{middle:.3f} (quartiles {low:.3f} to {high:.3f}, {len(values)} times)"
