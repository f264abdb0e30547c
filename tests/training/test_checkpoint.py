"""What a checkpoint promises."""

import msgspec
import pytest
import torch

from corpusforge.errors import ConfigError, FormatError
from corpusforge.training.checkpoint import Checkpoints
from corpusforge.training.config import TrainConfig
from corpusforge.training.identity import Identity
from corpusforge.training.model import build_model
from corpusforge.training.optimizer import build_optimizer


@pytest.fixture
def identity(config):
    return Identity(msgspec.convert(config, TrainConfig), "f1")


def fresh(config, seed):
    model = build_model(config.model, 128, seed)
    return model, build_optimizer(model, config)


def take_step(model, optimizer):
    model(torch.arange(6).reshape(1, 6)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()


def test_a_loaded_model_goes_on_as_the_saved_one_does(identity, tmp_path):
    checkpoints = Checkpoints(tmp_path, identity)
    model, optimizer = fresh(identity.config, seed=1)
    take_step(model, optimizer)
    checkpoints.save(1, model, optimizer)
    other, other_optimizer = fresh(identity.config, seed=2)
    assert checkpoints.load(other, other_optimizer) == 1
    take_step(model, optimizer)
    take_step(other, other_optimizer)
    for name, value in model.state_dict().items():
        assert torch.equal(value, other.state_dict()[name]), name


def test_a_new_run_starts_at_the_beginning(identity, tmp_path):
    assert Checkpoints(tmp_path, identity).load(*fresh(identity.config, seed=1)) == 0


def test_the_last_two_are_kept_and_the_last_one_is_loaded(identity, tmp_path):
    checkpoints = Checkpoints(tmp_path, identity)
    model, optimizer = fresh(identity.config, seed=1)
    for steps_done in (5, 90, 100):
        checkpoints.save(steps_done, model, optimizer)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["LATEST", "step-00000090.pt", "step-00000100.pt"]
    assert checkpoints.load(model, optimizer) == 100


def test_the_checkpoint_of_another_run_is_refused(identity, tmp_path):
    model, optimizer = fresh(identity.config, seed=1)
    path = Checkpoints(tmp_path, identity).save(5, model, optimizer)
    other = Identity(identity.config, "f2")
    with pytest.raises(ConfigError, match=rf"{path.name} belongs to .* corpus f1 \(now f2\)"):
        Checkpoints(tmp_path, other).load(model, optimizer)


def test_a_checkpoint_that_is_not_there_is_named(identity, tmp_path):
    (tmp_path / "LATEST").write_text("step-00000007.pt")
    with pytest.raises(FormatError, match=r"LATEST names step-00000007.pt, which does not exist"):
        Checkpoints(tmp_path, identity).load(*fresh(identity.config, seed=1))
