"""What the table of suspects promises: nothing that ftfy may change is missing from it."""

# ruff: noqa: RUF001 (signs that look like others)

import re
import sys
import unicodedata
from itertools import pairwise, product

import ftfy
import numpy as np
import pytest
from ftfy import badness, chardata
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.damage_table import CODE_POINTS, alternatives, damage_table, triggers

TABLE = damage_table()
SUSPECT = len(TABLE.pairs) - 1
FIXERS = [
    *("fix_c1_controls", "fix_latin_ligatures", "fix_character_width", "fix_line_breaks"),
    *("fix_surrogates", "remove_terminal_escapes", "remove_control_chars"),
]
EVERY = list(map(chr, range(CODE_POINTS)))
CATEGORIES = f"[{''.join(badness.MOJIBAKE_CATEGORIES.values())}]"
NAMED = [c for c in badness.BADNESS_RE.pattern if not c.isascii()]
TELLING = sorted({*NAMED, *re.findall(CATEGORIES, "".join(EVERY))})  # by which it tells damage


def class_of(character):
    return TABLE.classes[ord(character)] if ord(character) < CODE_POINTS else SUSPECT


def suspected(line):
    """Whether a line has a suspicious pair of neighbours; before it, think of an "a"."""
    return any(TABLE.pairs[class_of(a), class_of(b)] for a, b in pairwise("a" + line))


def changed_alone(character):
    changes = any(ftfy.FIXERS[name](character) != character for name in FIXERS)
    return changes or unicodedata.normalize("NFC", character) != character


def lasts_of_decompositions():
    """All characters that are the second of two into which NFC's inverse takes another apart."""
    for code in range(sys.maxunicode + 1):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            yield chr(int(parts[1], 16))


def test_the_installed_ftfy_has_the_steps_that_the_proof_is_about():
    """If this fails, read what the new ftfy does before anything else, and `damage_table` again."""
    assert [*ftfy.FIXERS] == [
        *("unescape_html", "remove_terminal_escapes", "restore_byte_a0"),
        *("replace_lossy_sequences", "decode_inconsistent_utf8", "fix_c1_controls"),
        *("fix_latin_ligatures", "fix_character_width", "uncurl_quotes", "fix_line_breaks"),
        *("fix_surrogates", "remove_control_chars"),
    ]
    settings = {"fix_encoding", "normalization", "max_decode_length", "explain"}
    assert set(ftfy.TextFixerConfig._fields) == {*ftfy.FIXERS, *settings}
    assert chardata.HTML_ENTITY_RE.pattern == "&#?[0-9A-Za-z]{1,24};"
    assert badness.BADNESS_RE.flags == re.VERBOSE | re.UNICODE


def test_every_character_that_a_step_changes_is_suspect_by_itself():
    missed = [c for c in EVERY if changed_alone(c) and class_of(c) != SUSPECT]
    assert missed == []


def test_every_character_that_can_move_or_combine_in_nfc_is_suspect():
    hangul = [chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))]
    marks = [c for c in EVERY if unicodedata.combining(c)]
    combining = [*lasts_of_decompositions(), *hangul, *marks]
    assert [c for c in combining if class_of(c) != SUSPECT] == []


@given(st.text(st.sampled_from([c for c in EVERY if class_of(c) != SUSPECT])))
def test_a_text_without_suspects_is_in_nfc(text):
    assert unicodedata.is_normalized("NFC", text)


def test_printable_ascii_needs_no_look():
    """The kernel compares 32 bytes at once with these limits, and looks at nothing after them."""
    printable = TABLE.classes[0x20:0x7F]
    assert SUSPECT not in printable
    assert not TABLE.pairs[np.unique(printable), :SUSPECT].any()


def test_every_bad_pair_is_suspected_in_any_company():
    marks = [*TELLING, *"aZ0 .,?!\n\u3042"]
    for before, after in (("", ""), ("a", "a"), (" ", " "), ("Â", "1")):
        for pair in map("".join, product(marks, repeat=2)):
            line = f"{before}{pair}{after}"
            assert not badness.BADNESS_RE.search(line) or suspected(line), repr(line)


@given(st.text(st.sampled_from([*TELLING, *"azAZ0 .,\n"]), max_size=30))
def test_every_bad_text_is_suspected(text):
    assert not badness.is_bad(text) or suspected(text)


@pytest.mark.parametrize(
    "line",
    [
        "α-helix, β-sheet, Δψ and αβ heterodimers at 37°C ± 2 °C; 5 µm × 3 µm, 10⁻⁶ m²",
        "“quoted” and ‘so’ – it’s a p ≤ 0.05 — 1…2, x → y, ∫f·dx ≈ −½",
        "naïve Müller, Łódź, Ångström 3 Å, œuvre, 5\u00a0%, 2\u2009×\u200910³",
        "ОИЯИ, Москва; 東京; Ελλάδα; 한국어; 𝒥 and 𝜇",
        "© 2021 The Authors®, £5, €7, §3, [¹²C]",
    ],
)
def test_what_papers_are_full_of_is_not(line):
    assert not suspected(line)


def verbose(pattern):
    return re.compile(pattern, re.VERBOSE)


def test_an_alternative_is_known_by_its_rarest_pair():
    alone, [first], [second] = triggers(verbose(r"[a-z] [éèê] é [ùú] | [\x80-\x9f]"))
    assert "".join(EVERY[i] for i in np.flatnonzero(first)) == "é"
    assert "".join(EVERY[i] for i in np.flatnonzero(second)) == "ùú"
    assert np.flatnonzero(alone).tolist() == list(range(0x80, 0xA0))


def test_what_is_optional_is_not_needed():
    assert alternatives(r"^ é x? ù \s") == [[["é"], ["ù", r"\s"]]]


@pytest.mark.parametrize("pattern", ["é (ù|à)", "é+", "é{2}", r"\bé", "é$", "? é"])
def test_a_pattern_of_another_kind_is_refused(pattern):
    with pytest.raises(ValueError, match=r"has '.+', expected sets of characters side by side"):
        alternatives(pattern)


def test_a_pattern_that_finds_damage_in_ascii_is_refused():
    with pytest.raises(ValueError, match=r"\[\['\[a-z\]', 'x'\]\], expected characters outside"):
        triggers(verbose("é ù | [a-z] x"))
