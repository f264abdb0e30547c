r"""Formulas in the text of a paper: each is read from the cursor and written, and passed over."""

from corpusforge.parsers.latex_cursor import Cursor
from corpusforge.parsers.latex_math import FormulaEnds, formula
from corpusforge.parsers.latex_parts import Writer
from corpusforge.parsers.latex_tables import MATH, MATH_IN_TEXT

COUNTED = ("alignat", "xalignat", "IEEEeqnarray")  # a group with the number of columns follows


class Formulas:
    """Reads one formula from the cursor, and has the writer write it."""

    def __init__(self, at: Cursor, to: Writer) -> None:
        self._at, self._to = at, to
        self._ends = FormulaEnds(at.text)

    def dollar(self, mark: str) -> None:
        """What is between "$" or "$$"; one that ends nowhere is a character of the text."""
        place = self._at.place
        end = self._ends.of_dollar(place) if mark == "$" else self._ends.of(mark, place)
        if not self._written(end, mark, mark):
            self._to.write(mark)

    def delimited(self, opening: str) -> None:
        r"""What is in \( … \) or \[ … \]."""
        ending, dollars = ("\\)", "$") if opening == "(" else ("\\]", "$$")
        self._written(self._ends.of(ending, self._at.place), ending, dollars)

    def environment(self, name: str) -> None:
        r"""What is in \begin{equation} … \end{equation}, and its kin."""
        ending = f"\\end{{{name}}}"
        if name.startswith(COUNTED):
            self._at.skip(1)
        end = self._at.finder.after(self._at.place, ending)
        self._written(end, ending, "$" if name == "math" else "$$", MATH[name])

    def in_text(self, name: str) -> None:
        r"""A formula outside of dollars: \ensuremath{x}, or a quantity such as \SI{5}{\metre}."""
        start = self._at.place
        self._at.skip(MATH_IN_TEXT[name])
        source = self._at.text[start : self._at.place].strip()
        if source:
            inner = source[1:-1] if name == "ensuremath" else f"\\{name}{source}"
            self._to.write(formula(inner, "$"))

    def _written(self, end: int, ending: str, dollars: str, wrapper: str = "") -> bool:
        """Write what is from here to `end`: a displayed formula is a paragraph of its own."""
        if end < 0:
            return False
        written = formula(self._at.text[self._at.place : end], dollars, wrapper)
        self._at.place = end + len(ending)
        if dollars == "$":
            self._to.write(written)
        else:
            self._to.end_paragraph()
            self._to.write(written)
            self._to.end_paragraph()
        return True
