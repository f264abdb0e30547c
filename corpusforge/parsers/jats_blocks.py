"""The paragraphs of a part of a JATS article, with the marks of their kinds.

Figures, tables and notes follow the paragraph that they stand in, so that its sentences stay whole.
"""

import re

from lxml import etree

from corpusforge.kernels.marks import ACKNOWLEDGEMENT, FIGURE, FOOTNOTE, REFERENCE, TABLE
from corpusforge.parsers.jats_references import reference_line
from corpusforge.parsers.jats_tables import table_rows
from corpusforge.parsers.markup import (
    INLINE_RULES,
    LINE_RULES,
    PARAGRAPHS,
    Rule,
    Writer,
    flatten,
    leave_out,
    one_formula,
    raw_text,
    rules,
    space,
    write_out,
)
from corpusforge.parsers.raw_text import BREAK, ITEM, ROW, TITLE, marked_line, marked_paragraphs
from corpusforge.parsers.section_kinds import kind_of_section
from corpusforge.parsers.xmldoc import attribute, children, local_name

# Values of fn/@fn-type, fn-group/@content-type and notes/@notes-type.
THANKS = re.compile(
    r"con|conflict|coi.*|competing-interests?|supported-by|financial-disclosure|"
    r"author-contributions?|funding.*|ack.*"
)
LINK = re.compile(r"DOI:\s*https?://\S+")  # where eLife keeps a figure


def paragraphs(element: etree._Element, kind: str = "") -> list[str]:
    """The element's text as paragraphs; section titles start with `HEADING`, items with "- ".

    Args:
        element: A body, an abstract, a back, …
        kind: Marks of all its paragraphs.
    """
    writer = Writer(kind)
    writer.parts.append(writer.between)
    write_out(element, BLOCKS, writer)
    return marked_paragraphs("".join([*writer.parts, *writer.waiting]))


def thanks(meta: etree._Element) -> list[str]:
    """What the front of an article says about money, contributions and interests."""
    notes = [note for group in children(meta, "author-notes") for note in children(group, "fn")]
    notes = [note for note in notes if THANKS.fullmatch(attribute(note, "fn-type").lower())]
    for group in children(meta, "funding-group"):
        notes += children(group, "funding-statement")
    lines = (marked_line(raw_text(note, LINE_RULES)) for note in notes)
    return [ACKNOWLEDGEMENT + line for line in lines if line]


def _paragraph(writer: Writer, node: etree._Element) -> None:
    if node is writer.joined:
        return
    if writer.waiting:
        writer.parts += writer.waiting
        writer.waiting.clear()
    writer.parts.append(writer.between)


def _end_paragraph(writer: Writer, node: etree._Element) -> None:
    writer.joined = None
    _paragraph(writer, node)


def _end_of_p(writer: Writer, node: etree._Element) -> None:
    """What starts next breaks by itself, unless it is text or was waiting."""
    writer.joined = None
    tail = node.tail
    if writer.waiting or (tail and not tail.isspace()):
        _paragraph(writer, node)


def _title(writer: Writer, node: etree._Element) -> None:
    _paragraph(writer, node)
    writer.parts.append(TITLE * max(1, writer.depth))


def _item(writer: Writer, node: etree._Element) -> None:
    _paragraph(writer, node)
    writer.parts.append(ITEM)
    writer.joined = next(children(node, "p"), None)


def _definition(writer: Writer, node: etree._Element) -> None:
    writer.parts.append(" ")
    writer.joined = next(children(node, "p"), None)


def _displayed(writer: Writer, node: etree._Element) -> None:
    _paragraph(writer, node)
    one_formula(writer, node)
    writer.dollars = "$$"


def _end_displayed(writer: Writer, node: etree._Element) -> None:
    writer.dollars = "$"
    _paragraph(writer, node)


# Parts of a kind


def _section(writer: Writer, node: etree._Element) -> None:
    writer.depth += 1
    heading = next(iter(children(node, "title")), None)
    kind = "" if heading is None else kind_of_section(flatten(heading))
    if THANKS.fullmatch(attribute(node, "notes-type").lower()):
        kind = ACKNOWLEDGEMENT
    _begin(writer, node, kind)


def _end_section(writer: Writer, node: etree._Element) -> None:
    writer.depth -= 1
    _end(writer, node)


def _thanks(writer: Writer, node: etree._Element) -> None:
    _begin(writer, node, ACKNOWLEDGEMENT)


