"""What the repair of many texts promises: what ftfy does to each of them, always."""

# ruff: noqa: RUF001 (signs that look like others)

import csv
import gzip
import json
import lzma
import re
import unicodedata
from random import Random
from unittest.mock import patch

import ftfy
import pytest
from ftfy import badness
from hypothesis import example, given
from hypothesis import strategies as st

from corpusforge.kernels import unicode_repair
from corpusforge.kernels.unicode_repair import CONFIG, repair_texts
from corpusforge.parsers.jats import parse_jats

# What ftfy looks for, in pieces that are to meet.
PIECES = [
    *("Ã©", "Ã\u00a0", "Ã ", "â€™", "â€\ufffd", "Â°", "ï»¿", "ÃÂ©", "Ð¶", "Ø\u00a0", "œ", "à²"),
    *("\x80", "\x85", "\x92", "\x9f", "\ufffd", "\ufffd\ufffd", "Â", "à", "š", "√±", "×²", "вЂ™"),
    *("&amp;", "&lt;", "&am", "p;", "&nbsp;", "&#xc3;&#169;", "&#13;", "&", ";", "<", "&amp;lt;"),
    *("&EACUTE;", "&Eacute", "&copy;", "&bogus;", "&#;", "&#1114112;", "&0123456789;", "&a b;"),
    *("\n", "\n", "\r", "\r\n", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", " ", "\t", "\x1b[0m"),
    *("\u00a0", "\u2009", "\u2000", "\u3000", "\u00ad", "\u200b", "\u2060", "\ufeff", "\x00"),
    *("\x7f", "ﬁ", "ĳ", "\u0149", "\uff21", "\uff06", "\uff1b", "ｶﾞ", "e\u0301", "\u0301", "a"),
    *("\u2126", "\u0344", "\u1100\u1161", "\uac00\u11a8", "\u0b47\u0b57", "\U0001d15e", "漢"),
    *("\ud800", "\udc00", "\U00020000", "\U0002f800", "\U000e0041", "\U0001d538", "\ud7ff"),
    *("α", "µ", "±", "×", "≤", "°C", "’", "“", "”", "–", "…", "é", "Å", "ж", "†", "B", "."),
    "more than thirty-two bytes of printable ASCII",
]
MEANT = "naïve café, Łódź “x” – 5±1 µm °C αβλ … € ™ œuvre à la 東京 Ελλάδα Москва 😀 \u00a0\n<"
CODECS = ["latin-1", "windows-1252", "sloppy-windows-1252", "windows-1251", "macroman", "cp437"]
# The characters by which ftfy tells damage.
CATEGORIES = f"[{''.join(badness.MOJIBAKE_CATEGORIES.values())}]"
NAMED = [c for c in badness.BADNESS_RE.pattern if not c.isascii()]
TELLING = sorted({*NAMED, *re.findall(CATEGORIES, "".join(map(chr, range(0x10000))))})


def misread(text, codec, times):
    for _ in range(times):
        text = text.encode("utf-8", "replace").decode(codec, "replace")
    return text


texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=10).map("".join),
    st.text(st.sampled_from([*TELLING, *"azAZ09 .,\n"]), max_size=12),
    st.builds(misread, st.text(MEANT, max_size=20), st.sampled_from(CODECS), st.integers(1, 2)),
    st.text(st.characters(), max_size=20),  # lone surrogates too
)
batches = st.lists(texts | st.lists(texts, max_size=4).map("".join), max_size=6)


def differing(batch):
    """The texts of which ours is not what ftfy makes."""
    ours, theirs = repair_texts(batch).texts, [ftfy.fix_text(text, CONFIG) for text in batch]
    return [t for t, ours, theirs in zip(batch, ours, theirs, strict=True) if ours != theirs]


def decoding_changes(text):
    """The steps of ftfy: whether `fix_encoding` changes anything in any pass over any line."""
    steps = ("c1_controls", "latin_ligatures", "character_width", "line_breaks", "surrogates")
    names = [f"fix_{step}" for step in steps] + ["remove_terminal_escapes", "remove_control_chars"]
    tagged = False
    for line in re.split(r"(?<=\n)", text):
        tagged |= "<" in line
        now, before = line, None
        while now != before:
            before = now
            now = now if tagged else ftfy.FIXERS["unescape_html"](now)
            if ftfy.fix_encoding(now) != now:
                return True
            for name in names:
                now = ftfy.FIXERS[name](now)
            now = unicodedata.normalize("NFC", now)
    return False


@given(batches)
@example(["a < b\nÃ© and &amp;", "&amp; Ã©\n<", "<\n\n&amp;\x00\n"])
def test_every_text_is_as_ftfy_returns_it(batch):
    assert differing(batch) == []


@given(batches)
def test_a_text_counts_as_damaged_if_decoding_changed_it(batch):
    assert repair_texts(batch).damaged.tolist() == [decoding_changes(text) for text in batch]


@given(batches)
def test_a_text_does_not_depend_on_its_neighbours(batch):
    together, alone = repair_texts(batch), [repair_texts([text]) for text in batch]
    assert together.texts == [one.texts[0] for one in alone]
    assert together.damaged.tolist() == [one.damaged[0] for one in alone]


