"""TensorBoard: the numbers of the log, as event files for those who look at many runs together."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpusforge.errors import ConfigError

if TYPE_CHECKING:
    from torch.utils.tensorboard.writer import SummaryWriter


def open_board(folder: Path, steps_done: int) -> "SummaryWriter":
    """A writer of event files; what earlier ones hold after `steps_done` is no longer shown.

    Raises:
        ConfigError: The package tensorboard is not installed.
    """
    try:
        # Slow to import, and not there without the extra.
        from torch.utils.tensorboard.writer import SummaryWriter  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f"--tensorboard needs the package tensorboard ({error}); "
            f"`pip install 'corpusforge[tensorboard]'` brings it"
        ) from error
    return SummaryWriter(str(folder), purge_step=steps_done + 1)


def numbers_of(entry: dict[str, Any], prefix: str = "") -> dict[str, float]:
    """The numbers of an entry of the log, by name; those of sections by the names of both.

    >>> numbers_of({"step": 2, "loss": 1.5, "skipped": False, "by": {"source": {"pmc": 2.0}}})
    {'loss': 1.5, 'by/source/pmc': 2.0}
    """
    numbers: dict[str, float] = {}
    for name, value in entry.items():
        if isinstance(value, dict):
            numbers |= numbers_of(value, f"{prefix}{name}/")
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and name != "step":
            numbers[prefix + name] = value
    return numbers