def _notes(writer: Writer, node: etree._Element) -> None:
    notes = list(children(node, "fn"))
    kinds = {attribute(node, "content-type"), *(attribute(note, "fn-type") for note in notes)}
    thankful = any(THANKS.fullmatch(kind.lower()) for kind in kinds)
    _begin(writer, node, ACKNOWLEDGEMENT if thankful else FOOTNOTE)


def _begin(writer: Writer, node: etree._Element, kind: str) -> None:
    """From here to the end of the node paragraphs are of this kind."""
    _paragraph(writer, node)
    if kind:
        writer.outer.append((node, writer.between))
        writer.between = BREAK + writer.kind + kind
        writer.parts.append(writer.between)


def _end(writer: Writer, node: etree._Element) -> None:
    _paragraph(writer, node)
    if writer.outer and writer.outer[-1][0] is node:
        writer.between = writer.outer.pop()[1]
        writer.parts.append(writer.between)


# What waits for the end of the paragraph around it


def _wait(writer: Writer, kind: str, text: str) -> None:
    if text:
        writer.waiting.append(f"{BREAK}{writer.kind}{kind}{text}")


def _figure(writer: Writer, node: etree._Element) -> bool:
    _wait(writer, FIGURE, _caption(node))
    return True


def _table(writer: Writer, node: etree._Element) -> bool:
    rows = table_rows(node)
    _wait(writer, TABLE, _caption(node) + (ROW + rows if rows else ""))
    for foot in children(node, "table-wrap-foot"):
        notes = [part for part in foot if local_name(part) in ("fn", "p")]
        for note in notes:
            _wait(writer, TABLE + FOOTNOTE, marked_line(raw_text(note, LINE_RULES)))
    return True


def _note(writer: Writer, node: etree._Element) -> bool:
    thankful = THANKS.fullmatch(attribute(node, "fn-type").lower())
    _wait(
        writer,
        ACKNOWLEDGEMENT if thankful else FOOTNOTE,
        marked_line(raw_text(node, LINE_RULES)),
    )
    return True


def _references(writer: Writer, node: etree._Element) -> bool:
    for title in children(node, "title"):
        writer.waiting.append(f"{BREAK}{writer.kind}{REFERENCE}{TITLE}{flatten(title)}")
    for entry in node.iter("{*}ref"):
        _wait(writer, REFERENCE, reference_line(entry))
    return True


# Captions


def _caption(node: etree._Element) -> str:
    line = marked_line(raw_text(node, CAPTION))
    at = line.rfind("DOI:")
    return line[:at].rstrip() if at >= 0 and LINK.fullmatch(line, at) else line


def _label(_writer: Writer, node: etree._Element) -> bool:
    parent = node.getparent()
    return parent is None or local_name(parent) not in LABELLED


def _full_stop(writer: Writer, _node: etree._Element) -> None:
    last = writer.parts[-1].rstrip()[-1:] if writer.parts else ""
    writer.parts.append(". " if last.isalnum() or last in (")", "]") else " ")


LABELLED = {"fig", "table-wrap", "media", "supplementary-material"}
CAPTION = rules(
    LINE_RULES,
    {"label": Rule(_label, _full_stop), "title": Rule(space, _full_stop)},
    dict.fromkeys(("table", "table-wrap-foot"), Rule(leave_out)),
)
SECTION = Rule(_section, _end_section)
BLOCKS = rules(
    INLINE_RULES,
    dict.fromkeys(PARAGRAPHS, Rule(_paragraph, _end_paragraph)),
    dict.fromkeys(("fig-group", "table-wrap-group"), Rule(_paragraph, _paragraph)),
    dict.fromkeys(("fig", "media", "supplementary-material"), Rule(_figure)),
    dict.fromkeys(("sec", "app", "notes"), SECTION),
    {"p": Rule(_paragraph, _end_of_p), "title": Rule(_title, _paragraph)},
    {"list-item": Rule(_item, _end_paragraph)},
    {"def": Rule(_definition, _end_paragraph), "ack": Rule(_thanks, _end)},
    {"disp-formula": Rule(_displayed, _end_displayed), "ref-list": Rule(_references)},
    {"fn-group": Rule(_notes, _end), "fn": Rule(_note)},
    {"table-wrap": Rule(_table), "table": Rule(_table)},
)
