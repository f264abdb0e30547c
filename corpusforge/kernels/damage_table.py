"""Where `ftfy` may change a line: characters that it replaces, neighbours that it takes for damage.

`ftfy.fix_and_explain` passes a line through a chain of steps until a pass changes nothing, so that
a line that no step of the first pass changes is the result. What each step needs to change it, with
`uncurl_quotes` off and `normalization="NFC"` (ftfy 6.3):

    unescape_html            "&", letters, digits or "#", ";"; no "<" (`damage_lines` looks for it)
    fix_encoding             a match of BADNESS_RE: without one it returns the line at once
    fix_c1_controls          U+0080 to U+009F
    fix_latin_ligatures      a key of LIGATURES, which `str.translate` replaces
    fix_character_width      a key of WIDTH_MAP, likewise
    fix_line_breaks          U+000D, U+0085, U+2028, U+2029
    fix_surrogates           U+D800 to U+DFFF
    remove_terminal_escapes  U+001B
    remove_control_chars     a key of CONTROL_CHARS, likewise
    normalization            a character of `moves_in_nfc`

All but the first two depend on single characters. BADNESS_RE is an alternation of sets side by
side: whatever it matches has two neighbours from two certain sets, or one character from one. The
sets are read from the pattern of the installed ftfy. So printable ASCII but "&" never changes, and
"\u03b1", "\u00b1", "\u2013", "\u2019" or "\u00e9" change in certain company only.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from ftfy import chardata
from ftfy.badness import BADNESS_RE
from numpy.typing import NDArray

# Planes 0 and 1. Lines with ideographs of plane 2 or tags of plane 14 are shown to ftfy: they are
# so few that tables for them, eight times as large, would cost more than they save.
CODE_POINTS = 0x20000
_ASCII = 0x80
# Comments and blanks match without the group.
_TOKENS = re.compile(r"#[^\n]*|[ \t\n\r\f\v]+|(\[(?:\\.|[^\]\\])+\]|\\.|.)", re.DOTALL)
_ITEM = re.compile(r"\[.+\]|\\[dsw]|[^][\\^$|?*+(){}]", re.DOTALL)

Members = NDArray[np.bool_]  # (CODE_POINTS,)


@dataclass(frozen=True, eq=False)
class DamageTable:
    """Classes of characters, and the pairs of them that may be changed, or make ftfy change a line.

    The last class is that of characters that need no neighbour, and of all above 0x1FFFF: its row
    and column are true. Before the first character of a line think of an "a".
    """

    classes: NDArray[np.uint16]  # (0x20000,)
    pairs: NDArray[np.bool_]  # (n, n) by the class of a character and of the one after it


@cache
def damage_table() -> DamageTable:
    """The table of the installed ftfy and the Unicode version of this Python."""
    alone, firsts, seconds = triggers(BADNESS_RE)
    # Characters that are in the same sets, first and second, are one class.
    sets = np.packbits(np.stack(firsts + seconds), axis=0)
    _, samples, classes = np.unique(sets, axis=1, return_index=True, return_inverse=True)
    suspect = len(samples)  # the last class
    pairs = np.ones((suspect + 1, suspect + 1), np.bool_)
    pairs[:-1, :-1] = np.stack(firsts)[:, samples].T @ np.stack(seconds)[:, samples]
    classes = np.where(alone | replaced() | moves_in_nfc(), suspect, classes.ravel())
    return DamageTable(classes.astype(np.uint16), pairs)


def replaced() -> Members:
    """Characters that a step other than unescaping, decoding and normalization acts on."""
    members = np.zeros(CODE_POINTS, np.bool_)
    for codes in (
        range(0x80, 0xA0),  # C1 controls, the line break U+0085 among them
        range(0xD800, 0xE000),  # surrogates
        (0x0D, 0x2028, 0x2029),  # line breaks
        (0x1B,),  # what a terminal escape starts with
        chardata.LIGATURES,
        chardata.WIDTH_MAP,
        chardata.CONTROL_CHARS,
    ):
        members[list(codes)] = True
    return members


def moves_in_nfc() -> Members:
    """Characters that a text in NFC may lack, or whose place in it depends on others.

    A text of other characters is in NFC (Unicode Standard Annex 15, section 9: each is a starter
    with NFC_Quick_Check=Yes). Those that can combine with the character before them are the last
    of a canonical decomposition, and the vowels and final consonants of Hangul syllables, which
    have no entries of their own.
    """
    members = np.zeros(CODE_POINTS, np.bool_)
    members[0x1161:0x1176] = members[0x11A8:0x11C3] = True
    for code in range(_ASCII, CODE_POINTS):
        character = chr(code)
        match unicodedata.decomposition(character).split():
            case [first, last] if not first.startswith("<"):
                members[int(last, 16)] = True
        if unicodedata.combining(character) or unicodedata.normalize("NFC", character) != character:
            members[code] = True
    return members


def triggers(badness: re.Pattern[str]) -> tuple[Members, list[Members], list[Members]]:
    """What every match of a verbose pattern has in it.

    Returns:
        alone, firsts, seconds: a match has a character of `alone`, or for some k a character of
        `firsts[k]` with one of `seconds[k]` after it. No first is ASCII, so that text in ASCII
        needs no look.

    Raises:
        ValueError: The pattern has groups, repetitions or other syntax than sets side by side, or
            an alternative that ASCII alone may match.
    """
    flags = badness.flags & ~re.VERBOSE
    alone = np.zeros(CODE_POINTS, np.bool_)
    firsts, seconds = [], []
    for runs in alternatives(badness.pattern):
        matched = [[_members(item, flags) for item in run] for run in runs]
        couples = [(a, b) for run in matched for a, b in pairwise(run) if not a[:_ASCII].any()]
        singles = [members for run in matched for members in run if not members[:_ASCII].any()]
        # Any couple would be right; the one with the fewest members is the rarest in texts.
        if couples:
            first, second = min(couples, key=lambda couple: couple[0].sum() * couple[1].sum())
            firsts.append(first)
            seconds.append(second)
        elif singles:
            alone |= min(singles, key=np.sum)
        else:
            raise ValueError(
                f"ftfy's pattern of bad texts has the alternative {runs}, expected characters "
                f"outside ASCII in each: damage_table must learn this version of ftfy"
            )
    return alone, firsts, seconds


def alternatives(pattern: str) -> list[list[list[str]]]:
    """The alternatives of a verbose pattern, each as runs of items that match one character.

    An optional item is dropped and ends a run, an anchor is dropped: what is left is in every
    match all the same.

    >>> alternatives("[ab] c | ^ d e? f g")
    [[['[ab]', 'c']], [['d'], ['f', 'g']]]
    """
    found: list[list[list[str]]] = [[[]]]
    for token in filter(None, _TOKENS.findall(pattern)):
        runs = found[-1]
        if _ITEM.fullmatch(token):
            runs[-1].append(token)
        elif token == "|":
            found.append([[]])
        elif token == "?" and runs[-1]:
            runs[-1].pop()
            runs.append([])
        elif token != "^":
            raise ValueError(
                f"ftfy's pattern of bad texts has {token!r}, expected sets of characters side by "
                f"side: damage_table must learn this version of ftfy"
            )
    return found


def _members(item: str, flags: int) -> Members:
    members = np.zeros(CODE_POINTS, np.bool_)
    members[[ord(character) for character in re.findall(item, _every_character(), flags)]] = True
    return members


@cache
def _every_character() -> str:
    return "".join(map(chr, range(CODE_POINTS)))
