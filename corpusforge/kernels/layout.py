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
HYPHEN = re.compile(r"[-\u2010](?=([^\W\d_A-Z]{3,})(?![\w\-\u2010]))")  # and the word behind it
BEFORE = re.compile(r"(?<![\w\-\u2010])[^\W\d_]{2,}\Z")  # the word before it
LONGEST = 40  # letters of a word
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

    if "-" not in text and "\u2010" not in text:
        return text
    parts: list[str] = []
    done = 0
    for hyphen in HYPHEN.finditer(text):
        left = BEFORE.search(text, max(0, hyphen.start() - LONGEST), hyphen.start())
        if left and _is_one_word(left[0], hyphen[1], count):
            parts.append(text[done : hyphen.start()])
            done = hyphen.end()
    return "".join([*parts, text[done:]])


def _is_one_word(left: str, right: str, count: Count) -> bool:
    whole = count(left + right)
    return whole > RARE and whole > RARE * (min(count(left), count(right)) + 1)


def _joined(paragraph: str, count: Count) -> str:
    if "\n" not in paragraph:
        return paragraph
    if "-\n" in paragraph or "\u2010" in paragraph or "\u00ad" in paragraph or "- \n" in paragraph:
        paragraph = CUT.sub(lambda found: _mended(found[1], found[2], count), paragraph)
    joined: list[str] = []
    displayed = False
    for line in filter(None, map(str.strip, paragraph.split("\n"))):
        before, displayed = displayed, DISPLAYED.match(line) is not None
        if joined:
            joined.append("\n" if before or displayed or ITEM.match(line) else " ")
        joined.append(line)
    return "".join(joined)


def _mended(left: str, right: str, count: Count) -> str:
    """Two parts of one word, with or without the hyphen between them."""
    if not right[0].islower():
        return f"{left}-{right}"
    if count(left + right):
        return left + right
    both = count(left) and count(right)
    return f"{left}-{right}" if both else left + right
