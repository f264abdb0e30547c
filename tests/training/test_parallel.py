"""What spreading a model over ranks promises: the steps of one process, whatever lies where."""

import json
from pathlib import Path

import pytest

from corpusforge.training.checkpoint import Checkpoints
from training.spread_job import IDENTITY, fresh, make, state_of

pytestmark = pytest.mark.cluster

JOB = Path(__file__).with_name("spread_job.py")
WAYS = [
    f"{optimizer} {parallel} {parts}"
    for optimizer in ("adamw", "lamb")
    for parallel in ("ddp", "fsdp")
    for parts in (1, 2)
]


@pytest.fixture(scope="module")
def folder_of_two(tmp_path_factory):
    """Where a job of two ranks leaves a checkpoint."""
    return tmp_path_factory.mktemp("two")


@pytest.fixture(scope="module")
def found(run_job, folder_of_two):
    """What a job of two ranks has measured; no layer's rows divide by two."""
    ended = run_job(2, JOB, folder_of_two)
    assert ended.status == 0, ended.output
    [line] = [line for line in ended.output.splitlines() if line.startswith("found ")]
    assert "Warning" not in ended.output
    return json.loads(line.removeprefix("found "))


@pytest.mark.parametrize("way", WAYS)
def test_two_ranks_take_the_steps_of_one_process(found, way):
    """Relative to how far each parameter moved; LAMB on slices of parameters is off by 1."""
    assert found[way]["update"] < 1e-5
    assert found[way]["loss"] < 1e-5
    assert found[way]["norm"] < 1e-5
    assert found[way]["clipped"] > 0


def test_all_ranks_skip_a_step_in_which_one_of_them_overflows(found):
    assert found["overflow"] == {"scales": [512.0, 512.0], "unchanged": [1.0, 1.0]}


@pytest.mark.parametrize("parallel", ["ddp", "fsdp"])
def test_parts_of_a_step_are_exchanged_together_or_one_by_one(found, parallel):
    """With `fsdp` one by one: until the last part, whole gradients would fill every rank."""
    accumulated = found["accumulated"][parallel]
    one, other = accumulated["inside"]
    assert (one == other) == (parallel == "fsdp")
    assert accumulated["after"][0] == accumulated["after"][1]


@pytest.mark.usefixtures("alone")
def test_one_rank_loads_what_two_have_saved(found, folder_of_two):
    """Parameters and averages of sharded rows as whole ones, and all streams in order."""
    model = fresh()
    state = state_of(model, make("lamb", model), streams=4)
    assert Checkpoints.of(folder_of_two, IDENTITY).load(state) == 1
    averages = [state.optimizer.state[parameter]["exp_avg"] for parameter in model.parameters()]
    assert [value.tolist() for value in model.parameters()] == found["saved"]["parameters"]
    assert [value.tolist() for value in averages] == found["saved"]["averages"]
    assert state.streams["memory"][:, 0].tolist() == [1.0, 2.0, 11.0, 12.0]
