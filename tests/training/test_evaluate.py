"""What an evaluation measures."""

import math
from collections import Counter

import numpy as np
import pytest
import torch

from corpusforge.training.corpus import open_corpus
from corpusforge.training.data import windows_of
from corpusforge.training.evaluate import (
    evaluate,
    evaluation_windows,
    unigram_counts,
    unigram_evaluation,
)
from corpusforge.training.launch import World
from corpusforge.training.tokenizer import byte_lengths

ALONE = World(0, 1, 0, ("here",), torch.device("cpu"))


pytestmark = pytest.mark.usefixtures("one_rank")


@pytest.fixture
def valid(folder):
    return windows_of(open_corpus(folder.shards).shards("valid"), 32)


def test_the_unigram_baseline_is_what_counting_by_hand_gives(folder, valid):
    corpus = open_corpus(folder.shards)
    size = corpus.description.vocab_size
    train = corpus.shards("train")
    seen = Counter(token for shard in train for token in shard.tokens.tolist())
    total = sum(seen.values())
    targets = [token for shard in valid.shards for token in shard.tokens[1:].tolist()]
    expected = [-math.log((seen[token] + 1) / (total + size)) for token in targets]

    counts = unigram_counts(train, size, ALONE)
    lengths = byte_lengths(folder.tokenizer, size)
    got = unigram_evaluation(counts, valid, np.arange(len(valid)), lengths)
    assert got.loss == pytest.approx(sum(expected) / len(expected), rel=1e-12)
    written = sum(int(lengths[token]) for token in targets)
    assert got.bits_per_byte == pytest.approx(sum(expected) / math.log(2) / written, rel=1e-12)


def test_a_model_of_one_distribution_is_measured_as_that_distribution(folder, valid):
    corpus = open_corpus(folder.shards)
    counts = unigram_counts(corpus.shards("train"), corpus.description.vocab_size, ALONE)
    logits = torch.from_numpy(np.log(counts + 1.0))
    lengths = byte_lengths(folder.tokenizer, len(counts))
    chosen = np.arange(len(valid))
    got = evaluate(lambda ids: logits.expand(*ids.shape, -1), valid, chosen, lengths, ALONE)
    expected = unigram_evaluation(counts, valid, chosen, lengths)
    assert got.loss == pytest.approx(expected.loss, rel=1e-5)
    assert got.bits_per_byte == pytest.approx(expected.bits_per_byte, rel=1e-5)


@pytest.mark.parametrize(("windows", "wanted"), [(100, 9), (7, 9)])
def test_the_same_windows_are_always_evaluated_each_once(windows, wanted):
    chosen = evaluation_windows(windows, wanted)
    assert np.array_equal(chosen, evaluation_windows(windows, wanted))
    assert len(set(chosen.tolist())) == min(windows, wanted)
    assert chosen.max() < windows
