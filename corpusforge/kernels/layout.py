"""What a page's layout did to a text: lines cut at a margin, words cut at a line's end.

Which hyphen is part of a word is decided by the words of the corpus itself, not by a dictionary:
"in-" and "fluence" are one word where "influence" is, "well-" and "known" are two.
"""

import re
from collections.abc import Callable

from corpusforge.kernels.marks import PARAGRAPH

Count = Callable[[str], int]  # occurrences of a word in the corpus

BULLET = re.compile(r"[-*\u2022\u2023\u25aa\u25cf\u25e6\u2013]\s")
NUMBERED = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]\s")
# What a line begins with, and the one before ends with, that more than a space may stand between.
SPECIAL = re.compile(
    r"\n[ \t]*(?:[-*\u2022\u2023\u25aa\u25cf\u25e6\u2013(]|\w{1,5}[.)])|\n(?<=[-\u2010]\n)"
)
DISPLAYED = re.compile(
    r"[ \t]*(?:\$\$|\\\[|\\begin\{|\\end\{)|.*(?:\$\$|\\\]|\\end\{[^}]*\})[ \t]*\Z"
)
FORMULA = ("$$", "\\[", "\\]", "\\begin{", "\\end{")  # one is in every displayed line
# A letter, a hyphen and a letter in lower case, with the line's end between.
CUT = re.compile(r"([^\W\d_]+)[-\u2010\u00ad][ \t]*\n[ \t]*([^\W\d_]+)")
HYPHEN = re.compile(r"[-\u2010](?=([^\W\d_A-Z]{3,})(?![\w\-\u2010]))")  # and the word behind it
SUSPENDED = {"and", "or", "to", "und", "oder", "et", "ou"}  # "pre-" and "post-treatment"
RARE = 50  # times rarer than the whole: then a part is no word of its own


def join_lines(text: str, count: Count) -> str:
    r"""Paragraphs with their lines joined, and words that were cut at a line's end made whole.

    Line ends stay around displayed formulas and before list items.

    >>> from collections import Counter
    >>> words = Counter(["influence", *2 * ["well", "known"]])
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
        left = _word_before(text, hyphen.start())
        if len(left) > 1 and _is_one_word(left, hyphen[1], count):
            parts.append(text[done : hyphen.start()])
            done = hyphen.end()
    return "".join([*parts, text[done:]])


def _word_before(text: str, end: int) -> str:
    """The letters before a place; "" where they belong to a longer word."""
    start = end
    while start > 0 and text[start - 1].isalpha():
        start -= 1
    joined = start > 0 and (text[start - 1] in "-\u2010_" or text[start - 1].isalnum())
    return "" if joined else text[start:end]


def _is_one_word(left: str, right: str, count: Count) -> bool:
    whole = count(left + right)
    return whole > RARE and whole > RARE * (min(count(left), count(right)) + 1)


def _joined(paragraph: str, count: Count) -> str:
    if "\n" not in paragraph:
        return paragraph
    if "-\n" in paragraph or "\u2010" in paragraph or "\u00ad" in paragraph or "- \n" in paragraph:
        paragraph = CUT.sub(lambda found: _mended(found[1], found[2], count), paragraph)
    formulas = any(sign in paragraph for sign in FORMULA)
    if not formulas and not SPECIAL.search(paragraph):  # nearly all are so, and this is fast
        return " ".join(filter(None, map(str.strip, paragraph.split("\n"))))
    joined: list[str] = []
    displayed = in_list = False
    dollars = 0
    for line in filter(None, map(str.strip, paragraph.split("\n"))):
        before, displayed = displayed, formulas and DISPLAYED.match(line) is not None
        if joined:
            # A minus at the start of a line of an open formula begins no item.
            item = dollars % 2 == 0 and _starts_item(line, joined[-1], in_list)
            in_list |= item
            parted = before or displayed or item
            joined.append("\n" if parted else "" if _reads_on(joined[-1], line) else " ")
        joined.append(line)
        dollars += line.count("$")
    return "".join(joined)


def _starts_item(line: str, before: str, in_list: bool) -> bool:
    """Whether a line is an item; a number is one of a list's where a sentence may begin."""
    if BULLET.match(line):
        return True
    begins = in_list or before.endswith((".", ":", ";", ",", "!", "?", ")"))
    return begins and NUMBERED.match(line) is not None


def _reads_on(before: str, line: str) -> bool:
    """Whether a line ends in a hyphen of "5-fold", "CD4-positive" or "1-10"."""
    if before[-1] not in "-\u2010" or not before[-2:-1].isalnum() or not line[0].isalnum():
        return False
    return line.split(None, 1)[0] not in SUSPENDED


def _mended(left: str, right: str, count: Count) -> str:
    """Two parts of one word, with or without the hyphen between them."""
    if right in SUSPENDED:
        return f"{left}- {right}"
    if len(left) < 2 or len(right) < 2 or not right[0].islower():
        return f"{left}-{right}"
    # Words cut like this one were counted too, so a part that occurs once says nothing; and of
    # many texts some have "wellknown".
    whole, least = count(left + right), min(count(left), count(right))
    hyphened = least > RARE * whole if whole else least > 1
    return f"{left}-{right}" if hyphened else left + right
