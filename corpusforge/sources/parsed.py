"""One record's bytes and a parser, to what a reader yields: a paper, or a loss and its reason."""

from collections.abc import Callable

import xxhash

from corpusforge.errors import ParseError
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.placeholders import OnlyPlaceholder
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.records import Found, Lost

Parser = Callable[[bytes], Paper]


def parsed(
    content: bytes, key: str, parse: Parser, whole: bool = True, provider: str = ""
) -> Found | Lost:
    """The paper of one record, or why there is none.

    Args:
        content: The record.
        key: Where it is, for a loss.
        parse: Raises nothing but ParseError.
        whole: False where the file may end inside this record.
        provider: Who gave it to the source.
    """
    try:
        return Found(parse(content), xxhash.xxh3_64_intdigest(content), provider)
    except ParseError as error:
        return loss_of(error, key, whole)


def loss_of(error: ParseError, key: str, whole: bool = True) -> Lost:
    """The loss that a parser's refusal stands for."""
    reason = Reason.UNREADABLE if whole else Reason.TRUNCATED
    if isinstance(error, MissingIdentifier):
        reason = Reason.NO_IDENTIFIER
    elif isinstance(error, OnlyPlaceholder):
        reason = Reason.PLACEHOLDER
    return Lost(key, Rejection(reason, detail=str(error)))
