"""Gradient noise scale: how large a batch still pays (McCandlish et al., 2018, arXiv:1812.06162).

The squared norm of a gradient over B windows is, in expectation, |G|^2 + S / B: signal and noise.
Two batch sizes give both (appendix A.1). S / |G|^2 is the noise scale, in windows: far smaller
batches waste steps, far larger ones waste compute. One step says little, so S and |G|^2 are
averaged over many before they are divided.
"""

from dataclasses import dataclass

DECAY = 0.98  # of the averages, per step: they remember some 50 steps


@dataclass
class NoiseScale:
    """Running estimate of one run's gradient noise scale."""

    signal: float = 0.0  # |G|^2, times the weight of the steps seen
    noise: float = 0.0  # S, likewise

    def add(self, small: int, small_square: float, large: int, large_square: float) -> None:
        """Count one step.

        Args:
            small: Windows of the smaller batches, fewer than `large`.
            small_square: Mean squared norm of their gradients.
            large: Windows of the whole batch.
            large_square: Squared norm of its gradient, which is their mean.
        """
        signal = (large * large_square - small * small_square) / (large - small)
        noise = (small_square - large_square) / (1 / small - 1 / large)
        self.signal = DECAY * self.signal + (1 - DECAY) * signal
        self.noise = DECAY * self.noise + (1 - DECAY) * noise

    @property
    def windows(self) -> float | None:
        """The estimate; None before there is one, or while noise hides the signal."""
        return self.noise / self.signal if self.signal > 0 and self.noise > 0 else None
