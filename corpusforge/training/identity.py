"""What a run is: its configuration and its corpus. Results of another run are never continued."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from corpusforge.errors import ConfigError
from corpusforge.training.config import TrainConfig


@dataclass(frozen=True)
class Identity:
    """The configuration and the fingerprint of the corpus."""

    config: TrainConfig
    fingerprint: str

    def record(self) -> dict[str, Any]:
        """What `check` compares with, of plain JSON types."""
        config = msgspec.json.decode(msgspec.json.encode(self.config))
        del config["execution"], config["preset"]  # decide nothing
        return {"fingerprint": self.fingerprint, "config": config}

    def check(self, path: Path, recorded: dict[str, Any]) -> None:
        """Refuse the content of `path` if another run wrote it.

        Raises:
            ConfigError: It did; the message names each setting that differs.
        """
        before, now = _flat(recorded), _flat(self.record())
        changed = [
            f"{name} {before.get(name)} (now {now.get(name)})"
            for name in sorted(before | now)
            if before.get(name) != now.get(name)
        ]
        if changed:
            raise ConfigError(
                f"{path} belongs to a run with {', '.join(changed)}; give another --out, or "
                f"delete {path.parent} to start over"
            )


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """Settings by dotted name.

    >>> _flat({"fingerprint": "f", "config": {"steps": 9, "model": {"layers": 2}}})
    {'corpus': 'f', 'steps': 9, 'model.layers': 2}
    """
    flat = {"corpus": record["fingerprint"]}
    for name, value in record["config"].items():
        if isinstance(value, dict):
            flat |= {f"{name}.{inner}": setting for inner, setting in value.items()}
        else:
            flat[name] = value
    return flat
