"""Raw text, as walks over markup leave it, to paragraphs and to lines.

Marks that only live here are control characters, which XML cannot contain. A chunk between two
breaks is a paragraph; what it is stands at its start: marks of `kernels.marks`, a title, an item.
"""

import re

from corpusforge.kernels.marks import CITATION, END_CITATION, HEADING
from corpusforge.parsers.fields import one_line

BREAK = "\0"  # between paragraphs
TITLE = "\1"  # one per level, in front of a section title
ITEM = "\2"  # in front of an item of a list
ROW = "\3"  # between the rows of a table, which are lines of one paragraph
RAISED, LOWERED = "\4", "\5"  # around citations that were printed as a superscript

KINDS = "".join(map(chr, range(0xFDD2, 0xFDF0)))
BETWEEN_RAISED = re.compile(rf"{LOWERED}([\s,;&\u2010-\u2015-]*){RAISED}")
RAISED_CITATIONS = re.compile(rf"{RAISED}[^{RAISED}{LOWERED}]*{LOWERED}")
# "[12]" of one citation: its brackets belong to it, so that "[12]-[15]" is a run of two.
ENCLOSED = re.compile(rf"\[{CITATION}([^{CITATION}{END_CITATION}\[\]]*){END_CITATION}\]")
ROWS = re.compile(rf"(?: ?{ROW} ?)+")
LEADING = f"{KINDS}{TITLE}{ITEM}{ROW} "
NO_KINDS = dict.fromkeys(map(ord, f"{TITLE}{ITEM}{ROW} "))


def marked_paragraphs(raw: str) -> list[str]:
    """The paragraphs of a raw text; a section title starts with `HEADING`, an item with "- ".

    A title with no text under it, such as "Supporting information" over files alone, is left out.
    """
    kept: list[str] = []
    following = 1  # level of the paragraph after this one: 0 is text; the end ends all sections
    for chunk in reversed(with_brackets(raw).split(BREAK)):
        text = one_line(chunk)
        body = text.lstrip(LEADING)
        if not body:
            continue
        if len(body) == len(text):
            following = 0
            kept.append(body)
            continue
        lead = text[: len(text) - len(body)]
        level, item = lead.count(TITLE), ITEM in lead
        if 0 < following <= level:
            continue
        following = level
        kind = lead.translate(NO_KINDS)
        start = "#" * (level - 1) + HEADING if level else "- " * item
        kept.append(kind + start + body)
    return [ROWS.sub("\n", text).rstrip("\n") if ROW in text else text for text in reversed(kept)]


def bare_line(raw: str) -> str:
    """The raw text of a line without any marks. Superscript citations are no part of it."""
    if RAISED in raw:
        raw = RAISED_CITATIONS.sub("", BETWEEN_RAISED.sub(r"\1", raw))
    if CITATION in raw:
        raw = raw.replace(CITATION, "").replace(END_CITATION, "")
    return one_line(raw)


def marked_line(raw: str) -> str:
    """The raw text of a line with the marks of its citations."""
    return one_line(with_brackets(raw))


def cited(printed: str) -> str:
    """A citation as printed, between its marks; round brackets around it stay outside.

    So do those that are closed elsewhere, as where "(Ito, 2009; Ny, 2010)" is two citations.

    >>> cited("(Ito, 2009;").replace(CITATION, "{").replace(END_CITATION, "}")
    '({Ito, 2009};'
    """
    core = printed.strip()
    start, end = 0, len(core.rstrip(",;"))
    for opening, closing in ("()", "[]"):
        opened, closed = core.count(opening), core.count(closing)
        whole = opening == "(" and opened == closed == 1 and core[-1:] == closing
        start += core.startswith(opening) and (opened > closed or whole)
        end -= core[:end].endswith(closing) and (closed > opened or (whole and start > 0))
    return f"{core[:start]}{CITATION}{core[start:end]}{END_CITATION}{core[end:]}"


def with_brackets(raw: str) -> str:
    """The raw text with superscript citations in square brackets: "cells[12,13]"."""
    if LOWERED in raw:
        raw = BETWEEN_RAISED.sub(r"\1", raw)
        raw = raw.replace(RAISED, "[").replace(LOWERED, "]")
    if f"[{CITATION}" in raw:
        raw = ENCLOSED.sub(rf"{CITATION}[\1]{END_CITATION}", raw)
    return raw
