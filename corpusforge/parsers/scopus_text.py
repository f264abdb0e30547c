"""Abstracts as Scopus holds them: markup to text, and the copyright statement apart from it.

The statement stands in front of the text or behind it, depending on when Elsevier loaded the
record, with or without a space or even a full stop between the two (33 of 42 real records have
one). The same abstract in any of these forms gives the same text.
"""

import re
from dataclasses import dataclass
from html import unescape

from corpusforge.kernels.marks import PARAGRAPH

MAX_STATEMENT = 300  # characters; the longest seen has 150
PLACEHOLDER = re.compile(r"\[?\s*no abstract available\.?\s*\]?\.?", re.I)
ATTRIBUTES = r"""(?:\s+[\w:-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))*\s*/?"""
BREAK = re.compile(rf"</?(?:p|ce:para|ce:simple-para|br){ATTRIBUTES}>", re.I)
EXPONENT = re.compile(r"(?<=\d)<(?:ce:)?sup>(?=[+\-\u2010-\u2015\u2212]?\d)", re.I)
TAG = re.compile(rf"</?(?:ce:[a-z-]+|inf|sub|sup|i|b|em|it|bold|strong|u){ATTRIBUTES}>", re.I)

SIGN = r"(?:©|\(c\)(?=\s*\d{4})|copyright\b\s*(?:©|\(c\))?(?=\s*\d{4}))"
BEGIN = re.compile(rf"\s*{SIGN}\s*(?:\d{{4}}(?:\s*[-\u2013]\s*\d{{4}})?)?", re.I)
RIGHTS = re.compile(r"[^©]{0,200}?all rights reserved\.?", re.I)
AUTHORS = re.compile(
    r"[\s,.]*(?:by\s+)?(?:the\s+)?(?:author\(s\)|authors?)\b(?:\(s\))?(?=[\s.,]*[A-Z(\[]|[\s.,]*$)"
    r"[.,]?(?:\s*(?:published by|licensee)\s[^.]*\.(?:\s*(?:Ltd|B\.V|Inc)\.)?)?",
    re.I,
)
# A full stop that ends a holder: not the one of an initial, but the second one of "B.V.".
STOP = re.compile(r"(?:(?<=[\w)][\w)])|(?<=\.[A-Z]))\.(?=\s*[A-Z\d\[(\"'\u2018\u201c]|\s*$)")
COMPANY = re.compile(
    r"[^.©]{0,80}?\b(?:Ltd|Limited|Inc|LLC|LLP|GmbH|AG|B\.V|S\.A|Co|Press|Crown Copyright"
    r"|Elsevier(?!\s*(?:Ltd|Limited|Inc|B\.V|GmbH|Masson)))(?![a-z])\.?(?=\s*[A-Z])"
)
SMALL = {
    "of",
    "the",
    "and",
    "for",
    "part",
    "by",
    "in",
    "on",
    "de",
    "und",
    "et",
    "der",
    "la",
    "&",
    "/",
}
SMALL |= {
    "exclusive",
    "licence",
    "license",
    "to",
    "under",
    "behalf",
    "s",
    "del",
    "di",
    "für",
    "van",
}
# At the end: the sign, then a year or a holder, and nothing that reads on like a sentence.
ENDING = re.compile(
    r"\s*(?:©\s*(?:\d{4}\b|(?:the\s+)?author|crown)|\(c\)\s*\d{4}\b|copyright\s+(?:©\s*)?\d{4}\b)"
    r"(?P<rest>[^©]*)$",
    re.I,
)
READS_ON = re.compile(r"\s*[,.]?\s*(?!by\b|the\b|and\b|published\b|on\b|in\b|de\b)[a-z]")


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


def prefix_length(text: str) -> int:
    """Characters of the copyright statement that the text begins with."""
    begin = BEGIN.match(text)
    if begin is None:
        return 0
    after = begin.end()
    if rights := RIGHTS.match(text, after):
        return rights.end()
    if authors := AUTHORS.match(text, after):
        return authors.end()
    stop = STOP.search(text, after + 1, after + MAX_STATEMENT)
    if stop and _names_a_holder(text[after : stop.start()]):
        return stop.end()
    company = COMPANY.match(text, after)
    if company and _names_a_holder(company[0]):
        return company.end()
    return after + len(text[after:]) - len(text[after:].lstrip(" .,"))


def suffix_start(text: str) -> int:
    """Where the copyright statement begins that the text ends with; its length if there is none."""
    ending = ENDING.search(text, max(0, len(text) - MAX_STATEMENT))
    if ending is None or READS_ON.match(ending["rest"]):
        return len(text)
    return ending.start()


def _names_a_holder(phrase: str) -> bool:
    """Whether every word is a name or a word of names: "We present a substantial" is not."""
    words = re.findall(r"[^\W\d_]+", phrase)
    return 0 < len(words) <= 20 and all(w[0].isupper() or w.lower() in SMALL for w in words)
