"""What a run gets to read."""

import json

import numpy as np
import pytest
import torch

from corpusforge.errors import ConfigError
from corpusforge.training.data import Shuffled
from corpusforge.training.launch import World
from corpusforge.training.material import Job, gather
from corpusforge.training.streams import Streams

ALONE = World(0, 1, 0, ("here",), torch.device("cpu"))


pytestmark = pytest.mark.usefixtures("one_rank")


@pytest.fixture
def material(folder, config, tmp_path):
    """The material of a run with this model."""

    def of(**model):
        path = tmp_path / "train.json"
        path.write_text(json.dumps(config | {"model": model}))
        return gather(Job(folder.shards, folder.tokenizer, path, tmp_path / "out"), ALONE)

    return of


def test_a_transformer_takes_windows_in_the_order_of_its_seed(material):
    found = material(kind="neox", layers=1, hidden=16, heads=2)
    assert isinstance(found.steps, Shuffled)
    assert (found.steps.order.batch, found.steps.order.seed) == (6, found.config.seed)
    assert found.steps.windows.length == 32


@pytest.mark.parametrize(("reset", "documents"), [("stream", False), ("document", True)])
def test_a_model_that_remembers_takes_streams(material, reset, documents):
    steps = material(kind="mlstm", hidden=8, reset=reset).steps
    assert isinstance(steps, Streams)
    assert (steps.count, steps.length, steps.documents) == (6, 32, documents)
    starts_anew = steps.batch(0, 0, 1).positions == 0
    assert starts_anew[:, 0].all()
    assert (starts_anew.sum() > 6) == documents
    assert np.array_equal(steps.batch(0, 0, 1).inputs[:, 1:], steps.batch(0, 0, 1).targets[:, :-1])


def test_a_batch_that_the_ranks_cannot_share_is_refused(folder, config, tmp_path):
    path, ranks = tmp_path / "train.json", World(0, 4, 0, ("here",) * 4, torch.device("cpu"))
    path.write_text(json.dumps(config))
    message = "a batch of 6 windows does not divide among 4 ranks; set batch to a multiple of 4, or"
    with pytest.raises(ConfigError, match=message):
        gather(Job(folder.shards, folder.tokenizer, path, tmp_path / "out"), ranks)


def test_a_model_that_forgets_with_each_window_takes_windows(material):
    assert isinstance(material(kind="mlstm", hidden=8, reset="window").steps, Shuffled)
