"""Single fields as the dumps write them, to the form that a Paper has."""

import re
from functools import lru_cache

from corpusforge.kernels.marks import PARAGRAPH
from corpusforge.parsers.languages import normal_language
from corpusforge.parsers.licences import licence_of_address

Number = int | float | str | None  # what stands where a number should

YEARS = (1500, 2100)  # the first journals are of 1665, books are older; 9999 and 1 stand for none
YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d|2100)(?!\d)")
BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
SUFFIXES = {"jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "phd", "ph.d", "ph.d.", "md", "m.d."}
# Particles that belong to the family name when they are written small.
PARTICLES = {"van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le"}
PARTICLES |= {"ter", "ten", "zu", "zur", "vom", "el", "al", "bin", "ibn", "af", "av", "y", "do"}
LANGUAGE_NAMES = {"english": "en", "french": "fr", "german": "de", "spanish": "es", "chinese": "zh"}
CODE = re.compile(
    r"(?P<name>cc-?by(?:-?nc)?(?:-?nd|-?sa)?|cc-?0|mit|apache|public-domain)"
    r"(?:-(?P<version>\d\.\d))?"
)
TERM = re.compile("by|nc|nd|sa")
ONLY_NAMES = {"cc0": "CC0-1.0", "cc-0": "CC0-1.0", "public-domain": "CC-PDM"}
ONLY_NAMES |= {"mit": "MIT", "apache": "Apache-2.0"}
ARXIV_LICENCE = re.compile(r"arxiv\.org/licenses/nonexclusive-distrib/(\d\.\d)")


def one_line(text: str | None) -> str:
    """The text with every run of white space made one space; "" for None."""
    if not text:
        return ""
    # To look first costs a tenth of cutting into words. Rare blanks, such as U+2003, then stay.
    if "  " in text or "\n" in text or "\t" in text or "\r" in text or "\xa0" in text:
        return " ".join(text.split())
    return text.strip()


def paragraphed(text: str | None) -> str:
    """The text as paragraphs: blank lines part them, other line ends are layout."""
    if not text or "\n" not in text:
        return one_line(text)
    return PARAGRAPH.join(filter(None, map(one_line, BLANK_LINE.split(text))))


def lined(text: str | None) -> str:
    """The text as paragraphs whose lines and pages stay: clean joins them by the words it knows."""
    if not text:
        return ""
    return PARAGRAPH.join(filter(None, map(str.strip, BLANK_LINE.split(text))))


def sane_year(*values: Number) -> int | None:
    """The first year among values such as 2010, "2010", "2015-07-01T00:00:00Z" and 0.

    >>> sane_year(9999, "0001-01-01"), sane_year(None, "12 Oct 1998")
    (None, 1998)
    """
    for value in values:
        if isinstance(value, str):
            if found := YEAR.search(value):
                return int(found[0])
        elif value is not None and YEARS[0] <= value <= YEARS[1]:
            return int(value)
    return None


def whole_id(value: Number) -> str | None:
    """A number that names a record, as digits; None for what is no whole number above 0.

    A float is refused: an id that became one has lost digits.

    >>> whole_id(2507145174), whole_id("0012"), whole_id(1e9), whole_id("")
    ('2507145174', '12', None, None)
    """
    if isinstance(value, str):
        digits = value.strip()
        value = (
            int(digits) if digits.isdecimal() and digits.isascii() and len(digits) <= 20 else None
        )
    return str(value) if isinstance(value, int) and 0 < value < 10**20 else None


def family_name(name: str | None) -> str:
    """The family name of a person whose name is one string; "" where there is none.

    >>> [family_name(n) for n in ("Jacob I. Stuckey", "Blanuša, Nebojša", "Luc van Gool", "OECD")]
    ['Stuckey', 'Blanuša', 'van Gool', 'OECD']
    """
    before, comma, after = (name or "").partition(",")
    words = before.split()
    if comma and not (len(words) > 1 and after.strip().lower() in SUFFIXES):
        return " ".join(words)
    while len(words) > 1 and words[-1].lower() in SUFFIXES:
        words.pop()
    start = len(words) - 1
    while start > 1 and words[start - 1] in PARTICLES:
        start -= 1
    return " ".join(words[max(start, 0) :])


def language_code(text: str | None) -> str | None:
    """ISO 639-1 of a code or of the name of a great language; None for other words."""
    if text is None or len(text) <= 3 or "-" in text or "_" in text:
        return normal_language(text)
    return LANGUAGE_NAMES.get(text.strip().lower())


@lru_cache(4096)  # a source has a handful of them
def licence_of(text: str | None) -> str | None:
    """The SPDX-like name of a licence given as an address or as a code such as "cc-by-nc".

    >>> licence_of("cc-by-nc-nd"), licence_of("http://arxiv.org/licenses/nonexclusive-distrib/1.0/")
    ('CC-BY-NC-ND', 'LicenseRef-arXiv-nonexclusive-1.0')
    """
    if not text:
        return None
    if found := CODE.fullmatch(text.strip().lower().replace(" ", "-")):
        if name := ONLY_NAMES.get(found["name"]):
            return name
        terms = [found[0][:2], *TERM.findall(found["name"]), *filter(None, [found["version"]])]
        return "-".join(terms).upper()
    if found := ARXIV_LICENCE.search(text):
        return f"LicenseRef-arXiv-nonexclusive-{found[1]}"
    return licence_of_address(text)
