"""unarXive 2022: full texts made of arXiv's TeX, one JSON per line, formulas kept apart."""

import re

from msgspec import Struct
from msgspec.structs import replace

from corpusforge.kernels.marks import HEADING, PARAGRAPH
from corpusforge.parsers.arxiv import Metadata, paper_of, unwrapped
from corpusforge.parsers.fields import one_line
from corpusforge.parsers.formulas import tex_line
from corpusforge.parsers.json_record import RecordDecoder
from corpusforge.parsers.paper import Paper

PLACE = re.compile(r"\{\{(?P<kind>\w+):(?P<key>[\w-]+)\}\}[ \t]*(?P<mark>[,.;:!?)\]])?")
CLOSE_UP = "\0"  # takes the space before it away
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


class _Record(Struct):
    paper_id: str | None = None
    metadata: Metadata | None = None
    abstract: _Text | None = None
    body_text: list[_Paragraph] | None = None
    ref_entries: dict[str, _Entry | None] | None = None


DECODER = RecordDecoder(_Record, "one paper of unarXive")


def parse_unarxive(record: bytes) -> Paper:
    """The paper of one line: arXiv's facts about it, and its body with the formulas in place.

    A citation is left out, as are figures and tables: what stands at their places is a key.

    Raises:
        MissingIdentifier: There is no valid arXiv id.
        OnlyPlaceholder: The abstract only says that the paper was withdrawn.
        ParseError: The line is not a JSON object.
    """
    found = DECODER.decode(record)
    facts = found.metadata or Metadata()
    facts.id = facts.id or found.paper_id
    paper = paper_of(facts)
    body = PARAGRAPH.join(_parts(found))
    abstract = paper.abstract or unwrapped(found.abstract.text if found.abstract else None)
    return replace(paper, abstract=abstract, body=body)


def _parts(found: _Record) -> list[str]:
    entries = found.ref_entries or {}
    parts: list[str] = []
    section: tuple[str, str | None] = ("", None)
    for paragraph in found.body_text or ():
        title, text = one_line(paragraph.section), _in_place(paragraph.text or "", entries)
        if not text:
            continue
        if title and (title, paragraph.sec_type) != section:
            section = (title, paragraph.sec_type)
            depth = (paragraph.sec_type or "").count("sub")
            parts.append("#" * depth + HEADING + title)
        parts.append(text)
    return parts


def _in_place(text: str, entries: dict[str, _Entry | None]) -> str:
    def written(found: re.Match[str]) -> str:
        entry = entries.get(found["key"]) if found["kind"] == "formula" else None
        latex = (entry.latex or "").strip() if entry else ""
        formula = latex if PROSE.fullmatch(latex) else tex_line(latex)
        after = found["mark"] or " "
        return f" {formula}{after}" if formula else f"{CLOSE_UP if found['mark'] else ''}{after}"

    lines = (one_line(PLACE.sub(written, line)) for line in text.split("\n\n"))
    marked = (line.replace(" " + CLOSE_UP, "").replace(CLOSE_UP, "") for line in lines)
    return PARAGRAPH.join(filter(None, marked))
