"""An XML element to raw text: inline markup goes, formulas become LaTeX, citations are marked.

Numbers that only count things (labels of sections, formulas, list items) are not text, and marks of
footnotes go with the footnotes. Plain text has no superscripts: an exponent that follows a digit
gets a caret, "10^5" and never "105", and superscript citations stand in square brackets.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from lxml import etree

from corpusforge.kernels.marks import CITATION, END_CITATION
from corpusforge.parsers.formulas import math_line, tex_line
from corpusforge.parsers.raw_text import BREAK, LOWERED, RAISED, bare_line, cited, marked_line
from corpusforge.parsers.xmldoc import ByName, local_name

EVENTS = ("start", "end", "comment", "pi")
NOTE_MARKS = {"fn", "table-fn", "aff", "corresp", "author-notes"}  # values of xref/@ref-type
EXPONENT = re.compile(r"\s*[+\-\u2010-\u2015\u2212]?\d")  # 10<sup>-5</sup>
# "cells<sup>3,7-9</sup>" without an <xref>: two numbers or more behind a word or a sentence.
CITED = f"{CITATION}%s{END_CITATION}"
BRACKET = re.compile(r"\A[(\[]|[)\],;]\Z")
NUMBERS = re.compile(r"\s*\d{1,3}(?:\s?[,;\u2010-\u2015-]\s?\d{1,3})+\s*")
WORD_END = re.compile(r"(?:[a-z]{3}|[.,;:)\]\u201d])\Z")


class Writer:
    """What is written of an element so far, and what its end has to know."""

    def __init__(self, kind: str = "") -> None:
        self.parts: list[str] = []
        self.ends: list[tuple[etree._Element, str]] = []  # what to write after an element
        self.hidden: set[etree._Element] = set()  # other renderings of formulas
        self.dollars = "$"  # around a formula; "$$" if it is displayed
        # Of paragraphs, see `jats_blocks`.
        self.kind = kind  # the marks of all that is written
        self.between = BREAK + kind  # what starts a paragraph
        self.outer: list[tuple[etree._Element, str]] = []  # `between` before parts of a kind
        self.depth = 0  # of sections
        self.waiting: list[str] = []  # floats and notes, until the paragraph around them ends
        self.joined: etree._Element | None = None  # a paragraph that goes on with its parent's


Action = Callable[[Writer, etree._Element], bool | None]


class Rule(NamedTuple):
    """What the start and the end of an element do. A start that gives True wrote all of it."""

    start: Action | None = None
    end: Action | None = None


Rules = ByName[Rule | None]


def rules(*groups: Mapping[object, Rule | None]) -> Rules:
    """The rules of elements by their names, later ones first; others are inline markup."""
    known = {str(name): rule for group in groups for name, rule in group.items()}
    return Rules(known, lambda _name: None)


def flatten(element: etree._Element) -> str:
    """The element's text on one line without any marks; the element itself may have any tag."""
    if len(element) == 0:
        return " ".join((element.text or "").split())
    return bare_line(raw_text(element, LINE_RULES))


def cited_line(element: etree._Element) -> str:
    """The element's text on one line with its citations marked."""
    if len(element) == 0:
        return " ".join((element.text or "").split())
    return marked_line(raw_text(element, LINE_RULES))


def raw_text(element: etree._Element, ruled: Rules) -> str:
    """Raw text of what is in the element, as in the module `raw_text`."""
    writer = Writer()
    write_out(element, ruled, writer)
    return "".join(writer.parts)


def write_out(element: etree._Element, ruled: Rules, writer: Writer) -> None:
    """Write the content of the element. A walk and no recursion: papers may nest deeply."""
    append, hidden, ends = writer.parts.append, writer.hidden, writer.ends
    if element.text:
        append(element.text)
    walk = etree.iterwalk(element, events=EVENTS)
    next(walk)
    opened: list[Rule | None] = []
    for event, node in walk:
        if event == "start":
            rule = ruled[node.tag]
            opened.append(rule)
            if (hidden and node in hidden) or (rule and rule.start and rule.start(writer, node)):
                walk.skip_subtree()
            elif text := node.text:
                append(text)
        elif node is not element:
            if event == "end" and (rule := opened.pop()) and rule.end:
                rule.end(writer, node)
            while ends and ends[-1][0] is node:
                append(ends.pop()[1])
            if tail := node.tail:
                append(tail)


def leave_out(_writer: Writer, _node: etree._Element) -> bool:
    """For what is not text."""
    return True


def space(writer: Writer, _node: etree._Element) -> None:
    """For what stands apart from the words around it."""
    writer.parts.append(" ")


# Superscripts and citations


