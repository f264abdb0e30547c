"""How fast papers are deduplicated, beside `datatrove` and others, and how the cost grows.

    CORPUSFORGE_DATA=… python benchmarks/dedup.py [SECTION ...]

Sections: signatures stage growth incremental. About 6 minutes, of which `datatrove` takes nearly
all; 2 GB of memory. PubMed is that of the demo: `corpusforge run pipelines/demo.yaml --until clean`
makes it. Ratios are of seconds of the processor, of all processes of a side together, so that
waiting for others on the machine counts for neither; seconds on the clock stand beside them. The
stage pays about half a second to Dask and its driver, whatever its input, and on a busy machine
more.
"""

import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from threading import Event

import datatrove_dedup
import msgspec
import numpy as np
import pyarrow as pa
from bench_signatures import (
    PERMUTATIONS,
    PIPELINE,
    SEED,
    WORDS,
    same_signatures,
    with_datasketch,
    with_rensa,
)
from dedup_phases import PHASE, alone, step_of
from labelled_copies import DATA, arxiv_tables

from corpusforge import Corpus
from corpusforge.executors.clusters import open_client
from corpusforge.executors.dask import DaskExecutor
from corpusforge.formats.dedup_index import CLAIMS, FACTS, SETS, open_index
from corpusforge.formats.partition import write_partition
from corpusforge.kernels.minhash import HashFamily, text_signatures
from corpusforge.kernels.shingles import letter_table
from corpusforge.pipeline.config import ClusterConfig
from corpusforge.pipeline.runner import run_step
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.stage import TABLE, part_name
from corpusforge.tables.identity import uid_of
from corpusforge.tables.schemas import DOCUMENTS
from corpusforge.tables.text import text_buffers

SIGNED = 4000  # documents
STAGE_MEGABYTES = 40  # of text, of each kind of papers
PARTITIONS = 8
GROWTH = (1, 2, 4, 8)


def megabytes_of(documents):
    return pa.compute.sum(pa.compute.binary_length(documents["text"])).as_py() / 1e6


def pubmed():
    documents = Corpus.open(PIPELINE).table("clean")
    return documents.filter(pa.compute.field("source") == "pubmed")


@cache
def arxiv():
    """All rows of the arXiv tables, paper by paper in random order.

    A paper stands there as often as it is cross-listed; any part has much the same share of copies.
    """
    rows = list(arxiv_tables())
    papers = np.unique([arxiv_id for _, arxiv_id, _ in rows], return_inverse=True)[1]
    place = np.random.default_rng(7).permutation(papers.max() + 1)
    rows = [rows[i] for i in np.argsort(place[papers], kind="stable")]
    told = [paper for *_, paper in rows]
    names = [f"arxiv:{subject}/{arxiv_id}" for subject, arxiv_id, _ in rows]
    given = {
        "uid": pa.array([uid_of(name) for name in names], pa.uint64()),
        "doc_id": names,
        "source": ["arxiv"] * len(rows),
        "arxiv": [arxiv_id for _, arxiv_id, _ in rows],
        "doi": [paper.identifiers["doi"] for paper in told],
        "title": [paper.title for paper in told],
        "text": [paper.text for paper in told],
        "content": ["abstract"] * len(rows),
        "authors": [list(paper.authors) for paper in told],
        "year": [paper.year for paper in told],
    }
    columns = [
        pa.array(given[f.name], f.type) if f.name in given else pa.nulls(len(rows), f.type)
        for f in DOCUMENTS
    ]
    return pa.Table.from_arrays(columns, schema=DOCUMENTS)


def shuffled(documents):
    order = np.random.default_rng(8).permutation(documents.num_rows)
    return documents.take(order)


def write_clean(folder, documents):
    """The folder of a clean stage with these documents in partitions of equal size."""
    bounds = np.linspace(0, documents.num_rows, PARTITIONS + 1).astype(int)
    for part in range(PARTITIONS):
        rows = documents.slice(bounds[part], bounds[part + 1] - bounds[part])
        write_partition(folder / TABLE / f"{part_name(part)}.parquet", rows)
    return folder


