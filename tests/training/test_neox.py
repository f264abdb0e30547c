"""What GPT-NeoX promises."""

from itertools import accumulate, pairwise

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM

from corpusforge.training.neox import build_neox
from corpusforge.training.shapes import NeoXConfig

SHAPES = [
    NeoXConfig(layers=2, hidden=32, heads=2, rotary_fraction=0.25, parallel_residual=True),
    NeoXConfig(layers=2, hidden=48, heads=2, rotary_fraction=1.0, parallel_residual=False),
    NeoXConfig(layers=1, hidden=32, heads=4, rotary_fraction=0.5, parallel_residual=False),
]
VOCABULARY = 50


@pytest.fixture(params=SHAPES, ids=["parallel", "sequential", "half rotary"])
def shape(request):
    return request.param


def shaken(shape):
    """A model in which no bias is zero and no norm the identity, so that each one matters."""
    model = build_neox(shape, VOCABULARY, seed=1)
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
    first, again, other = (build_neox(shape, VOCABULARY, seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["embed_out.weight"], other["embed_out.weight"])


@torch.no_grad()
def test_an_untrained_model_is_no_surer_than_chance(shape):
    """Its loss is log(vocabulary) up to the variance of the logits, which is below 0.1."""
    logits = build_neox(shape, VOCABULARY, seed=1)(tokens(4, 32))
    entropy = torch.distributions.Categorical(logits=logits).entropy().mean()
    assert abs(entropy - torch.tensor(VOCABULARY).log()) < 0.1


LENGTHS = (5, 1, 8, 3)  # of the documents in a window


def packed():
    """A window of four documents, and where each starts and ends."""
    ends = list(accumulate(LENGTHS))
    positions = torch.cat([torch.arange(length) for length in LENGTHS])
    return tokens(1, sum(LENGTHS)), positions[None], list(pairwise([0, *ends]))


@torch.no_grad()
def test_a_changed_document_leaves_the_logits_of_the_others_exactly_as_they_are(shape):
    model = shaken(shape)
    ids, positions, documents = packed()
    before = model(ids, positions)
    for start, end in documents:
        changed = ids.clone()
        changed[0, start:end] = (ids[0, start:end] + 1) % VOCABULARY
        after = model(changed, positions)
        others = torch.ones(ids.shape[1], dtype=torch.bool)
        others[start:end] = False
        assert torch.equal(after[:, others], before[:, others])
        assert not torch.allclose(after[:, start:end], before[:, start:end], atol=1e-3)


@torch.no_grad()
def test_a_document_reads_the_same_alone_and_in_a_window(shape):
    model = shaken(shape)
    ids, positions, documents = packed()
    together = model(ids, positions)
    for start, end in documents:
        assert torch.allclose(together[:, start:end], model(ids[:, start:end]), atol=1e-5)


@torch.no_grad()
def test_windows_of_one_document_each_need_no_positions(shape):
    model = shaken(shape)
    ids = tokens(2, 9)
    assert torch.allclose(model(ids, torch.arange(9).expand(2, 9)), model(ids), atol=1e-5)


@torch.no_grad()
def test_only_distances_between_positions_matter(shape):
    model = shaken(shape)
    ids = tokens(2, 9)
    later = torch.arange(100, 109).expand(2, 9)
    assert torch.allclose(model(ids, later), model(ids), atol=1e-4)


def test_layers_computed_again_give_the_same_gradients(shape):
    gradients = []
    for again in (False, True):
        model = shaken(shape)
        model.gpt_neox.activation_checkpointing = again
        ids, positions, _ = packed()
        torch.autograd.backward(model(ids, positions).square().sum())
        gradients.append([parameter.grad for parameter in model.parameters()])
    assert all(torch.equal(one, two) for one, two in zip(*gradients, strict=True))


def test_layers_computed_again_are_not_kept(shape):
    """What backward needs is the embedding of each token and little more per layer."""
    kept = []
    for again in (False, True):
        model = shaken(shape)
        model.gpt_neox.activation_checkpointing = again
        sizes = []
        with saved_tensors_hooks(lambda t, sizes=sizes: sizes.append(t.numel()) or t, lambda t: t):
            model(tokens(2, 64))
        kept.append(sum(sizes))
    assert kept[1] < kept[0] / 2
