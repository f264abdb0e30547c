"""What the list of affected samples promises: there a model saw a document, and only there."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.formats.megatron import write_shard
from corpusforge.formats.takedowns import Removed, Takedown
from corpusforge.pipeline.affected import Run, affected
from corpusforge.training.data import Order, windows_of
from corpusforge.training.streams import streams_of
from corpusforge.training.tokens import Tokens

LENGTHS = {"t-0": [3, 1, 9, 2, 2, 7, 1, 1], "t-1": [30, 1, 4], "t-2": [2] * 12}
runs = st.builds(Run, st.integers(2, 5), st.integers(1, 4), st.integers(1, 60), st.integers(0, 9))
numbers = st.sets(st.integers(0, sum(map(len, LENGTHS.values())) - 1), max_size=4)


@pytest.fixture(scope="module")
def prefixes(tmp_path_factory):
    """Shards in which the tokens of a document are its number: batches tell what they hold."""
    folder, number, made = tmp_path_factory.mktemp("affected"), 0, []
    for name, lengths in LENGTHS.items():
        documents = [np.full(n, number + i) for i, n in enumerate(lengths)]
        number += len(lengths)
        made.append(write_shard(folder / name, documents, 300).prefix)
    return made


def taken(chosen):
    """The record of a takedown of these documents."""
    removed, number = [], 0
    for name, lengths in LENGTHS.items():
        for i, tokens in enumerate(lengths):
            if number + i in chosen:
                start = sum(lengths[:i])
                removed.append(Removed(str(number + i), "train", name, start, tokens))
        number += len(lengths)
    sizes = {name: sum(lengths) for name, lengths in LENGTHS.items()}
    return Takedown("before", "after", removed, {"train": sizes})


def told(batch):
    """The documents in each row of a batch, as inputs or as targets that may be left out."""
    return [set(row.tolist()) for row in batch.inputs]


def expected(batches, last_targets, chosen):
    """Step, place and document of all that batches hold of the chosen documents."""
    return {
        (step, place, str(number))
        for step, (batch, targets) in enumerate(zip(batches, last_targets, strict=True))
        for place, row in enumerate(told(batch))
        for number in (row | {int(targets[place])}) & chosen
    }


def found(record, run):
    samples = [(s.step, s.place, s.doc_id) for s in affected(record, run)]
    assert len(samples) == len(set(samples))
    assert [s[:2] for s in samples] == sorted(s[:2] for s in samples)
    return set(samples)


@given(run=runs, chosen=numbers)
def test_the_samples_are_those_that_training_reads(prefixes, run, chosen):
    windows = windows_of(prefixes, run.sequence_length)
    order = Order(len(windows), run.batch, run.seed)
    batches = [windows.batch(order.step(step)) for step in range(run.steps)]
    last = [batch.targets[:, -1] for batch in batches]
    assert found(taken(chosen), run) == expected(batches, last, chosen)


@given(run=runs, chosen=numbers)
def test_those_of_contiguous_streams_are_too(prefixes, run, chosen):
    streams = streams_of(Tokens.of(prefixes), run.sequence_length, run.batch, documents=False)
    batches = [streams.batch(step, 0, 1) for step in range(run.steps)]
    last = [batch.targets[:, -1] for batch in batches]
    run = replace(run, streams=True)
    assert found(taken(chosen), run) == expected(batches, last, chosen)


def test_documents_of_other_splits_affect_no_sample():
    removed = [Removed("s:1", "valid", "valid-00000", 0, 5)]
    tokens = {"train": {"train-00000": 50}, "valid": {"valid-00000": 9}}
    record = Takedown("a", "b", removed, tokens)
    assert list(affected(record, Run(4, 2, 10, 0))) == []
