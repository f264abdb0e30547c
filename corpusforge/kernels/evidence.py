"""Whether two documents are copies of one work: what made them candidates, checked on their texts.

Evidence only brings two documents together. What decides is how many of their shingles (five
consecutive words, `kernels.shingles`) they share, and how many they would share anyway because
their titles are equal. The limits were chosen on labelled data; `benchmarks/dedup_quality.py`
prints these figures, but for the last, which is of one search over all texts:

    identifier 0.05     92.5 % of 1,520 arXiv papers before and after a change, whose abstracts have
                        any Jaccard similarity from 0 to 1; 3 of 100,000 random pairs of one subject
      in doubt 0.2      81.9 % of the same. In doubt is an identifier that more than eight documents
                        bear, or two whose authors are known and not half of them the same: of 26
                        pairs of strangers among 319,600 of a narrow subject one is left
    bibliographic 0.2   98.5 % of 2,059 published papers and their preprints (87.0 % by their texts
                        alone), no others; 5 of 200,000 right titles over another paper's abstract
    containment 0.9     of 41 contained but not similar pairs among 182,117 arXiv papers, all 27 of
     and 40 shingles    40 shingles or more are one work, none of the 14 smaller ones is
"""

from enum import IntEnum, IntFlag
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit

MIN_SHARED = 3  # shingles; in two short texts one set phrase is soon a twentieth


class Evidence(IntFlag):
    """What made two documents candidates."""

    EXACT = 1  # equal digests of their word sequences
    NEAR = 2  # a band of their signatures in common
    IDENTIFIER = 4  # a key of `bibliography.identity_keys` in common
    BIBLIOGRAPHIC = 8  # equal `bibliography.bibliographic_key`
    DOUBTED = 16  # an identifier in common, but something speaks against it


class Rule(IntEnum):
    """Why two documents count as copies, strongest first. Values go to disk: add, never change."""

    EXACT = 1
    NEAR = 2
    CONTAINED = 3  # only the one with fewer shingles may go
    IDENTIFIER = 4
    BIBLIOGRAPHIC = 5
    SAME_RECORD = 6  # one doc_id, in an index and come again: what it said before does not matter


Share = Annotated[float, Meta(gt=0, le=1)]


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much two texts must share; a pair on a limit counts as copies."""

    similarity: Share = 0.8  # Jaccard, whatever the evidence
    containment: Share = 0.9  # of the smaller in the larger, whatever the evidence
    min_contained: Annotated[int, Meta(ge=1)] = 40  # shingles; less may be a title or a set phrase
    identifier: Share = 0.05  # containment, of documents that share an identifier
    bibliographic: Share = 0.2  # containment beyond the title, of equal title, author and year;
    # also containment of documents that share an identifier, if that is in doubt
    max_years_apart: Annotated[int, Meta(ge=0)] = 1


# Two documents compared, in the order of the fields.
COMPARISON = np.dtype(
    [
        ("evidence", "u1"),  # bits of Evidence
        ("years_apart", "<u2"),  # 0 if a year is unknown
        ("title", "<u4"),  # shingles in their title, where BIBLIOGRAPHIC says that it is one
        ("one", "<u4"),  # shingles of one document
        ("other", "<u4"),
        ("shared", "<u4"),
    ]
)


def judge_pairs(compared: NDArray[np.void], limits: Limits) -> NDArray[np.uint8]:
    """The strongest rule by which the documents of each pair are copies of one work.

    Args:
        compared: (P,) of dtype `COMPARISON`.
        limits: Of every pair.

    Returns:
        (P,) values of `Rule`, 0 where the documents are not copies.
    """
    rules = np.empty(len(compared), np.uint8)
    _judge(
        compared,
        (limits.similarity, limits.containment, limits.identifier, limits.bibliographic),
        (limits.min_contained, limits.max_years_apart),
        rules,
    )
    return rules


def judge_pair(compared: NDArray[np.void] | np.void, limits: Limits) -> Rule | None:
    """The same of one pair, None if its documents are not copies.

    >>> pair = np.array((Evidence.NEAR, 0, 0, 90, 100, 85), COMPARISON)
    >>> judge_pair(pair, Limits())
    <Rule.NEAR: 2>
    """
    code = int(judge_pairs(np.atleast_1d(np.asarray(compared)), limits)[0])
    return Rule(code) if code else None


@jit
def _judge(
    compared: NDArray[np.void],
    shares: tuple[float, float, float, float],
    counts: tuple[int, int],
    rules: NDArray[np.uint8],
) -> None:
    similarity, containment, identifier, bibliographic = shares
    min_contained, max_years_apart = counts
    for p in range(len(compared)):
        pair = compared[p]
        # Signed: Numba takes differences of unsigned integers for unsigned.
        one, other, shared = np.int64(pair.one), np.int64(pair.other), np.int64(pair.shared)
        title, evidence = np.int64(pair.title), np.int64(pair.evidence)
        smaller, beyond = min(one, other), shared - title
        if evidence & 1 and 0 < shared == one == other:
            rules[p] = 1
        elif shared == 0:
            rules[p] = 0
        elif shared / (one + other - shared) >= similarity:
            rules[p] = 2
        elif shared / smaller >= containment and smaller >= min_contained:
            rules[p] = 3
        elif (
            shared >= MIN_SHARED
            and shared / smaller >= identifier
            and (evidence & 4 or (evidence & 16 and shared / smaller >= bibliographic))
        ):
            rules[p] = 4
        elif (
            evidence & 8
            and np.int64(pair.years_apart) <= max_years_apart
            and beyond >= MIN_SHARED
            and beyond / (smaller - title) >= bibliographic
        ):
            rules[p] = 5
        else:
            rules[p] = 0
