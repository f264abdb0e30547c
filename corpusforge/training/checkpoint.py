"""State of a run on disk, from which it continues as if it had never stopped.

`step-<steps done>.pt` appears under its name only when it is complete; LATEST then names it, and
all but the last two are removed. The data order needs no state, so a run may continue on another
number of ranks.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from corpusforge.errors import FormatError
from corpusforge.formats.atomic import atomic_path, write_atomic
from corpusforge.training.identity import Identity

KEEP = 2


@dataclass(frozen=True)
class Checkpoints:
    """The checkpoints of one run, and of no other."""

    folder: Path
    identity: Identity

    def save(self, steps_done: int, model: nn.Module, optimizer: torch.optim.Optimizer) -> Path:
        """Write a checkpoint; to be called on one rank."""
        path = self.folder / f"step-{steps_done:08d}.pt"
        state = {
            "steps_done": steps_done,
            "identity": self.identity.record(),
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
        }
        with atomic_path(path) as partial:
            torch.save(state, partial)
        write_atomic(self.folder / "LATEST", path.name.encode())
        for old in sorted(self.folder.glob("step-*.pt"))[:-KEEP]:
            old.unlink()
        return path

    def load(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
        """Put the latest state into a model and an optimizer; 0 steps done if there is none.

        Raises:
            ConfigError: The run was started with another configuration or on another corpus.
            FormatError: LATEST names a file that is not there.
        """
        latest = self.folder / "LATEST"
        if not latest.is_file():
            return 0
        path = self.folder / latest.read_text()
        if not path.is_file():
            raise FormatError(
                f"{latest} names {path.name}, which does not exist; write the name of a step file "
                f"into it, or delete {self.folder} to start over"
            )
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        self.identity.check(path, state["identity"])
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        return int(state["steps_done"])
