"""What an evaluation measures."""

import math
from collections import Counter

import numpy as np
import pytest
import torch

from corpusforge.training.corpus import open_corpus
from corpusforge.training.data import IGNORED, windows_of
from corpusforge.training.evaluate import (
    Probe,
    evaluate,
    evaluation_windows,
    unigram_counts,
    unigram_evaluation,
)
from corpusforge.training.groups import Groups, groups_of
from corpusforge.training.launch import World
from corpusforge.training.tokenizer import byte_lengths

ALONE = World(0, 1, 0, ("here",), torch.device("cpu"))


pytestmark = pytest.mark.usefixtures("one_rank")


@pytest.fixture
def probe(folder):
    """A probe of so many windows of the validation split, or of all."""
    windows = windows_of(open_corpus(folder.shards).prefixes("valid"), 32)
    lengths = byte_lengths(folder.tokenizer, 280)

    def of(count=None):
        chosen = np.arange(len(windows) if count is None else count)
        return Probe(windows, chosen, lengths, groups_of(windows, chosen))

    return of


def test_the_unigram_baseline_is_what_counting_by_hand_gives(folder, probe):
    corpus = open_corpus(folder.shards)
    size = corpus.description.vocab_size
    train = corpus.shards("train")
    seen = Counter(token for shard in train for token in shard.tokens.tolist())
    total = sum(seen.values())
    targets = [token for shard in corpus.shards("valid") for token in shard.tokens[1:].tolist()]
    expected = [-math.log((seen[token] + 1) / (total + size)) for token in targets]

    counts = unigram_counts(corpus.prefixes("train"), size, ALONE)
    lengths = byte_lengths(folder.tokenizer, size)
    got = unigram_evaluation(counts, probe())
    assert got.loss == pytest.approx(sum(expected) / len(expected), rel=1e-12)
    written = sum(int(lengths[token]) for token in targets)
    assert got.bits_per_byte == pytest.approx(sum(expected) / math.log(2) / written, rel=1e-12)


def test_of_large_shards_the_first_tokens_are_counted(folder, monkeypatch):
    monkeypatch.setattr("corpusforge.training.evaluate.COUNTED", 60)
    corpus = open_corpus(folder.shards)
    starts = [shard.tokens[:20] for shard in corpus.shards("train")]
    counts = unigram_counts(corpus.prefixes("train"), 280, ALONE)
    assert np.array_equal(counts, np.bincount(np.concatenate(starts), minlength=280))


def test_a_model_of_one_distribution_is_measured_as_that_distribution(folder, probe):
    corpus = open_corpus(folder.shards)
    counts = unigram_counts(corpus.prefixes("train"), corpus.description.vocab_size, ALONE)
    logits = torch.from_numpy(np.log(counts + 1.0))
    got = evaluate(lambda ids, _: logits.expand(*ids.shape, -1), probe(), ALONE)
    expected = unigram_evaluation(counts, probe())
    assert got.loss == pytest.approx(expected.loss, rel=1e-5)
    assert got.bits_per_byte == pytest.approx(expected.bits_per_byte, rel=1e-5)


def test_ranks_with_fewer_windows_ask_as_often_as_the_others(probe, monkeypatch):
    """With `fsdp`, a rank that asked less often would leave the others waiting."""
    monkeypatch.setattr("corpusforge.training.evaluate.WINDOWS_AT_ONCE", 2)
    asked = []

    def predict(ids, *_):
        asked.append(len(ids))
        return torch.zeros(*ids.shape, 280)

    for rank in range(2):
        world = World(rank, 2, 0, ("here", "here"), torch.device("cpu"))
        measured = evaluate(predict, probe(5), world)
        assert measured.loss == pytest.approx(math.log(280))
    assert asked == [2, 1, 2, 1]


@pytest.mark.parametrize(("windows", "wanted"), [(100, 9), (7, 9)])
def test_the_same_windows_are_always_evaluated_each_once(windows, wanted):
    chosen = evaluation_windows(windows, wanted)
    assert np.array_equal(chosen, evaluation_windows(windows, wanted))
    assert len(set(chosen.tolist())) == min(windows, wanted)
    assert chosen.max() < windows


def test_kinds_of_text_are_measured_apart_and_add_up_to_the_whole(probe):
    """Targets alternate between two sources; the model finds those of one easy."""
    whole = probe()
    shape = whole.groups.of_targets.shape
    kinds = (("pmc", None, "en", None), ("arxiv", None, "en", None))
    groups = Groups(kinds, np.indices(shape).sum(0).astype(np.int32) % 2)
    mixed = Probe(whole.windows, whole.chosen, whole.byte_lengths, groups)
    expected = {"pmc": [], "arxiv": []}

    def predict(ids, _):
        rows = np.arange(len(seen), len(seen) + len(ids))
        seen.extend(rows)
        targets = torch.from_numpy(whole.windows.batch(whole.chosen[rows]).targets)
        easy = torch.from_numpy(groups.of_targets[rows]) == 1
        logits = torch.zeros(*ids.shape, 280)
        logits.scatter_(2, targets.clamp(min=0)[..., None], 3.0 * easy[..., None])
        for name, here in (("pmc", ~easy), ("arxiv", easy)):
            expected[name] += targets[here & (targets != IGNORED)].tolist()
        return logits

    seen = []
    measured = evaluate(predict, mixed, ALONE)
    losses = {"pmc": math.log(280), "arxiv": math.log(279 + math.exp(3)) - 3}
    assert measured.by["source"].keys() == losses.keys()
    for name, score in measured.by["source"].items():
        size = whole.byte_lengths[expected[name]].sum()
        assert score.loss == pytest.approx(losses[name], rel=1e-5)
        assert score.tokens == len(expected[name])
        bits = losses[name] * score.tokens / math.log(2) / size
        assert score.bits_per_byte == pytest.approx(bits, rel=1e-5)
    assert measured.by["language"]["en"].loss == pytest.approx(measured.loss)
    assert measured.by.keys() == {"source", "language"}
