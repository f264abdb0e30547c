"""Which optimizer is built, and what decays."""

import msgspec
import pytest
import torch

from corpusforge.training.config import TrainConfig
from corpusforge.training.lamb import Lamb
from corpusforge.training.model import build_model
from corpusforge.training.optimizer import build_optimizer

NEOX = {"kind": "neox", "layers": 1, "hidden": 16, "heads": 2}
MLSTM = {"kind": "mlstm", "hidden": 8}


def built(model, **settings):
    config = msgspec.convert({"model": model, "weight_decay": 0.3, **settings}, TrainConfig)
    made = build_model(config.model, 128, seed=0)
    return made, build_optimizer(made, config)


@pytest.mark.parametrize("kind", ["adamw", "lamb"])
@pytest.mark.parametrize("model", [NEOX, MLSTM], ids=["neox", "mlstm"])
def test_matrices_decay_and_biases_norms_and_lengths_do_not(model, kind):
    made, optimizer = built(model, optimizer=kind)
    groups = {id(p): group for group in optimizer.param_groups for p in group["params"]}
    for name, parameter in made.named_parameters():
        is_matrix = name.endswith(("weight", "original1")) and "norm" not in name
        group = groups[id(parameter)]
        assert group["weight_decay"] == (0.3 if is_matrix else 0.0), name
        assert group.get("adapt", is_matrix) == is_matrix, name


def test_the_settings_reach_the_optimizer():
    settings = {"betas": [0.8, 0.95], "epsilon": 1e-6, "learning_rate": 0.25}
    for name, kind in (("adamw", torch.optim.AdamW), ("lamb", Lamb)):
        _, optimizer = built(NEOX, optimizer=name, **settings)
        assert isinstance(optimizer, kind)
        for group in optimizer.param_groups:
            assert (tuple(group["betas"]), group["eps"], group["lr"]) == ((0.8, 0.95), 1e-6, 0.25)
