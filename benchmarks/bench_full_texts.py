"""JATS full texts of eLife: how fast they are read, and how much of each becomes text.

The peer parses the same bytes with lxml and takes all text nodes; it knows neither title, abstract,
sections, references nor formulas. Times are of one round, one thread. What is called the text of a
body is what the usual policy leaves of it: no tables, references and sub-articles.

    CORPUSFORGE_DATA=… python benchmarks/bench_full_texts.py
"""

import os
import sys
import time
from pathlib import Path

from lxml import etree

from corpusforge.kernels.marks import REFERENCE, SUB_ARTICLE, TABLE
from corpusforge.kernels.structure import restructure
from corpusforge.parsers.jats import parse_jats
from corpusforge.sources.streams import read_stream
from corpusforge.sources.tar_stream import read_members

DATA = Path(os.environ.get("CORPUSFORGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
ARCHIVE = DATA / "bench" / "elife-jats.tar.zst"
POLICY = REFERENCE + TABLE + SUB_ARTICLE
SHOWN = 5  # of the files whose body is the smallest part of their text


def jats_files(archive):
    """Name and content of each article of the archive."""
    for member in read_members(read_stream(archive)):
        yield member.name, member.content.read(member.size)


def plain_length(content):
    """Characters of all text nodes, without runs of white space."""
    text = "".join(etree.fromstring(content).itertext())
    return len(" ".join(text.split()))


def main():
    if not ARCHIVE.is_file():
        sys.exit(f"no archive at {ARCHIVE}; CORPUSFORGE_DATA names the folder of real files")
    documents = dict(jats_files(ARCHIVE))
    size = sum(map(len, documents.values()))
    started = time.perf_counter()
    papers = {name: parse_jats(content) for name, content in documents.items()}
    ours = time.perf_counter() - started
    started = time.perf_counter()
    plain = {name: plain_length(content) for name, content in documents.items()}
    peer = time.perf_counter() - started
    print(f"{size / 1e6:.0f} MB: {size / 1e6 / ours:.0f} MB/s, plain text nodes "
          f"{size / 1e6 / peer:.0f} MB/s, ratio {peer / ours:.2f}")  # fmt: skip
    wanted = {name for name, content in documents.items() if b"<abstract" in content}
    texts = {name: restructure(paper.body, "keep", POLICY)[0] for name, paper in papers.items()}
    print(f"files {len(documents)}: title {sum(bool(p.title) for p in papers.values())}, "
          f"body {sum(bool(text) for text in texts.values())}, "
          f"abstract {sum(bool(papers[name].abstract) for name in wanted)} of {len(wanted)} "
          f"that have the element")  # fmt: skip
    shares = sorted((len(text) / plain[name], name) for name, text in texts.items())
    body, told = (sum(map(len, of)) for of in (texts.values(), (p.body for p in papers.values())))
    total = sum(plain.values())
    print(f"bodies {told / 1e6:.1f} M characters, their text {body / 1e6:.1f} M, of "
          f"{total / 1e6:.1f} M in all text nodes ({body / total:.0%}); median share of a file "
          f"{shares[len(shares) // 2][0]:.0%}, smallest:")  # fmt: skip
    for share, name in shares[:SHOWN]:
        print(f"  {name}: {share:.0%} of {plain[name]:,}")


if __name__ == "__main__":
    main()
