"""What the batches of a folder of shards promise to a training loop of any make."""

import subprocess
import sys
from functools import partial
from itertools import islice

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from corpusforge.errors import ConfigError
from corpusforge.training.batches import IGNORED, Batch, batches, stream_batches
from corpusforge.training.corpus import open_corpus
from corpusforge.training.data import windows_of
from corpusforge.training.dataset import BatchDataset

LENGTH, ROWS = 16, 6
SHUFFLED = partial(batches, sequence_length=LENGTH, batch=ROWS, seed=5)
STREAMS = partial(stream_batches, sequence_length=LENGTH, batch=ROWS, documents=True)
both = pytest.mark.parametrize("start", [SHUFFLED, STREAMS], ids=["windows", "streams"])


def take(some, count):
    try:
        return list(islice(some, count))
    finally:
        some.close()


def same(one, other):
    return all(np.array_equal(vars(one)[name], vars(other)[name]) for name in vars(one))


@both
def test_a_run_resumed_at_any_step_on_any_number_of_ranks_goes_on_with_the_same(folder, start):
    undisturbed = take(start(folder.shards), 60)
    for step, ranks in [(0, 2), (7, 3), (41, 6), (59, 1)]:
        parts = [
            take(start(folder.shards, rank=rank, ranks=ranks, start_step=step), 60 - step)
            for rank in range(ranks)
        ]
        for expected, *found in zip(undisturbed[step:], *parts, strict=True):
            fields = [np.concatenate([vars(part)[f] for part in found]) for f in vars(expected)]
            assert same(Batch(*fields), expected)


def test_an_epoch_has_every_target_of_the_split_once(folder):
    windows = windows_of(open_corpus(folder.shards).prefixes("valid"), LENGTH)
    epoch = take(batches(folder.shards, "valid", sequence_length=LENGTH, batch=1), len(windows))
    counted = sum(int((batch.targets != IGNORED).sum()) for batch in epoch)
    assert counted == len(windows.tokens) - len(windows.tokens.shards)


@both
def test_the_torch_dataset_has_the_same_batches_whether_or_not_in_a_process_of_its_own(
    folder, start
):
    expected = take(start(folder.shards, start_step=3), 4)
    dataset = BatchDataset(partial(start, folder.shards, start_step=3))
    for workers in (0, 1):
        loader = DataLoader(dataset, batch_size=None, num_workers=workers)
        for tensors, batch in zip(loader, expected, strict=False):
            assert {tensor.dtype for tensor in tensors.values()} == {torch.int64}
            found = {name: tensor.numpy() for name, tensor in tensors.items()}
            assert same(Batch(**found), batch)


def test_a_dataset_refuses_processes_that_would_repeat_it(folder):
    dataset = BatchDataset(partial(SHUFFLED, folder.shards))
    loader = DataLoader(dataset, batch_size=None, num_workers=2)
    with pytest.raises(ConfigError, match="num_workers=2 would deliver every batch that many"):
        next(iter(loader))


@both
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rank": 2, "ranks": 2}, "rank=2 of ranks=2, start_step=0, batch=6, .*: ranks count"),
        ({"start_step": -1}, "start_step=-1"),
        ({"batch": 0}, "batch=0"),
        ({"sequence_length": 0}, "sequence_length=0: ranks .* a row at least 1 token"),
        ({"ranks": 4}, "batch of 6 windows does not divide among 4 ranks"),
        ({"split": "dev"}, "no split 'dev'"),
        ({"sequence_length": 10**6}, "lower .*sequence_length"),
    ],
)
def test_what_cannot_be_read_is_refused_before_the_first_batch(folder, start, wrong, message):
    with pytest.raises(ConfigError, match=message):
        start(folder.shards, **wrong)


def test_reading_batches_needs_no_torch():
    program = "import sys, corpusforge.training.batches; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
