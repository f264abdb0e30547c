"""Words of a text and where they stand, by the definition: slow, obvious, and only here."""

import unicodedata
from typing import NamedTuple


class Word(NamedTuple):
    """A word in lower case, and the bytes of UTF-8 that it has in the text."""

    text: str
    start: int
    end: int


def stands_alone(character):
    """Ideographs, and kana of the two basic blocks."""
    name = unicodedata.name(character, "")
    ideograph = name.startswith("CJK") and "IDEOGRAPH" in name
    return ideograph or "\u3040" <= character <= "\u30ff"


def lower(character):
    return character.lower() if len(character.lower()) == 1 else character


def words_of(text):
    words, run, start, at = [], "", 0, 0
    for character in [*text, " "]:
        end = at + len(character.encode())
        joins = character.isalnum() and not stands_alone(character)
        if run and not joins:
            words.append(Word(run, start, at))
            run = ""
        if joins:
            start = start if run else at
            run += lower(character)
        elif character.isalnum():
            words.append(Word(character, at, end))
        at = end
    return words


def runs_of(text, n):
    """Every run of n words, as its words; all words of a text that has fewer, if it has any."""
    words = [word.text for word in words_of(text)]
    size = min(n, len(words))
    return [tuple(words[i : i + size]) for i in range(len(words) - size + 1)] if words else []
