"""Scores of found duplicates against the truth: over pairs, and over documents (B-cubed)."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Scores:
    """Shares, 0..1; 1 where nothing was found, or nothing was there to find."""

    precision: float
    recall: float

    @property
    def f1(self):
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    def __str__(self):
        return f"P {self.precision:.5f}  R {self.recall:.5f}  F1 {self.f1:.5f}"


def of_decisions(found, true):
    """Scores of P yes-or-no decisions: two boolean arrays."""
    both = np.count_nonzero(found & true)
    return Scores(_share(both, found.sum()), _share(both, true.sum()))


def pairwise(clusters, truth):
    """Over all pairs of documents that are together in `clusters`, or in `truth`; both (D,)."""
    both = _pairs(np.stack([clusters, truth], axis=1))
    return Scores(_share(both, _pairs(clusters)), _share(both, _pairs(truth)))


def b_cubed(clusters, truth):
    """Mean over documents of the shares of its cluster, and of its true one, that are in both.

    Bagga and Baldwin (1998), entity-based cross-document coreferencing.
    """
    together = _sizes(np.stack([clusters, truth], axis=1))
    found, true = _sizes(clusters), _sizes(truth)
    return Scores(float((together / found).mean()), float((together / true).mean()))


def _sizes(labels):
    """How many documents bear the label of each."""
    _, place, counts = np.unique(labels, axis=0, return_inverse=True, return_counts=True)
    return counts[place.ravel()]


def _pairs(labels):
    _, counts = np.unique(labels, axis=0, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())


def _share(part, whole):
    return float(part / whole) if whole else 1.0
