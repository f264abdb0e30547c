"""The check of a new release: a source that lost a large part of what it had stops the run.

Every run that completes extract leaves the census of each source in `census/` of the output
folder, outside every fingerprint: it is no input of the results, only of the verdict on them. The
next dump or harvest under the same name is held against it. A complete stage is not judged again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from corpusforge.errors import RunError
from corpusforge.formats.atomic import remove_partials, write_atomic
from corpusforge.stages.extract_census import CENSUS, Census, read_census

MAX_FALL = 0.5  # of sources that `max_fall` does not name
MIN_PAPERS = 100  # what had fewer may lose half of them by chance
SHOWN = 3  # falls that a message spells out


@dataclass(frozen=True)
class Fall:
    """Some papers of a source, and how many of them are left."""

    group: str  # such as "year 2015"
    was: int
    now: int

    @property
    def share(self) -> float:
        """Part that is gone, 0 to 1; below 0 of what has grown."""
        return (self.was - self.now) / self.was

    def __str__(self) -> str:
        return f"{self.group} had {self.was:,} and has {self.now:,} (-{self.share:.0%})"


def falls(before: Census, after: Census, max_fall: float) -> list[Fall]:
    """Of all papers, each year and each provider, what lost more than `max_fall`; the worst first.

    A group that had fewer than `MIN_PAPERS` is not looked at; one that has vanished lost all.
    """
    groups = [
        Fall("the source", before.papers, after.papers),
        *(Fall(f"year {y}", was, after.years.get(y, 0)) for y, was in before.years.items()),
        *(Fall(f"provider {p}", n, after.providers.get(p, 0)) for p, n in before.providers.items()),
    ]
    fallen = [group for group in groups if group.was >= MIN_PAPERS and group.share > max_fall]
    return sorted(fallen, key=lambda fall: (fall.now - fall.was, fall.group))


def accept_releases(folder: Path, output: Path, max_fall: Mapping[str, float]) -> None:
    """Hold the census of every source that a stage read against the last one, then keep it.

    A run that is killed between this and the end of the stage finds its own census next time.

    Args:
        folder: Of the stage; one that reads no sources has no census there.
        output: Of the pipeline.
        max_fall: By source.

    Raises:
        RunError: A source fell further than it may; nothing is kept.
        FormatError: The last census cannot be read.
    """
    found = sorted((folder / CENSUS).glob("*.json"))
    accepted = output / CENSUS
    for path in found:
        last = accepted / path.name
        if last.exists():
            limit = max_fall.get(path.stem, MAX_FALL)
            _refuse(path.stem, falls(read_census(last), read_census(path), limit), limit, last)
    for path in found:
        write_atomic(accepted / path.name, path.read_bytes())
    remove_partials(accepted)


def _refuse(source: str, fallen: list[Fall], limit: float, last: Path) -> None:
    if not fallen:
        return
    more = len(fallen) - SHOWN
    told = "; ".join(map(str, fallen[:SHOWN])) + (f"; and {more:,} more" if more > 0 else "")
    raise RunError(
        f"source {source} lost more than {limit:.0%} since the last run that was accepted: {told}. "
        f"If files are missing, get them and run again; if the fall is meant, set "
        f"max_fall.{source} in the pipeline file or delete {last}"
    )
