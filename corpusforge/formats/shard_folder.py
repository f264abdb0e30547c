"""shards.json: what a folder of token shards holds, where it comes from, and how to check it.

    shards.json              this description, written last: a folder without it is not complete
    tokenizer.json           the tokenizer that the ids are from, so that the folder stands alone
    train/train-00000.bin    token ids, with .idx and .parquet (provenance) beside it
    takedowns/*.json         what was taken out since; see corpusforge.pipeline.takedown

Counts are sums over the shards and digests are of the files, so two folders with equal `revision`
have the same tokens in the same order, whatever made them and wherever they lie.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from corpusforge.errors import ConfigError
from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.file_digest import FileRecord, file_record

NAME = "shards.json"
TOKENIZER = "tokenizer.json"
SUFFIXES = (".bin", ".idx", ".parquet")


class Group(Struct, frozen=True):
    """What one source gave under one licence."""

    source: str
    licence: str | None
    documents: int
    tokens: int
    text_bytes: int


class ShardRecord(Struct, frozen=True):
    """One shard: three files of this name."""

    name: str
    documents: int
    tokens: int
    groups: list[Group]
    files: dict[str, FileRecord]  # by suffix


class SplitRecord(Struct, frozen=True):
    """One split: a folder of its name."""

    documents: int
    tokens: int
    text_bytes: int
    groups: list[Group]
    shards: list[ShardRecord]


class Description(Struct, frozen=True, kw_only=True):
    """The whole of shards.json."""

    format: str = "corpusforge.shards"
    version: int = 1
    fingerprint: str  # name of the stage's folder that it was made in
    revision: str  # of the tokens: changes with any of them and with nothing else
    dtype: str  # of an id on disk
    vocab_size: int  # all ids, added tokens included
    eod_id: int  # ends every document
    tokenizer_sha256: str
    split: dict[str, Any]  # the rule
    seed: int  # of the order and the split
    mixture: dict[str, Any] | None = None  # as resolved
    fallback: str | None = None  # why `tokenizers` did the encoding, where no kernel could
    made_by: dict[str, str]  # stage -> fingerprint, of all that the tokens depend on
    splits: dict[str, SplitRecord]


def split_record(shards: Iterable[ShardRecord]) -> SplitRecord:
    """The sum of some shards."""
    listed = list(shards)
    groups = added(group for shard in listed for group in shard.groups)
    return SplitRecord(
        documents=sum(shard.documents for shard in listed),
        tokens=sum(shard.tokens for shard in listed),
        text_bytes=sum(group.text_bytes for group in groups),
        groups=groups,
        shards=listed,
    )


def added(groups: Iterable[Group]) -> list[Group]:
    """One group per source and licence, in order of both; no licence comes first."""
    sums: dict[tuple[str, str | None], tuple[int, int, int]] = {}
    for group in groups:
        documents, tokens, text_bytes = sums.get((group.source, group.licence), (0, 0, 0))
        sums[group.source, group.licence] = (
            documents + group.documents,
            tokens + group.tokens,
            text_bytes + group.text_bytes,
        )
    return [
        Group(source, licence, *sums[source, licence])
        for source, licence in sorted(
            sums, key=lambda key: (key[0], key[1] is not None, key[1] or "")
        )
    ]


def revision_of(
    splits: Mapping[str, SplitRecord], tokenizer_sha256: str, vocab_size: int, eod_id: int
) -> str:
    """16 hex digits that name the tokens, in order, of all splits."""
    files = [
        [name, *(shard.files[suffix].sha256 for suffix in (".bin", ".idx"))]
        for name, split in sorted(splits.items())
        for shard in split.shards
    ]
    recipe = [files, tokenizer_sha256, vocab_size, eod_id]
    return sha256(msgspec.json.encode(recipe)).hexdigest()[:16]


def with_splits(before: Description, splits: dict[str, SplitRecord]) -> Description:
    """The same corpus with other shards."""
    revision = revision_of(splits, before.tokenizer_sha256, before.vocab_size, before.eod_id)
    return msgspec.structs.replace(before, splits=splits, revision=revision)


def record_files(prefix: Path) -> dict[str, FileRecord]:
    """The three files of a shard, read from disk."""
    return {suffix: file_record(prefix.with_name(prefix.name + suffix)) for suffix in SUFFIXES}


def damage(prefix: Path, record: ShardRecord) -> list[str]:
    """What is wrong with the files of a shard, a sentence for each that is not what was written."""
    found = []
    for suffix, wanted in record.files.items():
        path = prefix.with_name(prefix.name + suffix)
        if not path.is_file():
            found.append(f"{path} is missing; copy it again, or make the shards again")
        elif (seen := file_record(path)) != wanted:
            found.append(
                f"{path} has {seen.bytes:,} bytes with SHA-256 {seen.sha256}, expected "
                f"{wanted.bytes:,} with {wanted.sha256}; copy it again, or make the shards again"
            )
    return found


def write_description(folder: Path, description: Description) -> None:
    """Declare a folder of shards complete."""
    encoded = msgspec.json.format(msgspec.json.encode(description))
    write_atomic(folder / NAME, encoded + b"\n")


def read_description(folder: Path) -> Description:
    """The description of a folder of shards.

    Raises:
        ConfigError: The folder has no `shards.json`, or not one that this version understands.
    """
    path = folder / NAME
    try:
        return msgspec.json.decode(path.read_bytes(), type=Description)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}. `corpusforge run PIPELINE` makes it; a "
            f"folder that is named by hand is the one with shards.json and a folder for each split"
        ) from error
    except msgspec.MsgspecError as error:
        raise ConfigError(f"{path}: {error}; make the shards again") from error
