"""Which documents are for training, validation and test.

By cluster of duplicates: two documents that resemble each other are never on both sides, and a
document keeps its side when others are added, unless one joins its cluster with a smaller uid. Or
by year of publication, for a model that is asked about what it cannot have read; then nothing is
said of near copies of different years.
"""

from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Meta, Struct
from numpy.typing import NDArray

from corpusforge.kernels.mixing import seeded_order

SPLITS = ("train", "valid", "test")
Parts = tuple[int, int, int]  # of train, valid and test
PRESETS: dict[str, Parts] = {
    "forge": (969, 30, 1),  # Yin et al. (2023), as GPT-NeoX configures it
    "puri": (1000, 1, 1),  # Puri et al. (2018), section 4
}


class YearSplit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """By year of publication. A document without a year is for training."""

    by: Literal["year"]
    valid: Annotated[int, Meta(description="First year of validation; earlier ones train.")]
    test: Annotated[int, Meta(description="First year of test.")]

    def __post_init__(self) -> None:
        if self.valid > self.test:
            raise ValueError(
                f"valid={self.valid} is after test={self.test}; validation starts first, or in the "
                f"same year if there is to be none"
            )


SplitRule = Literal["forge", "puri"] | Parts | YearSplit


def parts_of(rule: SplitRule) -> Parts | None:
    """The parts of a split by cluster; None if it goes by year."""
    if isinstance(rule, YearSplit):
        return None
    return PRESETS[rule] if isinstance(rule, str) else rule


def sides(clusters: NDArray[np.uint64], split: Parts, seed: int) -> NDArray[np.int64]:
    """The split, 0 to 2, of each cluster; it depends on the cluster and the seed alone."""
    # Another seed than the order's: else each split would be one end of the order.
    place = seeded_order(clusters, seed ^ 0x5BD1E995) >> np.uint64(32)
    parts = place * np.uint64(sum(split)) >> np.uint64(32)
    return np.searchsorted(np.cumsum(split), parts.astype(np.int64), side="right")


def sides_of(documents: pa.RecordBatch, rule: SplitRule, seed: int) -> NDArray[np.int64]:
    """The split, 0 to 2, of documents that have columns `cluster` and `year`."""
    if isinstance(rule, YearSplit):
        years = pc.fill_null(documents["year"].cast(pa.int64()), -(2**31)).to_numpy()
        return np.searchsorted([rule.valid, rule.test], years, side="right")
    parts = parts_of(rule)
    assert parts is not None, "a rule that does not go by year has parts"
    return sides(documents["cluster"].to_numpy(), parts, seed)


def described(rule: SplitRule) -> dict[str, Any]:
    """A rule as shards.json tells it."""
    if isinstance(rule, YearSplit):
        return {"by": "year", "valid": rule.valid, "test": rule.test}
    return {"by": "cluster", "parts": list(parts_of(rule) or ())}
