r"""MathML to LaTeX: what a formula says, without how it is laid out.

Presentation elements as in MathML 3 (W3C, chapter 3); any other stands for what is in it. What TeX
has no command for stays the character it is. Until the end a blank closes each command, so that
"\alpha" and "x" can be put together, and BLANK is a space that is meant.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from lxml import etree

from corpusforge.parsers.mathml_tokens import (
    ACCENTS_ABOVE,
    ACCENTS_BELOW,
    BLANK,
    ENCLOSED,
    FENCES,
    LABELLED_ARROWS,
    LIMITS,
    MATRICES,
    TOKENS,
    character,
    finished,
    words,
)
from corpusforge.parsers.xmldoc import local_name

HIDDEN = {"annotation", "annotation-xml", "mphantom", "none", "mprescripts", "maligngroup"}


class Piece(NamedTuple):
    """A part of a formula."""

    latex: str
    token: str = ""  # the text of a lone token: what tells an accent, a fence or a sum
    solid: bool = True  # a script that follows belongs to all of it
    rows: str = ""  # of a table: what stands in its environment


NOTHING = Piece("")
Pieces = list[Piece]


def latex(math: etree._Element) -> str:
    r"""One formula as LaTeX for mathematics mode, on one line, without dollars.

    Braces are balanced, and no "$" is in it (one that is meant is \textdollar). Never raises.
    """
    pieces: list[Piece | None] = []
    for event, node in etree.iterwalk(math, events=("end", "comment", "pi")):
        if event != "end":
            pieces.append(None)
        elif count := len(node):
            inner = [piece for piece in pieces[-count:] if piece]
            del pieces[-count:]
            pieces.append(_composed(node, local_name(node), inner))
        else:
            pieces.append(_leaf(node, local_name(node)))
    return finished(pieces[-1].latex if pieces and pieces[-1] else "")


def _leaf(node: etree._Element, name: str) -> Piece:
    if name != "mspace":
        return _token(name, node.text or "", node.get("mathvariant", ""))
    none = re.match(r"\s*(?:-|0(?:e|p|\s*\Z))", node.get("width", ""))
    return NOTHING if none else Piece(f"\\{BLANK}")


@lru_cache(8192)  # most formulas are of a few letters and signs
def _token(name: str, text: str, variant: str) -> Piece:
    text = text.strip(" \t\r\n")
    if name in HIDDEN:
        return Piece("", name)
    return Piece(TOKENS.get(name, words)(text, variant), text) if text else NOTHING


def _composed(node: etree._Element, name: str, pieces: Pieces) -> Piece:
    if name in HIDDEN or name in TOKENS:
        text = "" if name in HIDDEN else "".join(map(str, node.itertext()))
        return _token(name, text, node.get("mathvariant", ""))
    if name in LAYOUTS:
        return LAYOUTS[name](node, pieces)
    fewest, most, form = FORMS.get(name, (0, None, _row))
    return form(pieces) if len(pieces) >= fewest and most in (None, len(pieces)) else _row(pieces)


def _row(pieces: Pieces) -> Piece:
    if len(pieces) == 1:
        return pieces[0]
    if len(pieces) in (2, 3):
        closing = pieces[2] if len(pieces) == 3 else NOTHING
        if table := _matrix(pieces[0].token, pieces[1], closing.token):
            return table
    whole = "".join([piece.latex for piece in pieces])
    return Piece(whole, solid=whole[:1] + whole[-1:] in FENCES)


# Scripts, and what stands around something


def _scripted(base: Piece, below: str, above: str = "") -> Piece:
    stem = base.latex if base.solid else f"{{{base.latex}}}"
    return Piece((stem or "{}") + _script("_", below) + _script("^", above), solid=False)


def _script(mark: str, inner: str) -> str:
    if mark == "^" and inner in ("'", "''", "'''"):
        return inner
    single = len(inner) == 1 and inner.isascii() and inner.isalnum()
    return f"{mark}{inner}" if single else f"{mark}{{{inner}}}" * bool(inner)


def _multiscripts(pieces: Pieces) -> Piece:
    base, *scripts = pieces
    at = next((i for i, piece in enumerate(scripts) if piece.token == "mprescripts"), len(scripts))
    below, above, *more = [*scripts[:at], NOTHING, NOTHING]
    before, after = (
        "".join(
            "{}" + _script("_", low.latex) + _script("^", high.latex)
            for low, high in zip_longest(pairs[::2], pairs[1::2], fillvalue=NOTHING)
            if low.latex or high.latex
        )
        for pairs in (scripts[at + 1 :], more)
    )
    middle = _scripted(base, below.latex, above.latex)
    return Piece(before + middle.latex + after, solid=False)


def _around(base: Piece, below: Piece, above: Piece) -> Piece:
    """What stands under and over something: limits, accents, labels of arrows, or just that."""
    if base.token in LIMITS:
        return _scripted(base, below.latex, above.latex)
    if arrow := LABELLED_ARROWS.get(base.token):
        under = f"[{{{below.latex}}}]" if below.latex else ""
        return Piece(f"\\{arrow}{under}{{{above.latex}}}")
    whole = base.latex
    for mark, accents, other in (below, ACCENTS_BELOW, "under"), (above, ACCENTS_ABOVE, "over"):
        narrow, wide = accents.get(mark.token, ("", ""))
        if narrow:
            whole = f"\\{narrow if len(base.token) == 1 else wide}{{{whole}}}"
        elif mark.latex:
            whole = f"\\{other}set{{{mark.latex}}}{{{whole}}}"
    return Piece(whole)


def _fraction(node: etree._Element, pieces: Pieces) -> Piece:
    if len(pieces) != 2:
        return _row(pieces)
    if node.get("bevelled") == "true":
        parts = (piece.latex if piece.solid else f"{{{piece.latex}}}" for piece in pieces)
        return Piece("/".join(parts), solid=False)
    if node.get("linethickness", "").startswith("0"):
        return Piece(f"\\substack{{{pieces[0].latex}\\\\{BLANK}{pieces[1].latex}}}")
    return Piece(f"\\frac{{{pieces[0].latex}}}{{{pieces[1].latex}}}")


def _enclosed(node: etree._Element, pieces: Pieces) -> Piece:
    names = [ENCLOSED[word] for word in node.get("notation", "").split() if word in ENCLOSED]
    inner = _row(pieces)
    return Piece(f"\\{names[0]}{{{inner.latex}}}") if names else inner


# Fences and tables


def _fenced(node: etree._Element, pieces: Pieces) -> Piece:
    opening, closing = node.get("open", "("), node.get("close", ")")
    if len(pieces) == 1 and (table := _matrix(opening, pieces[0], closing)):
        return table
    marks = node.get("separators", ",").replace(" ", "")
    inner = pieces[0].latex
    for at, piece in enumerate(pieces[1:]):
        inner += "".join(map(character, marks[min(at, len(marks) - 1) :][:1])) + piece.latex
    left, right = ("".join(map(character, mark.strip())) for mark in (opening, closing))
    return Piece(left + inner + right, solid=left + right in FENCES)


def _matrix(opening: str, table: Piece, closing: str) -> Piece | None:
    """The table in its fences as one environment; None if it is no table, or they are others."""
    name = MATRICES.get(opening + closing)
    if not name or not table.rows:
        return None
    return Piece(f"\\begin{{{name}}}{table.rows}\\end{{{name}}}")


def _table(node: etree._Element, pieces: Pieces) -> Piece:
    """Rows. Equations below each other, aligned at the left or at their signs, are no matrix."""
    rows = [piece.latex for piece in pieces]
    one_column = not any("&" in row for row in rows)
    aligned = node.get("columnalign", "").startswith("left" if one_column else "right")
    name = "aligned" if aligned else "matrix"
    inner = BLANK + f"{BLANK}\\\\{BLANK}".join(rows) + BLANK
    return Piece(f"\\begin{{{name}}}{inner}\\end{{{name}}}", rows=inner)


def _cells(pieces: Pieces) -> Piece:
    return Piece(f"{BLANK}&{BLANK}".join([piece.latex for piece in pieces]), solid=False)


LAYOUTS = {"mfrac": _fraction, "menclose": _enclosed, "mfenced": _fenced, "mtable": _table}
# The fewest operands of an element, and the most if that is fixed, and what it makes of them.
FORMS: dict[str, tuple[int, int | None, Callable[[Pieces], Piece]]] = {
    "msub": (2, 2, lambda of: _scripted(of[0], of[1].latex)),
    "msup": (2, 2, lambda of: _scripted(of[0], "", of[1].latex)),
    "msubsup": (3, 3, lambda of: _scripted(of[0], of[1].latex, of[2].latex)),
    "munder": (2, 2, lambda of: _around(of[0], of[1], NOTHING)),
    "mover": (2, 2, lambda of: _around(of[0], NOTHING, of[1])),
    "munderover": (3, 3, lambda of: _around(*of)),
    "mmultiscripts": (1, None, _multiscripts),
    "mroot": (2, 2, lambda of: Piece(f"\\sqrt[{{{of[1].latex}}}]{{{of[0].latex}}}")),
    "msqrt": (1, None, lambda of: Piece(f"\\sqrt{{{_row(of).latex}}}")),
    "mtr": (1, None, _cells),
    "mlabeledtr": (1, None, lambda of: _cells(of[1:])),  # without the number of the formula
    "maction": (1, None, lambda of: of[0]),
}
