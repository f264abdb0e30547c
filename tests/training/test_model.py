"""Which model is built, and that how it computes changes nothing."""

import pytest
import torch

from corpusforge.training.config import ExecutionConfig
from corpusforge.training.mlstm import MLSTM
from corpusforge.training.model import build_model, carry_out
from corpusforge.training.neox import NeoX
from corpusforge.training.shapes import MLSTMConfig, NeoXConfig

# torch.compile looks at the gradients of what layers pass on.
pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")

SHAPES = {
    "neox": NeoXConfig(layers=2, hidden=16, heads=2),
    "mlstm": MLSTMConfig(hidden=8, embedding=4),
}
VOCABULARY = 20


def learned(shape, execution):
    """Logits and gradients of a model that computes in a certain way."""
    model = build_model(shape, VOCABULARY, seed=1)
    # The compiler's own back end takes half a minute; this one runs what was traced.
    carry_out(model, execution, backend="eager")
    answers = []
    for length in (6, 6, 9):
        tokens = torch.arange(2 * length).reshape(2, length) % VOCABULARY
        positions = (torch.arange(length) % 4).expand(2, length)
        answer = model(tokens, positions)
        answers.append(answer if isinstance(answer, torch.Tensor) else answer[0])
    torch.autograd.backward(sum(logits.square().sum() for logits in answers))
    names = [name for name, _ in model.named_parameters()]
    gradients = [parameter.grad for parameter in model.parameters()]
    return [*(logits.detach() for logits in answers), *gradients], names


@pytest.mark.parametrize("kind", SHAPES)
def test_compiled_parts_compute_the_same_under_the_same_names(kind):
    plain, names = learned(SHAPES[kind], ExecutionConfig())
    compiled, same_names = learned(SHAPES[kind], ExecutionConfig(compile=True))
    assert names == same_names
    assert all(
        torch.allclose(one, two, atol=1e-5) for one, two in zip(plain, compiled, strict=True)
    )


def test_compiled_layers_may_be_computed_again():
    shape = SHAPES["neox"]
    plain, _ = learned(shape, ExecutionConfig())
    both, _ = learned(shape, ExecutionConfig(compile=True, activation_checkpointing=True))
    assert all(torch.allclose(one, two, atol=1e-5) for one, two in zip(plain, both, strict=True))


def test_the_kind_decides_the_model():
    assert isinstance(build_model(SHAPES["neox"], VOCABULARY, seed=0), NeoX)
    assert isinstance(build_model(SHAPES["mlstm"], VOCABULARY, seed=0), MLSTM)
