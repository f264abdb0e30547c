"""Pages of text that was taken from a PDF: made one text again, without running heads and numbers.

Pages end in form feeds, as pdftotext and CORE's full texts have them.
"""

import re
from collections import Counter

PAGE = "\f"
EDGE = 2  # lines at the top and at the bottom of a page that may be a running head
MIN_PAGES = 3  # that a line must stand on, and on a third of all, to be one
NUMBER = re.compile(r"\d+")
PAGE_NUMBER = re.compile(r"(?:page\s*)?[-\u2013\s]*\d{1,5}[-\u2013\s]*(?:of\s*\d{1,5})?", re.I)
SENTENCE_END = (".", "!", "?", ":", ";", "\u201d", '"', ")")
REFERENCES = re.compile(
    r"(?:^|(?<=\n))[ \t]*(?:#+ )?(?:\d{1,2}\.?\s*)?(?:references(?: and notes| cited)?|bibliography"
    r"|literature cited|works cited|literatur(?:verzeichnis)?)[ \t]*:?[ \t]*(?=\n)",
    re.I,
)
LATE = 0.4  # of a text: a list of references does not begin before
AFTER = re.compile(
    r"\n[ \t]*(?:#+ )?(?:appendix|appendices|supplementary|annex)\b[^\n]{0,80}\n", re.I
)


def joined_pages(text: str) -> str:
    """Pages as one text: without running heads, and with sentences that go on made whole.

    >>> joined_pages("J. Mice 1\\nWe grow\\n1\\fJ. Mice 1\\nmice.\\n2\\fJ. Mice 1\\nSo.\\n3")
    'We grow\\nmice.\\n\\nSo.'
    """
    if PAGE not in text:
        return text
    pages = [page.split("\n") for page in text.split(PAGE)]
    heads = _running_heads(pages)
    whole = ""
    for lines in pages:
        page = _bare(lines, heads)
        if not page:
            continue
        goes_on = whole and not whole.endswith(SENTENCE_END) and page[0].islower()
        whole = f"{whole}\n{page}" if goes_on or not whole else f"{whole}\n\n{page}"
    return whole.strip("\n")


def _edges(lines: list[str]) -> list[int]:
    """Which lines of a page may be a running head: the first and the last that are not blank."""
    written = [i for i, line in enumerate(lines) if line.strip()]
    return sorted({*written[:EDGE], *written[-EDGE:]})


def _running_heads(pages: list[list[str]]) -> set[str]:
    """Lines, but for their numbers, that stand at the edge of many pages."""
    seen: Counter[str] = Counter()
    for lines in pages:
        seen.update({_without_numbers(lines[i]) for i in _edges(lines)})
    enough = max(MIN_PAGES, len(pages) / 3)
    return {line for line, count in seen.items() if count >= enough}


def _without_numbers(line: str) -> str:
    return NUMBER.sub("#", " ".join(line.split()))


def _bare(lines: list[str], heads: set[str]) -> str:
    edges = set(_edges(lines))
    kept = [
        line
        for i, line in enumerate(lines)
        if i not in edges
        or not (_without_numbers(line) in heads or PAGE_NUMBER.fullmatch(line.strip()))
    ]
    return "\n".join(kept).strip()


def without_references(text: str) -> tuple[str, int]:
    """A text that no parser has marked without its list of references, and the entries that went.

    The list begins at the last line that is its title, in the later part of the text, and goes to
    its end or to an appendix. Entries are counted by line or paragraph, whichever the text has.
    """
    titles = [found for found in REFERENCES.finditer(text) if found.start() > LATE * len(text)]
    if not titles:
        return text, 0
    title = titles[-1]
    after = AFTER.search(text, title.end())
    end = after.start() if after else len(text)
    entries = [line for line in text[title.end() : end].split("\n") if line.strip()]
    return (text[: title.start()].rstrip() + "\n\n" + text[end:].lstrip()).strip(), len(entries)
