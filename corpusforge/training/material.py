"""All that a run reads before its first step, and the baseline computed from it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpusforge.training.config import TrainConfig, load_config
from corpusforge.training.corpus import Corpus, open_corpus
from corpusforge.training.data import Windows, share, windows_of
from corpusforge.training.evaluate import (
    Evaluation,
    evaluation_windows,
    unigram_counts,
    unigram_evaluation,
)
from corpusforge.training.identity import Identity
from corpusforge.training.launch import World
from corpusforge.training.tokenizer import byte_lengths, tokenizer_file


@dataclass(frozen=True)
class Job:
    """Where a run reads and writes, and how often it speaks. None of it changes the model."""

    shards: Path
    tokenizer: Path
    config: Path
    out: Path
    log_every: int = 10


@dataclass(frozen=True, eq=False)
class Material:
    """What a run works with."""

    config: TrainConfig
    corpus: Corpus
    tokenizer: Path
    train: Windows
    valid: Windows
    evaluated: NDArray[np.int64]  # windows of the validation split
    byte_lengths: NDArray[np.int64]  # (vocab_size,)
    baseline: Evaluation

    @property
    def identity(self) -> Identity:
        """What distinguishes this run from others."""
        return Identity(self.config, self.corpus.description.fingerprint)


def gather(job: Job, world: World) -> Material:
    """Open and check everything.

    Raises:
        ConfigError: The configuration, the corpus, the tokenizer and the number of ranks do not
            fit each other.
        FormatError: A shard is damaged.
    """
    config, corpus = load_config(job.config), open_corpus(job.shards)
    share(np.arange(config.batch), world.rank, world.size)
    tokenizer = tokenizer_file(job.tokenizer)
    vocab_size = corpus.description.vocab_size
    lengths = byte_lengths(tokenizer, vocab_size)
    train = windows_of(corpus.shards("train"), config.sequence_length)
    valid = windows_of(corpus.shards("valid"), config.sequence_length)
    evaluated = evaluation_windows(len(valid), config.evaluation_windows)
    counts = unigram_counts(train.shards, vocab_size, world)
    baseline = unigram_evaluation(counts, valid, evaluated, lengths)
    return Material(config, corpus, tokenizer, train, valid, evaluated, lengths, baseline)
