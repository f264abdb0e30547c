"""A search, and the parts by year into which one that is too large is split."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

Years = tuple[int, int]  # the first and the last


@dataclass(frozen=True)
class Part:
    """A search or a part of one, small enough to be paged through or yet to be split."""

    query: str
    years: Years | None = None


def halves(part: Part) -> tuple[Part, Part] | None:
    """The part by earlier and later years, or None if it cannot be split."""
    if part.years is None or part.years[0] == part.years[1]:
        return None
    first, last = part.years
    middle = (first + last) // 2
    return replace(part, years=(first, middle)), replace(part, years=(middle + 1, last))


def check_either(source: str, query: str | None, ids: Sequence[str], ids_file: str | None) -> None:
    """Whether a config names a query or ids, and not both.

    Raises:
        ValueError: It does not; msgspec adds where in the file.
    """
    if (query is None) == (not any(map(str.strip, ids)) and ids_file is None):
        raise ValueError(f"{source} needs either query, or ids or ids_file")


def check_years(years: Years | None) -> None:
    """Whether the years of a query are years, in order.

    Raises:
        ValueError: They are not; msgspec adds where in the file.
    """
    if years is not None and not 1000 <= years[0] <= years[1] <= 2999:
        raise ValueError(f"years: {years} - expected the first and the last year")
