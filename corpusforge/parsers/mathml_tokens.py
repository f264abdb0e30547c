r"""The tokens and characters of formulas as TeX writes them, and what they mean beside others.

Most commands are those of pylatexenc's table; those here are what it only knows for running text.
A command ends in a blank here, and BLANK is a space that is meant: see `finished`.
"""

import re
import unicodedata
from functools import lru_cache

from pylatexenc.latexencode import UnicodeToLatexEncoder

BLANK = "\1"  # XML cannot contain it
SPARE = re.compile("(?<=[A-Za-z]) (?![A-Za-z])")  # the end of a command that needs none
WIDE = re.compile(r"(?:\\, ?|\\ ){2,}")  # tabulated with spaces
KNOWN = re.compile(r"\\ensuremath\{(.*)\}")
STYLES = {"BOLD ITALIC": "boldsymbol", "BOLD": "mathbf", "DOUBLE-STRUCK": "mathbb", "ITALIC": ""}
STYLES |= {"SCRIPT": "mathcal", "FRAKTUR": "mathfrak", "BLACK-LETTER": "mathfrak"}
STYLES |= {"SANS-SERIF": "mathsf", "MONOSPACE": "mathtt"}
# Letters of these styles, as "MATHEMATICAL BOLD SMALL X" and "DOUBLE-STRUCK CAPITAL R".
STYLED = re.compile(rf"(?:MATHEMATICAL )?({'|'.join(STYLES)}) (?:[A-Z-]+ )*(?:CAPITAL|SMALL|DIGIT)")

