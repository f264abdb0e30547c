r"""Mathematics in LaTeX: where a formula ends, and how it is written in text.

Formulas stay TeX. What is no part of their meaning goes: labels, numbers, line ends of the source.
Like those of other sources, see `formulas`, they hold no dollars: a formula in words in a formula,
as in \text{if $x$}, gets the other delimiters.
"""

import re

# As far as a formula can reach without a dollar sign: an empty line ends it unfinished.
INLINE = re.compile(r"(?:[^$\\\n]++|\\.|\n(?![ \t]*\n))*+", re.S)
MARK = re.compile(r"\\.|[{}]|\$\$?|\n[ \t]*\n", re.S)
DOLLARS = re.compile(r"\\.|\$+", re.S)
DROPPED = re.compile(
    r"\\(?:label|(?:no)?cite[a-z]{0,8}+\*?+(?:\s*+\[[^\[\]{}]{0,100}+\])?)\s*+\{[^{}]{0,500}+\}"
    r"|\\(?:nonumber|notag|ensuremath|xspace|protect)(?![A-Za-z@])"
)
MODE = re.compile(
    r"\\ifmmode(?![A-Za-z@])((?:(?!\\(?:ifmmode|else|fi)(?![A-Za-z@])).){0,500}+)"
    r"(?:\\else(?![A-Za-z@])(?:(?!\\(?:ifmmode|else|fi)(?![A-Za-z@])).){0,500}+)?"
    r"\\fi(?![A-Za-z@])",
    re.S,
)


class FormulaEnds:
    """Where formulas of one text end; a search without success is not made again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._barren: dict[str, int] = {}  # ending: before this place none ends a formula

    def of_dollar(self, start: int) -> int:
        r"""Where the "$" is that ends a formula beginning at `start`; -1 if there is none.

        One in a group, as in "$x \mbox{ if $y$}$", ends nothing.
        """
        reach = INLINE.match(self._text, start)
        end = reach.end() if reach else start
        inner = self._text[start:end]
        if self._text.startswith("$", end) and inner.count("{") == inner.count("}"):
            return end
        return self.of("$", start)

    def of(self, ending: str, start: int) -> int:
        """Where `ending` stands outside of groups, before the paragraph ends; -1 if nowhere."""
        if start < self._barren.get(ending, 0):
            return -1
        depth, place = 0, start
        while found := MARK.search(self._text, place):
            mark, place = found[0], found.end()
            if mark[0] == "\n":
                break
            if mark == "{":
                depth += 1
            elif mark == "}":
                depth -= 1
            elif depth <= 0 and mark.startswith(ending):
                return found.start()
        self._barren[ending] = place if found else len(self._text)
        return -1


def formula(source: str, dollars: str, wrapper: str = "") -> str:
    r"""One formula on one line between dollars; "" for one that shows nothing.

    >>> formula("a &= b \\label{eq:1}\n", "$$", "aligned")
    '$$\\begin{aligned}a &= b\\end{aligned}$$'
    """
    if "\\" in source:
        if "\\ifmmode" in source:
            source = MODE.sub(r"\1", source)
        source = DROPPED.sub("", source)
    line = " ".join(source.split()).rstrip("\\ ")  # a backslash would escape the dollar
    if not line.strip("{} "):
        return ""
    if "$" in line:
        line = _without_dollars(line)
    if wrapper:
        line = f"\\begin{{{wrapper}}}{line}\\end{{{wrapper}}}"
    return f"{dollars}{line}{dollars}"


def _without_dollars(line: str) -> str:
    """The formula with other delimiters around those in it; one dollar without another goes."""
    inner = [found for found in DOLLARS.finditer(line) if found[0][0] == "$"]
    paired = len(inner) // 2 * 2
    pieces, start = [], 0
    for i, found in enumerate(inner):
        delimiter = ("\\(", "\\)")[i % 2] if i < paired else ""
        pieces += [line[start : found.start()], delimiter]
        start = found.end()
    return "".join([*pieces, line[start:]])
