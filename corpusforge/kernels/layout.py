"""What a page's layout did to a text: lines cut at a margin, words cut at a line's end.

Which hyphen is part of a word is decided by the words of the corpus itself, not by a dictionary:
"in-" and "fluence" are one word where "influence" is, "well-" and "known" are two.
"""

import re
from collections.abc import Callable

from corpusforge.kernels.marks import PARAGRAPH

Count = Callable[[str], int]  # occurrences of a word in the corpus

ITEM = re.compile(
    r"[ \t]*(?:[-*\u2022\u2023\u25aa\u25cf\u25e6\u2013]\s|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]\s)"
)
DISPLAYED = re.compile(
    r"[ \t]*(?:\$\$|\\\[|\\begin\{|\\end\{)|.*(?:\$\$|\\\]|\\end\{[^}]*\})[ \t]*\Z"
)
# A letter, a hyphen and a letter in lower case, with the line's end between.
CUT = re.compile(r"([^\W\d_]+)[-\u2010\u00ad][ \t]*\n[ \t]*([^\W\d_]+)")
INSIDE = re.compile(r"(?<![\w\-\u2010])([^\W\d_]{2,})[-\u2010]([^\W\d_A-Z]{3,})(?![\w\-\u2010])")
RARE = 50  # times rarer than the whole: then a part is no word of its own


def join_lines(text: str, count: Count) -> str:
    r"""Paragraphs with their lines joined, and words that were cut at a line's end made whole.

    Line ends stay around displayed formulas and before list items.

    >>> from collections import Counter
    >>> words = Counter(["influence", "well", "known"])
    >>> join_lines("an in-\nfluence of\nthe well-\nknown", words.__getitem__)
    'an influence of the well-known'
    """
    if "\n" not in text:
        return text
    return PARAGRAPH.join(_joined(part, count) for part in text.split(PARAGRAPH))


def close_up(text: str, count: Count) -> str:
    """The same for hyphens that were left inside lines, as in "in-fluence".

    Only where the whole is a word that is far more frequent than its rarer part, so that
    "non-linear" keeps its hyphen whatever else the corpus says.
    """

    def whole(found: re.Match[str]) -> str:
        left, right = found[1], found[2]
        rarer = min(count(left), count(right))
        return left + right if count(left + right) > RARE * (rarer + 1) else found[0]

    return INSIDE.sub(whole, text) if "-" in text or "\u2010" in text else text


def _joined(paragraph: str, count: Count) -> str:
    if "\n" not in paragraph:
        return paragraph
    if "-\n" in paragraph or "\u2010" in paragraph or "\u00ad" in paragraph or "- \n" in paragraph:
        paragraph = CUT.sub(lambda found: _mended(found[1], found[2], count), paragraph)
    lines = paragraph.split("\n")
    kept = lines[0]
    displayed = DISPLAYED.match(lines[0]) is not None
    for line in lines[1:]:
        before, displayed = displayed, DISPLAYED.match(line) is not None
        apart = before or displayed or ITEM.match(line) is not None
        kept = f"{kept.rstrip()}\n{line.strip()}" if apart else f"{kept.rstrip()} {line.strip()}"
    return kept


def _mended(left: str, right: str, count: Count) -> str:
    """Two parts of one word, with or without the hyphen between them."""
    if not right[0].islower():
        return f"{left}-{right}"
    if count(left + right):
        return left + right
    both = count(left) and count(right)
    return f"{left}-{right}" if both else left + right
