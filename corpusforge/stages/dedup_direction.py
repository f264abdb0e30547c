"""By which rule two documents are one, and which of the two may go for the other."""

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from corpusforge.kernels.evidence import Limits, Rule, judge_pairs

A_FOR_B, B_FOR_A, EITHER = 1, 2, 3  # which end of a pair may be removed for the other
NO_LIMIT = 2**31 - 1


def directed(
    compared: NDArray[np.void],
    full_texts: NDArray[np.bool_],
    again: NDArray[np.bool_],
    limits: Limits,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The rule of each pair, 0 if it is none, and which of its documents may go; (P,) both.

    What is contained in another document may go for it and not the reverse, unless both are a full
    text or both are not and they are versions of one work by what they say of themselves: then the
    better stays, as it does where a preprint has only a part of the published article. A full text
    never goes for an abstract, whatever is preferred, unless they are exact or near copies.

    Args:
        compared: (P,) of dtype `evidence.COMPARISON`.
        full_texts: (P, 2) which documents are full texts, by what they say of themselves.
        again: (P,) which pairs are a record and the same one come again: either may go.
        limits: Of every pair.
    """
    rules = judge_pairs(compared, limits)
    versions = judge_pairs(compared, structs.replace(limits, min_contained=NO_LIMIT))
    one_full, other_full = full_texts.T
    rules = np.where((rules == Rule.CONTAINED) & (one_full == other_full) & (versions > 0),
                     versions, rules)  # fmt: skip
    rules[again & (rules == 0)] = Rule.SAME_RECORD
    removable = np.full(len(compared), EITHER, np.uint8)
    contained = (rules == Rule.CONTAINED) & ~again
    removable[contained & (compared["one"] < compared["other"])] &= A_FOR_B
    removable[contained & (compared["one"] > compared["other"])] &= B_FOR_A
    unlike = (rules != Rule.EXACT) & (rules != Rule.NEAR) & ~again
    removable[unlike & ~one_full & other_full] &= A_FOR_B
    removable[unlike & one_full & ~other_full] &= B_FOR_A
    return rules, removable
