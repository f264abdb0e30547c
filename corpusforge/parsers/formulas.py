r"""One formula as text: LaTeX between dollars, "$x^2$" within a line, "$$x^2$$" as a paragraph.

Between its dollars a formula has none: words in it that hold a formula, \text{if $x$}, get the
other delimiters, \text{if \(x\)}. So dollars that no backslash escapes come in pairs.
"""

import re

from lxml import etree

from corpusforge.parsers.mathml import latex
from corpusforge.parsers.xmldoc import attribute

DOCUMENT = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.S)
COMMENT = re.compile(r"(?<!\\)%[^\n]*\n")
DELIMITERS = (("$$", "$$"), ("$", "$"), ("\\[", "\\]"), ("\\(", "\\)"))
OPENERS = ("$", "\\")
EQUATION = re.compile(r"\\begin\{(equation|displaymath|math)(\*?)\}(.*)\\end\{\1\2\}")
ALIGNED = re.compile(r"\\(begin|end)\{(?:align|eqnarray|flalign)\*?\}")
LABEL = re.compile(r"\\label\s?\{[^{}]*\} ?")
DOLLARS = re.compile(r"(?<!\\)\$+")
ROWS = re.compile(r"(?<!\\)&|\\\\")


def tex_line(source: str, dollars: str = "$") -> str:
    r"""TeX between dollars, without the document that publishers wrap it in; "" if there is none.

    >>> tex_line(r"\documentclass{minimal} \begin{document}$$x^2$$\end{document}")
    '$x^2$'
    """
    found = DOCUMENT.search(source) if "\\begin" in source else None
    body = found[1] if found else source
    if "%" in body:
        body = COMMENT.sub("\n", body)
    body = _undelimited(" ".join(body.split()))
    if "\\begin" in body or "\\label" in body:
        body = LABEL.sub("", ALIGNED.sub(r"\\\1{aligned}", EQUATION.sub(r"\3", body))).strip()
    if "$" in body and (pieces := DOLLARS.split(body))[1:]:
        if len(pieces) % 2 and "{" not in pieces[0]:
            return "$".join(pieces)  # several formulas in a sentence, with dollars of their own
        body = _in_other_delimiters(pieces)
    if dollars == "$$" and "\\begin" not in body and ROWS.search(body):
        body = f"\\begin{{aligned}} {body} \\end{{aligned}}"
    body = body.rstrip("\\ ")  # spaces and line ends, of which a backslash would escape the dollar
    return f"{dollars}{body}{dollars}" if body else ""


def math_line(math: etree._Element, dollars: str = "$") -> str:
    """MathML as LaTeX between dollars; the TeX that it was made from, where it is told."""
    for note in math.iter("{*}annotation"):
        is_tex = attribute(note, "encoding").lower().endswith("tex")
        if is_tex and (line := tex_line(note.text or "", dollars)):
            return line
    written = latex(math)
    return f"{dollars}{written}{dollars}" if written else ""


def _undelimited(body: str) -> str:
    for start, end in DELIMITERS if body[:1] in OPENERS else ():
        inner = body[len(start) : -len(end)]
        if body.startswith(start) and body.endswith(end) and not DOLLARS.search(inner):
            return inner.strip()
    return body


def _in_other_delimiters(pieces: list[str]) -> str:
    r"""The pieces between dollars in \( and \); an odd dollar goes."""
    if len(pieces) % 2 == 0:
        return "".join(pieces)
    marks = ("\\)", "\\(")
    return pieces[0] + "".join(marks[at % 2] + piece for at, piece in enumerate(pieces[1:], 1))
