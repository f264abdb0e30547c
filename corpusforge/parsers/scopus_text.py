"""Abstracts as Scopus holds them: markup to text, and the copyright statement apart from it.

The statement stands in front of the text or behind it, depending on when Elsevier loaded the
record, with or without a space or even a full stop between the two (33 of 42 real records have
one). The same abstract in any of these forms gives the same text.
"""

import re
from dataclasses import dataclass
from html import unescape

from corpusforge.kernels.copyright import RIGHTS, prefix_length, suffix_start
from corpusforge.kernels.marks import PARAGRAPH

PLACEHOLDER = re.compile(r"\[?\s*no abstract available\.?\s*\]?\.?", re.I)
ATTRIBUTES = r"""(?:\s+[\w:-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))*\s*/?"""
BREAK = re.compile(rf"</?(?:p|ce:para|ce:simple-para|br){ATTRIBUTES}>", re.I)
EXPONENT = re.compile(r"(?<=\d)<(?:ce:)?sup>(?=[+\-\u2010-\u2015\u2212]?\d)", re.I)
TAG = re.compile(rf"</?(?:ce:[a-z-]+|inf|sub|sup|i|b|em|it|bold|strong|u){ATTRIBUTES}>", re.I)


@dataclass(frozen=True)
class Abstract:
    """What an abstract says, and who says that it is his."""

    text: str
    statement: str = ""  # of copyright


def read_abstract(raw: str | None, statement: str | None = None) -> Abstract:
    """The text and the copyright statement of an abstract.

    Args:
        raw: As the API gives it.
        statement: The record's own copy of the statement, where it has one.

    >>> read_abstract("© 2016 IOP Publishing Ltd.We present a method.")
    Abstract(text='We present a method.', statement='© 2016 IOP Publishing Ltd.')
    """
    paragraphs = [plain_line(part) for part in BREAK.split(raw or "")]
    text = PARAGRAPH.join(part for part in paragraphs if part)
    known = plain_line(statement or "")
    if known and text.startswith(known):
        rest = text[len(known) :]
        at = len(known) + len(rest) - len(rest.lstrip(" ."))
        rights = RIGHTS.match(text, at)
        at = rights.end() if rights and len(rights[0]) < 40 else at
    else:
        at = prefix_length(text)
    front, text = text[:at].strip(), text[at:].strip()
    at = suffix_start(text)
    text, back = text[:at].strip(), text[at:].strip()
    if PLACEHOLDER.fullmatch(text):
        text = ""
    return Abstract(text, front or back or known)


def plain_line(markup: str) -> str:
    """One line without tags and entities; "10<sup>5</sup>" becomes "10^5", never "105"."""
    return " ".join(unescape(TAG.sub("", EXPONENT.sub("^", markup))).split())
