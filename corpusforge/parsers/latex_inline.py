r"""What is written inside a line of LaTeX, to characters: accents, \verb, \url, ligatures, lengths.

Functions read on from a cursor and give text.
"""

import re
import unicodedata

from corpusforge.parsers.latex_cursor import Cursor
from corpusforge.parsers.latex_tables import ACCENTS, ASSIGNED, SPACING

ACCENTED = re.compile(
    r"\s*+(?:\{\s*+(?:\\(?P<bare>[ij])(?![A-Za-z])\s*+|(?P<first>[^\\{}$]?))"
    r"(?P<rest>[^\\{}$]{0,80}+)\}"
    r"|\\(?P<single>[ij])(?![A-Za-z])[ \t]*+|(?P<letter>[^\\{}$\s]))"
)
LONGEST_VERB = 500  # characters
LENGTH = r"-?[\d.,]++(?:\s*+(?:true\s*+)?(?:pt|in|cm|mm|em|ex|pc|bp|mu|sp|dd|cc|fil+))?"
ASSIGNMENT = re.compile(
    rf"\s*+=?\s*+(?:\\[A-Za-z@]++|{LENGTH}(?:\\[A-Za-z@]++)?)"
    rf"(?:\s*+(?:plus|minus)\s*+{LENGTH})*+"
)
# What belongs to a primitive of TeX and is no text.
PHRASES = {
    **dict.fromkeys(ASSIGNED, ASSIGNMENT),
    "input": re.compile(r"\s*+(?:\{[^{}]*+\}|[^\s{}\\]++)"),
    "font": re.compile(r"\s*+\\[A-Za-z@]++\s*+=?\s*+[\w./-]++(?:\s++(?:scaled|at)\s*+[\\\w.]++)?"),
    "advance": re.compile(r"\s*+\\[A-Za-z@]++\s*+(?:by)?\s*+(?:-?[\d.]++(?:pt|in|em)?|\\\w++)"),
    "catcode": re.compile(r"\s*+`?\\?.\s*+=?\s*+(?:\\[A-Za-z]++|\d++)"),
}


def accented(at: Cursor, name: str) -> str:
    """The character that an accent makes of what follows it; "" where that is no character."""
    found = at.taken(ACCENTED)
    if found is None:
        return ""
    first = found["bare"] or found["single"] or found["letter"] or found["first"] or ""
    if first.isalpha():
        first = unicodedata.normalize("NFC", first + ACCENTS[name])
    else:
        first += SPACING.get(name, "")
    return typeset(first + (found["rest"] or ""))


def verbatim(at: Cursor) -> str:
    r"""What \verb holds between any two equal characters on one line."""
    at.skip_brackets()
    mark = at.text[at.place : at.place + 1]
    if not mark.strip() or mark == "{":
        return ""
    end = at.text.find(mark, at.place + 1, at.place + LONGEST_VERB)
    text = at.text[at.place + 1 : max(end, at.place + 1)]
    if "\n" in text or end < 0:
        return ""
    at.place = end + 1
    return text


def address(at: Cursor) -> str:
    r"""What \url holds, in which "~" and "%" are themselves."""
    return (at.inside() or "").replace("\\", "").strip()


def typeset(text: str) -> str:
    """Text with TeX's ligatures as the characters that they print."""
    if "`" in text or "'" in text:
        text = text.replace("``", "\u201c").replace("''", "\u201d").replace("`", "'")
    if "--" in text:
        text = text.replace("---", "\u2014").replace("--", "\u2013")
    return text
