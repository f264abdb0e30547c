"""What a step of training promises."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from torch import distributed

from corpusforge.errors import ConfigError
from corpusforge.training.config import TrainConfig
from corpusforge.training.data import IGNORED, Batch
from corpusforge.training.evaluate import total_loss
from corpusforge.training.feed import Portion
from corpusforge.training.launch import World
from corpusforge.training.model import build_model
from corpusforge.training.trainer import Trainer

ALONE = World(0, 1, 0, ("here",), torch.device("cpu"))
NEOX = {"kind": "neox", "layers": 1, "hidden": 16, "heads": 2}
MLSTM = {"kind": "mlstm", "hidden": 8, "embedding": 4}
VOCABULARY, ROWS, TIME = 20, 6, 8

# Two ranks, each with half of the rows: what they find, as a line of JSON.
TWO_RANKS = """
import json, sys
import torch
sys.path.insert(0, TESTS)
from test_trainer import MLSTM, NEOX, half_of, portion, stream_portions, trainer_of, weights
from corpusforge.training.launch import launch

def body(world):
    trainer = trainer_of(world=world)
    noisy = [trainer.step(n, half_of(portion(n), world.rank)) for n in range(2)]
    scaled = trainer_of(world=world, precision="fp16", loss_scaling={"initial": 256.0})
    before = weights(scaled)
    if world.rank == 1:  # overflows in the gradients of one rank only
        scaled.model.embed_out.weight.register_hook(lambda gradient: gradient * torch.inf)
    skipped = scaled.step(0, half_of(portion(0), world.rank))
    streams = trainer_of(MLSTM, world=world)
    for number, each in enumerate(stream_portions(2)[1]):
        streams.step(number, half_of(each, world.rank))
    sharded = trainer_of(world=world, execution={"accumulate": 3, "parallel": "fsdp"})
    taken = sharded.step(0, half_of(portion(), world.rank))
    found = {
        "rank": world.rank,
        "sharded": [sharded.small_batch, taken.small_square],
        "loss": [step.loss for step in noisy],
        "norm": [step.gradient_norm for step in noisy],
        "small": [trainer.small_batch] + [step.small_square for step in noisy],
        "skipped": [skipped.skipped, scaled.scaler.get_scale()],
        "moved": not torch.equal(before, weights(scaled)),
        "memory": streams.memory.tolist(),
    }
    sys.stdout.write(json.dumps(found) + "\\n")
    return 0

