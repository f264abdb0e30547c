"""What the gradient noise scale estimates."""

import numpy as np
import pytest

from corpusforge.training.noise import NoiseScale


def measured(signal, deviation, small, steps, large=64):
    """An estimate from windows whose gradients are `signal` plus normal noise."""
    random, noise = np.random.default_rng(0), NoiseScale()
    for _ in range(steps):
        windows = signal + deviation * random.standard_normal((large, signal.size))
        parts = windows.reshape(large // small, small, -1).mean(axis=1)
        noise.add(small, np.square(parts).sum(1).mean(), large, np.square(windows.mean(0)).sum())
    return noise.windows


@pytest.mark.parametrize("small", [1, 8])
@pytest.mark.parametrize("truth", [4.0, 40.0])
def test_it_finds_the_noise_that_was_put_in(small, truth):
    """Noise of trace S = 400 over a signal of |G|^2 = S / truth. 50 steps are averaged in effect.

    Over 20 seeds the estimates deviate by at most 1 % of the truth; 4 times that is allowed.
    """
    dimensions, deviation = 400, 1.0
    signal = np.full(dimensions, np.sqrt(1 / truth))
    assert measured(signal, deviation, small, steps=300) == pytest.approx(truth, rel=0.04)


def test_without_noise_there_is_no_noise_scale():
    assert measured(np.ones(10), 0.0, 4, steps=5) is None


def test_before_the_first_step_there_is_none():
    assert NoiseScale().windows is None
