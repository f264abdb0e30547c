"""An XML element to plain text: inline markup kept as text, formulas once, floats left out.

Numbers that only count things (labels of sections, formulas, list items) are not text. Marks of
footnotes go with the footnotes. Citations stay where they read as text, "[12]" or "(Smith, 2009)",
but superscript ones go: flattened, "seen in 10<sup>5</sup> cells<sup>12</sup>" would end in
"cells12". For the same reason an exponent that follows a digit gets a caret: "10^5", never "105".
"""

import re

from lxml import etree

from corpusforge.kernels.marks import HEADING
from corpusforge.parsers.formulas import Piece, math_line, tex_line
from corpusforge.parsers.xmldoc import attribute, entity_text, local_name

# Marks inside raw text; XML cannot contain these characters.
BREAK = "\0"  # between paragraphs
TITLE = "\1"  # one per level, in front of a section title
RAISED = "\2"  # in front of a superscript

LEFT_OUT = {
    *("fig", "fig-group", "graphic", "inline-graphic", "media", "supplementary-material"),
    *("table", "table-wrap", "table-wrap-group", "floats-group", "alt-text", "long-desc"),
    *("fn", "fn-group", "ref-list", "ack", "contrib-group", "sub-article", "response"),
    *("label", "object-id", "index-term", "glyph-data", "sec-meta", "permissions"),
}
PARAGRAPHS = {"p", "list", "list-item", "def-item", "disp-quote", "boxed-text", "statement", "sec"}
PARAGRAPHS |= {"verse-group", "speech", "preformat", "code", "disp-formula-group", "caption"}
APART = {"break", "disp-formula", "def", "term", "td", "th", "verse-line", "attrib"}
FORMULA_PARENTS = {"alternatives", "inline-formula", "disp-formula"}
NOTE_MARKS = {"fn", "table-fn", "aff", "corresp", "author-notes"}  # values of xref/@ref-type
EXPONENT = re.compile(rf"(?<=\d){RAISED}(?=[+\-\u2010-\u2015\u2212]?\d)")  # 10<sup>-5</sup>


def flatten(element: etree._Element) -> str:
    """The element's text on one line; the element itself may have any tag."""
    if len(element) == 0:
        return " ".join((element.text or "").split())
    raw = _raw(element).replace(BREAK, " ").replace(TITLE, "")
    return " ".join(raw.split())


def paragraphs(element: etree._Element) -> list[str]:
    """The element's text as paragraphs; a section title is one too, and starts with `HEADING`.

    A list gives one paragraph per item, and so does a paragraph around a list. A title with no
    text under it, such as "Supporting information" over files alone, is left out.
    """
    kept: list[str] = []
    following = 1  # level of the paragraph after this one: 0 is text; the end ends all sections
    for chunk in reversed(_raw(element).split(BREAK)):
        level = chunk.count(TITLE)
        text = " ".join(chunk.replace(TITLE, "").split())
        if not text or 0 < following <= level:
            continue
        following = level
        kept.append("#" * (level - 1) + HEADING + text if level else text)
    return kept[::-1]


def _raw(element: etree._Element) -> str:
    """Text and marks. A stack instead of recursion: papers may nest deeper than Python may."""
    parts: list[str] = []
    stack: list[Piece] = _content(element)[::-1]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            parts.append(piece)
        else:
            stack.extend(reversed(_expanded(piece)))
    return EXPONENT.sub("^", "".join(parts)).replace(RAISED, "")


def _content(element: etree._Element) -> list[Piece]:
    pieces: list[Piece] = [element.text or ""]
    for child in element:
        pieces += (child, child.tail or "")
    return pieces


def _expanded(node: etree._Element) -> list[Piece]:
    """Strings, marks and smaller elements that together read like `node`."""
    name = local_name(node)
    if not name:
        return [entity_text(node)]
    if name in LEFT_OUT or _is_mark(node, name):
        return []
    if name == "math":
        return [math_line(node)]
    if name == "tex-math":
        return [tex_line("".join(map(str, node.itertext())))]
    content = _one_formula(node) if name in FORMULA_PARENTS else _content(node)
    before, after = _surroundings(node, name)
    return [before, *content, after]


def _surroundings(node: etree._Element, name: str) -> tuple[str, str]:
    if name == "title":
        level = sum(local_name(parent) == "sec" for parent in node.iterancestors())
        return BREAK + TITLE * max(1, level), BREAK
    if name == "sup":
        return RAISED, ""
    parent = node.getparent()
    if name in APART or (name == "p" and parent is not None and local_name(parent) == "def"):
        return " ", " "
    return (BREAK, BREAK) if name in PARAGRAPHS else ("", "")


def _one_formula(node: etree._Element) -> list[Piece]:
    """Content with one rendering of each formula: TeX where there is some, else MathML."""
    if local_name(node) == "alternatives":
        readable = [child for child in node if local_name(child) not in LEFT_OUT]
        return list(sorted(readable, key=_preference)[:1])
    twice = any(local_name(child) == "tex-math" for child in node)
    content = _content(node)
    if not twice:
        return content
    return [piece for piece in content if isinstance(piece, str) or local_name(piece) != "math"]


def _preference(rendering: etree._Element) -> int:
    return {"tex-math": 0, "math": 1}.get(local_name(rendering), 2)


def _is_mark(node: etree._Element, name: str) -> bool:
    """Whether this is a superscript citation or the mark of a footnote."""
    if name == "xref":
        kind = attribute(node, "ref-type")
        return kind in NOTE_MARKS or (kind == "bibr" and _only_holds(node, "sup"))
    if name != "sup":
        return False
    if _only_holds(node, "xref"):
        return all(attribute(child, "ref-type") == "bibr" for child in node)
    # the comma of <xref><sup>1</sup></xref><sup>,</sup><xref><sup>2</sup></xref>
    before = node.getprevious()
    return (
        len(node) == 0
        and not (node.text or "").strip(" ,;-\u2013")
        and before is not None
        and not (before.tail or "").strip()
        and local_name(before) == "xref"
        and _is_mark(before, "xref")
    )


def _only_holds(node: etree._Element, name: str) -> bool:
    """Whether `node` has children of this name, and beside them no letter or digit."""
    own = (node.text or "") + "".join(child.tail or "" for child in node)
    names = {local_name(child) for child in node}
    return names == {name} and not any(character.isalnum() for character in own)