def _superscript(writer: Writer, node: etree._Element) -> bool | None:
    before = writer.parts[-1] if writer.parts else ""
    text = node.text or "" if len(node) == 0 else "".join(map(str, node.itertext()))
    if before[-1:].isdigit() and EXPONENT.match(text):
        writer.parts.append("^")
    elif len(node) and _only_cites(node):
        writer.parts.append(RAISED)
        writer.ends.append((node, LOWERED))
    elif not len(node) and NUMBERS.fullmatch(text) and WORD_END.search(before[-4:]):
        writer.parts += (RAISED, CITATION, text.strip(), END_CITATION, LOWERED)
        return True
    return None


def _reference(writer: Writer, node: etree._Element) -> bool | None:
    kind = node.get("ref-type")
    if kind != "bibr":
        return kind in NOTE_MARKS
    if len(node) == 0:
        if text := node.text:
            writer.parts.append(cited(text) if BRACKET.search(text) else CITED % text)
        return True
    if any(mark == END_CITATION for _, mark in writer.ends):
        return None  # a citation in a citation
    if _holds_only(node, "sup") and "".join(map(str, node.itertext())).strip()[:1].isalnum():
        writer.parts.append(RAISED)
        writer.ends.append((node, LOWERED))
    writer.parts.append(CITATION)
    writer.ends.append((node, END_CITATION))
    return None


def _only_cites(node: etree._Element) -> bool:
    """Whether a superscript holds citations and what parts them."""
    cites = any(child.get("ref-type") == "bibr" for child in node)
    return cites and _holds_only(node, "xref")


def _holds_only(node: etree._Element, name: str) -> bool:
    """Whether `node` has children of this name, and beside them no word, number or bracket."""
    own = (node.text or "") + "".join(child.tail or "" for child in node)
    names = {local_name(child) for child in node}
    return names == {name} and not any(mark.isalnum() or mark in "[(" for mark in own)


# Formulas


def _math(writer: Writer, node: etree._Element) -> bool:
    writer.parts.append(math_line(node, writer.dollars))
    return True


def _tex(writer: Writer, node: etree._Element) -> bool:
    writer.parts.append(tex_line("".join(map(str, node.itertext())), writer.dollars))
    return True


def _alternatives(writer: Writer, node: etree._Element) -> None:
    """One rendering is shown: TeX where there is some, else MathML, else what can be read."""
    readable = [child for child in node if local_name(child) not in PICTURES]
    shown = min(readable, key=_preference, default=None)
    writer.hidden.update(child for child in node if child is not shown)


def _preference(rendering: etree._Element) -> int:
    return {"tex-math": 0, "math": 1}.get(local_name(rendering), 2)


def one_formula(writer: Writer, node: etree._Element) -> None:
    """For what holds a formula, as TeX and as MathML beside each other perhaps."""
    names = [local_name(child) for child in node]
    if "tex-math" in names:
        pairs = zip(node, names, strict=True)
        writer.hidden.update(child for child, name in pairs if name == "math")


def _displayed_in_line(writer: Writer, node: etree._Element) -> None:
    writer.parts.append(" ")
    one_formula(writer, node)


PICTURES = {"graphic", "inline-graphic", "media"}
UNREAD = {
    *PICTURES,
    *("alt-text", "long-desc", "object-id", "index-term", "glyph-data", "sec-meta"),
    *("permissions", "label", "contrib-group", "sub-article", "response"),
}
FLOATS = {
    *("fig", "fig-group", "table", "table-wrap", "table-wrap-group", "floats-group"),
    *("supplementary-material", "fn", "fn-group", "ref-list", "ack"),
}
PARAGRAPHS = {"p", "list", "list-item", "def-item", "disp-quote", "boxed-text", "statement", "sec"}
PARAGRAPHS |= {"verse-group", "speech", "preformat", "code", "disp-formula-group", "caption"}
APART = {"break", "def", "term", "td", "th", "verse-line", "attrib"}
INLINE_RULES = rules(
    dict.fromkeys(UNREAD, Rule(leave_out)),
    dict.fromkeys(APART, Rule(space, space)),
    {
        "sup": Rule(_superscript),
        "xref": Rule(_reference),
        "math": Rule(_math),
        "tex-math": Rule(_tex),
        "alternatives": Rule(_alternatives),
        "inline-formula": Rule(one_formula),
        "disp-formula": Rule(_displayed_in_line, space),
    },
)
LINE_RULES = rules(
    INLINE_RULES,
    dict.fromkeys(FLOATS, Rule(leave_out)),
    dict.fromkeys((*PARAGRAPHS, "title"), Rule(space, space)),
)
