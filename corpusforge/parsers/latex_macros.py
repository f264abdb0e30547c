r"""What stands for a macro of the author's, and how its text is filled in with arguments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

NUMBERED = re.compile(r"(?<!#)#([1-9])")  # "##1" is of a definition inside
LONGEST_WORD = 40  # characters of a control word


@dataclass(frozen=True, slots=True)
class Macro:
    """What stands for a name; `parts` are text and numbers of arguments."""

    parts: tuple[str | int, ...]
    arguments: int = 0
    default: str | None = None  # of the first argument, which then stands in brackets or not at all
    final: bool = False  # its text is no macro of the author's and is not read again


# Of amsthm's proof the note is the whole title: \begin{proof}[Proof of Theorem 2].
PROOF = Macro(("\\par\\statement@{", 1, "}{}"), 1, "Proof")


def macro_of(text: str, arguments: int = 0, default: str | None = None) -> Macro:
    """The macro of a definition's text, in which "#1" is the first argument."""
    pieces = NUMBERED.split(text) if arguments else [text]
    parts = (int(piece) if i % 2 else piece.replace("##", "#") for i, piece in enumerate(pieces))
    return Macro(tuple(part for part in parts if part != ""), arguments, default)


def statement(title: str) -> Macro:
    r"""What stands for \begin{theorem}[note]."""
    return Macro((f"\\par\\statement@{{{title}}}{{", 1, "}"), 1, "")


def filled(macro: Macro, given: Sequence[str]) -> str:
    r"""The text of one use; a blank parts a control word from a letter: "\mathbf#1" of x.

    >>> filled(macro_of(r"\mathbf#1+#2", 2), ["x", "y"])
    '\\mathbf x+y'
    """
    pieces: list[str] = []
    for part in macro.parts:
        text = part if isinstance(part, str) else "".join(given[part - 1 : part])
        if pieces and text[:1].isalpha() and ends_in_word(pieces[-1]):
            pieces.append(" ")
        if text:
            pieces.append(text)
    return "".join(pieces)


def ends_in_word(text: str) -> bool:
    """Whether a control word is the last thing in the text."""
    tail = text[-LONGEST_WORD:]
    return "\\" in tail and tail[tail.rfind("\\") + 1 :].isalpha()
