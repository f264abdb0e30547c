r"""LaTeX without macros of its own, to raw text: title, authors, abstract and body.

One pass from left to right. Braces are nothing, except where what precedes them says what to do
at their end. Of a control word that no rule knows the name goes and the text of its groups stays.
"""

import re
from collections.abc import Callable

from corpusforge.kernels.marks import REFERENCE
from corpusforge.parsers.fields import one_line
from corpusforge.parsers.latex_citations import Citations
from corpusforge.parsers.latex_cursor import SPACE, Cursor
from corpusforge.parsers.latex_environments import Environments
from corpusforge.parsers.latex_formulas import Formulas
from corpusforge.parsers.latex_inline import PHRASES, accented, address, typeset, verbatim
from corpusforge.parsers.latex_parts import GONE, LINE, NO_BREAKS, PERSON, Parts, Writer
from corpusforge.parsers.latex_structure import Structure
from corpusforge.parsers.latex_tables import (
    ACCENTS,
    BLANK,
    CAPTIONS,
    CHARACTERS,
    ENDED,
    FRONT,
    HEADINGS,
    MATH_IN_TEXT,
    NO_TEXT,
    NOTES,
    PARAGRAPH_ENDS,
    REFERENCES,
    SYMBOLS,
    TEXT_AFTER,
    THANKS,
)

SPECIAL = re.compile(r"\\(?:([A-Za-z@]+)\*?|(.?))|\$\$?|[{}~&]|\n[ \t]*\n\s*", re.S)
CITATION = re.compile(r"[A-Za-z]{0,12}cit(?:e|ation)[a-z]{0,9}", re.I)
NEXT_WORD = re.compile(r"\s*+\\[A-Za-z@]++")
OTHERWISE = re.compile(
    r"(?:(?!\\(?:else|fi)(?![A-Za-z])).){0,500}+\\(?:else|fi)(?![A-Za-z])[ \t]?", re.S
)
LONGEST_LABEL = 200  # characters
LONGEST_KEYS = 2_000


def read_text(text: str) -> Parts:
    """The parts of one paper, with the marks of `raw_text` and of `latex_parts` in them."""
    return _Reader(text, Citations(text)).run()


class _Reader:
    """One text on its way through."""

    def __init__(self, text: str, citations: Citations) -> None:
        self.at = Cursor(text)
        self.to = Writer(in_body="\\begin{document}" not in text)
        self.citations = citations
        self.structure = Structure(self.at, self.to)
        self.formulas = Formulas(self.at, self.to)
        self.environments = Environments(self.at, self.to, self.structure, self.formulas)

    def run(self) -> Parts:
        at, write = self.at, self.to.write
        while at.place < at.stop:
            found = SPECIAL.search(at.text, at.place)
            start = min(found.start(), at.stop) if found else at.stop
            if start > at.place:
                write(typeset(at.text[at.place : start]))
            if found is None or start == at.stop:
                break
            at.place = found.end()
            if word := found[1]:
                rule = RULES.get(word) or (_citation if CITATION.fullmatch(word) else _unknown)
                rule(self, word)
            elif found[2] is not None:
                self._character(found[2])
            else:
                self._mark(found[0], start)
        self.to.finish()
        return self.to.parts

    def _mark(self, mark: str, start: int) -> None:
        if mark[0] == "$":
            self.formulas.dollar(mark)
        elif mark == "}":
            self.structure.close(start)
        elif mark[0] == "\n":
            self.to.end_paragraph()
        elif mark != "{":
            self.to.write(" ")

    def _character(self, character: str) -> None:
        if character in ("(", "["):
            self.formulas.delimited(character)
        elif character in ACCENTS:
            self.to.write(accented(self.at, character))
        elif character == "\\":
            self.to.write(LINE)
            self.at.skip_brackets()
        else:
            self.to.write(CHARACTERS.get(character, ""))


# --- control words


def _symbol(reader: _Reader, word: str) -> None:
    reader.to.write(SYMBOLS[word])
    reader.at.taken(SPACE)


def _unknown(reader: _Reader, _word: str) -> None:
    """Pass over an option, which stands at once after the name or right before a group."""
    if reader.at.text.startswith("[", reader.at.place):
        reader.at.skip_brackets()
    else:
        reader.at.taken(SPACE)
        reader.at.skip_brackets(before_group=True)


