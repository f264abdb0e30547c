"""The description of a finished folder of shards: the seal task of shards."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.megatron import token_dtype
from corpusforge.formats.shard_folder import (
    Description,
    revision_of,
    split_record,
    write_description,
)
from corpusforge.stages.shard_assembly import read_record
from corpusforge.stages.shard_encoding import open_codec
from corpusforge.stages.shard_split import SPLITS, SplitRule, described
from corpusforge.work import Tally, Task


def seal(task: Task, split: SplitRule, seed: int, made_by: Mapping[str, str]) -> Tally:
    """Put the tokenizer beside the shards, then the description, which makes them a corpus."""
    tokenizer_file, mixture, *records = task.sources
    tokenizer_copy, target = task.targets
    content = tokenizer_file.read_bytes()
    write_atomic(tokenizer_copy, content)
    codec, digest = open_codec(tokenizer_file), sha256(content).hexdigest()
    splits = {
        name: split_record(read_record(path) for path in records if path.parent.name == name)
        for name in SPLITS
    }
    write_description(
        target.parent,
        Description(
            fingerprint=target.parent.name,
            revision=revision_of(splits, digest, codec.vocab_size, codec.end),
            dtype=token_dtype(codec.vocab_size).name,
            vocab_size=codec.vocab_size,
            eod_id=codec.end,
            tokenizer_sha256=digest,
            split=described(split),
            seed=seed,
            mixture=_resolved(mixture),
            fallback=codec.encoder.fallback,
            made_by=dict(made_by),
            splits=splits,
        ),
    )
    return Tally()


def _resolved(mixture: Path) -> dict[str, Any] | None:
    """What a mixture came to, where there is one."""
    return msgspec.json.decode(mixture.read_bytes()) if mixture.exists() else None
