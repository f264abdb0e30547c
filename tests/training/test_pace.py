"""What the instruments of a run show."""

import json

import pytest
import torch

from corpusforge.training.config import load_config
from corpusforge.training.launch import World
from corpusforge.training.moment import duration
from corpusforge.training.pace import Gauge, Pace, measured_peak
from corpusforge.training.shapes import NeoXConfig
from corpusforge.training.size import flops_per_token

ALONE = World(0, 1, 0, ("here",), torch.device("cpu"))
pytestmark = pytest.mark.usefixtures("one_rank")


@pytest.fixture
def gauge_of(config, tmp_path):
    def of(precision="fp32", **execution):
        path = tmp_path / "train.json"
        settings = {"precision": precision, "execution": execution}
        path.write_text(json.dumps(config | settings))
        return Gauge.of(load_config(path), 280, ALONE)

    return of


def test_a_reading_is_about_all_steps_since_the_last_line(gauge_of, config):
    gauge = gauge_of(peak_flops=1e9)
    pace = Pace()
    pace.add(Pace(steps=1, targets=100, seconds=2.0, waited=0.5))
    pace.add(Pace(steps=1, targets=300, seconds=6.0, waited=0.3))
    reading = gauge.read(pace, steps_done=5)
    assert reading.tokens_per_second == 50
    assert reading.waited == pytest.approx(0.1)
    assert reading.seconds_left == (config["steps"] - 5) * 4.0
    shape = NeoXConfig(layers=2, hidden=32, heads=2)  # as in the configuration
    flops = flops_per_token(shape, 384, config["sequence_length"])
    assert reading.utilisation == pytest.approx(50 * flops / 1e9)
    assert 1e6 < reading.memory < 1e12


def test_the_peak_of_all_ranks_is_what_one_of_them_does_times_their_number(gauge_of, monkeypatch):
    monkeypatch.setattr("torch.distributed.all_reduce", lambda tensor: tensor.mul_(3))
    assert gauge_of(peak_flops=1e9).peak_flops == 3e9


def test_a_peak_that_nobody_named_is_measured(gauge_of):
    measured = measured_peak(torch.device("cpu"), torch.float32)
    assert 1e8 < measured < 1e15
    assert 1e8 < gauge_of().peak_flops < 1e15


def test_a_precision_that_the_device_is_slow_in_is_no_peak(gauge_of, monkeypatch):
    """Some CPUs take ten times as long in fp16; a model would then reach 150 % of the peak."""
    peaks = {torch.float32: 5e9, torch.float16: 1e9}
    monkeypatch.setattr("corpusforge.training.pace.measured_peak", lambda _, dtype: peaks[dtype])
    assert gauge_of(precision="fp16").peak_flops == 5e9


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.4, "0:00:00"), (59.6, "0:01:00"), (86_400, "1d 0:00:00"), (356_521, "4d 3:02:01")],
)
def test_a_duration_is_told_to_the_second(seconds, told):
    assert duration(seconds) == told
