"""Copyright statements in front of an abstract or behind it, with no sure end or beginning.

They stand there with or without a space or even a full stop between them and the text. Of 42 real
records of Scopus 33 have one; the same abstract in any of these forms gives the same text.
"""

import re

MAX_STATEMENT = 300  # characters; the longest seen has 150

SIGN = r"(?:©|\(c\)(?=\s*\d{4})|copyright\b\s*(?:©|\(c\))?(?=\s*\d{4}))"
BEGIN = re.compile(rf"\s*{SIGN}\s*(?:\d{{4}}(?:\s*[-\u2013]\s*\d{{4}})?)?", re.I)
RIGHTS = re.compile(r"[^©]{0,200}?all rights reserved\.?", re.I)
AUTHORS = re.compile(
    r"[\s,.]*(?:by\s+)?(?:the\s+)?(?:author\(s\)|authors?)\b(?:\(s\))?(?=[\s.,]*[A-Z(\[]|[\s.,]*$)"
    r"[.,]?(?:\s*(?:published by|licensee)\s[^.]*\.(?:\s*(?:Ltd|B\.V|Inc)\.)?)?",
    re.I,
)
# A full stop that ends a holder: not the one of an initial, but the second one of "B.V.".
STOP = re.compile(r"(?:(?<=[\w)][\w)])|(?<=\.[A-Z]))\.(?=\s*[A-Z\d\[(\"'\u2018\u201c]|\s*$)")
COMPANY = re.compile(
    r"[^.©]{0,80}?\b(?:Ltd|Limited|Inc|LLC|LLP|GmbH|AG|B\.V|S\.A|Co|Press|Crown Copyright"
    r"|Elsevier(?!\s*(?:Ltd|Limited|Inc|B\.V|GmbH|Masson)))(?![a-z])\.?(?=\s*[A-Z])"
)
# Words of names that are written small.
SMALL = {"of", "the", "and", "for", "part", "by", "in", "on", "to", "under", "behalf", "s"}
SMALL |= {"de", "und", "et", "der", "la", "del", "di", "für", "van", "licence", "license", "&"}
SMALL |= {"exclusive", "/"}
# At the end: the sign, then a year or a holder, and nothing that reads on like a sentence.
ENDING = re.compile(
    r"\s*(?:©\s*(?:\d{4}\b|(?:the\s+)?author|crown)|\(c\)\s*\d{4}\b|copyright\s+(?:©\s*)?\d{4}\b)"
    r"(?P<rest>[^©]*)$",
    re.I,
)
READS_ON = re.compile(r"\s*[,.]?\s*(?!by\b|the\b|and\b|published\b|on\b|in\b|de\b)[a-z]")


def prefix_length(text: str) -> int:
    """Characters of the copyright statement that the text begins with."""
    begin = BEGIN.match(text)
    if begin is None:
        return 0
    after = begin.end()
    if rights := RIGHTS.match(text, after):
        return rights.end()
    if authors := AUTHORS.match(text, after):
        return authors.end()
    stop = STOP.search(text, after + 1, after + MAX_STATEMENT)
    if stop and _names_a_holder(text[after : stop.start()]):
        return stop.end()
    company = COMPANY.match(text, after)
    if company and _names_a_holder(company[0]):
        return company.end()
    return after + len(text[after:]) - len(text[after:].lstrip(" .,"))


def suffix_start(text: str) -> int:
    """Where the copyright statement begins that the text ends with; its length if there is none."""
    ending = ENDING.search(text, max(0, len(text) - MAX_STATEMENT))
    if ending is None or READS_ON.match(ending["rest"]):
        return len(text)
    return ending.start()


def _names_a_holder(phrase: str) -> bool:
    """Whether every word is a name or a word of names: "We present a substantial" is not."""
    words = re.findall(r"[^\W\d_]+", phrase)
    return 0 < len(words) <= 20 and all(w[0].isupper() or w.lower() in SMALL for w in words)