sys.exit(launch(body))
"""


@pytest.fixture(scope="module", autouse=True)
def one_process():
    """A process group of one."""
    store = distributed.HashStore()
    distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


def trainer_of(model=NEOX, world=ALONE, **settings):
    given = {"model": model, "batch": ROWS, "warmup": 0, "learning_rate": 0.01, "decay": "constant"}
    config = msgspec.convert(given | settings, TrainConfig)
    return Trainer.of(config, world, build_model(config.model, VOCABULARY, seed=0))


def portion(step=0):
    """Rows of which each has a document boundary, and some targets that do not count."""
    random = np.random.default_rng(step)
    tokens = random.integers(0, VOCABULARY, (ROWS, TIME + 1))
    targets = tokens[:, 1:].copy()
    targets[0, :3] = IGNORED
    positions = np.tile(np.r_[np.arange(5), np.arange(TIME - 5)], (ROWS, 1))
    return Portion(Batch(tokens[:, :-1].copy(), targets, positions), int((targets >= 0).sum()))


def half_of(given, rank):
    """The rows of one of two ranks."""
    rows = slice(rank * ROWS // 2, (rank + 1) * ROWS // 2)
    batch = given.batch
    values = (batch.inputs[rows], batch.targets[rows], batch.positions[rows])
    return Portion(Batch(*values), given.targets)


def weights(trainer):
    return torch.cat([p.detach().flatten() for p in trainer.model.parameters()])


def steps(trainer, count=3):
    return [trainer.step(number, portion(number)) for number in range(count)]


def parts(count):
    return {"execution": {"accumulate": count}}


@pytest.mark.parametrize("optimizer", ["adamw", "lamb"])
@pytest.mark.parametrize("count", [2, 3, 6])
def test_micro_batches_add_up_to_the_whole_batch(count, optimizer):
    """Although the ignored targets are all in the first of them.

    The bias of keys has a gradient of zero but for rounding, whose sign Adam would follow: epsilon
    is above it.
    """
    settings = {"optimizer": optimizer, "epsilon": 1e-5}
    whole, divided = trainer_of(**settings), trainer_of(**settings, **parts(count))
    for one, two in zip(steps(whole), steps(divided), strict=True):
        assert two.loss == pytest.approx(one.loss, rel=1e-5)
        assert two.gradient_norm == pytest.approx(one.gradient_norm, rel=1e-4)
    assert torch.allclose(weights(whole), weights(divided), atol=1e-5)


def square_of(rows):
    """Squared norm of the gradient of some rows of the first portion, as of a batch of their own.

    It has the whole batch's count of targets: each row's part of it is taken for the mean.
    """
    model, given = trainer_of().model, portion()
    values = (given.batch.inputs, given.batch.targets, given.batch.positions)
    inputs, targets, positions = (torch.from_numpy(each[rows]) for each in values)
    loss = total_loss(model(inputs, positions), targets) / given.targets * (ROWS / len(targets))
    torch.autograd.backward(loss)
    return sum(float(p.grad.square().sum()) for p in model.parameters())


def test_micro_batches_that_the_rows_do_not_divide_into_are_refused():
    message = (
        "a batch of 6 windows does not divide among 1 ranks in accumulate=4 parts each; set batch"
    )
    with pytest.raises(ConfigError, match=message):
        trainer_of(**parts(4))


@pytest.mark.parametrize("count", [2, 3])
def test_the_small_batch_is_the_first_micro_batch(count):
    trainer = trainer_of(**parts(count))
    taken = trainer.step(0, portion())
    assert trainer.small_batch == ROWS // count
    assert taken.small_square == pytest.approx(square_of(slice(0, ROWS // count)), rel=1e-4)
    trainer.measure_noise(taken)
    assert trainer.state.noise.signal != 0


def test_one_rank_and_one_micro_batch_have_no_small_batch():
    trainer = trainer_of()
    assert trainer.small_batch is None
    assert trainer.step(0, portion()).small_square == 0.0


@pytest.mark.parametrize("model", [NEOX, MLSTM], ids=["neox", "mlstm"])
@pytest.mark.parametrize(("precision", "near"), [("bf16", 0.02), ("fp16", 0.005)])
def test_half_precision_learns_the_same_and_keeps_fp32_weights(model, precision, near):
    exact, half = trainer_of(model), trainer_of(model, precision=precision)
    for one, two in zip(steps(exact, 5), steps(half, 5), strict=True):
        assert two.loss == pytest.approx(one.loss, rel=near)
        assert two.gradient_norm == pytest.approx(one.gradient_norm, rel=0.1)
        assert not two.skipped
    assert {p.dtype for p in half.model.parameters()} == {torch.float32}
    states = half.optimizer.state.values()
    assert {value.dtype for state in states for value in state.values()} == {torch.float32}


@pytest.mark.parametrize("optimizer", ["adamw", "lamb"])
def test_a_step_that_overflows_is_skipped_with_half_the_scale_next_time(optimizer):
    settings = {"precision": "fp16", "loss_scaling": {"initial": 2.0**127}}
    trainer = trainer_of(optimizer=optimizer, **settings)
    before = weights(trainer)
    first, second = steps(trainer, 2)
    assert first.skipped
    assert (first.loss_scale, second.loss_scale) == (2.0**127, 2.0**126)
    assert torch.equal(weights(trainer), before)


def test_the_scale_doubles_after_so_many_steps_without_overflow():
    settings = {"precision": "fp16", "loss_scaling": {"initial": 8.0, "growth_steps": 2}}
    taken = steps(trainer_of(**settings), 5)
    assert [step.loss_scale for step in taken] == [8.0, 8.0, 16.0, 16.0, 32.0]
    assert not any(step.skipped for step in taken)


def stream_portions(count):
    """A text in ROWS streams: whole, and cut into steps of which only the first starts anew."""
    random = np.random.default_rng(1)
    tokens = random.integers(0, VOCABULARY, (ROWS, count * TIME + 1))
    positions = np.tile(np.arange(count * TIME), (ROWS, 1))
    cut = [
        Batch(
            *(tokens[:, start + i : start + i + TIME].copy() for i in (0, 1)),
            positions[:, start : start + TIME].copy(),
        )
        for start in range(0, count * TIME, TIME)
    ]
    return torch.from_numpy(tokens[:, :-1]), [Portion(batch, ROWS * TIME) for batch in cut]


@pytest.mark.parametrize("count", [1, 2])
def test_streams_remember_from_step_to_step(count):
    trainer = trainer_of(MLSTM, learning_rate=1e-30, weight_decay=0, **parts(count))
    text, given = stream_portions(3)
    with torch.no_grad():
        logits, memory = trainer.model(text)
    losses = [trainer.step(number, each).loss for number, each in enumerate(given)]
    for number, loss in enumerate(losses):
        now = slice(number * TIME, (number + 1) * TIME)
        expected = total_loss(logits[:, now], torch.from_numpy(given[number].batch.targets))
        assert loss == pytest.approx(float(expected) / (ROWS * TIME), rel=1e-5)
    assert torch.allclose(trainer.state.streams["memory"], memory, atol=1e-5)


def test_an_evaluation_leaves_what_streams_remember_alone():
    trainer = trainer_of(MLSTM)
    text, given = stream_portions(1)
    trainer.step(0, given[0])
    before = trainer.memory.clone()
    trainer.predict(text[:2], torch.arange(TIME).expand(2, TIME))
    assert torch.equal(trainer.memory, before)


@pytest.mark.parametrize("reset", ["stream", "document"])
def test_a_document_ends_the_state_in_an_evaluation_where_it_did_in_training(reset):
    trainer = trainer_of(MLSTM | {"reset": reset})
    text, positions = stream_portions(1)[0], torch.arange(TIME).expand(ROWS, TIME) % 5
    with torch.no_grad():
        expected, _ = trainer.model(text, None if reset == "stream" else positions)
        assert torch.equal(trainer.predict(text, positions), expected)


def test_an_mlstm_that_resets_with_each_window_remembers_nothing():
    trainer = trainer_of(MLSTM | {"reset": "window"})
    steps(trainer)
    assert trainer.state.streams == {}


@pytest.fixture(scope="module")
def two_ranks(run_job):
    """What each of two ranks found."""
    ended = run_job(2, "-c", f"TESTS = {str(Path(__file__).parent)!r}\n{TWO_RANKS}")
    assert ended.status == 0, ended.output
    lines = [json.loads(line) for line in ended.output.splitlines() if line.startswith("{")]
    return sorted(lines, key=lambda found: found["rank"])


@pytest.mark.cluster
def test_two_ranks_take_the_step_of_one(two_ranks):
    taken = steps(trainer_of(), 2)
    losses = np.sum([found["loss"] for found in two_ranks], axis=0)
    assert losses == pytest.approx([step.loss for step in taken], rel=1e-5)
    for found in two_ranks:
        assert found["norm"] == pytest.approx([step.gradient_norm for step in taken], rel=1e-4)


@pytest.mark.cluster
def test_the_small_batches_of_two_ranks_are_their_own_rows(two_ranks):
    squares = [square_of(slice(start, start + ROWS // 2)) for start in (0, ROWS // 2)]
    assert [found["small"][0] for found in two_ranks] == [ROWS // 2] * 2
    parts = [found["small"][1] for found in two_ranks]
    assert parts == pytest.approx([square / 2 for square in squares], rel=1e-4)


@pytest.mark.cluster
def test_the_small_batch_of_a_shared_model_is_the_first_micro_batch_of_all_ranks(two_ranks):
    for found in two_ranks:
        small, part = found["sharded"]
        assert small == 2
        assert part == pytest.approx(square_of([0, ROWS // 2]) / 2, rel=1e-4)


@pytest.mark.cluster
def test_an_overflow_on_one_rank_makes_both_skip(two_ranks):
    assert [found["skipped"] for found in two_ranks] == [[True, 128.0]] * 2
    assert [found["moved"] for found in two_ranks] == [False] * 2


@pytest.mark.cluster
def test_streams_of_two_ranks_remember_what_those_of_one_do(two_ranks):
    trainer = trainer_of(MLSTM)
    for number, each in enumerate(stream_portions(2)[1]):
        trainer.step(number, each)
    together = torch.tensor([row for found in two_ranks for row in found["memory"]])
    assert torch.allclose(together, trainer.memory, atol=1e-4)
