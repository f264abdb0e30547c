"""Presets of quality, and how they judge."""

import msgspec
import numpy as np
import pytest

from corpusforge.kernels.quality import MEASUREMENTS
from corpusforge.reasons import Reason
from corpusforge.stages.clean_quality import PRESETS, Bounds, Quality, judge, preset, preset_text

NAMES = list(MEASUREMENTS)


def document(**values):
    """A row of measurements, 0 where nothing else is said."""
    return [values.get(name, 0.0) for name in NAMES]


def judged(limits, *rows, years=None):
    years = np.full(len(rows), np.nan) if years is None else np.array(years)
    return judge(np.array(rows, np.float32), years.astype(np.float32), limits)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_read_and_says_what_it_is(name):
    assert preset(name).about
    assert preset(name) == msgspec.yaml.decode(preset_text(name), type=Quality)


def test_limits_given_in_full_are_taken_as_they_are():
    own = Quality(abstract={"words": Bounds(min=3)})
    assert preset(own) is own


def test_a_limit_on_what_nothing_measures_is_refused():
    with pytest.raises(msgspec.ValidationError, match="quality limits beauty, which nothing"):
        msgspec.convert({"abstract": {"beauty": {"min": 1}}}, Quality)


@pytest.mark.parametrize(
    ("bounds", "value", "reason"),
    [
        ({"words": Bounds(min=50)}, 49, Reason.TOO_SHORT),
        ({"words": Bounds(max=50)}, 51, Reason.TOO_LONG),
        ({"digits": Bounds(max=0.5)}, 0.75, Reason.NOT_PROSE),
        ({"top_word": Bounds(max=0.5)}, 0.75, Reason.REPETITIVE),
        ({"log_probability": Bounds(min=-9)}, -10, Reason.GARBLED),
    ],
)
def test_a_broken_limit_says_what_was_seen_and_what_was_wanted(bounds, value, reason):
    [name] = bounds
    [verdict] = judged(bounds, document(**{name: value}))
    assert (verdict.reason, verdict.observed) == (reason, value)
    assert verdict.limit in (bounds[name].min, bounds[name].max)
    assert verdict.detail.startswith(name)


def test_a_document_on_its_bounds_stays():
    limits = {"words": Bounds(min=50, max=50), "digits": Bounds(max=0.1)}
    assert judged(limits, document(words=50, digits=0.1)) == [None]


def test_the_first_limit_that_is_broken_is_the_reason():
    limits = {"digits": Bounds(max=0.1), "words": Bounds(min=50)}
    both, second, none = judged(
        limits, document(digits=1), document(digits=0.1), document(words=50)
    )
    assert (both.reason, second.reason, none) == (Reason.NOT_PROSE, Reason.TOO_SHORT, None)


def test_a_document_without_a_year_breaks_no_limit_of_years():
    limits = {"year": Bounds(min=1970)}
    old, unknown = judged(limits, document(), document(), years=[1969, np.nan])
    assert (old.reason, unknown) == (Reason.TOO_OLD, None)


def test_without_limits_everything_stays():
    assert judged({}, document(), document()) == [None, None]


@pytest.mark.parametrize("bounds", [{"min": 10, "max": 5}, {"min": float("nan")}])
def test_bounds_that_nothing_can_keep_are_refused(bounds):
    with pytest.raises(msgspec.ValidationError, match=r"min (10.0|nan) and max (5.0|None) .*two"):
        msgspec.convert({"abstract": {"words": bounds}}, Quality)
