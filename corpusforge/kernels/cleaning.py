"""Texts as their authors meant them: encoding damage undone, one Unicode form, plain blanks."""

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from corpusforge.kernels.unicode_repair import Repaired, repair_texts

# NBSP and its kin are spaces of print. One space between two words is what should be there.
SPACE = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
BLANKS = re.compile(rf"[\t\r\f\v{SPACE}][ \t\r\f\v{SPACE}]*| [ \t\r\f\v{SPACE}]+")
AROUND_BREAK = re.compile(r" \n ?|\n ")
BREAKS = re.compile(r"\n{3,}")
HIDDEN = "\u00ad\u200b\u2060\ufeff"  # soft hyphen, zero-width characters
INVISIBLE = re.compile(f"[{HIDDEN}]")
ODD = re.compile(rf"[\t\r\f\v{SPACE}{HIDDEN}]")
LINE_ENDS = re.compile("\r\n?|[\u0085\u2028]|[\f\v\u2029]\n*")
ODD_END = re.compile("[\r\f\v\u0085\u2028\u2029]")
MAX_PASSES = 20  # three is the most that was seen; a text must not be able to hang a worker


def repair(texts: Sequence[str]) -> Repaired:
    """Each text in NFC, without encoding damage, invisible characters and needless white space.

    Runs of blanks become one space, more than one empty line becomes one. Idempotent: what a pass
    removes can hide damage from it ("\\u00a0\\u00c2\\u00b0"), so passes follow for the texts that
    changed, until one changes nothing.

    >>> repair(["caf\u00c3\u00a9  \\n\\n\\n\\nR&amp;D"]).texts
    ['café\\n\\nR&D']
    """
    repaired = list(texts)
    damaged = np.zeros(len(repaired), np.bool_)
    rows = list(range(len(repaired)))
    for _ in range(MAX_PASSES):
        once = repair_texts([repaired[row] for row in rows])
        changed = []
        for row, text, was_damaged in zip(rows, once.texts, once.damaged, strict=True):
            damaged[row] |= was_damaged
            tidy = tidied(text)
            if tidy != repaired[row]:
                repaired[row] = tidy
                changed.append(row)
        if not changed:
            break
        rows = changed
    return Repaired(repaired, damaged)


def tidied(text: str) -> str:
    """The text without invisible characters and needless white space, in NFC."""
    if "  " in text or ODD.search(text):  # to look first costs a tenth
        text = BLANKS.sub(" ", INVISIBLE.sub("", text))
        text = unicodedata.normalize("NFC", text)
    if "\n" in text:
        text = BREAKS.sub("\n\n", AROUND_BREAK.sub("\n", text))
    return text.strip()


def with_line_ends(text: str) -> str:
    """The text with "\\n" at the end of every line, and an empty line where a page ends."""
    if not ODD_END.search(text):
        return text
    return LINE_ENDS.sub(lambda found: "\n\n" if found[0][0] in "\f\v\u2029" else "\n", text)
