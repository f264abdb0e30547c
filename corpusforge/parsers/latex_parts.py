"""The parts of a paper, while its LaTeX is read from left to right: where text goes now.

Marks are those of `raw_text` and `kernels.marks`; those below are taken out by `latex`.
"""

from collections import Counter
from dataclasses import dataclass, field

from corpusforge.parsers.raw_text import BREAK, ITEM, TITLE

GONE = "\x06"  # where a reference was
PERSON, LINE = "\x07", "\x08"  # between authors; at a forced line end
NO_BREAKS = str.maketrans(dict.fromkeys(f"{BREAK}{TITLE}{ITEM}", " "))
TEXTS = ("abstract", "body")
HIDDEN = "hidden"  # what is written here is thrown away


@dataclass
class Parts:
    """Raw text of each part; of titles and authors, one per command that gives them."""

    titles: list[str] = field(default_factory=list)
    authors: list[str] = field(default_factory=list)
    abstract: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)


@dataclass
class _Open:
    """A part that is being written."""

    part: str
    kind: str  # the mark of the paragraph that it becomes, of a note or a caption
    out: list[str]


class Writer:
    """Writes into one part at a time, and can leave it for another and come back."""

    def __init__(self, in_body: bool) -> None:
        """Start in the body, or before it, where what is written is thrown away."""
        self.parts = Parts()
        self.kind = ""  # the mark of every paragraph from here on
        self._open = [_Open("body", "", self.parts.body) if in_body else _Open(HIDDEN, "", [])]
        self._entered: Counter[str] = Counter()  # how often each part is open
        self._waiting: list[str] = []  # captions and notes, until the paragraph around them ends

    @property
    def part(self) -> str:
        return self._open[-1].part

    def write(self, text: str) -> None:
        self._open[-1].out.append(text)

    def last(self) -> str:
        """What was written last."""
        out = self._open[-1].out
        return out[-1] if out else ""

    def end_paragraph(self) -> None:
        """End it, and put what waited for that behind it, so that its sentences stay whole."""
        out = self._open[-1].out
        if self._waiting and self.part in TEXTS:
            out += self._waiting
            self._waiting.clear()
        out.append(BREAK + self.kind)

    def start_title(self, level: int) -> None:
        self.end_paragraph()
        self.write(TITLE * level)

    def start_item(self) -> None:
        self.end_paragraph()
        self.write(ITEM)

    def begin_body(self) -> None:
        self.finish()
        self._open = [_Open("body", "", self.parts.body)]

    def enter(self, part: str, kind: str = "") -> None:
        """Write into the title, the author, the abstract, or a paragraph of a kind, until `leave`.

        Args:
            part: Its name.
            kind: Mark of the paragraph that will stand behind the one that is being written.
        """
        self._open.append(_Open(part, kind, self.parts.abstract if part == "abstract" else []))
        self._entered[part] += 1

    def leave(self, part: str) -> None:
        """Go back to where the part was entered, from whatever was entered since; if it was."""
        if not self._entered[part]:
            return
        left = ""
        while left != part:
            left = self._left(self._open.pop())

    def finish(self) -> None:
        """Go back to the first part."""
        while len(self._open) > 1:
            self._left(self._open.pop())
        self.end_paragraph()

    def _left(self, opened: _Open) -> str:
        self._entered[opened.part] -= 1
        text = "".join(opened.out) if opened.part not in TEXTS else ""
        if opened.part == "title":
            self.parts.titles.append(text)
        elif opened.part == "author":
            self.parts.authors.append(text)
        elif opened.kind:
            self._waiting.append(f"{BREAK}{self.kind}{opened.kind}{text.translate(NO_BREAKS)}")
        return opened.part
