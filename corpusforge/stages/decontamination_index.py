"""Benchmarks made ready to be looked for.

A text of a question gives its grams of `words` words; a shorter one is a gram by itself if it has
`min_words`. Where no text of an item is that long, question and answer are one text. An item that
even so has fewer words is in texts by chance, so it is not looked for, and is counted.

Texts are repaired as clean repairs those of documents: an accent that is a character of its own, a
ligature, a soft hyphen or an entity would make other words of the same question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import xxhash
from msgspec import Meta, Struct
from numpy.typing import NDArray

from corpusforge.errors import SourceError
from corpusforge.formats.benchmarks import Item, file_bytes, read_benchmark
from corpusforge.kernels.ngram_index import NgramIndex, build_index, word_counts
from corpusforge.kernels.unicode_repair import repair_texts
from corpusforge.tables.text import text_buffers


class BenchmarkConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of items, and the fields that count."""

    file: Annotated[
        str, Meta(description="JSON lines, plain, gzip or zstd; relative to the pipeline file.")
    ]
    question: Annotated[
        tuple[str, ...],
        Meta(min_length=1, description="Fields of the question; an item has one of them or more."),
    ] = ("question", "text", "prompt")
    answer: Annotated[
        tuple[str, ...],
        Meta(description="Fields that are added, in this order, to a question that is too short."),
    ] = ("choices", "answer")


@dataclass(frozen=True, eq=False)
class Benchmarks:
    """Items of all benchmarks, numbered one benchmark after the other."""

    names: tuple[str, ...]  # of the B benchmarks, ascending
    benchmark: NDArray[np.int64]  # (I,) of each item
    line: NDArray[np.int64]  # (I,) in its file
    indexed: NDArray[np.bool_]  # (I,) whether it is looked for
    index: NgramIndex

    def by_name(self, items: NDArray[Any]) -> dict[str, int]:
        """How many of some items, by number or as a mask, each benchmark has."""
        counts = np.bincount(self.benchmark[items], minlength=len(self.names))
        return dict(zip(self.names, counts.tolist(), strict=True))


def load_benchmarks(
    benchmarks: Mapping[str, BenchmarkConfig], base: Path, words: int, min_words: int
) -> Benchmarks:
    """Read benchmarks and index them.

    Args:
        benchmarks: By name.
        base: Folder that their files are relative to.
        words: Of a gram.
        min_words: Of a text that is looked for whole.

    Raises:
        SourceError: A file is missing, damaged or no benchmark, or all of its items are too short.
    """
    names = tuple(sorted(benchmarks))
    read = [_read(benchmarks[name], base) for name in names]
    items = [item for several in read for item in several]
    benchmark = np.repeat(np.arange(len(names)), [len(several) for several in read])
    owners, column = _texts(items, min_words)
    index = build_index(*text_buffers(column), owners, words)
    indexed = np.zeros(len(items), np.bool_)
    indexed[owners] = True
    loaded = Benchmarks(
        names, benchmark, np.array([item.line for item in items], np.int64), indexed, index
    )
    for name, found in loaded.by_name(indexed).items():
        if not found:
            raise _too_short(benchmarks[name], base, min_words)
    return loaded


def benchmark_evidence(benchmarks: Mapping[str, BenchmarkConfig], base: Path) -> list[Any]:
    """Name and digest of every file, for the output changes with them; raises SourceError."""
    return [
        [name, xxhash.xxh3_64_hexdigest(file_bytes(base / benchmarks[name].file))]
        for name in sorted(benchmarks)
    ]


def _read(benchmark: BenchmarkConfig, base: Path) -> list[Item]:
    return read_benchmark(base / benchmark.file, benchmark.question, benchmark.answer)


def _texts(items: Sequence[Item], min_words: int) -> tuple[NDArray[np.int64], pa.Array]:
    """The texts by which items are found, and the item of each."""
    owners, column, counts = _counted(
        [(i, text) for i, item in enumerate(items) for text in item.question]
    )
    long = counts >= min_words
    short = np.setdiff1d(np.arange(len(items)), owners[long])
    joined = [(i, " ".join((*items[i].question, *items[i].answer))) for i in short.tolist()]
    whole_owners, whole_column, counts = _counted(joined)
    enough = counts >= min_words
    return (
        np.concatenate([owners[long], whole_owners[enough]]),
        pa.concat_arrays([column.filter(pa.array(long)), whole_column.filter(pa.array(enough))]),
    )


def _counted(
    texts: Sequence[tuple[int, str]],
) -> tuple[NDArray[np.int64], pa.Array, NDArray[np.int64]]:
    """Owner, repaired text and number of words of each text."""
    column = pa.array(repair_texts([text for _, text in texts]).texts, pa.large_string())
    owners = np.array([owner for owner, _ in texts], np.int64)
    return owners, column, word_counts(*text_buffers(column))


def _too_short(benchmark: BenchmarkConfig, base: Path, min_words: int) -> SourceError:
    return SourceError(
        f"{base / benchmark.file}: no item has {min_words} words in "
        f"{', '.join((*benchmark.question, *benchmark.answer))}; name the fields of its questions "
        f"and answers, or lower min_words"
    )
