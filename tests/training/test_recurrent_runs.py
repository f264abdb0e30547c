"""A run of a model that carries a state: stopped, and gone on with on another number of ranks."""

import json

import pytest
import torch
from safetensors.torch import load_file

from corpusforge.training.mlstm import MLSTM
from corpusforge.training.shapes import MLSTMConfig

pytestmark = pytest.mark.cluster

SETTINGS = {
    "model": {"kind": "mlstm", "hidden": 24, "embedding": 8, "reset": "document"},
    "precision": "fp16",
    "loss_scaling": {"initial": 1024, "growth_steps": 3},
    "optimizer": "lamb",
    "steps": 12,
    "evaluate_every": 12,
    "decay": "linear",
}
KILLED_AT_8 = """
import os, signal, sys
from corpusforge.training.trainer import Trainer
from corpusforge.training.__main__ import main
take = Trainer.step
def step(trainer, number, portion):
    if (number, trainer.world.rank) == (8, 1): os.kill(os.getpid(), signal.SIGKILL)
    return take(trainer, number, portion)
Trainer.step = step
sys.exit(main())
"""


def logged(out, key):
    """The values of one key by step."""
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    return {line["step"]: line[key] for line in lines if key in line}


@pytest.fixture(scope="module")
def undisturbed(folder, run_here, tmp_path_factory):
    """The folder of a run on one rank, in two micro-batches."""
    out = tmp_path_factory.mktemp("recurrent") / "out"
    settings = SETTINGS | {"execution": {"accumulate": 2}}
    assert run_here(folder.job(out, **settings)).status == 0
    return out


def test_a_killed_run_goes_on_with_the_state_of_every_stream(
    undisturbed, folder, run_job, tmp_path
):
    out = tmp_path / "out"
    killed = run_job(2, "-c", KILLED_AT_8, *folder.options(out, **SETTINGS))
    assert killed.status != 0
    again = run_job(3, "-m", "corpusforge.training", *folder.options(out, **SETTINGS))
    assert again.status == 0, again.output
    assert "continuing after step 5" in again.output
    assert logged(out, "loss_scale") == logged(undisturbed, "loss_scale")
    for key in ("loss", "validation_loss"):
        assert logged(out, key) == pytest.approx(logged(undisturbed, key), abs=2e-3)


def test_the_scale_of_the_loss_grows_every_three_steps(undisturbed):
    scales = logged(undisturbed, "loss_scale")
    assert [scales[step] for step in (1, 3, 4, 6, 7, 12)] == [1024, 1024, 2048, 2048, 4096, 8192]


def test_the_noise_scale_is_logged_once_the_signal_is_seen(undisturbed):
    noise = logged(undisturbed, "noise_scale")
    assert list(noise) == list(range(1, 13))
    assert all(value is None or value > 0 for value in noise.values())
    assert any(noise.values())


def test_the_model_is_exported_with_what_it_takes_to_build_it(undisturbed):
    config = json.loads((undisturbed / "model" / "config.json").read_text())
    assert config["model_type"] == "mlstm"
    model = MLSTM(MLSTMConfig(hidden=24, embedding=8), config["vocab_size"])
    model.load_state_dict(load_file(undisturbed / "model" / "model.safetensors"))
    done = json.loads((undisturbed / "DONE").read_text())
    assert done["parameters"] == sum(parameter.numel() for parameter in model.parameters())
    assert done["validation"]["loss"] < 5.6  # nats of 280 tokens that are all alike
    with torch.no_grad():
        logits, _ = model(torch.zeros(1, 3, dtype=torch.int64))
    assert logits.isfinite().all()
