r"""An author's own macros, written out: \newcommand, \def and their kin, with their arguments.

Definitions are taken in the order of the text and leave it; groups do not end them. A macro's text
is read again for macros, to a limit of depth; what all of it may come to is limited too. Names
that the reading of the text relies on, such as \section, keep their meaning.
"""

import re
from collections.abc import Callable

from corpusforge.errors import ParseError
from corpusforge.parsers.latex_cursor import SPACE, Cursor
from corpusforge.parsers.latex_macros import PROOF, Macro, ends_in_word, filled, macro_of, statement
from corpusforge.parsers.latex_tables import PROTECTED, STATEMENTS, VERBATIM

DEEPEST = 40  # macros within macros; beyond it one leaves nothing
FREE = 2 << 20  # characters that macros may add to a short text; to a long one, twice its length
STEP = 16  # characters that one expansion counts for beside its own

WORD = re.compile(r"\\(?:([A-Za-z@]+)|[^A-Za-z@])", re.S)
BLANKS = re.compile(r"\s*+")
TOKEN = re.compile(r"\\(?:[A-Za-z@]++|.)|[^{}\\]", re.S)
NAME = re.compile(r"\s*+(?:\{\s*+\\([A-Za-z@]++|.)\s*+\}|\\([A-Za-z@]++|.))", re.S)
COUNT = re.compile(r"\s*+\[\s*+([0-9])\s*+\]")
HASHES = re.compile(r"((?:\s*+#[1-9])*+)\s*+(?=\{)")
SAME = re.compile(r"\s*+=?\s?(\\(?:[A-Za-z@]++|.)|[^\s{}])", re.S)
GROUP = re.compile(r"\s*+\{([^{}]{0,100}+)\}")
ENVIRONMENT = re.compile(r"\*?\s*+\{([^{}]{0,100}+)\}")
DELIMITED = 200  # characters between a name and its text


def expanded(text: str) -> str:
    r"""The text without definitions, and with what was defined in place.

    >>> expanded(r"\newcommand{\R}[1][n]{\mathbb{R}^{#1}} $\R$, $\R[3]$")
    ' $\\mathbb{R}^{n}$, $\\mathbb{R}^{3}$'

    Raises:
        ParseError: The macros come to more text than a paper can have.
    """
    return _Expansion(text).run()


