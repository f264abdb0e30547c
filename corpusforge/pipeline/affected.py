"""Which samples of a training run had documents that were taken down later.

A sample is a window of tokens; the run's configuration alone decides which window each step takes,
so what a model has seen of a document can be told without its data order having been kept. The
layout is that of the corpus before the removal: `before` of a record is what training calls the
corpus's revision.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpusforge.formats.takedowns import Removed, Takedown
from corpusforge.training.data import Order

SAMPLES = 1 << 16  # looked at together


@dataclass(frozen=True)
class Run:
    """What decides the order of a training run's samples."""

    sequence_length: int  # tokens of a window
    batch: int  # windows per step, over all ranks
    steps: int
    seed: int
    streams: bool = False  # each row of a batch goes on where it ended in the step before


@dataclass(frozen=True)
class Sample:
    """One window, once."""

    step: int  # counted from 0
    place: int  # in the batch of the step, over all ranks
    window: int
    doc_id: str


def affected(record: Takedown, run: Run) -> Iterator[Sample]:
    """The samples that had any token of a removed document, in the order of the run."""
    shards = record.shard_tokens["train"]
    documents = [document for document in record.documents if document.split == "train"]
    if run.streams:
        return _of_streams(shards, documents, run)
    return _of_windows(shards, documents, run)


def _of_windows(
    shards: Mapping[str, int], documents: Sequence[Removed], run: Run
) -> Iterator[Sample]:
    """Of a run that takes windows in a random order, as `corpusforge.training.data` has it."""
    owners = _owners(shards, documents, run)
    if not owners:
        return
    touched = np.array(sorted(owners), np.int64)
    total = sum(_windows(tokens, run.sequence_length) for tokens in shards.values())
    samples = run.steps * run.batch
    together = min(samples, SAMPLES)
    order = Order(windows=total, batch=together, seed=run.seed)
    for group in range(-(-samples // together)):
        windows = order.step(group)[: samples - group * together]
        for at in np.flatnonzero(np.isin(windows, touched)):
            step, place = divmod(group * together + int(at), run.batch)
            window = int(windows[at])
            yield from (Sample(step, place, window, name) for name in owners[window])


def _of_streams(
    shards: Mapping[str, int], documents: Sequence[Removed], run: Run
) -> Iterator[Sample]:
    """Of a run of contiguous streams over all shards, as `corpusforge.training.streams` has it."""
    length, first = run.sequence_length, dict(_firsts(shards))
    per_pass = (sum(shards.values()) - 1) // (run.batch * length)
    found = set()
    for document in documents:
        start = first[document.shard] + document.start
        low, high = max(0, -(-start // length) - 1), (start + document.tokens - 1) // length
        for window in range(low, min(high + 1, run.batch * per_pass)):
            stream, at = divmod(window, per_pass)
            found |= {(s, stream, window, document.doc_id) for s in range(at, run.steps, per_pass)}
    yield from (Sample(*sample) for sample in sorted(found))


def _firsts(shards: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """The place of each shard's first token among the tokens of all."""
    before = 0
    for name, tokens in shards.items():
        yield name, before
        before += tokens


def _windows(tokens: int, length: int) -> int:
    """Windows of a shard: every token but its first is a target once."""
    return max(0, -(-(tokens - 1) // length))


def _owners(
    shards: Mapping[str, int], documents: Sequence[Removed], run: Run
) -> dict[int, list[str]]:
    """The removed documents of each window that has any."""
    first = dict(
        zip(
            shards,
            np.cumsum([0, *(_windows(tokens, run.sequence_length) for tokens in shards.values())]),
            strict=False,
        )
    )
    owners: dict[int, set[str]] = {}
    for document in documents:
        held = _windows_of(document, shards[document.shard], run.sequence_length)
        for window in held + int(first[document.shard]):
            owners.setdefault(int(window), set()).add(document.doc_id)
    return {window: sorted(names) for window, names in owners.items()}


def _windows_of(document: Removed, tokens: int, length: int) -> NDArray[np.int64]:
    """The windows of a shard that read any token of a document.

    Window k reads tokens k S to k S + S, its last target included; the last one ends with the
    shard, and so begins earlier where the tokens do not fill it.
    """
    count = _windows(tokens, length)
    starts = np.minimum(np.arange(count) * length, max(0, tokens - 1 - length))
    end = document.start + document.tokens
    return np.flatnonzero((starts < end) & (starts + length >= document.start))
