"""Why a record was left out: a closed set, and one record's verdict."""

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Closed set. Values are written to disk: add freely, never rename."""

    UNREADABLE = "unreadable"  # the record's bytes cannot be parsed
    TRUNCATED = "truncated"  # the file ends inside this record
    NO_IDENTIFIER = "no_identifier"  # nothing to name the document by
    SUPERSEDED = "superseded"  # a later version of the same document exists
    DELETED = "deleted"  # withdrawn by its source in a later file
    PLACEHOLDER = "placeholder"  # its only text says that there is none, or that it is withdrawn
    CHECKSUM = "checksum"  # not the bytes that the source's own manifest promises
    NO_TEXT = "no_text"  # neither an abstract nor a body
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    TOO_OLD = "too_old"  # published before a limit
    NOT_PROSE = "not_prose"  # tables, lists, references
    REPETITIVE = "repetitive"  # the same words or lines again and again
    GARBLED = "garbled"  # letters spaced out, words grown together, no known words
    LANGUAGE = "language"  # not one of the languages kept
    EXACT_DUPLICATE = "exact_duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    CONTAINED = "contained"  # a longer document has all of its text
    SAME_IDENTIFIER = "same_identifier"  # and the texts agree
    SAME_WORK = "same_work"  # title, first author and year, and the texts agree
    CONTAMINATED = "contaminated"  # holds items of a benchmark
    NO_TOKENS = "no_tokens"
    NOT_IN_MIXTURE = "not_in_mixture"  # the mixture reads only some documents of its group
    TAKEN_DOWN = "taken_down"  # its removal was asked for


@dataclass(frozen=True)
class Rejection:
    """One record's verdict: the rule it broke, what was observed, and the limit."""

    reason: Reason
    observed: float | None = None
    limit: float | None = None
    detail: str | None = None
