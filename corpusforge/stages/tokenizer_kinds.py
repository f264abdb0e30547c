"""Kinds of text that a scientific tokenizer meets, found by regular expressions.

They are for measuring, not for cleaning: what they find is nearly always of its kind, and they find
enough of it. A blank before a find belongs to it, as a token has the blank before its word.

The time grows with the text, whatever is in it: a word of letters and digits that is far longer
than any of these kinds is left out, or an expression would read on from each of its characters.
"""

import re

_UNIT = (
    r"(?:[kMGTcdmµμnpf]?(?:mol|Pa|Hz|eV|cal|bar|Da|[mglLsVAWJKNMTFΩ])|min|h|°C|%|ppm|rpm|Å)"
    r"(?:[²³]|\^?-?\d)?"
)
_GROUP = (
    r"(?:meth|eth|prop|but|pent|hex|phen|benz|acet|hydrox|amino|chlor|brom|fluor|nitr|sulf|sulph|"
    r"phosph|carbox|ox|imid|pyr|thi|az)"
)

_SEQUENCE = re.compile(r"[A-Za-z0-9]{101,}")  # of bases, or of bytes in base 64

KINDS = {
    "prose": re.compile(r" ?(?:[A-Za-z]+[,;:.]? ){8,40}[A-Za-z]+"),
    "LaTeX": re.compile(r" ?(?:\$[^$\n]{1,300}\$|(?:\\[A-Za-z]+(?:\{[^{}\n]{0,60}\})*)+)"),
    "numbers": re.compile(
        r" ?(?<![A-Za-z0-9])[-\u2212]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?(?![A-Za-z0-9])"
    ),
    # Formulas (H2SO4, NaHCO3), names with locants (2,4-dinitrophenol) and names of several groups.
    "chemical names": re.compile(
        r" ?(?:\b(?:[A-Z][a-z]?\d{0,3}){1,8}(?:(?<=[A-Za-z])\d{1,3})(?:[A-Z][a-z]?\d{0,3}){0,8}\b"
        rf"|\b\d+'?(?:,\d+'?){{0,19}}-[a-z]{{4,}}\w*(?:-\w+)*"
        rf"|\b[a-z]*{_GROUP}[a-z]{{0,9}}{_GROUP}[a-z]*(?:ol|one|ane|ene|ine|ide|ate|ite|yl|acid)\b)"
    ),
    "units": re.compile(rf" ?\d+(?:\.\d+)? ?{_UNIT}(?:[/·. ]{_UNIT})?(?![A-Za-z0-9])"),
    "Greek": re.compile(r" ?[A-Za-z0-9]*-?[\u0370-\u03ff\u1f00-\u1fff]+(?:-?[A-Za-z0-9]+)?"),
}


def finds(kind: str, text: str) -> list[str]:
    """The pieces of a text that are of a kind, in order."""
    return KINDS[kind].findall(_SEQUENCE.sub("\n", text))