def _citation(reader: _Reader, word: str) -> None:
    reader.at.skip_brackets()
    for opening, closing in reader.at.groups(1):
        if reader.to.part not in ("title", "author"):
            keys = reader.at.text[opening + 1 : min(closing, opening + LONGEST_KEYS)]
            reader.to.write(reader.citations.cited(word, keys.split(",")))
    reader.at.skip(1)


def _reference(reader: _Reader, word: str) -> None:
    if word == "ref" and reader.to.kind == REFERENCE:  # an entry in AMS-TeX
        reader.to.end_paragraph()
        return
    reader.to.write(GONE)
    if reader.at.opening() < 0:
        reader.at.taken(NEXT_WORD)  # harvmac's \ref\name{text}
    reader.at.skip(1)


def _item(reader: _Reader, _word: str) -> None:
    """An item of a list; its label is text if it has a letter or digit in it."""
    at, to = reader.at, reader.to
    to.start_item()
    opening = at.opening("[")
    end = at.pairs[opening]
    if opening >= 0 and end - opening < LONGEST_LABEL:
        parts = _Reader(at.text[opening + 1 : end], reader.citations).run()
        label = one_line("".join(parts.body).translate(NO_BREAKS))
        to.write(f"{label} " if any(map(str.isalnum, label)) else "")
        at.place = end + 1


def _superscript(reader: _Reader, _word: str) -> None:
    """An exponent of a number gets a caret: 10^5, not 105. Of authors it is a mark."""
    following = reader.at.text[reader.at.place + 1 : reader.at.place + 2]
    if reader.to.part == "author":
        reader.at.skip(1)
    elif reader.to.last()[-1:].isdigit() and (following.isdigit() or following in ("-", "+")):
        reader.to.write("^")


def _stop(reader: _Reader, _word: str) -> None:
    reader.at.stop = reader.at.place


Rule = Callable[[_Reader, str], object]

# In order: where a name is in two tables, the later rule counts.
RULES: dict[str, Rule] = {
    **dict.fromkeys(SYMBOLS, _symbol),
    **dict.fromkeys(ACCENTS, lambda reader, word: reader.to.write(accented(reader.at, word))),
    **dict.fromkeys(MATH_IN_TEXT, lambda reader, word: reader.formulas.in_text(word)),
    **dict.fromkeys(BLANK, lambda reader, _: reader.to.write(" ")),
    **dict.fromkeys(PHRASES, lambda reader, word: reader.at.taken(PHRASES[word])),
    **dict.fromkeys(NO_TEXT, lambda reader, word: reader.at.skip(NO_TEXT[word])),
    **dict.fromkeys(TEXT_AFTER, lambda reader, word: reader.at.skip(TEXT_AFTER[word])),
    **dict.fromkeys(PARAGRAPH_ENDS, lambda reader, _: reader.to.end_paragraph()),
    **dict.fromkeys(NOTES, lambda reader, _: reader.structure.note()),
    **dict.fromkeys(CAPTIONS, lambda reader, word: reader.structure.caption(word)),
    **dict.fromkeys(HEADINGS, lambda reader, word: reader.structure.heading(word)),
    **dict.fromkeys(FRONT, lambda reader, word: reader.structure.front_matter(word)),
    **dict.fromkeys(ENDED, lambda reader, word: reader.structure.begin_title(word)),
    **{f"end{word}": lambda reader, _: reader.to.end_paragraph() for word in ENDED},
    **{f"end{word}": lambda reader, word: reader.structure.end_front(word) for word in FRONT},
    **dict.fromkeys(THANKS, lambda reader, _: reader.structure.thanks()),
    **dict.fromkeys(REFERENCES, _reference),
    **dict.fromkeys(("verb", "lstinline"), lambda reader, _: reader.to.write(verbatim(reader.at))),
    **dict.fromkeys(("url", "nolinkurl"), lambda reader, _: reader.to.write(address(reader.at))),
    **dict.fromkeys(("and", "And", "AND"), lambda reader, _: reader.to.write(PERSON)),
    **dict.fromkeys(("bye", "enddocument"), _stop),
    "begin": lambda reader, _: reader.environments.begin(),
    "end": lambda reader, _: reader.environments.end(),
    "item": _item,
    "textsuperscript": _superscript,
    "bibitem": lambda reader, _: reader.structure.entry(reader.citations),
    "statement@": lambda reader, _: reader.structure.statement(),
    "ifmmode": lambda reader, _: reader.at.taken(OTHERWISE),
    "Refs": lambda reader, _: reader.structure.set_kind(REFERENCE),
    "endRefs": lambda reader, _: reader.structure.set_kind(""),
}
