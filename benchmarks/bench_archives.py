"""Readers of tables, archives and XML, each against a plain loop of the obvious library.

The plain loops only decode: `csv` over `lzma`, `json.loads` over `tarfile` without any look at the
manifest, `lxml.iterparse`. Times are the best of some rounds, one thread, in the same run. Real
files are those that CORPUSFORGE_DATA names; the archive is made here, of words that mean nothing.

    CORPUSFORGE_DATA=… python benchmarks/bench_archives.py
"""

import csv
import io
import json
import lzma
import os
import tarfile
import tempfile
import time
from collections import Counter
from hashlib import md5
from pathlib import Path
from random import Random

from lxml import etree

from corpusforge.sources.core_dump import read_core_dump
from corpusforge.sources.delimited import read_arxiv_table
from corpusforge.sources.records import Found
from corpusforge.sources.streams import read_stream
from corpusforge.sources.xml_files import read_acl

ROUNDS = 3
DATA = Path(os.environ.get("CORPUSFORGE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def best_seconds(work, rounds=ROUNDS):
    """The fastest of some rounds: what the machine can do when nobody disturbs it."""
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def show(name, size, ours, peer):
    print(f"{name:<20}{size / 1e6:8.0f}{size / 1e6 / ours:12.0f}{size / 1e6 / peer:12.0f}"
          f"{peer / ours:12.2f}")  # fmt: skip


def drained(reader, path):
    """How many papers a reader gives."""
    return sum(isinstance(record, Found) for record in reader(path))


def csv_loop(path):
    csv.field_size_limit(1 << 26)
    with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
        for _ in csv.reader(file, delimiter="\t"):
            pass


def bench_tables():
    paths = sorted((DATA / "bench" / "arxiv").glob("q-fin.*.xz"))
    if not paths:
        return
    size = sum(len(block) for path in paths for block in read_stream(path))
    ours = best_seconds(lambda: [drained(read_arxiv_table, path) for path in paths])
    peer = best_seconds(lambda: [csv_loop(path) for path in paths])
    print(f"\n{'tables':<20}{'MB':>8}{'MB/s':>12}{'csv MB/s':>12}{'x csv':>12}")
    show("arXiv TSV in xz", size, ours, peer)
    losses = Counter(
        record.rejection.reason.value
        for path in paths
        for record in read_arxiv_table(path)
        if not isinstance(record, Found)
    )
    print(f"losses of {len(paths)} files: {dict(losses)}")


def core_archive(folder):
    """A provider's archive with its manifest, of records that compress like text."""
    records, entries, draw = [], [], Random(1)
    words = ["".join(draw.choices("abcdefghiklmnoprstuv", k=2 + i % 9)) for i in range(20_000)]
    for core in range(1, 1500):
        text = " ".join(draw.choices(words, k=2000))
        record = {"coreId": str(core), "title": "T", "abstract": text[:900], "fullText": text}
        content, path = json.dumps(record).encode(), f"/{core % 90:02}/{core % 70:02}/{core}.json"
        digest = md5(content).hexdigest()
        records.append((path, content))
        entries.append(
            f'<url><rs:md hash="md5:{digest}" length="{len(content)}" path="{path}"/></url>'
        )
    manifest = f"<urlset>{''.join(entries)}</urlset>".encode()
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as tar:
        for name, content in [("manifest.xml", manifest), *records]:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    path = folder / "1.tar.xz"
    path.write_bytes(lzma.compress(held.getvalue(), preset=6))
    return path, len(held.getvalue())


def tarfile_loop(path):
    with lzma.open(path) as file, tarfile.open(fileobj=file, mode="r|") as tar:
        for info in tar:
            if info.name.endswith(".json"):
                json.loads(tar.extractfile(info).read())


def bench_core(folder):
    path, size = core_archive(folder)
    ours = best_seconds(lambda: drained(read_core_dump, path))
    peer = best_seconds(lambda: tarfile_loop(path))
    print(f"\n{'CORE archive':<20}{'MB':>8}{'MB/s':>12}{'tar MB/s':>12}{'x tarfile':>12}")
    show("one provider, xz", size, ours, peer)


def iterparse_loop(path):
    for _, element in etree.iterparse(str(path), tag="paper"):
        "".join(element.itertext())
        element.clear()


def bench_xml(folder):
    source = DATA / "demo" / "acl_xml" / "S16.xml"
    if not source.is_file():
        return
    papers = source.read_bytes().partition(b"</frontmatter>")[2].rpartition(b"</volume>")[0]
    papers = papers.replace(b"</volume>", b"").partition(b"<volume")[0]
    path = folder / "S16.xml"
    body = papers * (6_000_000 // len(papers))
    path.write_bytes(b'<collection id="S16"><volume id="1">' + body + b"</volume></collection>")
    ours = best_seconds(lambda: drained(read_acl, path))
    peer = best_seconds(lambda: iterparse_loop(path))
    print(f"\n{'XML':<20}{'MB':>8}{'MB/s':>12}{'lxml MB/s':>12}{'x iterparse':>12}")
    show("ACL Anthology", path.stat().st_size, ours, peer)


def main():
    bench_tables()
    with tempfile.TemporaryDirectory() as name:
        bench_core(Path(name))
        bench_xml(Path(name))


if __name__ == "__main__":
    main()
