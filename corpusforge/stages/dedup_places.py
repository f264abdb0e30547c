"""Where dedup finds what it knows of a document: one of this run, or one of an index."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpusforge.formats.dedup_index import (
    FACTS,
    FIRST_ADDRESS,
    FIRST_PART,
    SETS,
    part_number,
    part_path,
)
from corpusforge.formats.facts import Facts, open_facts
from corpusforge.formats.shingle_sets import ShingleSets, open_shingle_sets
from corpusforge.stages.stage import part_name

# Inside dedup a document is addressed by partition << 32 | row of its immutable input. An updated
# record may share its uid with the one of an index, so what tells documents apart is the address.
MEMBER = np.dtype([("uid", "<u8"), ("address", "<u8")])
ROW = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True)
class Places:
    """Folders; what is of the index is named by its number of partition, FIRST_PART or more."""

    facts: Path
    sets: Path
    index: Path | None = None

    def facts_of(self, part: int) -> Facts:
        return open_facts(self._path(self.facts, FACTS, part))

    def sets_of(self, part: int) -> ShingleSets:
        return open_shingle_sets(self._path(self.sets, SETS, part))

    def _path(self, folder: Path, kind: str, part: int) -> Path:
        if self.index is None or part < FIRST_PART:
            return folder / f"{part_name(part)}.arrow"
        return part_path(self.index, kind, part)


def locate(address: np.uint64) -> tuple[int, int]:
    """Partition and row of a document.

    >>> locate(np.uint64((3 << 32) + 7))
    (3, 7)
    """
    return int(address) >> 32, int(address) & 0xFFFFFFFF


def indexed(addresses: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which documents are of the index."""
    return np.asarray(addresses >= FIRST_ADDRESS)


def index_addresses(generation: int, part: int, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Addresses for good of kept documents, by their rows among those that were kept."""
    return np.uint64(part_number(generation, part) << 32) + rows.astype(np.uint64)
