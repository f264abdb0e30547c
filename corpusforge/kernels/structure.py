"""Which parts of a paper's text stay: policies over the marks that parsers leave in it.

Parsers mark and do not judge (see `parsers.paper`), so that another policy needs no second reading
of the dumps, and so that what goes can be counted.
"""

import re
from collections import Counter
from collections.abc import Mapping
from itertools import takewhile

from corpusforge.kernels.marks import (
    ACKNOWLEDGEMENT,
    CITATION,
    END_CITATION,
    FIGURE,
    FOOTNOTE,
    MARK,
    PARAGRAPH,
    REFERENCE,
    SUB_ARTICLE,
    TABLE,
)

KINDS = {
    FIGURE: "figures",
    TABLE: "tables",
    FOOTNOTE: "footnotes",
    ACKNOWLEDGEMENT: "acknowledgements",
    REFERENCE: "references",
    SUB_ARTICLE: "sub_articles",
}
ONE = f"{CITATION}[^{CITATION}{END_CITATION}]*{END_CITATION}"
BETWEEN = r"(?:[\s,;&\u2010-\u2015-]|and\s){0,8}"
LEAD = r"(?:see(?:\salso)?|e\.g\.|cf\.|reviewed\s(?:in|by)|for\sreviews?,?\ssee)[\s,:]{0,3}"
CITATIONS = re.compile(
    rf"(?P<before>[ ]?)(?:(?P<open>[(\[])(?P<lead>{LEAD})?)?(?P<run>{ONE}(?:{BETWEEN}{ONE})*)"
    rf"(?P<close>[)\]]?)"
)
TITLE = re.compile(r"(#+) ")
ENCLOSED = {("(", ")"), ("[", "]")}
CLOSING = re.compile(r"[\s.,;:!?)\]]|\Z")


def restructure(text: str, citations: str, dropped: str) -> tuple[str, Mapping[str, int]]:
    """The text by policy and without marks, and how many paragraphs or citations went, by kind.

    Args:
        text: Paragraphs with marks.
        citations: "keep" leaves them as printed; "bracket" puts those in round brackets, and bare
            numbers, between square ones; "drop" leaves out all but those that a sentence needs, as
            in "found by Smith (2009)", where the name is its subject.
        dropped: The marks of the paragraphs to leave out.

    >>> marked = f"In mice ({CITATION}Ito, 2009{END_CITATION}).\\n\\n{FIGURE}A mouse."
    >>> restructure(marked, "drop", FIGURE)
    ('In mice.', {'citations': 1, 'figures': 1})
    """
    if text.isascii() or not MARK.search(text):
        return text, {}
    gone: Counter[str] = Counter()
    kept: list[str] = []
    for paragraph in text.split(PARAGRAPH):
        marks = takewhile(KINDS.__contains__, paragraph)
        if kind := next((KINDS[mark] for mark in marks if mark in dropped), None):
            gone[kind] += 1
        else:
            kept.append(MARK.sub("", _cited(paragraph, citations, gone)).strip())
    kept = list(filter(None, kept))
    return PARAGRAPH.join(_with_text(kept) if gone else kept), dict(sorted(gone.items()))


def _with_text(paragraphs: list[str]) -> list[str]:
    """Without the titles of sections that nothing is left of."""
    kept: list[str] = []
    following = 1  # level of the paragraph after this one; 0 is text, and the end ends all sections
    for paragraph in reversed(paragraphs):
        title = TITLE.match(paragraph)
        level = len(title[1]) if title else 0
        if level == 0 or following == 0 or following > level:
            kept.append(paragraph)
            following = level
    return kept[::-1]


def _cited(paragraph: str, citations: str, gone: Counter[str]) -> str:
    if citations == "keep" or CITATION not in paragraph:
        return paragraph

    def written(found: re.Match[str]) -> str:
        run = MARK.sub("", found["run"])
        enclosed = (found["open"], found["close"]) in ENCLOSED
        bracketed = run.startswith("[") and run.endswith("]")
        if not enclosed and not bracketed and any(map(str.isalpha, run)):
            return found[0]  # the sentence needs it
        rest = ("", "") if enclosed else (found["open"] or "", found["close"])
        if citations == "bracket":
            whole = run if bracketed else f"[{found['lead'] or ''}{run}]"
            return f"{found['before']}{rest[0]}{whole}{rest[1]}"
        gone["citations"] += found["run"].count(CITATION)
        follows = CLOSING.match(found.string, found.end())
        return ("" if follows else found["before"]) + "".join(rest)

    return CITATIONS.sub(written, paragraph)