WRITTEN = {mark: f"\\{mark}" for mark in "{}%#&_"}
WRITTEN |= {"\u2032": "'", "\u2033": "''", "\u2034": "'''", "\u2019": "'", "\u2013": "-"}
WRITTEN |= {"\u2010": "-", "\u00b0": "^{\\circ }", **dict.fromkeys("\u2009\u200a\u202f", "\\,")}
WRITTEN |= {
    mark: f"\\{name} "
    for mark, name in {
        **{"\\": "backslash", "$": "textdollar", "~": "sim", "^": "wedge", "\u2192": "to"},
        **{"\u2190": "leftarrow", "\u2191": "uparrow", "\u2193": "downarrow", "\u00d7": "times"},
        **{"\u00f7": "div", "\u00b7": "cdot", "\u2022": "bullet", "\u2026": "ldots"},
        **{"\u00b5": "mu", "\u2020": "dagger", "\u2021": "ddagger", "\u221a": "surd"},
        **{"\u2016": "Vert", "\u00ac": "neg", "\u210f": "hbar", "\u2113": "ell"},
    }.items()
}
IN_TEXT = {mark: f"\\{mark}" for mark in "{}%#&_"}
IN_TEXT |= {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"}
IN_TEXT |= {"$": "\\textdollar{}"}

# Of the attribute mathvariant.
VARIANTS = {
    **{"normal": "mathrm", "italic": "mathit", "bold": "mathbf", "bold-italic": "boldsymbol"},
    **{"double-struck": "mathbb", "monospace": "mathtt", "fraktur": "mathfrak"},
    **{"bold-fraktur": "mathfrak", "script": "mathcal", "bold-script": "mathcal"},
    **{"sans-serif": "mathsf", "bold-sans-serif": "mathsf", "sans-serif-italic": "mathsf"},
}
FUNCTIONS = {
    *("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "arcsin"),
    *("arccos", "arctan", "log", "ln", "lg", "exp", "arg", "dim", "ker", "hom", "deg"),
}
WITH_LIMITS = {"lim", "max", "min", "sup", "inf", "det", "gcd", "Pr", "limsup", "liminf"}
FUNCTIONS |= WITH_LIMITS
SUMS = "\u2211\u220f\u2210\u222b\u222c\u222d\u222e"  # and products, and integrals
SUMS += "\u22c0\u22c1\u22c2\u22c3\u2a00\u2a01\u2a02\u2a04\u2a06"  # joins, unions and their kin
LIMITS = {*SUMS, *WITH_LIMITS}  # what stands below and above these are their bounds
# What an accent is over one character, and over several.
ACCENTS_ABOVE = {
    **dict.fromkeys("^\u02c6\u0302", ("hat", "widehat")),
    **dict.fromkeys("~\u02dc\u223c\u0303", ("tilde", "widetilde")),
    **dict.fromkeys(
        "\u00af\u203e_-\u2212\u2013\u2014\u2015\u0304\u0305\u02c9", ("bar", "overline")
    ),
    **dict.fromkeys("\u2192\u21c0\u20d7\u27f6", ("vec", "overrightarrow")),
    **dict.fromkeys("\u2190\u21bc\u20d6", ("overleftarrow", "overleftarrow")),
    **dict.fromkeys(".\u02d9\u0307\u22c5\u00b7", ("dot", "dot")),
    **dict.fromkeys(["\u00a8", "\u0308", "..", "\u2025"], ("ddot", "ddot")),
    **dict.fromkeys("\u02c7\u030c", ("check", "check")),
    **dict.fromkeys("\u02d8\u0306", ("breve", "breve")),
    **dict.fromkeys("\u00b4\u02ca", ("acute", "acute")),
    **dict.fromkeys("\u02da\u030a", ("mathring", "mathring")),
    **dict.fromkeys("\u23de\ufe37", ("overbrace", "overbrace")),
}
ACCENTS_BELOW = {
    **dict.fromkeys("\u00af\u203e_-\u2212\u2013\u0332\u0331", ("underline", "underline")),
    **dict.fromkeys("\u23df\ufe38", ("underbrace", "underbrace")),
}
LABELLED_ARROWS = {"\u2192": "xrightarrow", "\u2190": "xleftarrow", "\u27f6": "xrightarrow"}
LABELLED_ARROWS |= {"\u21cc": "xrightleftharpoons", "\u21c4": "xrightleftharpoons"}

FENCES = {"()", "[]", "||"}  # a script after the closing one belongs to all between them
# Fences around a matrix, and the environment that draws both.
MATRICES = {"()": "pmatrix", "[]": "bmatrix", "||": "vmatrix", "{}": "Bmatrix", "{": "cases"}
ENCLOSED = {"box": "boxed", "roundedbox": "boxed", "circle": "boxed", "radical": "sqrt"}
ENCLOSED |= {"top": "overline", "actuarial": "overline", "bottom": "underline"}

_encoder = UnicodeToLatexEncoder(
    replacement_latex_protection="none", unknown_char_policy="keep", unknown_char_warning=False
)


@lru_cache(4096)
def character(mark: str) -> str:
    r"""One character as mathematics.

    >>> [character(mark) for mark in "x\u03b1{\U0001d431"]
    ['x', '\\alpha ', '\\{', '\\mathbf{x}']
    """
    if mark in WRITTEN:
        return WRITTEN[mark]
    if "!" <= mark <= "~":
        return mark
    if mark.isspace():
        return f"\\{BLANK}"
    plain = unicodedata.normalize("NFKC", mark)
    style = STYLED.fullmatch(unicodedata.name(mark, "").rpartition(" ")[0])
    if style and plain != mark:
        command = STYLES[style[1]]
        return f"\\{command}{{{character(plain)}}}" if command else character(plain)
    return "" if unicodedata.category(mark) in ("Cf", "Cc", "Cs") else _of_table(mark)


def _of_table(mark: str) -> str:
    known = KNOWN.fullmatch(_encoder.unicode_to_latex(mark))
    command = known[1] if known else mark
    return command + " " if command.startswith("\\") and command[-1].isalpha() else command


def identifier(text: str, variant: str) -> str:
    """A variable or the name of a function, <mi>, in its variant of letters."""
    if text in FUNCTIONS:
        return f"\\{text} "
    upright = text.isascii() and text.isalnum()
    if len(text) > 1 and not upright:
        return words(text, "") if any(map(str.isspace, text)) else "".join(map(character, text))
    command = VARIANTS.get(variant, "" if len(text) == 1 else "mathrm")
    if (command == "mathit" and len(text) == 1) or (command == "mathrm" and not upright):
        command = ""
    written = "".join(map(character, text))
    return f"\\{command}{{{written}}}" if command else written


def symbols(text: str, variant: str) -> str:
    """A number or an operator, <mn> and <mo>."""
    if text in FUNCTIONS:
        return f"\\{text} "
    if len(text) > 1 and text.isascii() and text.isalpha():
        return f"\\operatorname{{{text}}}"
    written = "".join(map(character, text))
    return f"\\mathbf{{{written}}}" if variant == "bold" and text.isalnum() else written


def words(text: str, variant: str) -> str:
    """Running text, <mtext>: spaces count, and nothing in it is a command."""
    if text.isspace():
        return f"\\{BLANK}"
    if text.isdigit() or not any(letter.isascii() and letter.isalnum() for letter in text):
        return "".join(map(character, text))
    written = "".join([BLANK if mark.isspace() else IN_TEXT.get(mark, mark) for mark in text])
    return f"\\{'textbf' if variant == 'bold' else 'text'}{{{written}}}"


TOKENS = {"mi": identifier, "ci": identifier, "mn": symbols, "cn": symbols, "mo": symbols}
TOKENS |= {"mtext": words, "ms": words}


def finished(latex: str) -> str:
    r"""A formula of `character` and `words` as TeX reads it.

    >>> finished("\\alpha x+\\beta +1")
    '\\alpha x+\\beta+1'
    """
    spaced = " ".join(SPARE.sub("", latex).replace(BLANK, " ").split())
    return WIDE.sub(r"\\quad ", spaced).rstrip("\\ ")
