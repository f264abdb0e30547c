r"""Conditionals of TeX, decided as far as their text says: \iffalse, \iftrue and switches.

A switch, made by \newif, is what it was set to last. Of any other condition the first branch
stands. \ifmmode stays in place: only who reads the mathematics knows.
"""

import re

# Primitives, and what packages define for the engine that compiles. \iff and \ifthenelse are none.
NAMES = (
    "if ifcat ifx ifnum ifdim ifodd ifvmode ifhmode ifinner ifvoid ifhbox ifvbox ifeof ifcase "
    "ifdefined ifcsname iffontchar ifpdf ifxetex ifluatex ifPDFTeX ifXeTeX ifLuaTeX"
)
KNOWN = set(NAMES.split())
TOKEN = re.compile(
    r"""\\(?: \\
    | newif\s*+\\if(?P<made>[A-Za-z@]++)
    | let\s*+\\if(?P<same>[A-Za-z@]++)\s*+=?+\s*+\\if(?P<as>true|false)(?![A-Za-z@])
    | (?P<opened>if[A-Za-z@]*+)
    | (?P<mark>else|or|fi)(?![A-Za-z@])
    | (?P<set>[A-Za-z@]{1,40}?)(?P<to>true|false)(?![A-Za-z@])
    )""",
    re.X,
)
WORD = r"\s*+(?:\\(?:[A-Za-z@]++|.)|[^\\\s])"
NUMBER = r"\s*+(?:\\[A-Za-z@]++|-?[\d.]++[ \t]?)"
OPERANDS = {
    **dict.fromkeys(("if", "ifcat", "ifx"), re.compile(WORD * 2)),
    **dict.fromkeys(("ifnum", "ifdim"), re.compile(rf"{NUMBER}\s*+[<>=]{NUMBER}")),
    **dict.fromkeys(("ifodd", "ifcase"), re.compile(NUMBER)),
    "ifdefined": re.compile(WORD),
}


class _Open:
    """A conditional that is not closed yet."""

    def __init__(self, shown: bool, left: bool = False) -> None:
        self.shown = shown  # whether the branch that is open stands
        self.left = left  # \ifmmode, which stays as it is


def settled(text: str) -> str:
    r"""The text with the branches that stand; the same text if some conditional never ends.

    >>> settled(r"a\iffalse b\ifx\x\y c\fi\else d\fi e")
    'a d e'
    >>> settled(r"\newif\ifdraft\drafttrue\ifdraft yes\else no\fi")
    ' yes'
    """
    if "\\if" not in text:
        return text
    switches: dict[str, bool] = {"true": True, "false": False}
    opened: list[_Open] = []
    pieces: list[str] = []
    start = hidden = 0  # `hidden` counts open branches that do not stand
    for found in TOKEN.finditer(text):
        if found.start() < start or not _counts(found, switches):
            continue
        if not hidden:
            pieces.append(text[start : found.start()])
        start, left = found.end(), False
        if (name := found["opened"]) is not None:
            left = name == "ifmmode"
            opened.append(_Open(left or switches.get(name[2:], True), left))
            hidden += not opened[-1].shown
            if operands := OPERANDS.get(name):
                start = taken.end() if (taken := operands.match(text, start)) else start
        elif (mark := found["mark"]) is not None:
            left = bool(opened) and opened[-1].left
            if opened and not left:
                hidden -= not opened[-1].shown
                opened[-1].shown = mark == "else" and not opened[-1].shown
                hidden += not opened[-1].shown
            if opened and mark == "fi":
                hidden -= not opened.pop().shown
        elif not hidden:
            _switch(found, switches)
        if left and not hidden:
            pieces.append(found[0])
    if opened:
        return text
    return "".join([*pieces, text[start:]])


def _counts(found: re.Match[str], switches: dict[str, bool]) -> bool:
    if name := found["opened"]:
        return name in KNOWN or name == "ifmmode" or name[2:] in switches
    return found[0] != "\\\\" and (found["set"] is None or found["set"] in switches)


def _switch(found: re.Match[str], switches: dict[str, bool]) -> None:
    if found["made"]:
        switches[found["made"]] = False
    elif found["same"]:
        switches[found["same"]] = found["as"] == "true"
    elif found["set"]:
        switches[found["set"]] = found["to"] == "true"
