r"""A place in a text of TeX, and what there is to know about what follows it.

Pairs of brackets are found once for the whole text, and no search is made twice over the same
stretch: reading takes time linear in the text, however it is nested and whatever is missing.
"""

import re
from array import array
from functools import cached_property

BRACKET = re.compile(r"\\.|[{}\[\]]", re.S)
SPACE = re.compile(r"[ \t]*+(?:\n[ \t]*+(?!\n))?")  # as TeX passes over it; no empty line


def matched(text: str) -> "array[int]":
    """For the place of each opening brace and bracket that of its closing one, elsewhere 0.

    A brace ends the brackets in it: "{[}" has one pair.

    >>> list(matched("{[}]"))
    [2, 0, 0, 0]
    """
    pairs = array("i", bytes(4 * len(text)))
    opened: list[int] = []
    braces = 0
    for found in BRACKET.finditer(text):
        mark, place = found[0], found.start()
        if mark in ("{", "["):
            opened.append(place)
            braces += mark == "{"
        elif mark == "]":
            if opened and text[opened[-1]] == "[":
                pairs[opened.pop()] = place
        elif mark == "}" and braces:
            while text[opened[-1]] == "[":
                opened.pop()
            pairs[opened.pop()] = place
            braces -= 1
    return pairs


class Finder:
    """Where strings stand next in one text; remembers for each the last answer."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[str, tuple[int, int]] = {}  # asked from where, and found where

    def after(self, start: int, string: str) -> int:
        """The first place of `string` from `start` on; -1 if there is none."""
        asked, found = self._known.get(string, (0, 0))
        if not asked <= start or (found >= 0 and start > found) or string not in self._known:
            found = self._text.find(string, start)
            self._known[string] = (start, found)
        return found


class Cursor:
    """A place that moves forward through one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.stop = len(text)

    @cached_property
    def pairs(self) -> "array[int]":
        """Where each bracket that opens is closed; most texts of macros are read without."""
        return matched(self.text)

    @cached_property
    def finder(self) -> Finder:
        return Finder(self.text)

    def taken(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What matches here, after which the place moves; None if nothing does."""
        found = pattern.match(self.text, self.place)
        if found:
            self.place = found.end()
        return found

    def opening(self, mark: str = "{") -> int:
        """Where the bracket is that follows here and is closed somewhere; -1 if none does."""
        found = SPACE.match(self.text, self.place)
        place = found.end() if found else self.place
        return place if self.text.startswith(mark, place) and self.pairs[place] else -1

    def inside(self, mark: str = "{") -> str | None:
        """What stands here in brackets of this kind, which the place moves past; or None."""
        opening = self.opening(mark)
        if opening < 0:
            return None
        self.place = self.pairs[opening] + 1
        return self.text[opening + 1 : self.place - 1]

    def groups(self, most: int) -> list[tuple[int, int]]:
        """Where the groups that follow here open and close; the place stays."""
        held = self.place
        found: list[tuple[int, int]] = []
        while len(found) < most and (opening := self.opening()) >= 0:
            found.append((opening, self.pairs[opening]))
            self.place = self.pairs[opening] + 1
        self.place = held
        return found

    def skip(self, groups: int) -> None:
        """Pass over so many groups, as far as there are, and over brackets before them."""
        for _ in range(groups):
            self.skip_brackets()
            opening = self.opening()
            if opening < 0:
                return
            self.place = self.pairs[opening] + 1

    def skip_brackets(self, before_group: bool = False) -> None:
        r"""Pass over up to two pairs of brackets, as in \citep[see][p. 3]{key}.

        Args:
            before_group: Only over those that a group follows at once; others may be text.
        """
        for _ in range(2):
            opening = self.opening("[")
            if opening < 0:
                return
            end = self.pairs[opening] + 1
            if before_group and not self.text.startswith(("{", "["), end):
                return
            self.place = end

    def skip_past(self, ending: str) -> bool:
        """Pass over everything to the end of the next `ending`; False if there is none."""
        end = self.finder.after(self.place, ending)
        if end < 0:
            return False
        self.place = end + len(ending)
        return True
