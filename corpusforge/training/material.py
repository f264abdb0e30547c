"""All that a run reads before its first step, and the baseline computed from it."""

from dataclasses import dataclass
from pathlib import Path

from corpusforge.training.config import TrainConfig, load_config, micro_batch
from corpusforge.training.corpus import Corpus, open_corpus
from corpusforge.training.data import Order, Shuffled, Windows, windows_of
from corpusforge.training.evaluate import (
    Evaluation,
    Probe,
    evaluation_windows,
    unigram_counts,
    unigram_evaluation,
)
from corpusforge.training.feed import Steps
from corpusforge.training.groups import groups_of
from corpusforge.training.identity import Identity
from corpusforge.training.launch import World
from corpusforge.training.shapes import MLSTMConfig
from corpusforge.training.streams import streams_of
from corpusforge.training.tokenizer import byte_lengths, tokenizer_file


@dataclass(frozen=True)
class Job:
    """Where a run reads and writes, and how often it speaks. None of it changes the model."""

    shards: Path
    tokenizer: Path
    config: Path
    out: Path
    log_every: int = 10  # steps between lines; the log has every step
    live: int | None = None  # columns of the terminal that a table is drawn in, if any
    tensorboard: bool = False


@dataclass(frozen=True, eq=False)
class Material:
    """What a run works with."""

    config: TrainConfig
    corpus: Corpus
    tokenizer: Path
    train: Windows
    valid: Windows
    probe: Probe
    baseline: Evaluation

    @property
    def identity(self) -> Identity:
        """What distinguishes this run from others."""
        return Identity(self.config, self.corpus.description.revision)

    @property
    def steps(self) -> Steps:
        """What each step trains on: windows in a random order, or streams for a state to follow."""
        config, windows = self.config, self.train
        if config.streams:
            documents = isinstance(config.model, MLSTMConfig) and config.model.reset == "document"
            length, count = config.sequence_length, config.batch
            return streams_of(windows.tokens, length, count, documents=documents)
        return Shuffled(windows, Order(len(windows), config.batch, config.seed))


def gather(job: Job, world: World) -> Material:
    """Open and check everything.

    Raises:
        ConfigError: The configuration, the corpus, the tokenizer and the number of ranks do not
            fit each other.
        FormatError: A shard is damaged.
    """
    config, corpus = load_config(job.config), open_corpus(job.shards)
    micro_batch(config, world.size)
    tokenizer = tokenizer_file(job.tokenizer)
    vocab_size = corpus.description.vocab_size
    lengths = byte_lengths(tokenizer, vocab_size)
    train = windows_of(corpus.prefixes("train"), config.sequence_length)
    valid = windows_of(corpus.prefixes("valid"), config.sequence_length)
    chosen = evaluation_windows(len(valid), config.evaluation_windows)
    probe = Probe(valid, chosen, lengths, groups_of(valid, chosen))
    counts = unigram_counts(corpus.prefixes("train"), vocab_size, world)
    baseline = unigram_evaluation(counts, probe)
    return Material(config, corpus, tokenizer, train, valid, probe, baseline)
