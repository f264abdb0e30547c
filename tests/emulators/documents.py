"""What emulators serve: papers made from a seed, or read from a file."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

WORDS = """
analysis attribution basin boundary carbon catalyst cell climate coastal coupling crystal data
density detection diffusion dynamics energy enzyme equilibrium estimate evidence extreme field flow
forcing gene gradient growth heat influence kinetics lattice layer learning mass measured mechanism
membrane method model nitrogen observed ocean oxide particle phase polymer precise pressure protein
quantum random rate reaction receptor region response sample scale signal soil spectrum stress
structure surface temperature theory tissue transport turbulence variance wave
"""
FAMILIES = (
    "Adler",
    "Berg",
    "Chen",
    "Diaz",
    "Evans",
    "Fischer",
    "Garcia",
    "Haddad",
    "Ito",
    "Jansen",
)


@dataclass(frozen=True)
class Document:
    """One paper. The number names it in every source."""

    number: int
    title: str
    abstract: str
    body: str = ""
    doi: str | None = None
    pmid: str | None = None
    year: int = 2015
    authors: tuple[tuple[str, str], ...] = ()  # (family, given)
    venue: str = "Journal of Emulated Results"


def generate(count, seed=0, first_year=2000, years=20):
    """Papers that differ in number, title, abstract and DOI; every 20th has no abstract."""
    draw = random.Random(seed)
    return [_document(number, draw, first_year + number % years) for number in range(count)]


def _document(number, draw, year):
    words = WORDS.split()
    sentences = [" ".join(draw.choices(words, k=12)).capitalize() + "." for _ in range(5)]
    return Document(
        number=number,
        title=f"{' '.join(draw.choices(words, k=7)).capitalize()} {number}",
        abstract="" if number % 20 == 19 else " ".join(sentences),
        body="\n".join(sentences * 3) if number % 2 else "",
        doi=f"10.5555/emu({number}){'-' * (number % 2)}{draw.randrange(1000):03d}",
        pmid=str(30_000_000 + number) if number % 3 == 0 else None,
        year=year,
        authors=tuple(
            (draw.choice(FAMILIES), draw.choice("ABCDEFG")) for _ in range(1 + number % 4)
        ),
    )


def load(path: Path):
    """Papers from a file of JSON lines whose fields are those of `Document`."""
    rows = [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
    return [
        Document(**row | {"authors": tuple(tuple(a) for a in row.get("authors", ()))})
        for row in rows
    ]
