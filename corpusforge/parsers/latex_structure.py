r"""The macros that divide a paper: headings, title page, statements, and what is left out whole."""

from collections.abc import Callable

from corpusforge.kernels.marks import ACKNOWLEDGEMENT, FIGURE, FOOTNOTE
from corpusforge.parsers.latex_citations import Citations
from corpusforge.parsers.latex_cursor import Cursor
from corpusforge.parsers.latex_parts import HIDDEN, Writer
from corpusforge.parsers.latex_tables import CAPTIONS, ENDED, FLOATS, FRONT, HEADINGS

ABSTRACT_GROUPS = 5  # of Astronomy & Astrophysics: context, aims, methods, results, conclusions
LONGEST_FRONT = 20_000  # characters between \title and \endtitle
SHOWN = 200  # characters of a note that are looked at


class Structure:
    """Reads one macro of this kind from the cursor, and has the writer act on it."""

    def __init__(self, at: Cursor, to: Writer) -> None:
        self._at, self._to = at, to
        self._top = 2 if "\\chapter" in at.text else 1  # level of a section
        self._at_closing: dict[int, Callable[[], None]] = {}  # what to do where a group ends
        self._float = FIGURE  # the mark of captions
        self._unbalanced: set[str] = set()  # environments that begin more often than they end

    def close(self, place: int) -> None:
        """Do what is to be done at the closing brace there."""
        if action := self._at_closing.pop(place, None):
            action()

    def heading(self, name: str) -> None:
        r"""\section[short]{title}, of any level."""
        self._at.skip_brackets()
        opening = self._at.opening()
        if opening < 0:
            return
        self._to.leave("abstract")  # where its end is missing
        level = 1 if name in ("chapter", "part") else HEADINGS[name] + self._top - 1
        self._to.start_title(level)
        self._at_closing[self._at.pairs[opening]] = self._to.end_paragraph
        self._at.place = opening + 1

    def front_matter(self, name: str) -> None:
        r"""\title{…}, \author{…}, \abstract{…}; in AMS-TeX \title … \endtitle."""
        at, part = self._at, FRONT[name]
        at.skip_brackets()
        if name == "Title":  # of harvmac: \Title{number of the preprint}{title}
            at.skip(1)
        groups = at.groups(ABSTRACT_GROUPS)
        if not groups:
            end = at.finder.after(at.place, f"\\end{name}")
            if 0 <= end - at.place < LONGEST_FRONT:
                self._to.enter(part)
            return
        if part != "abstract" or len(groups) < ABSTRACT_GROUPS:
            groups = groups[:1]
        self._to.enter(part)
        at.place = groups[0][0] + 1
        for _, closing in groups[:-1]:
            self._at_closing[closing] = self._to.end_paragraph
        self._at_closing[groups[-1][1]] = lambda: self._to.leave(part)

    def begin_title(self, name: str) -> None:
        r"""\head of AMS-TeX, which \endhead ends."""
        self._to.start_title(ENDED[name])

    def end_front(self, name: str) -> None:
        r"""\endtitle, \endauthor, \endabstract of AMS-TeX."""
        self._to.leave(FRONT[name.removeprefix("end")])

    def note(self) -> None:
        r"""\footnote{…}: a paragraph of its own behind this one; of titles and authors nothing."""
        self._at.skip_brackets()
        if self._to.part in ("title", "author", HIDDEN):
            self._at.skip(1)
        else:
            self._enter("note", FOOTNOTE)

    def caption(self, name: str) -> None:
        r"""\caption[short]{…}, and \captionof{figure}{…} outside of floats."""
        if name == "captionof":
            self._at.skip(1)
        self._at.skip_brackets()
        self._enter("caption", CAPTIONS[name] or self._float)

    def _enter(self, part: str, kind: str) -> None:
        groups = self._at.groups(1)
        if groups:
            self._to.enter(part, kind)
            self._at.place = groups[0][0] + 1
            self._at_closing[groups[0][1]] = lambda: self._to.leave(part)

    def begin_float(self, name: str) -> None:
        r"""\begin{figure}: until its end, captions only; one that never ends is none."""
        if self._at.finder.after(self._at.place, f"\\end{{{name}}}") >= 0:
            self._float = FLOATS[name]
            self._to.leave("caption")
            self._to.leave("float")
            self._to.enter("float")

    def end_float(self) -> None:
        self._to.leave("float")
        self._to.write(" ")
        self._float = FIGURE

    def set_kind(self, kind: str) -> None:
        """Mark every paragraph from here on: acknowledgments, references, or "" for the text."""
        self._to.kind = kind
        self._to.end_paragraph()

    def entry(self, citations: Citations) -> None:
        r"""\bibitem[label]{key}: a paragraph, behind its number as it is printed."""
        self._at.skip_brackets()
        self._to.end_paragraph()
        for opening, closing in self._at.groups(1):
            self._to.write(citations.number(self._at.text[opening + 1 : closing].strip()))
        self._at.skip(1)

    def thanks(self) -> None:
        r"""\acknowledgments: a heading, or a group that is one paragraph."""
        groups = self._at.groups(1)
        if groups:
            self.set_kind(ACKNOWLEDGEMENT)
            self._at_closing[groups[0][1]] = lambda: self.set_kind("")
        else:
            self._to.start_title(self._top)
            self._to.write("Acknowledgments")
            self._to.end_paragraph()

    def statement(self) -> None:
        r"""\statement@{Theorem}{note}, as `latex_macros` writes \begin{theorem}[note]."""
        groups = self._at.groups(2)
        if len(groups) < 2:
            return
        (_, name_end), (note, note_end) = groups
        if self._at.text[note + 1 : min(note_end, note + SHOWN)].strip():
            self._at_closing[name_end] = lambda: self._to.write(" (")
            self._at_closing[note_end] = lambda: self._to.write("). ")
        else:
            self._at_closing[note_end] = lambda: self._to.write(". ")

    def leave_out(self, name: str) -> None:
        r"""Everything to the \end{…} of an environment; others of its name may be inside."""
        at, after = self._at, self._at.finder.after
        begins, ends = f"\\begin{{{name}}}", f"\\end{{{name}}}"
        first = end = after(at.place, ends)
        inner = after(at.place, begins)
        while 0 <= inner < end and name not in self._unbalanced:
            end, inner = after(end + 1, ends), after(inner + 1, begins)
            if end < 0:
                self._unbalanced.add(name)
        if first >= 0:
            at.place = (end if end >= 0 else first) + len(ends)
        self._to.write(" ")
