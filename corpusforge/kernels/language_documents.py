"""Which language a document is in, told passage by passage.

A foreign abstract or a long quotation is a passage in another language and no doubt about the
paper's own.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from corpusforge.kernels.language import PIECES, UNKNOWN, identify
from corpusforge.kernels.marks import PARAGRAPH

# Characters of a passage: of abstracts cut to 200 the language is found as often as of whole ones,
# and a body without paragraphs must not be a single passage.
MIN_PASSAGE, MAX_PASSAGE = 200, 4000
PASSAGES = 8  # of a body, evenly spread
MIN_PIECES = 4  # of a passage: 256 characters leave no doubt that langdetect would have to settle
# Letters of an alphabet that one character says as much as.
_LETTERS = {"zh": 3, "ja": 2, "ko": 2}


@dataclass(frozen=True)
class Passage:
    """Characters start to end of a text, and their language as from `identify`."""

    start: int
    end: int
    code: str
    probability: float


@dataclass(frozen=True)
class Verdict:
    """The language of a document."""

    code: str  # ISO 639-1, or "und"
    probability: float  # mean over the passages in it, weighted by their characters; 0..1
    share: float  # of the characters of all passages whose language is known; 0..1
    others: tuple[str, ...]  # languages of other passages, the one with most characters first


def identify_document(title: str, abstract: str, body: str, declared: str | None = None) -> Verdict:
    """The language that most of a document is in, by characters.

    All of title and abstract are looked at, and some passages of the body, each standing for as
    much of it. Of equals the language that comes first in the alphabet wins.

    Args:
        title: One line; it belongs to the first passage after it.
        abstract: Paragraphs joined by `PARAGRAPH`, as is the body.
        body: "" where there is none.
        declared: The language that the source states; heard where a passage leaves a doubt.
    """
    front = PARAGRAPH.join(part for part in (title, abstract) if part)
    known: defaultdict[str, float] = defaultdict(float)
    certainty: defaultdict[str, float] = defaultdict(float)
    doubt = 0.0
    for text, most in ((front, None), (body, PASSAGES)):
        found = identify_paragraphs(text, declared, most)
        characters = sum(passage.end - passage.start for passage in found)
        for passage in found:
            if passage.code == UNKNOWN:
                doubt = max(doubt, passage.probability)
            else:
                stands_for = len(text) * (passage.end - passage.start) / characters
                weight = stands_for * _LETTERS.get(passage.code, 1)
                known[passage.code] += weight
                certainty[passage.code] += weight * passage.probability
    if not known:
        return Verdict(UNKNOWN, doubt, 0.0, ())
    best, *others = sorted(known, key=lambda code: (-known[code], code))
    return Verdict(
        best, certainty[best] / known[best], known[best] / sum(known.values()), tuple(others)
    )


def identify_paragraphs(
    text: str, declared: str | None = None, most: int | None = None
) -> tuple[Passage, ...]:
    """The language of each passage of a text, in order.

    A passage is a paragraph with the headings and other short ones before it.

    Args:
        text: Paragraphs joined by `PARAGRAPH`.
        declared: The language that the source states; heard where a passage leaves a doubt.
        most: Passages to look at, evenly spread; all where there is no number.
    """
    spans = _passages(text)
    if most and len(spans) > most:
        spans = [spans[(len(spans) - 1) * i // (most - 1)] for i in range(most)]
    pieces = max(MIN_PIECES, PIECES // max(1, len(spans)))
    return tuple(
        Passage(start, end, *identify(text[start:end], declared, pieces)) for start, end in spans
    )


def _passages(text: str) -> list[tuple[int, int]]:
    """Where passages start and end: of MIN_PASSAGE to MAX_PASSAGE characters if the text allows."""
    spans: list[tuple[int, int]] = []
    start = end = 0
    gap = len(PARAGRAPH)
    for length in map(len, text.split(PARAGRAPH)):
        end += length
        if end - start >= MIN_PASSAGE:
            spans.append((start, end))
            start = end + gap
        end += gap
    if start < len(text):
        begun = spans.pop()[0] if spans else start
        spans.append((begun, len(text)))
    if all(end - start <= MAX_PASSAGE for start, end in spans):
        return spans
    return [part for span in spans for part in _parts(*span)]


def _parts(start: int, end: int) -> list[tuple[int, int]]:
    """Equal parts of a passage that is too long; any other as it is."""
    parts = -(-(end - start) // MAX_PASSAGE)
    return list(pairwise(start + (end - start) * part // parts for part in range(parts + 1)))
