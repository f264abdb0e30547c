"""unarXive 2022: full texts made of arXiv's TeX, one JSON per line, formulas kept apart."""

import re

from msgspec import Struct
from msgspec.structs import replace

from corpusforge.kernels.marks import FIGURE, PARAGRAPH, REFERENCE, TABLE
from corpusforge.parsers.arxiv import Metadata, paper_of, unwrapped
from corpusforge.parsers.fields import one_line
from corpusforge.parsers.formulas import tex_line
from corpusforge.parsers.json_record import RecordDecoder
from corpusforge.parsers.paper import Paper
from corpusforge.parsers.raw_text import BREAK, ITEM, TITLE, cited, marked_paragraphs
from corpusforge.parsers.section_kinds import kind_of_section

PLACE = re.compile(
    r"(?P<before>(?:\A|\n)[ \t]*)?\{\{(?P<kind>\w+):(?P<key>[\w-]+)\}\}[ \t]*"
    r"(?P<mark>[,.;:!?)\]])?(?P<after>[ \t]*(?=\n|\Z))?"
)
CLOSE_UP = "\6"  # takes the space before it away
CLOSED_UP = re.compile(rf" ?{CLOSE_UP}")
KINDS = {"figure": FIGURE, "table": TABLE}
# Where a paper's TeX confused the conversion, prose and formulas have changed places.
PROSE = re.compile(r"[^\\^_{}=]*\b[a-zA-Z]{3,}\s+[a-zA-Z]{2,}\b[^\\^_{}=]*")


class _Text(Struct, gc=False):
    text: str | None = None


class _Paragraph(Struct, gc=False):
    section: str | None = None
    sec_type: str | None = None
    content_type: str | None = None
    text: str | None = None


class _Entry(Struct, gc=False):
    type: str | None = None
    latex: str | None = None
    caption: str | None = None


class _Source(Struct, gc=False):
    bib_entry_raw: str | None = None


class _Record(Struct):
    paper_id: str | None = None
    metadata: Metadata | None = None
    abstract: _Text | None = None
    body_text: list[_Paragraph] | None = None
    ref_entries: dict[str, _Entry | None] | None = None
    bib_entries: dict[str, _Source | None] | None = None


DECODER = RecordDecoder(_Record, "one paper of unarXive")


def parse_unarxive(record: bytes) -> Paper:
    """The paper of one line: arXiv's facts about it, and its body with the formulas in place.

    What stands at the place of a citation is a key: it gets a number, in the order of the text.

    Raises:
        MissingIdentifier: There is no valid arXiv id.
        OnlyPlaceholder: The abstract only says that the paper was withdrawn.
        ParseError: The line is not a JSON object.
    """
    found = DECODER.decode(record)
    facts = found.metadata or Metadata()
    facts.id = facts.id or found.paper_id
    paper = paper_of(facts)
    body = PARAGRAPH.join(_Body(found).paragraphs())
    abstract = paper.abstract or unwrapped(found.abstract.text if found.abstract else None)
    return replace(paper, abstract=abstract, body=body)


class _Body:
    """One body on its way to paragraphs."""

    def __init__(self, found: _Record) -> None:
        self._paragraphs = found.body_text or ()
        self._entries = found.ref_entries or {}
        self._sources = found.bib_entries or {}
        self._numbers: dict[str, int] = {}  # of what is cited, by its key
        self._placed: dict[str, None] = {}  # keys of figures and tables, in order
        self._kind = ""

    def paragraphs(self) -> list[str]:
        raw: list[str] = []
        section: tuple[str, str | None] = ("", None)
        for paragraph in self._paragraphs:
            title, text = one_line(paragraph.section), paragraph.text or ""
            if not text.strip():
                continue
            if title and (title, paragraph.sec_type) != section:
                section = (title, paragraph.sec_type)
                self._kind = kind_of_section(title)
                depth = 1 + (paragraph.sec_type or "").count("sub")
                raw.append(f"{BREAK}{self._kind}{TITLE * depth}{title}")
            raw.append(self._text(text, ITEM if paragraph.content_type == "list" else ""))
        raw += [self._float(key) for key in self._entries if key not in self._placed]
        return marked_paragraphs("".join(raw)) + self._references()

    def _text(self, text: str, item: str) -> str:
        """Raw text of one entry, and the captions of what stands in it."""
        between, before = f"{BREAK}{self._kind}{item}", len(self._placed)
        parts = (PLACE.sub(self._written, part) for part in text.split("\n\n"))
        raw = between + between.join(parts)
        if CLOSE_UP in raw:
            raw = CLOSED_UP.sub("", raw)
        return raw + "".join(map(self._float, list(self._placed)[before:]))

    def _written(self, found: re.Match[str]) -> str:
        before, mark, after = found["before"] or "", found["mark"] or "", found["after"] or ""
        if found["kind"] == "cite":
            number = self._numbers.setdefault(found["key"], len(self._numbers) + 1)
            return f"{before} {cited(f'[{number}]')}{mark or ' '}"
        entry = self._entries.get(found["key"])
        if found["kind"] != "formula" or entry is None or not entry.latex:
            if entry is not None and found["kind"] != "formula":
                self._placed.setdefault(found["key"])
            return f"{before}{CLOSE_UP if mark else ''}{mark or ' '}"
        latex = entry.latex.strip()
        if PROSE.fullmatch(latex):
            return f"{before} {latex}{mark or ' '}"
        if found["before"] is not None and found["after"] is not None:  # on a line of its own
            return f"{BREAK}{self._kind}{tex_line(latex, '$$')}{mark}{BREAK}{self._kind}{after}"
        return f"{before} {tex_line(latex)}{mark or ' '}"

    def _float(self, key: str) -> str:
        entry = self._entries.get(key)
        kind = KINDS.get(entry.type or "") if entry else None
        if entry is None or kind is None or entry.caption in (None, "", "NO_CAPTION"):
            return ""
        return f"{BREAK}{kind}{entry.caption}"

    def _references(self) -> list[str]:
        keys = [*self._numbers, *(key for key in self._sources if key not in self._numbers)]
        sources = (self._sources.get(key) for key in keys)
        texts = (one_line(source.bib_entry_raw) if source else "" for source in sources)
        return [f"{REFERENCE}[{at}] {text}" for at, text in enumerate(texts, 1) if text]
