"""What a plan says a run needs is what it needs."""

import msgspec
import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks

from corpusforge.errors import ConfigError
from corpusforge.training.config import TrainConfig
from corpusforge.training.evaluate import total_loss
from corpusforge.training.model import build_model, carry_out
from corpusforge.training.optimizer import build_optimizer, split_parameters
from corpusforge.training.plan import memory, plan_lines
from corpusforge.training.preset import PRESETS, with_preset

NEOX = {"kind": "neox", "layers": 3, "hidden": 64, "heads": 4}
MODELS = {
    "parallel": NEOX,
    "sequential": NEOX | {"parallel_residual": False},
    "mlstm": {"kind": "mlstm", "hidden": 64, "embedding": 16},
}
# Tokens of a micro-batch times any width are no matrix's size, so copies of matrices can be told.
VOCABULARY, WINDOWS, LENGTH = 384, 4, 60


def config_of(model, **settings):
    given = {"model": model, "batch": WINDOWS, "sequence_length": LENGTH, "warmup": 0}
    return msgspec.convert(given | settings, TrainConfig)


def kept_by_backward(config):
    """Bytes that a forward pass keeps: of tensors as large as a matrix, and of all others."""
    model = build_model(config.model, VOCABULARY, seed=0)
    carry_out(model, config.execution)
    own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    matrices = {weight.numel() for weight in split_parameters(model)[0]}
    kept = {}

    def keep(tensor):
        pointer = tensor.untyped_storage().data_ptr()
        if pointer not in own:
            kept[pointer] = tensor
        return tensor

    tokens = torch.zeros(WINDOWS, LENGTH, dtype=torch.int64)
    half = torch.autocast("cpu", torch.bfloat16, enabled=config.precision == "bf16")
    with saved_tensors_hooks(keep, lambda tensor: tensor), half:
        answer = model(tokens)
        total_loss(answer if isinstance(answer, torch.Tensor) else answer[0], tokens)
    sizes = [(t.untyped_storage().nbytes(), t.itemsize) for t in kept.values()]
    copies = sum(size for size, item in sizes if size // item in matrices)
    return copies, sum(size for size, _ in sizes) - copies


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("optimizer", ["adamw", "lamb"])
def test_weights_gradients_and_the_optimizer_are_counted_exactly(model, optimizer):
    config = config_of(MODELS[model], optimizer=optimizer)
    made = build_model(config.model, VOCABULARY, seed=0)
    built = build_optimizer(made, config)
    for parameter in made.parameters():
        parameter.grad = torch.zeros_like(parameter)
    built.step()
    planned = memory(config, VOCABULARY, 1, "ddp")
    weights = sum(parameter.nbytes for parameter in made.parameters())
    assert (planned.weights, planned.gradients) == (weights, weights)
    averages = [value for state in built.state.values() for value in state.values() if value.dim()]
    assert planned.optimizer == sum(value.nbytes for value in averages)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("model", MODELS)
def test_what_backward_keeps_is_within_3_percent_of_the_plan(model, precision):
    config = config_of(MODELS[model], precision=precision)
    planned = memory(config, VOCABULARY, 1, "ddp")
    copies, others = kept_by_backward(config)
    softmax = WINDOWS * LENGTH * VOCABULARY * 4  # what is left of the logits
    assert others == pytest.approx(planned.activations + softmax, rel=0.03)
    assert copies <= planned.copies


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_layers_computed_again_keep_their_inputs_only(precision):
    """The plan has one layer more than is kept: it is computed again when backward gets there."""
    again = {"execution": {"activation_checkpointing": True}}
    config = config_of(MODELS["parallel"], precision=precision, **again)
    _, others = kept_by_backward(config)
    more = config_of(MODELS["parallel"] | {"layers": 5}, precision=precision, **again)
    _, others_of_more = kept_by_backward(more)
    planned = [memory(each, VOCABULARY, 1, "ddp").activations for each in (config, more)]
    assert others_of_more - others == pytest.approx(planned[1] - planned[0], rel=0.01)
    softmax = WINDOWS * LENGTH * VOCABULARY * 4
    assert others - softmax < planned[0]


def test_more_ranks_divide_the_windows_and_with_fsdp_the_model():
    config = config_of(MODELS["parallel"], batch=8)
    one, four = (memory(config, VOCABULARY, ranks, "ddp") for ranks in (1, 4))
    assert four.activations * 4 == one.activations
    assert four.weights == one.weights
    sharded = memory(config, VOCABULARY, 4, "fsdp")
    assert sharded.weights == pytest.approx(one.weights / 4, rel=1e-3)
    assert sharded.optimizer == pytest.approx(one.optimizer / 4, rel=1e-3)
    assert sharded.total < four.total


@pytest.mark.parametrize("parallel", ["ddp", "fsdp"])
def test_micro_batches_divide_activations_and_nothing_else(parallel):
    divided, at_once = (
        memory(config_of(MODELS["parallel"], batch=8, execution=execution), VOCABULARY, 2, parallel)
        for execution in ({"accumulate": 2}, {})
    )
    assert divided.activations * 2 == at_once.activations
    assert divided.gradients == at_once.gradients


def test_a_batch_that_does_not_come_out_even_is_refused():
    config = config_of(MODELS["mlstm"], batch=12, execution={"accumulate": 2})
    message = (
        "a batch of 12 windows does not divide among 4 ranks in accumulate=2 parts each; set batch "
        "to a multiple of 8"
    )
    with pytest.raises(ConfigError, match=message):
        memory(config, VOCABULARY, 4, "ddp")


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_a_plan(name):
    config = msgspec.convert(with_preset({"preset": name}), TrainConfig)
    lines = plan_lines(config, 52_000, 1_000_000_000, 1)
    assert lines[0].endswith("vocabulary 52,000")
    assert [line.split()[0] for line in lines[-8:-1]] == [
        *("weights", "gradients", "optimizer", "copies", "activations", "logits", "total")
    ]
    assert "allocators take more" in lines[-1]


def test_a_plan_says_how_many_epochs_its_steps_are():
    config = config_of(MODELS["parallel"], steps=30)
    text = "\n".join(plan_lines(config, VOCABULARY, 10 * WINDOWS * LENGTH, 1))
    assert "30 steps, 7.2 k tokens" in text
    assert "3 epochs of 2,400 tokens" in text
    assert "epochs" not in "\n".join(plan_lines(config, VOCABULARY, None, 1))
