"""The part of Scopus's query language that the emulator understands."""

import re

from emulators.scopus_records import eid_of

IDENTIFIER = re.compile(r'\b(DOI|EID|PMID)\((?:"([^"]*)"|([^)]*))\)')
YEAR = re.compile(r"\bPUBYEAR\s+(=|IS|>|<|AFT|BEF)\s+(\d{4})")
WORD = re.compile(r'\bTITLE-ABS-KEY\("?([^")]*)"?\)')
COMPARE = {
    "=": int.__eq__, "IS": int.__eq__, ">": int.__gt__, "AFT": int.__gt__, "<": int.__lt__,
    "BEF": int.__lt__,
}  # fmt: skip


def matcher(query, date):
    """Whether a document is found: identifiers are alternatives, all else must hold.

    What it does not know, such as AU-ID(…), holds for every document.
    """
    named = {a.lower() or b.lower() for _, a, b in IDENTIFIER.findall(query)}
    years = [(COMPARE[sign], int(year)) for sign, year in YEAR.findall(query)]
    words = [word.lower() for word in WORD.findall(query)]
    first, _, last = (date or "0-9999").partition("-")

    def holds(document):
        if named:
            names = {eid_of(document), (document.doi or "").lower(), document.pmid}
            if not named & names:
                return False
        text = f"{document.title} {document.abstract}".lower() if words else ""
        return (
            int(first) <= document.year <= int(last or first)
            and all(compare(document.year, year) for compare, year in years)
            and all(word in text for word in words)
        )

    return holds