@given(batches, st.integers(1, 40))
def test_nor_on_how_many_are_looked_at_together(batch, characters):
    with patch.object(unicode_repair, "_PORTION", characters):
        small = repair_texts(batch)
    whole = repair_texts(batch)
    assert small.texts == whole.texts
    assert small.damaged.tolist() == whole.damaged.tolist()


@given(batches, st.integers(1, 12))
def test_lines_that_ftfy_cuts_are_repaired_as_it_repairs_them(batch, length):
    config = CONFIG._replace(max_decode_length=length)
    with patch.object(unicode_repair, "CONFIG", config):
        assert repair_texts(batch).texts == [ftfy.fix_text(text, config) for text in batch]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 999_999 + "Ã" + "© Ã©",  # cut between the two halves of a character
        "&amp;" + "x" * 1_000_000 + "<",  # the "<" is in another part than the entity
        "&amp;\n" + "x" * 1_000_000 + "&amp;<\n&amp;",
        "&amp;\n<\n" + "x" * 1_000_000 + "Ã©",  # entities count again, as the whole text is shown
        "é" * 500_001 + "&amp;<",  # more bytes than ftfy allows, but not more characters
    ],
    ids=["cut", "tagged", "after-a-line", "after-a-tag", "bytes"],
)
def test_so_are_lines_of_a_million_characters(text):
    assert differing([text]) == []


@given(texts.filter(lambda text: "\n" not in text))
def test_a_line_that_stays_one_line_is_repaired_once_and_for_all(line):
    [once] = repair_texts([line]).texts
    if "\n" not in once:
        assert repair_texts([once]).texts == [once]


def test_texts_that_ftfy_leaves_are_the_same_objects():
    batch = ["naïve – 5±1 µm, α-helix & “β”\n", "", "R&amp;D", "plain"]
    repaired = repair_texts(batch).texts
    assert [a is b for a, b in zip(batch, repaired, strict=True)] == [True, True, False, True]


def test_nothing_in_nothing_out():
    repaired = repair_texts([])
    assert (repaired.texts, repaired.damaged.tolist()) == ([], [])


def test_every_character_of_the_two_first_planes_alone_doubled_and_among_letters():
    characters = map(chr, range(0x20000))
    assert differing([f"x{c}y {c}{c}, {c}\n{c}" for c in characters]) == []


def test_characters_of_the_higher_planes():
    codes = Random(1).sample(range(0x20000, 0x110000), 4000)
    assert differing([f"x{chr(c)}y {chr(c)}{chr(c)}\n{chr(c)}" for c in codes]) == []


def test_pairs_of_the_characters_that_tell_damage():
    random = Random(2)
    marks = [*TELLING, "a", "Z", " ", ".", "\t"]
    pairs = ["".join(random.choices(marks, k=2)) for _ in range(20_000)]
    assert differing(pairs) == []
    assert differing([f"on {pair}s" for pair in pairs[:10_000]]) == []


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("times", [1, 2])
def test_words_that_were_misread(codec, times):
    words = [misread(word, codec, times) for word in MEANT.split()]
    assert differing([*words, " ".join(words), "\n".join(words)]) == []


@pytest.mark.parametrize("times", [1, 2])
def test_misread_words_are_meant_again_and_counted(times):
    repaired = repair_texts([misread("naïve “α” – 5 µm", "sloppy-windows-1252", times), "naïve"])
    assert repaired.texts == ["naïve “α” – 5 µm", "naïve"]
    assert repaired.damaged.tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("R&amp;D", "R&D"),
        ("ﬁeld", "field"),
        ("\uff21", "A"),
        ("e\u0301", "é"),
        ("\x00nul", "nul"),
        ("one\r\ntwo", "one\ntwo"),
        ("\ufffd\ufffd &lt;", "\ufffd\ufffd <"),  # is suspected, and cannot be decoded
    ],
)
def test_other_repairs_are_no_damage(text, meant):
    repaired = repair_texts([text])
    assert (repaired.texts, repaired.damaged.tolist()) == ([meant], [False])


def real_abstracts(real_data):
    """Abstracts in English, French and Chinese."""
    with gzip.open(real_data / "labels/language/lang_pool.jsonl.gz", "rt") as file:
        return [json.loads(line)["text"] for line in file]


def test_real_abstracts_of_three_languages(real_data):
    assert differing(real_abstracts(real_data)) == []


def test_real_abstracts_that_were_misread(real_data):
    abstracts = real_abstracts(real_data)[::10]
    for codec in CODECS:
        assert differing([misread(abstract, codec, 1) for abstract in abstracts]) == []


def test_real_abstracts_with_latex(real_data):
    with lzma.open(real_data / "bench/arxiv/econ.TH.tsv.xz", "rt", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert differing([row["abstract"] for row in rows]) == []


def test_real_full_texts(real_data):
    files = sorted((real_data / "demo/elife_jats").glob("*.xml"))
    assert differing([parse_jats(path.read_bytes()).body for path in files]) == []
