"""Personal data in running text: e-mail addresses, telephone numbers and IP addresses.

Science is full of numbers that look like the last two: enzymes ("EC 3.4.21.4"), sections
("2.1.3.4"), versions, grants. So a telephone number is taken only with its "+" or with a word such
as "Tel." before it, and an IP address only where its shape says more than four small numbers do.
"""

import re
from collections import Counter
from collections.abc import Mapping

EMAIL = re.compile(
    r"(?<![\w.+/-])(?:mailto:)?(?:[\w.+-]{1,64}|\{[\w.+,\s-]{1,200}\})(?:@|\s?\[at\]\s?|\(at\))"
    r"(?:[a-z0-9-]{1,63}(?:\.|\s?\[dot\]\s?)){1,8}[a-z]{2,24}(?![\w@])",
    re.I,
)
GROUPS = r"(?:[\s./\u2010-\u2015-]?\(?\d{1,4}\)?){3,8}"
LABELLED = re.compile(
    rf"(\b(?:tel(?:ephone)?|phone|fax|mobile)(?:\s?(?:no|number))?[.:\s]{{1,4}})"
    rf"(\+?\(?\d{{1,4}}\)?{GROUPS})(?!\w)",
    re.I,
)
# Country codes in use (ITU-T E.164, list of 2016): "+10" and "+12" are no telephone's.
COUNTRY = r"(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]"
COUNTRY += r"|[2389]\d\d|42\d|5[09]\d|6[7-9]\d)"
INTERNATIONAL = re.compile(
    rf"(?<![\w.+*/^=(\[$-])(?<![=<>~] )(\+{COUNTRY}[\s.(-]{{1,2}}\(?\d{{1,4}}\)?{GROUPS})(?![\w%$])"
)
MIN_DIGITS = 8  # of a telephone number; fewer are a page range or a measurement
OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
IPV4 = re.compile(rf"(?<![\w.:/-]){OCTET}(?:\.{OCTET}){{3}}(?![\w-]|\.\d)")
IPV6 = re.compile(r"(?<![\w:.])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:.])", re.I)
LABELS = ("tel", "phone", "fax", "mobile")
PLUS_AND_DIGIT = re.compile(r"\+\d{1,3}[\s.(-]")
COLONS = re.compile(r":[0-9a-f]{1,4}:[0-9a-f]{1,4}:[0-9a-f]{1,4}:", re.I)
DOTTED = re.compile(r"\.\d{1,3}\.\d{1,3}(?![\w-])")
NUMBERED = re.compile(
    r"(?:\bE\.?C\.?|sections?|sec\.|version|ver\.|\bv\.?|tables?|fig(?:ure|\.)|\u00a7)\s*\Z", re.I
)


def mask(text: str) -> tuple[str, Mapping[str, int]]:
    """The text with placeholders, and how many of each kind were put in.

    >>> mask("Write to a.b@c.org or call +49 30 1234567.")
    ('Write to [email] or call [phone].', {'emails': 1, 'phones': 1})
    """
    counts: Counter[str] = Counter()

    def email(_found: re.Match[str]) -> str:
        counts["emails"] += 1
        return "[email]"

    def phone(found: re.Match[str]) -> str:
        *label, number = found.groups()
        if sum(map(str.isdigit, number)) < MIN_DIGITS:
            return found[0]
        counts["phones"] += 1
        return "".join([*label, "[phone]"])

    def address(found: re.Match[str]) -> str:
        before = found.string[max(0, found.start() - 12) : found.start()]
        if NUMBERED.search(before) or not _is_address(found[0]):
            return found[0]
        counts["ips"] += 1
        return "[IP address]"

    if "@" in text or "[at]" in text or "(at)" in text:
        text = EMAIL.sub(email, text)
    # What starts with a fixed character is found ten times as fast as the whole pattern.
    if _has_label(text):
        text = LABELLED.sub(phone, text)
    if PLUS_AND_DIGIT.search(text):
        text = INTERNATIONAL.sub(phone, text)
    if DOTTED.search(text):
        text = IPV4.sub(address, text)
    if COLONS.search(text):
        text = IPV6.sub(address, text)
    return text, dict(counts)


def _has_label(text: str) -> bool:
    """Whether a labelled number is there: its label is looked for before the pattern is."""
    small = text.lower()
    if len(small) != len(text):  # a letter whose small form is two
        return True
    for label in LABELS:
        at = small.find(label)
        while at >= 0:
            if LABELLED.match(text, at):
                return True
            at = small.find(label, at + 1)
    return False


def _is_address(text: str) -> bool:
    """Four numbers of which two have two digits or more: the fourth level of sections has not."""
    return ":" in text or sum(len(octet) > 1 for octet in text.split(".")) >= 2
