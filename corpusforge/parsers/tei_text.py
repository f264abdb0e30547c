"""The text of a TEI document of GROBID: its paragraphs, with the marks of their kinds."""

import re
from collections.abc import Iterator

from lxml import etree

from corpusforge.kernels.marks import (
    ACKNOWLEDGEMENT,
    FIGURE,
    FOOTNOTE,
    HEADING,
    REFERENCE,
    TABLE,
)
from corpusforge.parsers.markup import LINE_RULES, Rule, Writer, flatten, raw_text, rules
from corpusforge.parsers.raw_text import cited, marked_line
from corpusforge.parsers.section_kinds import kind_of_section
from corpusforge.parsers.xmldoc import attribute, children, first, local_name

TEXTS = {"p", "formula", "ab", "quote", "item"}
HOLDERS = {"div", "list"}
SECTION_NUMBER = re.compile(r"\d+(?:\.\d+)*")
THANKS = {"acknowledgement", "funding", "contribution", "conflict"}  # values of div/@type


def text_parts(holder: etree._Element | None) -> Iterator[str]:
    """Paragraphs and headings in order."""
    stack: list[tuple[etree._Element, str]] = [] if holder is None else [(holder, "")]
    while stack:
        node, kind = stack.pop()
        name = local_name(node)
        if name == "head" and (text := _line(node)):
            yield kind + _heading(node, text)
        elif name in TEXTS:
            if text := _line(node):
                yield kind + "- " * (name == "item") + text
        elif name in ("figure", "note", "listBibl"):
            yield from _other(node, name)
        elif node is holder or name in HOLDERS:
            if not len(node) and (text := flatten(node)):
                yield kind + text  # an abstract that is bare text
            inner = kind or _kind(node)
            stack.extend((child, inner) for child in reversed(node))


def _kind(div: etree._Element) -> str:
    if attribute(div, "type").lower() in THANKS:
        return ACKNOWLEDGEMENT
    head = first(div, "head")
    return "" if head is None else kind_of_section(flatten(head))


def _heading(node: etree._Element, text: str) -> str:
    """A number of its own, n="2.1.", says how deep it is."""
    number = SECTION_NUMBER.match(attribute(node, "n"))
    depth = number[0].count(".") if number else 0
    return "#" * depth + HEADING + text


def _other(node: etree._Element, name: str) -> Iterator[str]:
    """Figures and tables by their captions, notes, and the list of references."""
    if name == "note":
        texts = [FOOTNOTE + _line(node)]
    elif name == "figure":
        kind = TABLE if attribute(node, "type") == "table" else FIGURE
        found = (first(node, part) for part in ("head", "figDesc"))
        texts = [kind + " ".join(_line(part) for part in found if part is not None)]
    else:
        texts = [REFERENCE + _reference(entry) for entry in children(node, "biblStruct")]
    yield from (text for text in texts if len(text) > 1)


def _reference(entry: etree._Element) -> str:
    """As it was printed, where GROBID tells that; else its parts."""
    for note in children(entry, "note"):
        if attribute(note, "type") == "raw_reference":
            return flatten(note)
    people = [_person(name) for name in entry.iterfind(".//{*}author/{*}persName")]
    titles = [flatten(title) for title in entry.iterfind(".//{*}title")]
    dates = [attribute(date, "when") or flatten(date) for date in entry.iterfind(".//{*}date")]
    year = f" ({dates[0][:4]})" if dates and dates[0] else ""
    named = [", ".join(filter(None, people)) + year, *filter(None, titles)]
    return ". ".join(filter(None, named)).strip()


def _person(name: etree._Element) -> str:
    """Family name and initials."""
    given = "".join(flatten(part)[:1] for part in children(name, "forename"))
    family = first(name, "surname")
    return ("" if family is None else f"{flatten(family)} {given}").strip()


def _line(node: etree._Element) -> str:
    return marked_line(raw_text(node, TEI_RULES))


def _cited(writer: Writer, node: etree._Element) -> bool | None:
    if attribute(node, "type") != "bibr":
        return None
    if text := flatten(node):
        writer.parts.append(cited(text))
    return True


TEI_RULES = rules(LINE_RULES, {"ref": Rule(_cited)})
