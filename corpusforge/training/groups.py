"""What kinds of text are evaluated, as the provenance beside the shards says of each document.

A target belongs to the document that it is a token of. Shards without provenance, as other programs
write them, are of one kind of which nothing is known.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpusforge.errors import FormatError
from corpusforge.formats.megatron import open_shard
from corpusforge.formats.partition import column_names, read_row_groups
from corpusforge.training.data import Windows

COLUMNS = ("source", "content", "language", "domain")  # of provenance, those that it has
Kind = tuple[str | None, ...]  # a value of each column; None where nothing is said


@dataclass(frozen=True, eq=False)
class Groups:
    """The kind of each target of some windows."""

    kinds: tuple[Kind, ...]
    of_targets: NDArray[np.int32]  # (windows, S); places in `kinds`

    def values(self, column: str) -> dict[str, NDArray[np.int64]]:
        """The places in `kinds` of each value of a column; empty if it has none at all.

        >>> groups = Groups((("pubmed", None), (None, None)), np.zeros((0, 0), np.int32))
        >>> groups.values("source"), groups.values("content")
        ({'not stated': array([1]), 'pubmed': array([0])}, {})
        """
        said = [kind[COLUMNS.index(column)] for kind in self.kinds]
        if not any(said):
            return {}
        names = np.array([name or "not stated" for name in said])
        return {str(name): np.flatnonzero(names == name) for name in np.unique(names)}


def groups_of(windows: Windows, chosen: NDArray[np.int64]) -> Groups:
    """The kinds of the targets of chosen windows.

    Raises:
        FormatError: A shard or its provenance is damaged, or they are not of one another.
    """
    starts = windows.starts(chosen)
    shards = np.searchsorted(windows.tokens.firsts, starts, "right") - 1
    places: dict[Kind, int] = {}
    of_targets = np.zeros((len(chosen), windows.length), np.int32)
    for shard in np.unique(shards).tolist():
        here = shards == shard
        prefix = windows.tokens.shards[shard].prefix
        firsts = starts[here] - windows.tokens.firsts[shard] + 1  # targets follow their inputs
        targets = firsts[:, None] + np.arange(windows.length)
        documents = np.searchsorted(open_shard(prefix).bounds, targets, "right") - 1
        rows, at = np.unique(documents, return_inverse=True)
        kinds = _kinds(prefix, rows)
        codes = np.array([places.setdefault(kind, len(places)) for kind in kinds], np.int32)
        of_targets[here] = codes[at].reshape(targets.shape)
    return Groups(tuple(places), of_targets)


def _kinds(prefix: Path, rows: NDArray[np.int64]) -> list[Kind]:
    """The kind of each of these documents of a shard, given in ascending order."""
    path = prefix.with_name(prefix.name + ".parquet")
    if not path.exists():
        return [(None,) * len(COLUMNS)] * len(rows)
    there = [name for name in COLUMNS if name in column_names(path)]
    kinds: list[Kind] = []
    for first, batch in read_row_groups(path, there, rows.tolist()):
        mine = rows[(rows >= first) & (rows < first + batch.num_rows)] - first
        taken = {name: batch[name].take(mine).to_pylist() for name in there}
        kinds += zip(*(taken.get(name, [None] * len(mine)) for name in COLUMNS), strict=True)
    if len(kinds) != len(rows):
        raise FormatError(
            f"{path} has fewer rows than {prefix.name}.bin has documents; copy both again, or run "
            f"the shards stage again"
        )
    return kinds
