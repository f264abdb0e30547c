"""Keys that copies and versions of one work share: its identifiers, and its title with its author.

Both are evidence to compare two texts, never proof. A record may carry the DOI of a paper that it
cites, or the right title over the abstract of another paper; and of 911 pairs of arXiv papers with
equal titles 320 had hardly a phrase in common.
"""

import re
from collections.abc import Mapping, Sequence

import xxhash

from corpusforge.kernels.doi_families import doi_family
from corpusforge.kernels.titles import folded, title_key

KINDS = ("doi", "arxiv", "pmid", "pmcid", "core", "mag", "openalex", "scopus")

_ARXIV_DOI = "10.48550/arxiv."
_SUBJECT_CLASS = re.compile(r"\.[a-z]{2}(?=/)")  # "math.gt/0309136" is "math/0309136"
_NAME_PART = re.compile(r"[^\W\d_]+")
_PARTICLES = {"af", "al", "av", "bin", "da", "das", "de", "del", "della", "den", "der", "di", "do"}
_PARTICLES |= {"dos", "du", "el", "ibn", "la", "le", "les", "ten", "ter", "van", "vom", "von", "y"}
_PARTICLES |= {"zu", "zum", "zur"}
_SUFFIXES = {"jr", "sr", "ii", "iii", "iv", "phd", "md"}


def identity_keys(identifiers: Mapping[str, str | None]) -> list[int]:
    """A 64-bit key for each identifier of a document; two documents of one work share one.

    A DOI stands for its family (`doi_families`), and arXiv's DOI for its arXiv id.

    Args:
        identifiers: By the names in `KINDS`, in the normal forms of a Paper; others do not count.

    Returns:
        Distinct keys in the order of `KINDS`: xxh3-64 of "kind:value", the same on every machine.

    >>> both = {"arxiv": "1702.01819", "doi": "10.48550/arxiv.1702.01819v2"}
    >>> len(identity_keys(both)), len(identity_keys(both | {"pmid": "399296"}))
    (1, 2)
    """
    named = [(kind, value) for kind in KINDS if (value := identifiers.get(kind))]
    return list(dict.fromkeys(_key(*_as_one(kind, value)) for kind, value in named))


def _as_one(kind: str, value: str) -> tuple[str, str]:
    """The same identifier with one name for all versions, and for an arXiv paper and its DOI."""
    if kind == "doi":
        value = doi_family(value)
        if value.startswith(_ARXIV_DOI):
            kind, value = "arxiv", value.removeprefix(_ARXIV_DOI)
    return kind, _SUBJECT_CLASS.sub("", value) if kind == "arxiv" else value


def _key(kind: str, value: str) -> int:
    return xxhash.xxh3_64_intdigest(f"{kind}:{value}".encode())


def bibliographic_key(title: str, authors: Sequence[str]) -> int | None:
    """A 64-bit key of the title and the first author's family name.

    The year is not part of it, because a preprint is often of the year before: see `years_agree`.
    None without an author, and for titles that name no work (`titles.title_key`).

    Args:
        title: In any markup.
        authors: Family names, in order.
    """
    first = family_key(authors[0]) if authors else ""
    plain = title_key(title) if first else None
    return None if plain is None else _key("work", f"{plain}:{first}")


def family_key(name: str) -> str:
    """A family name without case, accents, particles and suffix; the first part of a double name.

    >>> [family_key(name) for name in ("van der Żółw", "García Márquez", "King Jr.", "O'Brien")]
    ['zolw', 'garcia', 'king', 'obrien']
    """
    joined = folded(name).replace("'", "").replace("\u2019", "")
    parts = [part for part in _NAME_PART.findall(joined) if part not in _SUFFIXES]
    own = [part for part in parts if part not in _PARTICLES]
    return (own or parts or [""])[0]


def years_agree(a: int | None, b: int | None, apart: int = 1) -> bool:
    """Whether two years are of one work: at most `apart` apart; an unknown year agrees.

    Between two published records `apart` is 0: of equal titles a year apart one is the journal
    article that followed a talk.
    """
    return a is None or b is None or abs(a - b) <= apart


def authors_agree(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether half of the shorter list of family names is in the other; unknown authors agree."""
    one, other = set(map(family_key, a)) - {""}, set(map(family_key, b)) - {""}
    return 2 * len(one & other) >= min(len(one), len(other))
