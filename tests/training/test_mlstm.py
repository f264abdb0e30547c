"""What the multiplicative LSTM promises."""

import pytest
import torch

from corpusforge.training.mlstm import MLSTM, build_mlstm
from corpusforge.training.shapes import MLSTMConfig

VOCABULARY, HIDDEN = 30, 12


def model_of(seed=1, bias=0.3):
    model = build_mlstm(MLSTMConfig(hidden=HIDDEN, embedding=5), VOCABULARY, seed)
    torch.nn.init.normal_(model.gates.bias, std=bias, generator=torch.Generator().manual_seed(7))
    return model


def tokens(streams, time):
    generator = torch.Generator().manual_seed(3)
    return torch.randint(VOCABULARY, (streams, time), generator=generator)


def by_the_book(weights, ids):
    """One stream, one token and one gate at a time, from the equations of Krause et al. (2016).

    Weight norm: a row of a matrix is a length times the direction of a row of another.
    """

    def normed(name):
        length, row = (weights[f"{name}.parametrizations.weight.original{i}"] for i in (0, 1))
        return length * row / row.square().sum(1, keepdim=True).sqrt()

    from_x, from_m, bias = weights["from_input.weight"], normed("gates"), weights["gates.bias"]
    part = [slice(i * HIDDEN, (i + 1) * HIDDEN) for i in range(5)]
    hidden = cell = torch.zeros(HIDDEN)
    logits = []
    for token in ids.tolist():
        x = weights["embed_in.weight"][token]
        m = (from_x[part[0]] @ x) * (normed("factor") @ hidden)
        taken, kept, given, new = (
            from_x[part[gate + 1]] @ x + from_m[part[gate]] @ m + bias[part[gate]]
            for gate in range(4)
        )
        cell = torch.sigmoid(kept) * cell + torch.sigmoid(taken) * torch.tanh(new)
        hidden = torch.sigmoid(given) * torch.tanh(cell)
        logits.append(weights["embed_out.weight"] @ hidden + weights["embed_out.bias"])
    return torch.stack(logits), torch.stack((hidden, cell))


@torch.no_grad()
def test_logits_and_memory_are_those_of_the_equations():
    model, ids = model_of(), tokens(3, 9)
    logits, memory = model(ids)
    for stream in range(3):
        expected, state = by_the_book(model.state_dict(), ids[stream])
        assert torch.allclose(logits[stream], expected, atol=1e-6)
        assert torch.allclose(memory[stream], state, atol=1e-6)


@torch.no_grad()
def test_two_windows_with_the_state_carried_are_one_long_window():
    model, ids = model_of(), tokens(3, 16)
    whole, end = model(ids)
    first, between = model(ids[:, :7])
    second, later = model(ids[:, 7:], memory=between)
    assert torch.equal(torch.cat((first, second), 1), whole)
    assert torch.equal(later, end)
    alone, _ = model(ids[:, 7:])
    assert not torch.allclose(alone, second, atol=1e-3)


@torch.no_grad()
def test_a_stream_starts_anew_at_position_0_and_only_there():
    model, ids = model_of(), tokens(2, 10)
    positions = torch.tensor([[5, 6, 7, 8, 0, 1, 2, 3, 4, 5], [0, 1, 0, 1, 2, 3, 4, 5, 6, 7]])
    _, before = model(tokens(2, 4))
    got, _ = model(ids, positions, before)
    going_on, _ = model(ids[:1, :4], memory=before[:1])
    assert torch.allclose(got[:1, :4], going_on, atol=1e-6)
    assert torch.allclose(got[:1, 4:], model(ids[:1, 4:])[0], atol=1e-6)
    assert torch.allclose(got[1:, :2], model(ids[1:, :2])[0], atol=1e-6)
    assert torch.allclose(got[1:, 2:], model(ids[1:, 2:])[0], atol=1e-6)


def test_no_gradient_flows_out_of_a_window():
    model = model_of()
    _, memory = model(tokens(2, 5))
    assert not memory.requires_grad


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@torch.no_grad()
def test_lower_precision_rounds_products_but_keeps_the_state_in_fp32(dtype):
    model, ids = model_of(), tokens(3, 40)
    exact, state = model(ids)
    with torch.autocast("cpu", dtype):
        rounded, memory = model(ids)
    assert rounded.dtype == dtype
    assert memory.dtype == torch.float32
    scale = exact.abs().max()
    assert torch.allclose(rounded.float(), exact, atol=0.03 * scale)
    assert torch.allclose(memory, state, atol=0.05)


def test_only_recurrent_matrices_have_lengths_of_their_own():
    names = {name for name, _ in model_of().named_parameters() if "original0" in name}
    assert names == {f"{part}.parametrizations.weight.original0" for part in ("factor", "gates")}


def test_4096_units_have_the_86_million_parameters_of_the_paper():
    with torch.device("meta"):
        model = MLSTM(MLSTMConfig(hidden=4096), 256)
    assert sum(p.numel() for p in model.parameters()) == pytest.approx(86.3e6, rel=1e-3)


@torch.no_grad()
def test_the_seed_decides_the_weights_and_rows_begin_as_long_as_they_were_drawn():
    first, again, other = (build_mlstm(MLSTMConfig(hidden=8), 20, seed) for seed in (1, 1, 2))
    pairs = zip(first.parameters(), again.parameters(), strict=True)
    assert all(torch.equal(one, two) for one, two in pairs)
    assert not torch.equal(first.embed_out.weight, other.embed_out.weight)
    drawn = first.gates.parametrizations.weight.original1
    assert torch.allclose(first.gates.weight, drawn, atol=1e-6)
