"""What LAMB promises."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from corpusforge.training.lamb import Lamb, trust_ratio

SETTINGS = {"lr": 0.05, "betas": (0.9, 0.99), "eps": 1e-6, "weight_decay": 0.1}


def gradients(shape, steps):
    generator = torch.Generator().manual_seed(5)
    return [torch.randn(shape, generator=generator) for _ in range(steps)]


def by_the_book(x, given):
    """Algorithm 2 of You et al. (2020), in double precision."""
    first, second = SETTINGS["betas"]
    mean, square = np.zeros_like(x), np.zeros_like(x)
    for t, gradient in enumerate(given, start=1):
        mean = first * mean + (1 - first) * gradient
        square = second * square + (1 - second) * gradient**2
        ratio = (mean / (1 - first**t)) / (np.sqrt(square / (1 - second**t)) + SETTINGS["eps"])
        update = ratio + SETTINGS["weight_decay"] * x
        x = x - SETTINGS["lr"] * np.linalg.norm(x) / np.linalg.norm(update) * update
    return x


def test_ten_steps_are_those_of_the_paper():
    weight = nn.Parameter(torch.randn(6, 4, generator=torch.Generator().manual_seed(1)))
    start, given = weight.detach().double().numpy().copy(), gradients((6, 4), 10)
    optimizer = Lamb([{"params": [weight]}], **SETTINGS)
    for gradient in given:
        weight.grad = gradient
        optimizer.step()
    expected = by_the_book(start, [gradient.double().numpy() for gradient in given])
    assert np.allclose(weight.detach().numpy(), expected, rtol=1e-5, atol=1e-6)


def test_a_matrix_moves_by_its_own_norm_times_the_rate_whatever_its_gradient():
    for size in (1e-4, 1.0, 1e4):
        weight = nn.Parameter(torch.full((3, 3), 2.0))
        weight.grad = gradients((3, 3), 1)[0] * size
        Lamb([{"params": [weight]}], **SETTINGS).step()
        moved = torch.linalg.vector_norm(weight.detach() - 2.0)
        assert float(moved) == pytest.approx(SETTINGS["lr"] * 6.0, rel=1e-4)


def test_parameters_that_do_not_adapt_move_as_with_adamw():
    ours = nn.Parameter(torch.randn(7, generator=torch.Generator().manual_seed(1)))
    theirs = copy.deepcopy(ours)
    lamb = Lamb([{"params": [ours], "adapt": False}], **SETTINGS)
    adamw = torch.optim.AdamW([theirs], **SETTINGS)
    for gradient in gradients((7,), 6):
        ours.grad, theirs.grad = gradient, gradient.clone()
        lamb.step()
        adamw.step()
    assert torch.allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize(("weight", "update"), [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0)])
def test_the_ratio_is_1_where_a_norm_is_zero(weight, update):
    assert float(trust_ratio(torch.full((2, 2), weight), torch.full((2, 2), update))) == 1.0


def test_a_run_goes_on_from_a_saved_state():
    given = gradients((4, 4), 6)
    one, two = (nn.Parameter(torch.eye(4)) for _ in range(2))
    first, second = (Lamb([{"params": [weight]}], **SETTINGS) for weight in (one, two))
    for gradient in given[:3]:
        one.grad = gradient
        first.step()
    two.data.copy_(one.data)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    for gradient in given[3:]:
        for weight, optimizer in ((one, first), (two, second)):
            weight.grad = gradient
            optimizer.step()
    assert torch.equal(one, two)


def test_a_parameter_without_a_gradient_stays():
    weight = nn.Parameter(torch.eye(2))
    Lamb([{"params": [weight]}], **SETTINGS).step()
    assert torch.equal(weight.detach(), torch.eye(2))
