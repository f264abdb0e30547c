"""What a checkpoint promises."""

from threading import Event

import msgspec
import pytest
import torch

from corpusforge.errors import ConfigError, FormatError, RunError
from corpusforge.training import checkpoint_files
from corpusforge.training.checkpoint import Checkpoints, State
from corpusforge.training.config import ExecutionConfig, TrainConfig
from corpusforge.training.identity import Identity
from corpusforge.training.model import build_model
from corpusforge.training.optimizer import build_optimizer

pytestmark = pytest.mark.usefixtures("alone")


@pytest.fixture
def identity(config):
    return Identity(msgspec.convert(config, TrainConfig), "f1")


def fresh(config, seed):
    model = build_model(config.model, 128, seed)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    return State(model, build_optimizer(model, config), scaler, {"hidden": torch.zeros(2, 3)})


def take_step(state):
    state.model(torch.arange(6).reshape(1, 6)).square().mean().backward()
    state.optimizer.step()
    state.optimizer.zero_grad()


def carried_out(identity, **settings):
    config = msgspec.structs.replace(identity.config, execution=ExecutionConfig(**settings))
    return Identity(config, identity.fingerprint)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def equal(a, b):
    return all(torch.equal(value, b[name]) for name, value in a.items())


def test_a_loaded_state_goes_on_as_the_saved_one_does(identity, tmp_path):
    checkpoints = Checkpoints.of(tmp_path, identity)
    state, other = (fresh(identity.config, seed) for seed in (1, 2))
    take_step(state)
    state.streams["hidden"].fill_(7)
    state.noise.add(2, 3.0, 8, 1.5)
    state.scaler.scale(torch.ones(()))
    state.scaler.update(new_scale=512.0)
    checkpoints.save(1, state)
    assert checkpoints.load(other) == 1
    assert torch.equal(other.streams["hidden"], torch.full((2, 3), 7.0))
    assert other.scaler.state_dict() == state.scaler.state_dict()
    assert other.scaler.get_scale() == 512.0
    assert other.noise == state.noise
    assert other.noise.windows > 0
    take_step(state)
    take_step(other)
    assert equal(state.model.state_dict(), other.model.state_dict())


def test_a_new_run_starts_at_the_beginning(identity, tmp_path):
    assert Checkpoints.of(tmp_path, identity).load(fresh(identity.config, seed=1)) == 0


@pytest.mark.parametrize("keep", [1, 2])
def test_the_last_few_are_kept_and_the_last_one_is_loaded(identity, tmp_path, keep):
    identity = carried_out(identity, keep_checkpoints=keep)
    checkpoints = Checkpoints.of(tmp_path, identity)
    state = fresh(identity.config, seed=1)
    for steps_done in (5, 90, 100):
        checkpoints.save(steps_done, state)
    assert names(tmp_path) == ["LATEST", "step-00000090", "step-00000100"][:: 3 - keep]
    assert checkpoints.load(state) == 100


def test_an_older_checkpoint_can_be_chosen_and_later_ones_are_written_over(identity, tmp_path):
    checkpoints = Checkpoints.of(tmp_path, identity)
    state = fresh(identity.config, seed=1)
    for steps_done in (5, 10):
        checkpoints.save(steps_done, state)
    (tmp_path / "LATEST").write_text("step-00000005\n")
    assert checkpoints.load(state) == 5
    for steps_done in (7, 10):
        checkpoints.save(steps_done, state)
        assert (tmp_path / "LATEST").read_text() == f"step-{steps_done:08d}"
    assert names(tmp_path) == ["LATEST", "step-00000007", "step-00000010"]


def test_what_a_killed_run_left_half_written_is_removed_and_not_loaded(identity, tmp_path):
    checkpoints = Checkpoints.of(tmp_path, identity)
    state = fresh(identity.config, seed=1)
    checkpoints.save(5, state)
    (tmp_path / "step-00000010.tmp").mkdir()
    assert checkpoints.load(state) == 5
    assert names(tmp_path) == ["LATEST", "step-00000005"]


