"""Repair of real texts and of a million made-up ones: the kernel and `ftfy` against ftfy alone.

One thread, the same Python strings in one process run; the results have to be the same, text by
text. ftfy's rate depends on what it is shown: fast on long lines of ASCII, slow on others. PubMed
abstracts are those of the demo, the others come from CORPUSFORGE_DATA.

    corpusforge run pipelines/demo.yaml --until extract && python benchmarks/bench_ftfy.py
"""

# ruff: noqa: RUF001 (signs that look like others)

import csv
import lzma
import os
import time
from contextlib import suppress
from itertools import islice
from pathlib import Path
from random import Random

import ftfy
import pyarrow as pa

from corpusforge import Corpus
from corpusforge.errors import ParseError
from corpusforge.kernels.damage_lines import changeable
from corpusforge.kernels.damage_table import damage_table
from corpusforge.kernels.unicode_repair import CONFIG, repair_texts
from corpusforge.parsers.arxiv import parse_arxiv_row
from corpusforge.parsers.jats import parse_jats
from corpusforge.sources.streams import read_stream
from corpusforge.sources.tar_stream import read_members
from corpusforge.tables.text import text_buffers

ROUNDS = 5
ARXIV_ABSTRACTS = 40_000
MADE_UP, AT_ONCE, SEED = 1_000_000, 20_000, 1
PIPELINE = Path(__file__).parents[1] / "pipelines" / "demo.yaml"
DATA = Path(os.environ.get("CORPUSFORGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
PIECES = [
    *("Ã©", "Ã\u00a0", "Ã ", "â€™", "â€\ufffd", "Â°", "ï»¿", "ÃÂ©", "Ø\u00a0", "œ", "à²", "√±"),
    *("\x80", "\x85", "\x92", "\ufffd", "Â", "à", "×²", "&amp;", "&lt;", "&am", "p;", "&nbsp;"),
    *("&#xc3;&#169;", "&#13;", "&", ";", "<", "&amp;lt;", "&EACUTE;", "&bogus;", "\n", "\r\n"),
    *("\r", "\u2028", "\x0b", "\x1c", "\x1b[0m", "\x00", "\u00a0", "\u2000", "\u3000", "\u00ad"),
    *("\ufeff", "ﬁ", "\u0149", "\uff21", "\uff06", "ｶﾞ", "e\u0301", "\u0301", "\u2126", "\u0344"),
    *("\u1100\u1161", "\U0001d15e", "\U0002f800", "\ud800", "\udc00", "漢", "ж", "α", "µ", "°C"),
    *("’", "“", "–", "…", "é", "Å", "†", " ", "a", "B", ".", "text of more than thirty-two bytes"),
]
WORDS = [
    *("naïve", "café", "Łódź", "“x”", "‘y’", "–", "5±1", "µm", "°C", "αβλ", "…", "€", "™", "œuvre"),
    *("東京", "Ελλάδα", "Москва", "😀", "à", "\u00a0", "plain", "words"),
]
CODECS = ["latin-1", "windows-1252", "sloppy-windows-1252", "windows-1251", "macroman", "cp437"]


def best_seconds(work, rounds):
    """The fastest of some rounds: what the machine can do when nobody disturbs it."""
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def pubmed():
    table = Corpus.open(PIPELINE).table("extract", ["doc_id", "abstract"])
    rows = zip(*(table[name].to_pylist() for name in ("doc_id", "abstract")), strict=True)
    return [abstract for doc_id, abstract in rows if doc_id.startswith("pubmed:") and abstract]


def arxiv_abstracts():
    for path in sorted((DATA / "bench" / "arxiv").glob("*.tsv.xz")):
        with lzma.open(path, "rt", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                with suppress(ParseError):  # withdrawn papers
                    yield parse_arxiv_row(row).abstract


def arxiv():
    return list(islice(arxiv_abstracts(), ARXIV_ABSTRACTS))


def elife():
    members = read_members(read_stream(DATA / "bench" / "elife-jats.tar.zst"))
    return [parse_jats(member.content.read(member.size)).body for member in members]


def by_ftfy(texts):
    return [ftfy.fix_text(text, CONFIG) for text in texts]


def differences(ours, theirs):
    return sum(a != b for a, b in zip(ours, theirs, strict=True))


def measure(name, texts):
    data, bounds = text_buffers(pa.array(texts, pa.large_string()))
    table = damage_table()
    shown = changeable(data, bounds, table, CONFIG.max_decode_length)
    megabytes, lines = len(data) / 1e6, sum(text.count("\n") + 1 for text in texts)
    ours = best_seconds(lambda: repair_texts(texts), ROUNDS)
    kernel = best_seconds(lambda: changeable(data, bounds, table, CONFIG.max_decode_length), ROUNDS)
    theirs = best_seconds(lambda: by_ftfy(texts), 2)
    repaired = repair_texts(texts)
    print(
        f"{name}: {len(texts):,} texts, {megabytes:.1f} MB, {lines:,} lines; "
        f"{len(shown):,} lines shown to ftfy ({len(shown) / lines:.3%}); "
        f"{repaired.damaged.sum():,} texts damaged\n"
        f"  ftfy {megabytes / theirs:.1f} MB/s, with the kernel {megabytes / ours:.0f} MB/s: "
        f"{theirs / ours:.0f} times as fast (the kernel alone {megabytes / kernel:.0f} MB/s); "
        f"differences {differences(repaired.texts, by_ftfy(texts))}"
    )


def made_up(random):
    """One text: pieces of damage, words misread once or twice, or any characters."""
    kind = random.random()
    if kind < 0.5:
        return "".join(random.choices(PIECES, k=random.randint(1, 8)))
    if kind < 0.6:
        return "".join(chr(int(0x110000 * random.random() ** 4)) for _ in range(8))
    text = " ".join(random.choices(WORDS, k=random.randint(1, 5)))
    codec = random.choice(CODECS)
    for _ in range(random.randint(1, 2)):
        text = text.encode("utf-8", "replace").decode(codec, "replace")
    return text + random.choice(PIECES)


def check_made_up():
    random = Random(SEED)
    wrong = changed = damaged = 0
    for _ in range(MADE_UP // AT_ONCE):
        texts = [made_up(random) for _ in range(AT_ONCE)]
        repaired, theirs = repair_texts(texts), by_ftfy(texts)
        wrong += differences(repaired.texts, theirs)
        changed += differences(texts, theirs)
        damaged += repaired.damaged.sum()
    print(
        f"made up: {MADE_UP:,} texts, {changed:,} changed, {damaged:,} damaged; differences {wrong}"
    )


def main():
    repair_texts(["compiled before the clock starts"])
    measure("PubMed abstracts", pubmed())
    if (DATA / "bench").is_dir():
        measure("arXiv abstracts", arxiv())
        measure("eLife bodies", elife())
    else:
        print(f"no folder {DATA / 'bench'}: nothing of arXiv and eLife")
    check_made_up()


if __name__ == "__main__":
    main()
