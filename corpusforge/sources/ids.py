"""The ids that a config names, itself or in a file."""

from pathlib import Path
from typing import Protocol, runtime_checkable

from corpusforge.errors import ConfigError


@runtime_checkable
class NamesIds(Protocol):
    """A config that may name what to bring by ids; others have neither field."""

    @property
    def ids(self) -> list[str]: ...

    @property
    def ids_file(self) -> str | None: ...


def reads_ids_file(config: object) -> bool:
    """Whether a config names a file of ids."""
    return isinstance(config, NamesIds) and config.ids_file is not None


def ids_of(config: object, base: Path) -> list[str]:
    """The ids of the config and of its file; empty lines and lines that start with # do not count.

    Args:
        config: One that has no ids gives none.
        base: Of relative paths in the config.

    Raises:
        ConfigError: The file cannot be read, or has no ids.
    """
    if not isinstance(config, NamesIds):
        return []
    if config.ids_file is None:
        return list(config.ids)
    path = base / config.ids_file
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"ids_file {path} cannot be read ({type(error).__name__}): expected one id a line, in "
            f"UTF-8"
        ) from error
    listed = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not listed:
        raise ConfigError(
            f"ids_file {path} has no ids: expected one a line; lines that start with # do not count"
        )
    return [*config.ids, *listed]