def test_the_checkpoint_of_another_run_is_refused(identity, tmp_path):
    Checkpoints.of(tmp_path, identity).save(5, fresh(identity.config, seed=1))
    other = Checkpoints.of(tmp_path, Identity(identity.config, "f2"))
    with pytest.raises(ConfigError, match=r"step-00000005 belongs to .* corpus f1 \(now f2\)"):
        other.load(fresh(identity.config, seed=1))


def cut(file):
    file.write_bytes(file.read_bytes()[:-100])


def flip(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def spoil(file):
    file.write_text("{}")


@pytest.mark.parametrize(
    ("harm", "name", "message"),
    [
        (cut, "__0_0.distcp", r"is damaged: __0_0.distcp has [\d,]+ bytes of [\d,]+; write"),
        (flip, "__0_0.distcp", "is damaged: __0_0.distcp holds other bytes than were written; wr"),
        (flip, ".metadata", "is damaged: .metadata holds other bytes than were written; write"),
        (lambda file: file.unlink(), "__0_0.distcp", "is damaged: __0_0.distcp is missing; write"),
        (spoil, "checkpoint.json", "checkpoint.json is damaged: .*`steps_done`; write"),
        (
            lambda file: file.unlink(),
            "checkpoint.json",
            "checkpoint.json cannot be read: No such file or directory; write",
        ),
    ],
)
def test_a_damaged_checkpoint_is_named_and_nothing_of_it_is_loaded(
    harm, name, message, identity, tmp_path
):
    checkpoints = Checkpoints.of(tmp_path, identity)
    for steps_done in (5, 10):
        checkpoints.save(steps_done, fresh(identity.config, seed=1))
    harm(tmp_path / "step-00000010" / name)
    state, untouched = (fresh(identity.config, seed=2) for _ in range(2))
    advice = "write step-00000005 into .*LATEST to continue from there, or delete .* to start over"
    with pytest.raises(FormatError, match=f"step-00000010.*{message[:-5]}.*{advice}"):
        checkpoints.load(state)
    assert equal(state.model.state_dict(), untouched.model.state_dict())


def test_a_checkpoint_that_is_not_there_is_named(identity, tmp_path):
    (tmp_path / "LATEST").write_text("step-00000007")
    message = "LATEST names step-00000007, which is no folder; delete .* to start over"
    with pytest.raises(FormatError, match=message):
        Checkpoints.of(tmp_path, identity).load(fresh(identity.config, seed=1))


def test_a_checkpoint_that_cannot_be_written_ends_the_run(identity, tmp_path):
    (tmp_path / "file").touch()
    checkpoints = Checkpoints.of(tmp_path / "file" / "checkpoints", identity)
    message = r"step-00000005.tmp could not be written: .*Error: .* [\d,]+ bytes free; make that po"
    with pytest.raises(RunError, match=message):
        checkpoints.save(5, fresh(identity.config, seed=1))


def test_a_checkpoint_in_the_background_holds_what_was_there_when_it_was_asked_for(
    identity, tmp_path, monkeypatch
):
    identity = carried_out(identity, async_checkpoints=True)
    checkpoints = Checkpoints.of(tmp_path, identity)
    state, other = (fresh(identity.config, seed) for seed in (1, 2))
    on_disk, written_by = Event(), checkpoint_files.written_by
    monkeypatch.setattr(
        checkpoint_files,
        "written_by",
        lambda folder, rank: on_disk.wait(30) and written_by(folder, rank),
    )
    take_step(state)
    before = {name: value.clone() for name, value in state.model.state_dict().items()}
    checkpoints.save(1, state)
    take_step(state)
    checkpoints.settle()
    assert not (tmp_path / "LATEST").exists()
    on_disk.set()
    checkpoints.finish()
    assert names(tmp_path) == ["LATEST", "step-00000001"]
    assert checkpoints.load(other) == 1
    assert equal(before, other.model.state_dict())
    assert not equal(before, state.model.state_dict())
