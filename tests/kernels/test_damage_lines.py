"""Which lines are shown to ftfy."""

# ruff: noqa: RUF001 (signs that look like others)

import re
import string
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpusforge.kernels.damage_lines import changeable
from corpusforge.kernels.damage_table import CODE_POINTS, damage_table
from corpusforge.tables.text import text_buffers

TABLE = damage_table()
PIECES = [
    *("&amp;", "&", "&#3", ";", "&a b;", "&#", "<", "\n", "\n", "a", "A", "0", "#", " ", "\r"),
    *("\x00", "\x1b", "\x7f", "é", "Ã", "©", "œ", "α", "±", "²", "’", "€", "\ufeff", "\ud7ff"),
    *("\ue000", "\uffff", "\U00010000", "\U0001ffff", "\U00020000", "\U0010ffff", "漢", "\t"),
    *("x" * 31, "y" * 33),
]
texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
columns = st.lists(texts, max_size=5)
LONG = 1_000_000


def class_of(character):
    code = ord(character)
    return TABLE.classes[code] if code < CODE_POINTS else len(TABLE.pairs) - 1


def textbook(text, max_length):
    """The definition, one character at a time: which pieces of a text, and their first "<"."""
    found, tagged, at = [], False, 0
    for line in re.split(r"(?<=\n)", text):
        size = len(line.encode())
        cut = size > max_length
        changes = any(TABLE.pairs[class_of(a), class_of(b)] for a, b in pairwise("a" + line))
        entity = re.search("&[#0-9A-Za-z]*;", line)
        if changes or (entity and (cut or not (tagged or "<" in line))):
            if cut:
                return [(0, len(text.encode()), False)]
            found.append((at, at + size, tagged))
        tagged |= "<" in line
        at += size
    return found


def shown(array, max_length=LONG):
    """Rows of (text, start, end, tagged), each start and end counted from that of its text."""
    data, bounds = text_buffers(array)
    rows = changeable(data, bounds, TABLE, max_length).tolist()
    return [(t, start - bounds[t], end - bounds[t], bool(tag)) for t, start, end, tag in rows]


@given(columns, st.integers(1, 60) | st.just(LONG))
@example(["&amp;\n<\nÃ© in a long line"], 9)
def test_the_kernel_agrees_with_the_textbook(column, max_length):
    expected = [(t, *row) for t, text in enumerate(column) for row in textbook(text, max_length)]
    assert shown(pa.array(column, pa.large_string()), max_length) == expected


@given(columns, st.integers(0, 5), st.integers(0, 5))
def test_a_slice_of_a_column_gives_what_its_texts_give(column, start, length):
    sliced = pa.array(column, pa.large_string()).slice(start, length)
    assert shown(sliced) == shown(pa.array(column[start : start + length], pa.large_string()))


def test_every_character_is_found_where_it_is():
    codes = [*range(0xD800), *range(0xE000, 0x21000), *range(0x21000, 0x110000, 0x3FF)]
    characters = [chr(code) for code in codes]
    found = {t for t, *_ in shown(pa.array(characters, pa.large_string()))}
    assert found == {t for t, character in enumerate(characters) if textbook(character, LONG)}


@pytest.mark.parametrize("suspect", ["\r", "\x00", "\x1f", "\x7f", "\ufeff", "Ã©", "&amp;"])
@pytest.mark.parametrize("length", [*range(35), 64, 70])
def test_a_suspect_is_found_at_every_distance(suspect, length):
    start = "x" * length
    column = [f"{start}{suspect}{'y' * 40}", f"{start}é{'y' * 40}", f"{start}<{'y' * 40}&amp;"]
    assert [t for t, *_ in shown(pa.array(column, pa.large_string()))] == [0]


def test_as_many_lines_as_there_are_are_found():
    column = pa.array(["Ã©\n" * 100, "plain", "Ã©\n" * 1000], pa.large_string())
    assert len(shown(column)) == 1100


def test_an_entity_has_letters_digits_and_hashes():
    column = [f"&{chr(code)};" for code in range(0x20, 0x7F) if chr(code) not in "&;<"]
    found = {column[t][1] for t, *_ in shown(pa.array(column, pa.large_string()))}
    assert found == {*string.ascii_letters, *string.digits, "#"}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("R&amp;D", 1),
        ("R&D; a & b; c", 1),  # "&D;" might be one
        ("a & b", 0),
        ("a & b;", 0),
        ("a &amp", 0),
        ("p < 0.05 &amp; q", 0),
        ("&amp;\np < 0.05\n&amp;", 1),
        ("p < 0.05\nq\n&amp;", 0),
    ],
)
def test_entities_count_before_the_first_line_with_a_less_than_sign(text, lines):
    assert len(shown(pa.array([text], pa.large_string()))) == lines
