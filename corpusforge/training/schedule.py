"""How the learning rate moves during a run, and how it follows the size of the batch.

A batch k times as large takes a k times as large rate (Goyal et al., 2017, arXiv:1706.02677,
section 2.1), or a sqrt(k) times as large one (Krizhevsky, 2014, arXiv:1404.5997; You et al., 2020,
for LAMB). Neither holds without end: Puri et al. (2018) saw runs diverge, hence the cap.
"""

import math

from corpusforge.training.config import TrainConfig


def highest_rate(config: TrainConfig) -> float:
    """The learning rate after warm-up: as configured, scaled to the batch, at most the cap."""
    scaling = config.learning_rate_scaling
    if scaling is None:
        return config.learning_rate
    ratio = config.batch / scaling.reference_batch
    factor = ratio if scaling.rule == "linear" else math.sqrt(ratio)
    return min(config.learning_rate * factor, scaling.cap or math.inf)


def learning_rate(step: int, config: TrainConfig) -> float:
    """The rate of a step, counted from 0: linear warm-up, then down to the final fraction."""
    highest = highest_rate(config)
    if step < config.warmup:
        return highest * (step + 1) / config.warmup
    progress = (step - config.warmup) / max(1, config.steps - 1 - config.warmup)
    left = {
        "cosine": (1 + math.cos(math.pi * progress)) / 2,
        "linear": 1 - progress,
        "constant": 1.0,
    }[config.decay]
    return highest * (config.final_fraction + (1 - config.final_fraction) * left)
