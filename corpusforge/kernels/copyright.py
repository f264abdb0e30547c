"""Copyright statements in front of an abstract or behind it, with no sure end or beginning.

They stand there with or without a space or even a full stop between them and the text. Of 42 real
records of Scopus 33 have one; the same abstract in any of these forms gives the same text.
"""

import re

MAX_STATEMENT = 300  # characters; the longest seen has 150

SIGN = r"(?:(?:\d{4}\s*)?©|\(c\)(?=\s*\d{4})|(?:crown\s+)?copyright\b\s*(?:©|\(c\))?(?=\s*\d{4}))"
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
SMALL |= {"exclusive", "trading", "as"}
# Behind a statement in front of a text, never alone.
LICENCE = re.compile(
    r"\s*This\s(?:article|work|is\san\sopen[\s-]access)\b[^.]{0,80}?"
    r"\b(?:distributed|licen[cs]ed|published)\b(?:[^.]|\.(?=\S)){0,300}\.",
    re.I,
)
# At the end: the sign, then up to the end sentences that name a holder or speak of rights.
ENDING = re.compile(
    r"\s*[\[(]?(?:©|\(c\)(?=\s*\d{4})|(?:crown\s+)?copyright\b(?:\s*(?:©|\(c\)))?)(?P<year>\s*\d{4}\b)?",
    re.I,
)
SENTENCES = re.compile(r"[.;](?=\s+[A-Z(]|\s*$)")
RIGHT = re.compile(
    r"\b(?:rights?\s+reserved|published|licen[cs]ee?|permission|open\s+access|creative\s+commons"
    r"|copyright|author\(?s?\)?)(?!\w)",
    re.I,
)
READS_ON = re.compile(r"\s*[,.]?\s*(?!by\b|the\b|and\b|published\b|on\b|in\b|de\b|authors?\b)[a-z]")
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
PUBLISHED = re.compile(r"(?:(?<=[.!?)\]])|(?<=\n))\s*Published by (?=[A-Z])")


def prefix_length(text: str) -> int:
    """Characters of the copyright statement that the text begins with."""
    begin = BEGIN.match(text)
    if begin is None:
        return 0
    end = _end_of_prefix(text, begin.end())
    licence = LICENCE.match(text, end)
    return licence.end() if licence else end


def _end_of_prefix(text: str, after: int) -> int:
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
    """Where the copyright statement begins that the text ends with; its length if there is none.

    Every sentence from there on is of the statement: where one is not, the text speaks of a
    copyright and goes on.
    """
    near = max(0, len(text) - MAX_STATEMENT)
    for begin in ENDING.finditer(text, near):
        rest = text[begin.end() :]
        dated = begin["year"] or "©" in begin[0] or YEAR.search(rest)
        if dated and not READS_ON.match(rest) and _is_statement(rest):
            return begin.start()
    for begin in PUBLISHED.finditer(text, near):
        if _names_a_holder(text[begin.end() :]):
            return begin.start()
    return len(text)


def _is_statement(rest: str) -> bool:
    return all(
        RIGHT.search(sentence) or _names_a_holder(sentence)
        for sentence in SENTENCES.split(rest)
        if any(map(str.isalpha, sentence))
    )


def _names_a_holder(phrase: str) -> bool:
    """Whether every word is a name or a word of names: "We present a substantial" is not."""
    words = re.findall(r"[^\W_]*[^\W\d_][^\W_]*", phrase)
    return 0 < len(words) <= 20 and not any(w[0].islower() and w not in SMALL for w in words)
