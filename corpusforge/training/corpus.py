"""What training knows of a corpus: the shards of each split, and the tokenizer they came from."""

from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct

from corpusforge.errors import ConfigError
from corpusforge.formats.megatron import Shard, open_shard


class Split(Struct, frozen=True):
    """One split, as the shards stage wrote it."""

    shards: list[str]
    tokens: int
    documents: int


class Description(Struct, frozen=True):
    """The parts of `corpus.json` that training reads."""

    fingerprint: str
    vocab_size: int  # all ids, added tokens included
    eod_id: int
    splits: dict[str, Split]


@dataclass(frozen=True)
class Corpus:
    """A folder of token shards."""

    folder: Path
    description: Description

    def shards(self, split: str) -> list[Shard]:
        """The shards of a split, in order.

        Raises:
            ConfigError: The corpus has no such split.
            FormatError: A shard is missing or damaged.
        """
        if split not in self.description.splits:
            raise ConfigError(
                f"{self.folder / 'corpus.json'} has no split {split!r}, only "
                f"{', '.join(sorted(self.description.splits))}; make the shards again with one"
            )
        names = self.description.splits[split].shards
        return [open_shard(self.folder / split / name) for name in names]


def open_corpus(folder: Path) -> Corpus:
    """The corpus in a folder of shards.

    Raises:
        ConfigError: The folder has no `corpus.json`, or not one that training understands.
    """
    path = folder / "corpus.json"
    try:
        return Corpus(folder, msgspec.json.decode(path.read_bytes(), type=Description))
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}. --shards takes the folder that the shards "
            f"stage wrote, with corpus.json and one folder per split"
        ) from error
    except msgspec.MsgspecError as error:
        raise ConfigError(f"{path}: {error}; make the shards again") from error
