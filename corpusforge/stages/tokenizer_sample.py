"""Which documents a tokenizer is trained on, and which it is measured on.

A document is drawn by the hash of its uid: the sample is a part of the corpus that does not depend
on how it lies in partitions, nor on what else is in it but for the bytes. The documents with the
last hashes are held out: no vocabulary has seen them, and diagnostics are made on them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Meta, Struct
from numpy.typing import NDArray

from corpusforge.errors import ConfigError
from corpusforge.formats.partition import read_columns
from corpusforge.kernels.mixing import seeded_order
from corpusforge.work import Tally, Task

Group = Literal["source", "language", "content"]
_ALL = 2**64  # hashes
WEIGHED = "bytes of "  # what weigh counts, by group


class SampleConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a vocabulary is learnt from."""

    bytes: Annotated[
        int, Meta(ge=1, description="Text to train on; documents are drawn by hash of their uid.")
    ] = 1_000_000_000
    by: Annotated[
        tuple[Group, ...],
        Meta(
            description="Each source, language, content or combination of them gets an equal part "
            "of the bytes, or all that it has if that is less; none: every document has the same "
            "chance."
        ),
    ] = ()


@dataclass(frozen=True)
class Draw:
    """Documents whose hash is below the bound of their group; others are held out."""

    seed: int
    by: tuple[Group, ...]
    bounds: Mapping[str, int]  # by group, 0 to 2**64
    held_from: int  # the first hash that is held out

    def places(self, documents: pa.RecordBatch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of the documents that are drawn, and of those that are held out."""
        keys = seeded_order(documents["uid"].to_numpy(), self.seed)
        names = group_names(documents, self.by)
        # In Python's integers: 2**64 is none of 64 bits.
        drawn = [i for i, key in enumerate(keys.tolist()) if key < self.bounds[names[i]]]
        held = [i for i, key in enumerate(keys.tolist()) if key >= self.held_from]
        return np.array(drawn, np.int64), np.array(held, np.int64)


def group_names(documents: pa.RecordBatch, by: tuple[Group, ...]) -> list[str]:
    """The group of each document, such as "pubmed, en"."""
    if not by:
        return ["all"] * documents.num_rows
    columns = [documents[name].to_pylist() for name in by]
    return [", ".join(map(str, values)) for values in zip(*columns, strict=True)]


def weigh(task: Task, by: tuple[Group, ...]) -> Tally:
    """The bytes of text of each group among a partition's survivors."""
    documents, survivors = task.sources
    kept = read_columns(survivors, ["uid", "text_bytes"])
    names = ["all"] * kept.num_rows
    if by:
        rows = read_columns(documents, ["uid", *by])
        names = group_names(rows.filter(pc.is_in(rows["uid"], kept["uid"])), by)
    sizes: dict[str, int] = {}
    for name, size in zip(names, kept["text_bytes"].to_pylist(), strict=True):
        sizes[name] = sizes.get(name, 0) + size
    return Tally(counts={f"{WEIGHED}{name}": size for name, size in sizes.items()})


def draw(weighed: Tally, sample: SampleConfig, seed: int, held_bytes: int) -> Draw:
    """The bounds that draw about the bytes asked for.

    Args:
        weighed: What `weigh` tells of all partitions.
        sample: How much, and whether each group gets the same.
        seed: Of the hashes.
        held_bytes: To hold out; no more than a tenth of the corpus is.

    Raises:
        ConfigError: There is no text.
    """
    sizes = sorted((size, name.removeprefix(WEIGHED)) for name, size in weighed.counts.items())
    total = sum(size for size, _ in sizes)
    if total == 0:
        raise ConfigError(
            "there is no text to train a tokenizer on: every document was rejected before; "
            "`corpusforge rejects` says why"
        )
    held = min(_ALL // 10, _ALL * held_bytes // total)
    left, bounds = sample.bytes, {}
    for i, (size, name) in enumerate(sizes):  # what the smallest groups lack goes to the others
        share = min(size, left // (len(sizes) - i))
        bounds[name] = min(_ALL - held, _ALL * share // max(1, size))
        left -= share
    return Draw(seed, sample.by, bounds, _ALL - held)
