"""One formula as one line of text: TeX between dollars, MathML written out."""

import re

from lxml import etree

from corpusforge.parsers.xmldoc import entity_text, local_name

Piece = str | etree._Element

DOCUMENT = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.S)
DELIMITERS = (("$$", "$$"), ("$", "$"), ("\\[", "\\]"), ("\\(", "\\)"))
OPENERS = ("$", "\\")
TOKENS = {"mi", "mn", "mo", "ms", "mtext"}
WRAPPERS = {"mrow", "mstyle", "mpadded"}
HIDDEN = {"annotation", "annotation-xml", "mphantom", "none", "mprescripts"}
# a, b, c: the operands; as capitals, in brackets when composite. Anything else stands for itself.
FORMS = {
    "mfrac": "A/B",
    "msup": "a^B",
    "msub": "a_B",
    "munder": "a_B",
    "mover": "ab",
    "msubsup": "a_B^C",
    "munderover": "a_B^C",
    "mroot": "A^(1/b)",
}
SEPARATORS = {"mtable": "; ", "mtr": " ", "mlabeledtr": " "}


def tex_line(source: str) -> str:
    r"""TeX between single dollars, without the document that publishers wrap it in.

    >>> tex_line(r"\documentclass{minimal} \begin{document}$$x^2$$\end{document}")
    '$x^2$'
    """
    found = DOCUMENT.search(source) if "\\begin" in source else None
    body = " ".join((found[1] if found else source).split())
    for start, end in DELIMITERS if body[:1] in OPENERS else ():
        inner = body[len(start) : -len(end)]
        if body.startswith(start) and body.endswith(end) and "$" not in inner:
            body = inner.strip()
            break
    return f"${body}$" if body and "$" not in body else body


def math_line(math: etree._Element) -> str:
    """MathML on one line: R^2, (a+b)/c, x_i, √(y). Layout between its tokens is not text."""
    parts: list[str] = []
    stack: list[Piece] = [math]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            parts.append(piece)
        else:
            stack.extend(reversed(_written_out(piece)))
    return " ".join("".join(parts).split())


def _written_out(node: etree._Element) -> list[Piece]:
    """Strings and smaller nodes that together read like `node`."""
    name = local_name(node)
    if name in TOKENS:
        return [_token(node)]
    operands = [child for child in node if local_name(child) and local_name(child) not in HIDDEN]
    form = FORMS.get(name, "")
    if operands and len(operands) == sum(letter in "abcABC" for letter in form):
        return [piece for letter in form for piece in _filled_in(letter, operands)]
    if name == "mfenced":
        inner = _joined(operands, (node.get("separators") or ",").strip()[:1])
        return [node.get("open", "("), *inner, node.get("close", ")")]
    if name == "msqrt":
        return ["√(", *operands, ")"]
    return [" "] if name == "mspace" else _joined(operands, SEPARATORS.get(name, ""))


def _filled_in(letter: str, operands: list[etree._Element]) -> list[Piece]:
    place = "abc".find(letter.lower())
    if place < 0:
        return [letter]
    inner = operands[place]
    while local_name(inner) in WRAPPERS and len(inner) == 1:
        inner = inner[0]
    plain = letter.islower() or local_name(inner) in TOKENS
    return [operands[place]] if plain else ["(", operands[place], ")"]


def _joined(nodes: list[etree._Element], separator: str) -> list[Piece]:
    pieces: list[Piece] = []
    for node in nodes:
        pieces += [separator, node] if pieces else [node]
    return pieces


def _token(node: etree._Element) -> str:
    # MathML trims blanks at the ends of a token; a no-break space there is meant.
    inner = [part for child in node for part in (entity_text(child), child.tail or "")]
    return "".join([node.text or "", *inner]).strip(" \t\r\n")