def processor_seconds(work, *arguments):
    started = time.process_time()
    work(*arguments)
    return time.process_time() - started


def print_signatures(scratch):
    """From text to signatures, one thread, 128 permutations of 5 words, PubMed."""
    few = pubmed().slice(0, SIGNED)
    datatrove_dedup.logger.disable("datatrove")
    texts, megabytes = few["text"].to_pylist(), megabytes_of(few)
    data, bounds = text_buffers(pa.array(texts, pa.large_string()))
    family, letters = HashFamily.seeded(PERMUTATIONS, SEED), letter_table()
    block = datatrove_dedup.signature_block(scratch / "signatures", PERMUTATIONS // 8, 8)
    datatrove_dedup.sign_texts(texts[:10], block)  # loads its tokenizer before the clock starts
    text_signatures(data, bounds, letters, WORDS, family)

    def least(rounds, work, *arguments):
        return min(processor_seconds(work, *arguments) for _ in range(rounds))

    kernel = least(7, text_signatures, data, bounds, letters, WORDS, family)
    peers = {
        "datasketch": least(2, with_datasketch, texts),
        "rensa": least(2, with_rensa, texts),
        "datatrove": least(1, datatrove_dedup.sign_texts, texts, block),
    }
    print(f"{len(texts):,} documents, {megabytes:.1f} MB; MB/s of the processor")
    print(f"  {'kernel':<11}{megabytes / kernel:8.1f}")
    for name, seconds in peers.items():
        print(f"  {name:<11}{megabytes / seconds:8.2f}   1 / {seconds / kernel:.0f}")
    equal = same_signatures(data, bounds, family)
    print(f"  equal to datasketch's on the same shingles: {equal}")


def print_stage(scratch):
    """The whole stage with two workers, and datatrove's four stages with two on the same files."""
    folders = {}
    for name, every in (("PubMed", shuffled(pubmed())), ("arXiv", arxiv())):
        some = every.slice(0, int(every.num_rows * STAGE_MEGABYTES / megabytes_of(every)))
        folder = write_clean(scratch / name, shuffled(some))
        folders[name] = (folder, some.num_rows, megabytes_of(some))
    theirs = {name: with_datatrove(told[0]) for name, told in folders.items()}
    cluster = ClusterConfig(kind="local", workers=2, memory="1400MB", dashboard=0)
    with open_client(cluster, scratch) as client:
        # Workers import and load kernels once in a run, however long it is.
        warm = write_clean(scratch / "warm", pubmed().slice(0, 800))
        in_cluster(client, warm, scratch / "warm-dedup")
        for name, (folder, documents, megabytes) in folders.items():
            ours = in_cluster(client, folder, scratch / f"{name}-dedup")
            print(f"{name}: {documents:,} documents, {megabytes:.1f} MB of text, 2 workers")
            for who, (clock, used, removed) in (("dedup", ours), ("datatrove", theirs[name])):
                print(
                    f"  {who:<10}{clock:7.2f} s, {used:7.2f} of processors; "
                    f"{documents / clock:8,.0f} documents/s, {megabytes / clock:6.2f} MB/s, "
                    f"{2 * megabytes / used:6.2f} if two processors were its own; "
                    f"{removed:,} removed"
                )
            print(f"  ratio {theirs[name][1] / ours[1]:.0f}, on the clock "
                  f"{theirs[name][0] / ours[0]:.0f}")  # fmt: skip


def with_datatrove(folder):
    """Seconds, seconds of the processor, and removed documents."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, datatrove_dedup.__file__, str(folder / TABLE), scratch]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"datatrove ended with {done.returncode}: {done.stderr[-2000:]}")
    return msgspec.json.decode(done.stdout)


def in_cluster(client, clean, out):
    """Seconds, seconds of the processor in workers and driver, and removed documents."""

    def used():
        return sum(client.run(time.process_time).values()) + time.process_time()

    started, before = time.perf_counter(), used()
    for update in run_step(step_of(clean, out), DaskExecutor(client, Event())):
        tally = update.tally
    return time.perf_counter() - started, used() - before, tally.total_rejected


def print_growth(scratch):
    """One, two, four and eight times as many arXiv rows, every task in this process."""
    documents = arxiv()
    alone(write_clean(scratch / "warm", documents.slice(0, 800)), scratch / "warm-dedup")
    least = None
    for times in GROWTH:
        some = documents.slice(0, documents.num_rows * times // GROWTH[-1])
        folder = write_clean(scratch / f"times-{times}", shuffled(some))
        seconds, chosen, peak, removed = alone(folder, scratch / f"times-{times}-dedup")
        each = sum(seconds.values()) / some.num_rows
        least = least or each
        slowest = ", ".join(f"{name} {s:.1f}" for name, s in seconds.items() if s >= 0.1)
        print(
            f"{times} x: {some.num_rows:8,} documents, {removed:,} removed; {each * 1e6:5.0f} us "
            f"each, {each / least:.2f} of the smallest; {PHASE}: peak {peak / 1e6:.1f} MB, "
            f"{peak / some.num_rows:.0f} bytes a document, {peak / chosen:.0f} for one that has "
            f"a copy\n     {slowest} s"
        )


def print_incremental(scratch):
    """As many new arXiv rows each time, against an index of 1, 2, 4 and 8 times as many."""
    documents = arxiv()
    count = documents.num_rows // (GROWTH[-1] + 1)
    new = write_clean(scratch / "new", shuffled(documents.slice(0, count)))
    warm = write_clean(scratch / "warm", documents.slice(0, 800))
    alone(warm, scratch / "warm-old", DedupConfig(keep_index=True))
    against_warm = DedupConfig(keep_index=True, against="warm-old/index")
    alone(warm, scratch / "warm-new", against_warm)
    least = None
    for times in GROWTH:
        some = documents.slice(count, count * times)
        old = write_clean(scratch / f"old-{times}", shuffled(some))
        made, *_ = alone(old, scratch / f"old-{times}-dedup", DedupConfig(keep_index=True))
        index = open_index(scratch / f"old-{times}-dedup" / "index")
        config = DedupConfig(keep_index=True, against=f"old-{times}-dedup/index")
        seconds, _, _, removed = alone(new, scratch / f"new-{times}", config)
        total = sum(seconds.values())
        least = least or total
        each = [index.size(kind) / index.documents for kind in ("", CLAIMS, SETS, FACTS)]
        slowest = ", ".join(f"{name} {s:.1f}" for name, s in seconds.items() if s >= 0.1)
        print(
            f"{times} x: {count:,} new documents against {index.documents:,} of an index, "
            f"{removed:,} removed; {total:.2f} s, {total / least:.2f} of the smallest; the old "
            f"ones took {sum(made.values()):.2f} s; index {each[0]:.0f} bytes a document (claims "
            f"{each[1]:.0f}, shingles {each[2]:.0f}, facts {each[3]:.0f})\n     {slowest} s"
        )


SECTIONS = {
    "signatures": print_signatures,
    "stage": print_stage,
    "growth": print_growth,
    "incremental": print_incremental,
}


def main():
    if not DATA.is_dir():
        sys.exit(f"no real papers at {DATA}; CORPUSFORGE_DATA names the folder that has them")
    wanted = sys.argv[1:] or list(SECTIONS)
    if unknown := set(wanted) - set(SECTIONS):
        sys.exit(f"no section {sorted(unknown)[0]!r}; there are {', '.join(SECTIONS)}")
    for name in wanted:
        started = time.perf_counter()
        print(f"== {name}: {SECTIONS[name].__doc__}")
        with tempfile.TemporaryDirectory() as scratch:
            SECTIONS[name](Path(scratch))
        print(f"   {time.perf_counter() - started:.0f} s\n", flush=True)


if __name__ == "__main__":
    main()
