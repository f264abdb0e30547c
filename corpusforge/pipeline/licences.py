"""What a folder of shards holds, by licence and source."""

from dataclasses import dataclass
from pathlib import Path

from corpusforge.formats.shard_folder import Group, added, read_description


@dataclass(frozen=True)
class Licences:
    """Tokens by licence, with those whose licence nobody stated under None."""

    groups: list[Group]  # by source and licence
    tokens: int

    def by_licence(self) -> dict[str | None, int]:
        """Tokens of each licence, most first."""
        sums: dict[str | None, int] = {}
        for group in self.groups:
            sums[group.licence] = sums.get(group.licence, 0) + group.tokens
        return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0] or "")))


def licences(folder: Path) -> Licences:
    """The licences of all splits of a folder of shards.

    Raises:
        ConfigError: This is not a folder of shards.
    """
    groups = added(g for split in read_description(folder).splits.values() for g in split.groups)
    return Licences(groups, sum(group.tokens for group in groups))
