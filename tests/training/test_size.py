"""Sizes from the shape are those of the model itself."""

import msgspec
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from corpusforge.training.config import TrainConfig, padded_vocabulary
from corpusforge.training.mlstm import MLSTM
from corpusforge.training.model import build_model
from corpusforge.training.neox import NeoX
from corpusforge.training.preset import PRESETS, with_preset
from corpusforge.training.shapes import MLSTMConfig, NeoXConfig
from corpusforge.training.size import flops_per_token, parameters

SHAPES = [
    NeoXConfig(layers=3, hidden=48, heads=2),
    NeoXConfig(layers=1, hidden=32, heads=4, parallel_residual=False),
    MLSTMConfig(hidden=24, embedding=7),
]
shapes = pytest.mark.parametrize("shape", SHAPES, ids=["parallel", "sequential", "mlstm"])


def on_meta(shape, rows):
    """The model without memory for its parameters."""
    with torch.device("meta"):
        return NeoX(shape, rows) if isinstance(shape, NeoXConfig) else MLSTM(shape, rows)


@shapes
@pytest.mark.parametrize("rows", [128, 384])
def test_parameters_are_counted_exactly(shape, rows):
    assert parameters(shape, rows) == sum(p.numel() for p in on_meta(shape, rows).parameters())


@pytest.mark.parametrize("name", PRESETS)
def test_parameters_of_a_preset_are_counted_exactly(name):
    shape = msgspec.convert(with_preset({"preset": name}), TrainConfig).model
    rows = padded_vocabulary(52_000)
    assert parameters(shape, rows) == sum(p.numel() for p in on_meta(shape, rows).parameters())


@pytest.mark.parametrize(
    ("name", "billions"), [("forge-s", 1.4), ("forge-m", 13.1), ("forge-l", 22.4)]
)
def test_the_models_of_forge_have_its_size(name, billions):
    shape = msgspec.convert(with_preset({"preset": name}), TrainConfig).model
    assert round(parameters(shape, padded_vocabulary(52_000)) / 1e9, 1) == billions


@shapes
def test_operations_are_those_that_torch_counts(shape):
    rows, windows, length = 128, 2, 16
    model = build_model(shape, rows, seed=0)
    tokens = torch.zeros(windows, length, dtype=torch.int64)
    positions = torch.arange(length).expand(windows, length)
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        answer = model(tokens, positions)
        logits = answer if isinstance(answer, torch.Tensor) else answer[0]
        torch.autograd.backward(logits.sum())
    counted = counter.get_total_flops() / (windows * length)
    assert flops_per_token(shape, rows, length) == pytest.approx(counted, rel=0.01)
