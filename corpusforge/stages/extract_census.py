"""Census: how many papers a source has of every year and of every provider.

It is what the next dump or harvest of that source is held against before a run accepts it. Counted
are the papers that are kept: the records of PubMed's update files, most of which replace others,
are gone from the next baseline, and nobody lost anything.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from corpusforge.errors import FormatError
from corpusforge.formats.atomic import write_atomic
from corpusforge.sources.records import Found
from corpusforge.work import Tally, Task

CENSUS = "census"  # census/<source>.json in the stage's folder

Runs = list[tuple[str, int]]  # consecutive papers of one provider; "" where there is none


class Census(Struct, frozen=True):
    """Papers of one source: all of them, those that state a year, those that have a provider."""

    papers: int
    years: dict[int, int]
    providers: dict[str, int]


def provider_runs(papers: Iterable[Found]) -> Runs:
    """Whose the papers are, in their order."""
    return [(name, sum(1 for _ in run)) for name, run in groupby(p.provider for p in papers)]


def count(years: pa.Array, runs: Runs, kept: NDArray[np.bool_]) -> Census:
    """The census of some papers, each a place in `years`, in the `runs` and in `kept`.

    Args:
        years: Of every paper, null where it states none.
        runs: Their providers.
        kept: Which of them count.
    """
    stated = years.filter(pa.array(kept)).drop_null().to_numpy()
    values, papers = np.unique(stated, return_counts=True)
    providers: Counter[str] = Counter()
    start = 0
    for name, length in runs:
        providers[name] += int(np.count_nonzero(kept[start : start + length]))
        start += length
    del providers[""]
    return Census(
        papers=int(np.count_nonzero(kept)),
        years=dict(zip(values.tolist(), papers.tolist(), strict=True)),
        providers=dict(+providers),
    )


def add_up(task: Task) -> Tally:
    """One census of all partitions of a source."""
    parts = [read_census(path) for path in sorted(task.sources[0].glob("*.json"))]
    write_atomic(task.targets[0], msgspec.json.encode(total(parts)))
    return Tally()


def total(parts: Sequence[Census]) -> Census:
    """Several as one, the same whatever their order."""
    years: Counter[int] = Counter()
    providers: Counter[str] = Counter()
    for part in parts:
        years.update(part.years)
        providers.update(part.providers)
    papers = sum(part.papers for part in parts)
    return Census(papers, dict(sorted(years.items())), dict(sorted(providers.items())))


def read_census(path: Path) -> Census:
    """A census that was written.

    Raises:
        FormatError: It is none.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Census)
    except msgspec.MsgspecError as error:
        raise FormatError(f"{path} is no census: {error}; delete it and run again") from error
