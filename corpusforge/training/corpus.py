"""What training knows of a corpus: the shards of each split, and the tokenizer they came from."""

from dataclasses import dataclass
from pathlib import Path

from corpusforge.errors import ConfigError
from corpusforge.formats.megatron import Shard, open_shard
from corpusforge.formats.shard_folder import NAME, Description, read_description


@dataclass(frozen=True)
class Corpus:
    """A folder of token shards."""

    folder: Path
    description: Description

    def shards(self, split: str) -> list[Shard]:
        """The shards of a split, in order, each with a file that stays open.

        Raises:
            ConfigError: The corpus has no such split.
            FormatError: A shard is missing or damaged.
        """
        return [open_shard(prefix) for prefix in self.prefixes(split)]

    def prefixes(self, split: str) -> list[Path]:
        """The paths of the shards of a split, in order, without `.bin` and `.idx`.

        Raises:
            ConfigError: The corpus has no such split.
        """
        if split not in self.description.splits:
            raise ConfigError(
                f"{self.folder / NAME} has no split {split!r}, only "
                f"{', '.join(sorted(self.description.splits))}; make the shards again with one"
            )
        records = self.description.splits[split].shards
        return [self.folder / split / record.name for record in records]


def open_corpus(folder: Path) -> Corpus:
    """The corpus in a folder of shards.

    Raises:
        ConfigError: The folder has no `shards.json`, or not one that training understands.
    """
    return Corpus(folder, read_description(folder))
