r"""Citations as they are printed: numbers, or names and years, from the labels of a bibliography.

A bibliography in the sources, typed or made by BibTeX, numbers its entries by their order; styles
that print names have them in a label, \bibitem[Ito et~al.(2009)]{key}. Without a bibliography the
keys are numbered as they come, as the style "unsrt" does.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from corpusforge.kernels.marks import CITATION, END_CITATION
from corpusforge.parsers.latex_cursor import Cursor

ITEM = re.compile(r"\\bibitem(?![A-Za-z])")
KEY = re.compile(r"\s*+\{([^{}]{0,200}+)\}")
WORD = re.compile(r"\\(?:protect|citeauthoryear|citename\w*|bibnamefont|emph|textit|it|[,\s])\s*")
YEAR = re.compile(r"(?P<names>[^(\d]*?)[\s,(|]*(?P<year>(?:1[5-9]|20)\d\d[a-z]?)")
LONGEST_LABEL = 400  # characters
# Classes and options that print numbers though labels hold names.
NUMBERS = re.compile(
    r"\\documentclass\s*+(?:\[[^\[\]]{0,500}+\])?\s*+\{(?:revtex|elsarticle|ieee|sn-jnl)"
    r"|\\usepackage\s*+\[[^\[\]]{0,200}?\b(?:numbers|super)\b[^\[\]]{0,200}+\]\s*+\{natbib\}"
    r"|\\setcitestyle\{[^{}]{0,100}?\b(?:numbers|super)\b"
    r"|\\bibpunct(?:\[[^\[\]]{0,20}+\])?(?:\{[^{}]{0,9}+\}){3}\{[ns]\}",
    re.I,
)
IN_SENTENCE = re.compile(r"(?:cite[ta]|citealt|textcite|cite$|newcite|shortcite)", re.I)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a bibliography."""

    number: int
    names: str = ""
    year: str = ""


class Citations:
    """The entries that one paper cites."""

    def __init__(self, text: str) -> None:
        """Read the labels of all entries in the text of a paper."""
        self.entries: dict[str, Entry] = {}
        self._by_names = NUMBERS.search(text) is None
        at = Cursor(text)
        for found in ITEM.finditer(text):
            at.place = found.end()
            label = at.inside("[") or ""
            if key := at.taken(KEY):
                names, year = _names_and_year(label[:LONGEST_LABEL])
                self._add(key[1].strip(), names, year)

    def cited(self, word: str, keys: Iterable[str]) -> str:
        r"""What is printed for one command; each entry stands between marks.

        Args:
            word: The command: cite, citep, citet, …
            keys: The keys in its braces.
        """
        entries = [self._entry(key) for key in map(str.strip, keys) if key]
        if not entries:
            return ""
        by_names = self._by_names and all(entry.names for entry in entries)
        if word.lower().startswith("citeyear") and by_names:
            return ", ".join(_marked(entry.year) for entry in entries)
        if word.lower().startswith("citeauthor") and by_names:
            return ", ".join(_marked(entry.names) for entry in entries)
        if not by_names:
            return f"[{', '.join(_marked(str(entry.number)) for entry in entries)}]"
        if IN_SENTENCE.match(word):
            return ", ".join(_marked(f"{entry.names} ({entry.year})") for entry in entries)
        return f"({'; '.join(_marked(f'{entry.names}, {entry.year}') for entry in entries)})"

    def number(self, key: str) -> str:
        """What stands in print before an entry of the bibliography."""
        entry = self._entry(key)
        return "" if self._by_names and entry.names else f"{entry.number}. "

    def _entry(self, key: str) -> Entry:
        return self.entries.get(key) or self._add(key, "", "")

    def _add(self, key: str, names: str, year: str) -> Entry:
        entry = Entry(len(self.entries) + 1, names, year)
        return self.entries.setdefault(key, entry)


def _marked(text: str) -> str:
    return f"{CITATION}{text}{END_CITATION}"


def _names_and_year(label: str) -> tuple[str, str]:
    r"""Of "{Ito \& Ny}(2009)", "Ito et~al., 2009" and "\citeauthoryear{Ito}{Ito}{2009}".

    >>> _names_and_year(r"\protect\citeauthoryear{Ito, Ny, and Ek}{Ito et~al.}{2009a}")
    ('Ito et al.', '2009a')
    """
    plain = WORD.sub(" ", label).replace("~", " ").replace("\\&", "&").replace("}{", "|")
    fields = re.sub(r"[{}]", "", plain).strip().split("|")
    text = "|".join(fields[-2:]) if len(fields) > 1 else fields[0]
    found = YEAR.match(text)
    names = " ".join(found["names"].split()).strip(" ,|") if found else ""
    usable = found is not None and any(map(str.isalpha, names)) and "\\" not in names
    return (names, found["year"]) if found is not None and usable else ("", "")