class _Expansion:
    """One text on its way through."""

    def __init__(self, text: str) -> None:
        self._frames = [(Cursor(text), 0)]  # texts that are being read, and how deep they are
        self._macros = {f"begin{{{name}}}": statement(title) for name, title in STATEMENTS.items()}
        self._macros["begin{proof}"] = PROOF
        self._left = self._budget = FREE + 2 * len(text)
        self._pieces: list[str] = []
        self._defining: dict[str, Callable[[Cursor], None]] = {
            **dict.fromkeys(("newcommand", "renewcommand", "DeclareRobustCommand"), self._command),
            **dict.fromkeys(("def", "gdef", "edef", "xdef", "define", "redefine"), self._def),
            **dict.fromkeys(("newenvironment", "renewenvironment"), self._environment),
            "providecommand": self._provided,
            "DeclareMathOperator": self._operator,
            "let": self._let,
            "newtheorem": self._theorem,
        }

    def run(self) -> str:
        while self._frames:
            self._read(*self._frames[-1])
        return "".join(self._pieces)

    def _read(self, at: Cursor, depth: int) -> None:
        """Copy a text up to the next macro or definition, and deal with that; or to its end."""
        text, macros, start = at.text, self._macros, at.place
        place = start
        while found := WORD.search(text, place):
            place, name = found.end(), found[1]
            if name in ("begin", "end") and (group := GROUP.match(text, place)):
                place = group.end()
                if group[1] in VERBATIM and name == "begin":
                    place = max(place, at.finder.after(place, f"\\end{{{group[1]}}}"))
                name = f"{name}{{{group[1]}}}"
            if name in macros or name in self._defining:
                self._pieces.append(text[start : found.start()])
                at.place = place
                if name in macros:
                    self._expand(at, name, depth)
                else:
                    self._defining[name](at)
                return
        self._pieces.append(text[start:])
        self._frames.pop()
        self._part(text)

    def _expand(self, at: Cursor, name: str, depth: int) -> None:
        macro = self._macros[name]
        given: list[str] = []
        if macro.default is not None:
            bracketed = at.inside("[")
            given.append(macro.default if bracketed is None else bracketed)
        given += [self._argument() for _ in range(macro.arguments - len(given))]
        if not macro.arguments and not name.endswith("}"):
            at.taken(SPACE)
        text = filled(macro, given)
        self._left -= len(text) + STEP
        if self._left < 0:
            raise ParseError(
                f"the paper's macros, \\{name} among them, come to more than {self._budget:,} "
                f"characters; expected no more than {FREE:,} and twice the length of the paper"
            )
        if macro.final:
            self._pieces.append(text)
            self._part(text)
        elif depth < DEEPEST:
            self._frames.append((Cursor(text), depth + 1))

    def _part(self, text: str) -> None:
        """A blank where the end of a macro's text and what follows would become one word."""
        if self._frames and ends_in_word(text):
            rest, _ = self._frames[-1]
            if rest.text[rest.place : rest.place + 1].isalpha():
                self._pieces.append(" ")

    def _argument(self) -> str:
        """The next group or token, of this text or, at its end, of the one around it."""
        while True:
            at, _ = self._frames[-1]
            at.taken(BLANKS)
            if at.place < len(at.text) or len(self._frames) == 1:
                break
            self._frames.pop()
        inner = at.inside()
        if inner is None:
            token = at.taken(TOKEN)
            inner = token[0] if token else ""
        return inner

    # --- definitions

    def _command(self, at: Cursor) -> None:
        if name := _name(at):
            self._set(name, self._defined(at))

    def _provided(self, at: Cursor) -> None:
        if name := _name(at):
            macro = self._defined(at)
            self._set(name, self._macros.get(name, macro))

    def _defined(self, at: Cursor) -> Macro:
        """The rest of a definition of LaTeX: [2][default]{text}."""
        arguments = _count(at)
        default = at.inside("[") if arguments else None
        return macro_of(self._argument(), arguments, default)

    def _def(self, at: Cursor) -> None:
        name = _name(at)
        if name is None:
            return
        if hashes := at.taken(HASHES):
            self._set(name, macro_of(self._argument(), hashes[1].count("#")))
            return
        # Arguments with text between them: its uses cannot be read, so it stays unknown.
        brace = at.text.find("{", at.place, at.place + DELIMITED)
        if brace >= 0:
            at.place = brace
            self._argument()
        self._macros.pop(name, None)

    def _let(self, at: Cursor) -> None:
        name, found = _name(at), at.taken(SAME)
        if name and found:
            same = self._macros.get(found[1][1:]) if found[1].startswith("\\") else None
            self._set(name, same or Macro((found[1],), final=True))

    def _operator(self, at: Cursor) -> None:
        operator = "\\operatorname*" if at.text.startswith("*", at.place) else "\\operatorname"
        if name := _name(at):
            self._set(name, macro_of(f"{operator}{{{self._argument()}}}"))

    def _environment(self, at: Cursor) -> None:
        if found := at.taken(ENVIRONMENT):
            name, begin = found[1].strip(), self._defined(at)
            self._set(f"begin{{{name}}}", begin)
            self._set(f"end{{{name}}}", macro_of(self._argument()))

    def _theorem(self, at: Cursor) -> None:
        if found := at.taken(ENVIRONMENT):
            at.inside("[")
            self._set(f"begin{{{found[1].strip()}}}", statement(self._argument()))
            self._frames[-1][0].inside("[")

    def _set(self, name: str, macro: Macro) -> None:
        if (name[-1].isalpha() or name[-1] in "@}") and name not in PROTECTED:
            self._macros[name] = macro


def _name(at: Cursor) -> str | None:
    """The name that a definition gives here."""
    at.place += at.text.startswith("*", at.place)
    found = at.taken(NAME)
    return (found[1] or found[2]) if found else None


def _count(at: Cursor) -> int:
    """The number of arguments that a definition gives here."""
    found = at.taken(COUNT)
    return int(found[1]) if found else 0
