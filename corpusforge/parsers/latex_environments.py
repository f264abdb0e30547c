r"""\begin{…} and \end{…}: the document, its abstract, floats, lists, code and mathematics."""

import re

from corpusforge.parsers.latex_cursor import Cursor
from corpusforge.parsers.latex_formulas import Formulas
from corpusforge.parsers.latex_parts import Writer
from corpusforge.parsers.latex_structure import Structure
from corpusforge.parsers.latex_tables import (
    ENVIRONMENT_GROUPS,
    FLOATS,
    KIND_OF,
    LEFT_OUT,
    MATH,
    VERBATIM,
)

NAME = re.compile(r"\s*+\{([^{}]{0,100}+)\}")
ABSTRACT = {"abstract", "abstract*"}


class Environments:
    """Reads the name of one from the cursor, and has the others do what it says."""

    def __init__(self, at: Cursor, to: Writer, structure: Structure, formulas: Formulas) -> None:
        self._at, self._to = at, to
        self._structure, self._formulas = structure, formulas

    def begin(self) -> None:
        found = self._at.taken(NAME)
        name = found[1].strip() if found else ""
        if name == "document":
            self._to.begin_body()
        elif name in ABSTRACT:
            self._to.enter("abstract")
        elif name in FLOATS:
            self._structure.begin_float(name)
        elif name in LEFT_OUT:
            self._structure.leave_out(name)
        elif name in MATH:
            self._formulas.environment(name)
        elif name in VERBATIM:
            self._verbatim(name)
        elif found:
            self._structure.set_kind(KIND_OF.get(name, self._to.kind))
            self._at.skip_brackets()
            self._at.skip(ENVIRONMENT_GROUPS.get(name, 0))

    def end(self) -> None:
        found = self._at.taken(NAME)
        name = found[1].strip() if found else ""
        if name == "document" or (found is None and self._to.part == "body"):  # as in plain TeX
            self._at.stop = self._at.place
        elif name in ABSTRACT:
            self._to.leave("abstract")
        elif name in FLOATS:
            self._structure.end_float()
        elif name in KIND_OF:
            self._structure.set_kind("")
        elif found:
            self._to.end_paragraph()

    def _verbatim(self, name: str) -> None:
        self._at.skip_brackets()
        start, ending = self._at.place, f"\\end{{{name}}}"
        end = self._at.finder.after(start, ending)
        if end >= 0:
            self._to.end_paragraph()
            self._to.write(self._at.text[start:end])
            self._to.end_paragraph()
            self._at.place = end + len(ending)
