"""A corpus of 40 short documents in three shards, with a byte-level tokenizer of 280 tokens."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import distributed

from corpusforge.formats.megatron import write_shard
from corpusforge.formats.shard_folder import (
    Description,
    ShardRecord,
    split_record,
    write_description,
)
from corpusforge.training.launch import World
from corpusforge.training.loop import train
from corpusforge.training.material import Job

CONFIG = {
    "model": {"kind": "neox", "layers": 2, "hidden": 32, "heads": 2},
    "sequence_length": 32,
    "batch": 6,
    "steps": 20,
    "warmup": 2,
    "learning_rate": 0.02,
    "evaluate_every": 10,
    "evaluation_windows": 9,
    "checkpoint_every": 5,
}


@dataclass(frozen=True)
class Folder:
    """A small corpus on disk, and how to train on it."""

    path: Path

    @property
    def shards(self):
        return self.path / "shards"

    @property
    def tokenizer(self):
        return self.path / "tokenizer" / "tokenizer.json"

    def job(self, out, **changes):
        """A run, its configuration written beside it."""
        config = out.with_name(out.name + ".json")
        config.write_text(json.dumps(CONFIG | changes))
        return Job(self.shards, self.tokenizer.parent, config, out, log_every=1)

    def options(self, out, **changes):
        """The command line of a run."""
        job = self.job(out, **changes)
        return [
            *("--shards", job.shards, "--tokenizer", job.tokenizer),
            *("--config", job.config, "--out", out, "--log-every", job.log_every),
        ]


@dataclass(frozen=True)
class Ended:
    """How a job ended."""

    status: int
    output: str


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Threads would only wait for each other on tensors as small as those of these tests."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def config():
    """The configuration of a run of a second."""
    return CONFIG


@pytest.fixture(scope="session")
def start_job():
    """Start `python -m mpi4py <arguments>` under mpiexec."""
    return _start_job


@pytest.fixture(scope="session")
def run_job():
    """Run a job to its end."""
    return _run_job


@pytest.fixture(scope="session")
def run_here():
    """Take a run to its end in this process, as its only rank."""
    return _run_here


def _run_here(job):
    store = distributed.HashStore()
    distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        with redirect_stdout(StringIO()) as output:
            status = train(job, World(0, 1, 0, ("here",), torch.device("cpu")))
    finally:
        distributed.destroy_process_group()
    return Ended(status, output.getvalue())


@contextmanager
def _start_job(ranks, *arguments):
    mpiexec = Path(sys.executable).with_name("mpiexec")
    with subprocess.Popen(
        [mpiexec, "-n", str(ranks), sys.executable, "-m", "mpi4py", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        start_new_session=True,
    ) as job:
        try:
            yield job
        finally:
            if job.poll() is None:
                os.killpg(job.pid, signal.SIGKILL)


def _run_job(ranks, *arguments, timeout=60):
    with _start_job(ranks, *arguments) as job:
        output, _ = job.communicate(timeout=timeout)
    return Ended(job.returncode, output)


def texts(documents, seed):
    """Documents in which every word but the first follows from the one before."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "théta"]
    random = np.random.default_rng(seed)
    for length in random.integers(20, 60, documents):
        start = random.integers(len(words))
        yield " ".join(words[(start + i) % len(words)] for i in range(length)) + "."


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=280,
        special_tokens=["<|endoftext|>", "<|padding|>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts(60, seed=0), trainer)
    (path / "tokenizer").mkdir()
    tokenizer.save(str(path / "tokenizer" / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|endoftext|>"}
    (path / "tokenizer" / "tokenizer_config.json").write_text(json.dumps(settings))
    ids = [np.array([*tokenizer.encode(text).ids, 0]) for text in texts(40, seed=1)]
    vocab_size = tokenizer.get_vocab_size()
    splits = {"train": [ids[:14], ids[14:16], ids[16:32]], "valid": [ids[32:36], ids[36:]]}
    described = {}
    for split, shards in splits.items():
        records = []
        for j, documents in enumerate(shards):
            name = f"{split}-{j:05d}"
            shard = write_shard(path / "shards" / split / name, documents, vocab_size)
            records.append(ShardRecord(name, len(shard), len(shard.tokens), [], {}))
        described[split] = split_record(records)
    description = Description(
        fingerprint="shards-0123456789ab",
        revision="0123456789ab",
        dtype="uint16",
        vocab_size=vocab_size,
        eod_id=0,
        tokenizer_sha256="",
        split={},
        seed=1,
        made_by={},
        splits=described,
    )
    write_description(path / "shards", description)
    return Folder(path)


@pytest.fixture
def one_rank(monkeypatch):
    """Collectives of a job with one rank, without a process group."""
    monkeypatch.setattr(distributed, "all_reduce", lambda _tensor: None)


@pytest.fixture
def alone():
    """A process group of one rank."""
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    yield
    distributed.destroy_process_group()
