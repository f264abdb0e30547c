"""What contiguous streams promise to a model that carries a state from step to step."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laid_shards import lay_shard

from corpusforge.errors import ConfigError
from corpusforge.training.streams import streams_of
from corpusforge.training.tokens import Tokens

documents = st.lists(st.integers(0, 30), max_size=8)
corpora = st.lists(documents, min_size=1, max_size=4).filter(lambda sizes: sum(map(sum, sizes)) > 1)


@contextmanager
def tokens_of(shards, dtype="<u2"):
    """Tokens that are their own numbers, and the place of each in its document."""
    begin, prefixes, places = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        for j, sizes in enumerate(shards):
            ids = []
            for size in sizes:
                ids.append(range(begin, begin + size))
                places.extend(range(size))
                begin += size
            prefixes.append(lay_shard(Path(folder) / f"train-{j:05d}", ids, dtype))
        yield Tokens.of(prefixes), np.array(places)


def draw_streams(data, tokens, *, documents):
    count = data.draw(st.integers(1, min(12, len(tokens) - 1)))
    length = data.draw(st.integers(1, (len(tokens) - 1) // count))
    return streams_of(tokens, length, count, documents=documents)


@settings(max_examples=60)
@given(corpora, st.booleans(), st.sampled_from(["<u2", "<i4"]), st.data())
def test_each_stream_goes_on_where_it_ended_and_together_they_miss_only_the_end(
    shards, by_document, dtype, data
):
    with tokens_of(shards, dtype) as (tokens, places):
        streams = draw_streams(data, tokens, documents=by_document)
        steps = [streams.batch(step, 0, 1) for step in range(streams.per_pass)]
        inputs, targets, positions = (
            np.concatenate([vars(step)[name] for step in steps], axis=1)
            for name in ("inputs", "targets", "positions")
        )
        each = streams.per_pass * streams.length
        assert np.array_equal(inputs.ravel(), np.arange(streams.count * each))
        assert np.array_equal(targets, inputs + 1)
        assert 0 <= streams.left_out < streams.count * streams.length
        assert targets[-1, -1] + streams.left_out == len(tokens) - 1
        from_start = np.tile(np.arange(each), (streams.count, 1))
        expected = np.minimum(places[inputs], from_start) if by_document else from_start
        assert np.array_equal(positions, expected)
        assert sum(map(streams.targets, range(streams.per_pass))) == targets.size


@settings(max_examples=30)
@given(corpora, st.integers(0, 40), st.data())
def test_the_ranks_together_see_the_same_however_many_they_are(shards, step, data):
    with tokens_of(shards) as (tokens, _):
        streams = draw_streams(data, tokens, documents=True)
        divisors = [ranks for ranks in range(1, 13) if streams.count % ranks == 0]
        ranks = data.draw(st.sampled_from(divisors))
        parts = [streams.batch(step, rank, ranks) for rank in range(ranks)]
        for name, values in vars(streams.batch(step, 0, 1)).items():
            assert np.array_equal(np.concatenate([vars(part)[name] for part in parts]), values)
        streams.will_need(step, ranks - 1, ranks)


def test_after_the_last_step_every_stream_starts_anew():
    with tokens_of([[3, 4], [9]]) as (tokens, _):
        streams = streams_of(tokens, 3, 2, documents=False)
        assert streams.per_pass == 2
        assert np.array_equal(streams.batch(2, 0, 1).inputs, streams.batch(0, 0, 1).inputs)
        assert streams.batch(2, 0, 1).positions[:, 0].tolist() == [0, 0]
        assert streams.batch(3, 0, 1).positions[:, 0].tolist() == [3, 3]


def test_too_few_tokens_for_a_step_are_refused():
    with tokens_of([[6]]) as (tokens, _):
        assert streams_of(tokens, 5, 1, documents=False).left_out == 0
        with pytest.raises(ConfigError, match=r"the 6 tokens .* one step of 2 streams of 3 tokens"):
            streams_of(tokens, 3, 2, documents=False)


def test_streams_that_do_not_divide_among_the_ranks_are_refused():
    with tokens_of([[20]]) as (tokens, _):
        streams = streams_of(tokens, 2, 3, documents=False)
        with pytest.raises(ConfigError, match="batch of 3 windows does not divide among 2 ranks"):
            streams.batch(0, 0, 2)
