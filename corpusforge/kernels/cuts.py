"""What goes out of a text together with some of its words, and the text that is left.

As for GPT-3 (Brown et al., arXiv:2005.14165, appendix C) 200 characters on either side go with the
words, for an answer stands near its question, and so do pieces of fewer than 200 characters that
would be left. A cut here goes on to where a sentence or a paragraph ends, so that the rest reads
like a text. Lengths are bytes of UTF-8: one for each character of English.
"""

import re

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.marks import PARAGRAPH

REACH = 1000  # bytes in which an end is looked for; few sentences are longer
# Where a sentence or a paragraph ends, with the white space after it. The three marks beside . ! ?
# are those of Chinese and Japanese. After "et al." or "Fig." no sentence starts.
END = re.compile(
    rb"\s*\n\s*\n\s*|[.!?][\"')\]]*\s+(?![a-z0-9\s])|(?:\xe3\x80\x82|\xef\xbc\x81|\xef\xbc\x9f)\s*"
)
BLANK = re.compile(rb"\s+")


def to_cut(text: bytes, spans: NDArray[np.int64], margin: int, min_piece: int) -> NDArray[np.int64]:
    """The bytes to cut so that these spans are gone, (R, 2), ascending and apart.

    Args:
        text: UTF-8.
        spans: First byte, and byte after the last, of words that must go, (S, 2).
        margin: Bytes on either side that go with them, on to the end of a sentence or paragraph.
        min_piece: A piece of fewer bytes goes with the cuts around it.
    """
    cuts: list[list[int]] = []
    for first, last in spans[np.argsort(spans[:, 0], kind="stable")].tolist():
        start = _end_before(text, max(0, first - margin))
        end = _end_after(text, min(len(text), last + margin))
        reached = cuts[-1][1] if cuts else 0
        if start - reached >= max(min_piece, 1) or not cuts:
            cuts.append([start if start >= min_piece else 0, end])
        else:
            cuts[-1][1] = max(reached, end)
    if cuts and len(text) - cuts[-1][1] < min_piece:
        cuts[-1][1] = len(text)
    return np.array(cuts, np.int64).reshape(-1, 2)


def pieces(size: int, cuts: NDArray[np.int64]) -> NDArray[np.int64]:
    """What cuts from `to_cut` leave of a text of `size` bytes: first byte, byte after the last."""
    edges = np.concatenate([[0], cuts.ravel(), [size]]).reshape(-1, 2)
    return edges[edges[:, 0] < edges[:, 1]]


def cut(text: str, cuts: NDArray[np.int64]) -> str:
    """The text without these bytes; what was apart before stands in paragraphs of its own.

    >>> cut("One. Two. Three.", np.array([[5, 10]]))
    'One.\\n\\nThree.'
    """
    data = text.encode()
    left = (data[start:end].decode().strip() for start, end in pieces(len(data), cuts))
    return PARAGRAPH.join(filter(None, left))


def _end_before(text: bytes, at: int) -> int:
    """Where the last sentence that ends within `REACH` before a byte ends; else a word."""
    low = max(0, at - REACH)
    for pattern in (END, BLANK):
        found = 0 if low == 0 else -1
        for match in pattern.finditer(text, low):
            if match.end() > at:
                break
            found = match.end()
        if found >= 0:
            return found
    while at > 0 and text[at] & 0xC0 == 0x80:
        at -= 1
    return at


def _end_after(text: bytes, at: int) -> int:
    """Where the first sentence that ends within `REACH` after a byte ends; else a word."""
    high = min(len(text), at + REACH)
    for pattern in (END, BLANK):
        if match := pattern.search(text, at, high):
            return match.end()
        if high == len(text):
            return high
    while at < len(text) and text[at] & 0xC0 == 0x80:
        at += 1
    return at
