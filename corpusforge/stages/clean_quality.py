"""Presets of quality: limits on measurements, as YAML that can be copied and changed."""

from functools import cache
from importlib.resources import files
from math import inf
from typing import Annotated

import msgspec
import numpy as np
import yaml
from msgspec import Meta, Struct
from numpy.typing import NDArray

from corpusforge.kernels.quality import MEASUREMENTS
from corpusforge.reasons import Reason, Rejection

PRESETS = ("science", "forge", "gopher", "pes2o-abstract", "pes2o-fulltext")
YEAR = "year"  # may be limited like a measurement; a document without one stays
# Any other limit that is broken means that the text is no prose.
REASONS = {
    ("words", "below"): Reason.TOO_SHORT,
    ("words", "above"): Reason.TOO_LONG,
    ("paragraphs", "below"): Reason.TOO_SHORT,
    (YEAR, "below"): Reason.TOO_OLD,
    ("repeated_lines", "above"): Reason.REPETITIVE,
    ("repeated_phrases", "above"): Reason.REPETITIVE,
    ("top_word", "above"): Reason.REPETITIVE,
    ("spaced_letters", "above"): Reason.GARBLED,
    ("glued_words", "above"): Reason.GARBLED,
    ("log_probability", "below"): Reason.GARBLED,
}


class Bounds(Struct, frozen=True, forbid_unknown_fields=True):
    """What a measurement may be; a document on a bound stays."""

    min: float | None = None
    max: float | None = None

    def __post_init__(self) -> None:
        low, high = (
            (-inf if self.min is None else self.min),
            (inf if self.max is None else self.max),
        )
        if not low <= high:  # nor if one is no number
            raise ValueError(
                f"bounds of min {self.min} and max {self.max} leave out every document; expected "
                f"two numbers, the smaller one as min"
            )


Limits = dict[str, Bounds]


class Quality(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits on measurements, in the order in which they are judged."""

    about: Annotated[str, Meta(description="In words.")] = ""
    abstract: Annotated[Limits, Meta(description="For documents without a body.")] = {}
    full_text: Annotated[Limits, Meta(description="For documents with one.")] = {}

    def __post_init__(self) -> None:
        known = {*MEASUREMENTS, YEAR}
        if unknown := sorted({*self.abstract, *self.full_text} - known):
            raise ValueError(
                f"quality limits {', '.join(unknown)}, which nothing measures; expected some of "
                f"{', '.join(sorted(known))}"
            )


def preset_text(name: str) -> str:
    """The YAML of a preset, to copy and change."""
    return (files("corpusforge.stages") / "presets" / f"{name}.yaml").read_text("utf-8")


def preset(quality: str | Quality) -> Quality:
    """The limits that a config means, by name or in full."""
    return quality if isinstance(quality, Quality) else _named(quality)


@cache  # of every batch asked for
def _named(name: str) -> Quality:
    return msgspec.convert(yaml.safe_load(preset_text(name)), Quality)


def judge(
    measured: NDArray[np.float32], years: NDArray[np.float32], limits: Limits
) -> list[Rejection | None]:
    """The first limit that each document breaks.

    Args:
        measured: Shape (D, M), the columns of `MEASUREMENTS`.
        years: Shape (D,), NaN where there is none.
        limits: Of these documents.
    """
    verdicts: list[Rejection | None] = [None] * len(measured)
    names = list(MEASUREMENTS)
    for name, bounds in limits.items():
        observed = years if name == YEAR else measured[:, names.index(name)]
        for side, limit, broken in (
            ("below", bounds.min, np.less),
            ("above", bounds.max, np.greater),
        ):
            if limit is None:
                continue
            reason = REASONS.get((name, side), Reason.NOT_PROSE)
            # Compared as what is stored, so that a notebook that compares again gets the same.
            for row in np.flatnonzero(broken(observed, np.float32(limit))):
                detail = f"{name} is {side} its limit"
                verdict = Rejection(reason, float(observed[row]), limit, detail)
                verdicts[row] = verdicts[row] or verdict
    return verdicts
