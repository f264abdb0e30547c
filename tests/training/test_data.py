"""What the order of the training data promises."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laid_shards import lay_shard

from corpusforge.errors import ConfigError, FormatError
from corpusforge.formats.megatron import data_path
from corpusforge.training.corpus import open_corpus
from corpusforge.training.data import IGNORED, Order, Shuffled, share, windows_of

LENGTH = 5


@contextmanager
def windows_over(sizes):
    """Windows over shards of these sizes, whose tokens are all different, in documents of 4."""
    starts = np.cumsum([0, *sizes])
    with tempfile.TemporaryDirectory() as folder:
        prefixes = []
        for j, size in enumerate(sizes):
            ids = range(starts[j], starts[j] + size)
            documents = [ids[at : at + 4] for at in range(0, size, 4)]
            prefixes.append(lay_shard(Path(folder) / f"train-{j:05d}", documents, "<i4"))
        yield windows_of(prefixes, LENGTH)


shard_sizes = st.lists(
    st.just(0) | st.integers(LENGTH + 1, 6 * LENGTH), min_size=1, max_size=5
).filter(any)
epochs = st.integers(1, 200)


@settings(max_examples=50)
@given(shard_sizes)
def test_every_token_but_the_first_of_a_shard_is_a_target_exactly_once(sizes):
    with windows_over(sizes) as windows:
        targets = windows.batch(np.arange(len(windows))).targets
        wanted = np.delete(np.arange(sum(sizes)), windows.tokens.firsts[np.array(sizes) > 0])
        assert sorted(targets[targets != IGNORED].tolist()) == wanted.tolist()
        assert windows.targets(np.arange(len(windows))) == len(wanted)


@settings(max_examples=50)
@given(shard_sizes, st.data())
def test_a_target_follows_its_input_and_a_window_starts_at_0(sizes, data):
    with windows_over(sizes) as windows:
        numbers = data.draw(st.lists(st.integers(0, len(windows) - 1), max_size=9))
        batch = windows.batch(np.array(numbers, np.int64))
        counted = batch.targets != IGNORED
        assert np.array_equal(batch.targets[counted], batch.inputs[counted] + 1)
        assert windows.targets(np.array(numbers, np.int64)) == counted.sum()
        assert np.array_equal(np.diff(batch.inputs), np.ones((len(numbers), LENGTH - 1)))
        shards = np.searchsorted(windows.tokens.firsts, batch.inputs, "right") - 1
        in_document = (batch.inputs - windows.tokens.firsts[shards]) % 4
        expected = np.minimum(in_document, np.arange(LENGTH))
        assert np.array_equal(batch.positions, expected)
        assert {part.dtype for part in vars(batch).values()} == {np.dtype(np.int64)}


@settings(max_examples=30)
@given(shard_sizes, st.sampled_from([1, 2, 3, 4, 6, 12]), st.integers(0, 50))
def test_the_ranks_batches_together_are_the_same_however_many_they_are(sizes, ranks, step):
    with windows_over(sizes) as windows:
        steps = Shuffled(windows, Order(len(windows), 12, seed=3))
        whole = steps.batch(step, 0, 1)
        parts = [steps.batch(step, rank, ranks) for rank in range(ranks)]
        for name, values in vars(whole).items():
            assert np.array_equal(np.concatenate([vars(part)[name] for part in parts]), values)
        assert steps.targets(step) == (whole.targets != IGNORED).sum()
        steps.will_need(step, ranks - 1, ranks)


@given(epochs, st.integers(1, 16), st.integers(0, 2**32))
def test_an_epoch_visits_each_window_exactly_once(windows, batch, seed):
    order = Order(windows, batch, seed)
    steps = -(-2 * windows // batch)
    samples = np.concatenate([order.step(step) for step in range(steps)])
    for epoch in range(2):
        visited = samples[epoch * windows : (epoch + 1) * windows]
        assert sorted(visited.tolist()) == list(range(windows))


def test_epochs_and_seeds_have_orders_of_their_own():
    orders = [Order(500, 500, seed).step(step) for seed in (0, 1) for step in (0, 1)]
    assert len({order.tobytes() for order in orders}) == 4


@given(epochs, st.sampled_from([1, 2, 3, 4, 6, 12]), st.integers(0, 50))
def test_the_ranks_together_take_the_same_step_however_many_they_are(windows, ranks, step):
    chosen = Order(windows, 12, seed=3).step(step)
    parts = [share(chosen, rank, ranks) for rank in range(ranks)]
    assert len({len(part) for part in parts}) == 1
    assert np.array_equal(np.concatenate(parts), chosen)


def test_a_batch_that_does_not_divide_is_refused():
    with pytest.raises(ConfigError, match="batch of 16 windows does not divide among 3 ranks"):
        share(np.arange(16), 0, 3)


def test_a_shard_shorter_than_a_window_is_named(folder):
    prefixes = open_corpus(folder.shards).prefixes("valid")
    size = data_path(prefixes[0]).stat().st_size // 2
    with pytest.raises(ConfigError, match=f"valid-00000 has {size:,} tokens, fewer than the "):
        windows_of(prefixes, size)
    assert len(windows_of(prefixes[:1], size - 1)) == 1


def test_a_split_without_tokens_is_refused():
    with pytest.raises(ConfigError, match="a split has no tokens to train or evaluate on"):
        windows_of([], LENGTH)


def test_a_corpus_opens_its_shards_in_order(folder):
    shards = open_corpus(folder.shards).shards("train")
    assert [shard.prefix.name for shard in shards] == [f"train-0000{j}" for j in range(3)]
    assert [len(shard) for shard in shards] == [14, 2, 16]


def test_a_split_that_is_not_there_is_named(folder):
    with pytest.raises(ConfigError, match="no split 'dev', only train, valid"):
        open_corpus(folder.shards).prefixes("dev")


def test_a_folder_without_a_corpus_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"shards.json cannot be read: No such file"):
        open_corpus(tmp_path)


def test_a_description_that_says_too_little_is_refused(tmp_path):
    (tmp_path / "shards.json").write_text('{"fingerprint": "x"}')
    with pytest.raises(ConfigError, match=r"missing required field `revision`.* again"):
        open_corpus(tmp_path)


def test_a_shard_that_is_not_there_is_named(folder, tmp_path):
    (tmp_path / "shards.json").write_bytes((folder.shards / "shards.json").read_bytes())
    missing = data_path(tmp_path / "train" / "train-00000").name
    with pytest.raises(FormatError, match=f"{missing} is missing"):
        open_corpus(tmp_path).shards("train")
