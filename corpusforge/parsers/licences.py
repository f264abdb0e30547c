"""Licences: what a publisher links to or writes, to one SPDX-like name."""

import re

ADDRESS = re.compile(
    r"creativecommons\.org/(?P<family>licen[cs]es|publicdomain)/(?P<kind>[a-z-]+)"
    r"(?:/(?P<version>\d\.\d))?(?:/(?P<port>[a-z]{2,3})\b)?",
    re.I,
)
# "… under the terms of the Creative Commons Attribution-NonCommercial 4.0 License"
PROSE = re.compile(
    r"creative\s+commons\s+(?:\(cc\)\s+)?attribution(?P<terms>(?:[\s,\u2013-]*(?:non-?\s?commercial"
    r"|share-?\s?alike|no-?\s?deriv(?:ative)?s?(?:\s+works)?))*)"
    r"[\s,-]*(?:version\s+)?(?P<version>\d\.\d)?",
    re.I,
)
PUBLIC_DOMAIN = {"zero": "CC0", "mark": "CC-PDM"}
TERMS = (("non", "NC"), ("share", "SA"), ("deriv", "ND"))


def licence_of_address(text: str) -> str | None:
    """The SPDX-like name of the first Creative Commons address in `text`, or None.

    >>> licence_of_address("http://creativecommons.org/licenses/by-nc-nd/4.0/")
    'CC-BY-NC-ND-4.0'
    >>> licence_of_address("https://creativecommons.org/publicdomain/zero/1.0/")
    'CC0-1.0'
    """
    found = ADDRESS.search(text)
    if found is None:
        return None
    kind = found["kind"].lower()
    if found["family"].lower() == "publicdomain":
        name = PUBLIC_DOMAIN.get(kind)
    else:
        name = f"CC-{kind.strip('-').upper()}"
    if name is None:
        return None
    # "deed" and "legalcode" name a page about the licence; two or three letters name a port.
    port = found["port"].upper() if found["version"] and found["port"] else None
    return "-".join(part for part in (name, found["version"], port) if part)


def licence_of_prose(text: str) -> str | None:
    """The licence that a sentence names in words, with its version only if that is written.

    >>> licence_of_prose("the Creative Commons Attribution-NonCommercial License")
    'CC-BY-NC'
    """
    found = PROSE.search(text)
    if found is None:
        return None
    words = found["terms"].lower()
    terms = [short for word, short in TERMS if word in words]
    return "-".join(part for part in ("CC-BY", *terms, found["version"]) if part)
