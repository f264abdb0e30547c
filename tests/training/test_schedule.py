"""How the learning rate moves, and how it follows the batch."""

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.training.config import TrainConfig
from corpusforge.training.schedule import highest_rate, learning_rate

MODEL = {"kind": "neox", "layers": 1, "hidden": 16, "heads": 2}
DECAYS = ["cosine", "linear", "constant"]


def config_of(**settings):
    return msgspec.convert({"model": MODEL, "learning_rate": 0.5, **settings}, TrainConfig)


@given(st.integers(1, 300), st.sampled_from(DECAYS), st.floats(0.01, 1), st.data())
def test_the_rate_rises_to_its_highest_and_then_only_falls(steps, decay, final, data):
    warmup = data.draw(st.integers(0, steps))
    config = config_of(steps=steps, warmup=warmup, decay=decay, final_fraction=final)
    rates = [learning_rate(step, config) for step in range(steps)]
    assert all(rate > 0 for rate in rates)
    assert rates[:warmup] == sorted(rates[:warmup])
    assert rates[warmup:] == sorted(rates[warmup:], reverse=True)
    assert max(rates) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("decay", "halfway", "last"),
    [("cosine", 0.275, 0.05), ("linear", 0.275, 0.05), ("constant", 0.5, 0.5)],
)
def test_a_decay_ends_at_its_final_fraction(decay, halfway, last):
    config = config_of(steps=121, warmup=20, decay=decay)
    assert learning_rate(70, config) == pytest.approx(halfway)
    assert learning_rate(120, config) == pytest.approx(last)


def test_cosine_falls_late_and_linear_evenly():
    settings = {"steps": 101, "warmup": 0, "final_fraction": 0}
    quarter = {
        decay: learning_rate(25, config_of(decay=decay, **settings))
        for decay in ("cosine", "linear")
    }
    assert quarter["linear"] == pytest.approx(0.5 * 0.75)
    assert quarter["cosine"] == pytest.approx(0.5 * (1 + math.sqrt(0.5)) / 2)


@given(st.integers(1, 4096), st.integers(1, 4096))
def test_the_rate_follows_the_batch_by_its_rule(batch, reference):
    scaling = {"reference_batch": reference}
    rates = {
        rule: highest_rate(config_of(batch=batch, learning_rate_scaling=scaling | {"rule": rule}))
        for rule in ("linear", "sqrt")
    }
    assert rates["linear"] == pytest.approx(0.5 * batch / reference)
    assert rates["sqrt"] == pytest.approx(0.5 * math.sqrt(batch / reference))


@pytest.mark.parametrize(("batch", "rate"), [(128, 0.5), (256, 1.0), (4096, 1.5)])
def test_no_batch_takes_the_rate_above_its_cap(batch, rate):
    scaling = {"rule": "linear", "reference_batch": 128, "cap": 1.5}
    config = config_of(batch=batch, learning_rate_scaling=scaling, warmup=0)
    assert learning_rate(0, config) == pytest.approx(rate)
