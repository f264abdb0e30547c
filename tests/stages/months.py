"""Months of documents, deduplicated one after the other: what the tests of an index share."""

import msgspec
import pyarrow.parquet as pq
from corpora import prose

from corpusforge.formats.dedup_index import (
    FACTS,
    gone_in,
    open_index,
    part_number,
    part_path,
)
from corpusforge.formats.facts import open_facts
from corpusforge.stages import dedup
from corpusforge.stages.dedup import DedupConfig, evidence
from stages.folders import rejects_of, run_stage, write_clean

KEEPING = DedupConfig(keep_index=True)


def run(base, name, partitions, **config):
    """Dedup the documents of one month; the tally and the stage's folder."""
    clean = write_clean(base / name / "clean", partitions)
    wanted = msgspec.structs.replace(KEEPING, **config)
    evidence(wanted, base)
    tally = run_stage(dedup.STAGE, wanted, base / name / "dedup", {"clean": clean}, base)
    return tally, base / name / "dedup"


def months(base, *partitions, **config):
    """One run after another, each against the index of the one before; the folders."""
    folders = []
    for i, layout in enumerate(partitions):
        against = f"m{i - 1}/dedup/index" if i else None
        folders.append(run(base, f"m{i}", layout, against=against, **config)[1])
    return folders


def taken_back(out):
    """Documents of earlier runs; the first run has no index to take any from."""
    path = out / "superseded.parquet"
    rows = pq.read_table(path).to_pylist() if path.exists() else []
    return {row["doc_id"]: row for row in rows}


def removed_of(out):
    """What each removed document went for: new ones, and those of earlier runs."""
    gone = {row["doc_id"]: row["replaced_by"] for row in taken_back(out).values()}
    return {row["doc_id"]: row["detail"] for row in rejects_of(out)} | gone


def remembered_ids(folder):
    """doc_ids that an index still matches, by what its files say."""
    found, gone = [], set(gone_in(folder).tolist())
    for number, generation in enumerate(open_index(folder).manifest.generations):
        for part in range(sum(f"/{FACTS}/" in name for name in generation.files)):
            address = part_number(number, part) << 32
            rows = open_facts(part_path(folder, FACTS, address >> 32)).batches
            ids = [doc_id for batch in rows for doc_id in batch["doc_id"].to_pylist()]
            found += [doc for row, doc in enumerate(ids) if address + row not in gone]
    return sorted(found)


def clique(number, sizes):
    """Copies of one text, each as like every other as dedup asks, and each of its own length."""
    text = prose(f"clique {number}", sentences=9).split()[:120]
    return [(f"c{number}:{size}", " ".join(text[: 120 - size])) for size in sizes]
