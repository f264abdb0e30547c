"""Repair of one text: encoding damage, Unicode form, white space."""

import re
import unicodedata

import ftfy

_CONFIG = ftfy.TextFixerConfig(
    unescape_html="auto",  # not from the first line with a "<" on: beside tags "&lt;" is meant so
    uncurl_quotes=False,  # typographic quotes are not damage
    fix_character_width=True,
    normalization="NFC",
    explain=False,
)
# What ftfy with this configuration can change: anything outside printable ASCII, and entities.
_SUSPECT = re.compile(r"[^\n\t -%'-~]")
# A space around a line end, and runs of blank characters. NBSP and its kin are spaces of print.
_BLANKS = re.compile(r"[ \t\r\f\v\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_AROUND_BREAK = re.compile(r" ?\n ?")
_BREAKS = re.compile(r"\n{3,}")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")  # soft hyphen, zero-width characters


MAX_PASSES = 20  # three is the most that was seen; a text must not be able to hang a worker


def repair(text: str) -> str:
    """The text as its authors meant it, in NFC.

    Encoding damage is undone by `ftfy` (Speer, 2019, doi 10.5281/zenodo.2591652); texts in which
    it cannot change anything are not shown to it. Invisible characters are dropped, runs of blanks
    become one space, more than one empty line becomes one. Idempotent: what a pass removes can hide
    damage from it ("\\u00a0\\u00c2\\u00b0"), so passes follow until one changes nothing.

    >>> repair("caf\u00c3\u00a9  \\n\\n\\n\\nR&amp;D")
    'café\\n\\nR&D'
    """
    for _ in range(MAX_PASSES):
        repaired = _pass(text)
        if repaired == text:
            break
        text = repaired
    return text


def _pass(text: str) -> str:
    if _SUSPECT.search(text):
        text = ftfy.fix_text(text, _CONFIG)
        text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    return _BREAKS.sub("\n\n", _AROUND_BREAK.sub("\n", _BLANKS.sub(" ", text))).strip()
