"""How the learning rate moves, and what decays."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.training.config import TrainConfig
from corpusforge.training.model import build_model
from corpusforge.training.optimizer import build_optimizer, learning_rate

MODEL = {"layers": 1, "hidden": 16, "heads": 2}


@given(st.integers(1, 300), st.data())
def test_the_rate_rises_to_its_highest_and_then_only_falls(steps, data):
    warmup = data.draw(st.integers(0, steps))
    settings = {"model": MODEL, "steps": steps, "warmup": warmup, "learning_rate": 0.5}
    config = msgspec.convert(settings, TrainConfig)
    rates = [learning_rate(step, config) for step in range(steps)]
    assert all(rate > 0 for rate in rates)
    assert rates[:warmup] == sorted(rates[:warmup])
    assert rates[warmup:] == sorted(rates[warmup:], reverse=True)
    assert max(rates) == pytest.approx(0.5)


def test_the_last_step_has_a_tenth_of_the_highest_rate():
    config = msgspec.convert({"model": MODEL, "steps": 100, "learning_rate": 0.5}, TrainConfig)
    assert learning_rate(99, config) == pytest.approx(0.05)


def test_matrices_decay_and_biases_and_norms_do_not():
    config = msgspec.convert({"model": MODEL, "weight_decay": 0.3}, TrainConfig)
    model = build_model(config.model, 128, seed=0)
    groups = build_optimizer(model, config).param_groups
    decay = {id(p): group["weight_decay"] for group in groups for p in group["params"]}
    for name, parameter in model.named_parameters():
        is_matrix = name.endswith("weight") and "norm" not in name
        assert decay[id(parameter)] == (0.3 if is_matrix else 0.0), name
