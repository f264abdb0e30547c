"""What the model promises."""

import pytest
import torch
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM

from corpusforge.training.config import ModelConfig
from corpusforge.training.model import build_model

SHAPES = [
    ModelConfig(layers=2, hidden=32, heads=2, rotary_fraction=0.25, parallel_residual=True),
    ModelConfig(layers=2, hidden=48, heads=2, rotary_fraction=1.0, parallel_residual=False),
]
VOCABULARY = 50


@pytest.fixture(params=SHAPES, ids=["parallel", "sequential"])
def shape(request):
    return request.param


def shaken(shape):
    """A model in which no bias is zero and no norm the identity, so that each one matters."""
    model = build_model(shape, VOCABULARY, seed=1)
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=0.1)
    return model


def tokens(rows, time):
    return torch.randint(VOCABULARY, (rows, time), generator=torch.Generator().manual_seed(3))


@torch.no_grad()
def test_logits_equal_those_of_transformers(shape):
    ours = shaken(shape)
    reference = GPTNeoXForCausalLM(
        GPTNeoXConfig(
            vocab_size=VOCABULARY,
            hidden_size=shape.hidden,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            intermediate_size=4 * shape.hidden,
            rotary_pct=shape.rotary_fraction,
            use_parallel_residual=shape.parallel_residual,
        )
    ).eval()
    weights = {
        name.replace("embed_out", "lm_head"): value for name, value in ours.state_dict().items()
    }
    reference.load_state_dict(weights, strict=True)
    ids = tokens(3, 17)
    assert torch.allclose(ours(ids), reference(ids, use_cache=False).logits, atol=1e-5)


@torch.no_grad()
def test_a_later_token_never_changes_earlier_logits(shape):
    model = shaken(shape)
    ids = tokens(1, 16)
    before = model(ids)
    for changed in range(16):
        other = ids.clone()
        other[0, changed] = (ids[0, changed] + 1) % VOCABULARY
        after = model(other)
        assert torch.allclose(after[:, :changed], before[:, :changed], atol=1e-6)
        assert not torch.allclose(after[:, changed], before[:, changed], atol=1e-3)


def test_the_seed_decides_the_weights(shape):
    first, again, other = (build_model(shape, VOCABULARY, seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["embed_out.weight"], other["embed_out.weight"])


@torch.no_grad()
def test_an_untrained_model_is_no_surer_than_chance(shape):
    """Its loss is log(vocabulary) up to the variance of the logits, which is below 0.1."""
    logits = build_model(shape, VOCABULARY, seed=1)(tokens(4, 32))
    entropy = torch.distributions.Categorical(logits=logits).entropy().mean()
    assert abs(entropy - torch.tensor(VOCABULARY).log()) < 0.1
