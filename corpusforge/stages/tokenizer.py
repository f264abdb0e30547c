"""Tokenizer: a byte-level BPE trained on a sample of the surviving documents.

Sennrich et al. (2016), over bytes as in GPT-2; trained by `tokenizers`, whose result does not
depend on the number of threads or the order of the texts.
"""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import pyarrow as pa
from msgspec import Meta, Struct
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from corpusforge.errors import ConfigError
from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.partition import read_columns
from corpusforge.kernels.mixing import seeded_order
from corpusforge.stages.stage import Inputs, Phase, Phases, Stage
from corpusforge.tables.annotation import surviving_batches
from corpusforge.work import Tally, Task

END_OF_TEXT = "<|endoftext|>"
PADDING = "<|padding|>"
SPECIALS = [END_OF_TEXT, PADDING]  # ids 0 and 1
TOKENIZER = "tokenizer"  # the folder that `AutoTokenizer.from_pretrained` opens


# The trainer's time grows with the square of a word's length; such a word is a sequence or a dump.
LONG = re.compile(r"\w{1000,}|[^\w\s]{1000,}")


class TokenizerConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the vocabulary is made."""

    vocabulary: Annotated[
        int, Meta(ge=258, description="Entries: 256 bytes, 2 specials, and merges.")
    ] = 52_000
    sample_bytes: Annotated[
        int, Meta(ge=1, description="Text to train on; documents are drawn by hash of their uid.")
    ] = 1_000_000_000
    seed: Annotated[int, Meta(ge=0, lt=2**32, description="Of the draw.")] = 1


def phases(config: TokenizerConfig, inputs: Inputs, out: Path) -> Phases:
    sources = (*inputs.partitions("clean"), *inputs.partitions("dedup"))
    folder = out / TOKENIZER
    targets = (folder / "tokenizer.json", folder / "tokenizer_config.json")
    yield Phase("train", partial(_train, config=config), [Task("tokenizer", sources, targets)])


def _train(task: Task, config: TokenizerConfig) -> Tally:
    half = len(task.sources) // 2
    documents, survivors = task.sources[:half], task.sources[half:]
    total = sum(sum(read_columns(p, ["text_bytes"])["text_bytes"].to_pylist()) for p in survivors)
    if total == 0:
        raise ConfigError(
            "there is no text to train a tokenizer on: every document was rejected before; "
            "`corpusforge rejects` says why"
        )
    seen = {"documents": 0, "bytes": 0}

    def sample() -> Iterator[list[str]]:
        threshold = min(2**64, 2**64 * config.sample_bytes // total)
        for pair in zip(documents, survivors, strict=True):
            for batch, annotation in surviving_batches(*pair):
                order = seeded_order(batch["uid"].to_numpy(), config.seed)
                places = [i for i, key in enumerate(order) if int(key) < threshold]
                drawn = pa.array(places, pa.int64())  # typed: nothing may be drawn from a batch
                seen["documents"] += len(drawn)
                seen["bytes"] += sum(annotation["text_bytes"].take(drawn).to_pylist())
                yield [LONG.sub(" ", text) for text in batch["text"].take(drawn).to_pylist()]

    tokenizer = untrained()
    trainer = trainers.BpeTrainer(
        vocab_size=config.vocabulary,
        special_tokens=SPECIALS,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        max_token_length=64,  # a longer one is an artefact, such as a row of dashes
        show_progress=False,
    )
    tokenizer.train_from_iterator(sample(), trainer)
    model, settings = task.targets
    write_atomic(model, tokenizer.to_str(pretty=True).encode())
    write_atomic(settings, json.dumps(HUGGING_FACE, indent=2).encode())
    return Tally(
        bytes_read=seen["bytes"],
        counts={
            "sampled_documents": seen["documents"],
            "sampled_bytes": seen["bytes"],
            "vocabulary": tokenizer.get_vocab_size(),
        },
    )


def untrained() -> Tokenizer:
    """Byte-level BPE with GPT-2's pre-tokenization and no vocabulary yet."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


HUGGING_FACE = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "eos_token": END_OF_TEXT,
    "bos_token": END_OF_TEXT,
    "pad_token": PADDING,
    "clean_up_tokenization_spaces": False,
}

STAGE = Stage(
    name="tokenizer",
    version=1,
    config=TokenizerConfig,
    reads=("clean", "dedup"),
    phases=phases,
)
