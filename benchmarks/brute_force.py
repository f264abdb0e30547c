"""Dedup beside brute force: every pair of 3,000 records compared, and every removal measured anew.

The records are the first and last of 1,500 arXiv papers whose record was changed; their abstracts
have any similarity from 0 to 1. Only texts speak: identifiers and authors are left out. The stage
runs as in a pipeline; what it did is checked with Python's sets of words, not with its kernels.
"""

import re
import tempfile
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from labelled_copies import changed_versions
from small_corpus import How, Shingled, meeting

from corpusforge.formats.partition import write_partition
from corpusforge.kernels.lsh import collision_probability
from corpusforge.stages.dedup import STAGE, DedupConfig
from corpusforge.stages.stage import REJECTED, TABLE, Inputs, part_name
from corpusforge.tables.identity import uid_of
from corpusforge.tables.schemas import DOCUMENTS
from corpusforge.work import Tally

PAPERS = 1500
PARTITIONS = 3
EDGES = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of the similarities that are told apart
SIZES = {"near_duplicate", "exact_duplicate"}  # reasons whose similarity is that of the whole texts


def print_brute_force():
    """All pairs of 3,000 records, and what the stage kept and removed of them."""
    records = [d for _, *pair in islice(changed_versions(), PAPERS) for d in pair]
    texts = [record.text for record in records]
    with tempfile.TemporaryDirectory() as scratch:
        survivors, removed = deduplicated(texts, Path(scratch))
    limits = DedupConfig().limits
    pairs, likeness, met = compared(texts)
    print(f"{len(texts):,} records, {len(pairs):,} pairs; that share a band, beside the S-curve:")
    for low, high in pairwise(EDGES):
        here = (likeness >= low) & ((likeness < high) | (high == EDGES[-1])) & (likeness > 0)
        print(f"  {low:.1f} to {high:.1f}  {beside_theory(met[here], likeness[here])}")
    similar = likeness >= limits.similarity
    cluster = clusters_of(survivors, removed)
    together = np.array([cluster[a] == cluster[b] for a, b in pairs[similar]])
    print(f"of {limits.similarity} or more, in one cluster:")
    print(f"  {'':10}  {beside_theory(together, likeness[similar])}")
    both = [(a, b) for a, b in pairs[similar] if a in survivors and b in survivors]
    print(f"  pairs of which both are kept: {len(both)}")
    broken = violations(texts, survivors, removed, limits)
    told = "; ".join(f"{count} {what}" for what, count in broken.items())
    print(f"{len(survivors):,} kept in {len(set(survivors.values())):,} clusters, {len(removed):,} "
          f"removed; violations: {told}")  # fmt: skip


def compared(texts):
    """Every pair, (P, 2) rows, its Jaccard similarity, and whether it shares a band."""
    how = How()
    shingled = Shingled.of(texts, how.words)
    pairs = np.stack(np.triu_indices(len(texts), 1), axis=1)
    shared = shingled.shared(pairs)
    union = shingled.sizes[pairs].sum(axis=1) - shared
    rows = np.repeat(np.arange(len(texts)), how.bands)
    banded = meeting(shingled.band_keys(how).ravel(), rows)
    keys = pairs @ [len(texts), 1]
    return pairs, shared / np.maximum(union, 1), np.isin(keys, banded @ [len(texts), 1])


def beside_theory(found, likeness):
    """How many pairs were found, how many the S-curve would find, and how far that is off."""
    how = How()
    chance = collision_probability(likeness, how.bands, how.rows)
    expected, sigma = chance.sum(), np.sqrt((chance * (1 - chance)).sum())
    off = (found.sum() - expected) / sigma if sigma > 0 else 0.0
    return f"{found.sum():6,} of {len(found):9,}; theory {expected:8.1f}, {off:+.1f} sigma"


def deduplicated(texts, folder):
    """The cluster of every survivor; of every removed text its reason, replacement, similarity.

    Texts go by their row.
    """
    names = [f"record:{row}" for row in range(len(texts))]
    given = {
        "uid": pa.array([uid_of(name) for name in names], pa.uint64()),
        "doc_id": names,
        "source": ["record"] * len(texts),
        "title": [""] * len(texts),
        "text": texts,
        "content": ["abstract"] * len(texts),
    }
    columns = [
        pa.array(given[f.name], f.type) if f.name in given else pa.nulls(len(texts), f.type)
        for f in DOCUMENTS
    ]
    documents = pa.Table.from_arrays(columns, schema=DOCUMENTS)
    for part in range(PARTITIONS):
        rows = documents.take(np.arange(part, len(texts), PARTITIONS))
        write_partition(folder / "clean" / TABLE / f"{part_name(part)}.parquet", rows)
    out = folder / "dedup"
    run(STAGE.phases(DedupConfig(), Inputs(folder, {"clean": folder / "clean"}), out))
    kept = ds.dataset(sorted(map(str, (out / TABLE).glob("*.parquet")))).to_table()
    gone = ds.dataset(sorted(map(str, (out / REJECTED).glob("*.parquet")))).to_table()
    survivors = {row_of(row["doc_id"]): row["cluster"] for row in kept.to_pylist()}
    removed = {
        row_of(row["doc_id"]): (row["reason"], row_of(row["detail"]), row["observed"])
        for row in gone.to_pylist()
    }
    return survivors, removed


def row_of(name):
    return int(name.removeprefix("record:"))


def run(phases):
    """Every task of a stage, in this process."""
    phase = next(phases)
    while True:
        tally = sum((phase.work(task) for task in phase.tasks), Tally())
        try:
            phase = phases.send(tally)
        except StopIteration:
            return


def clusters_of(survivors, removed):
    """The cluster of each row."""
    return survivors | {row: survivors.get(kept) for row, (_, kept, _) in removed.items()}


def violations(texts, survivors, removed, limits):
    """How often what dedup promises does not hold."""
    sets = [set(shingles(text)) for text in texts]
    broken = {"for a text that is not kept": 0, "below the limit": 0, "told otherwise": 0}
    for row, (reason, kept, observed) in removed.items():
        one, other = sets[row], sets[kept]
        whole = len(one | other) if reason in SIZES else len(one)
        limit = limits.similarity if reason in SIZES else limits.containment
        measured = len(one & other) / whole
        broken["for a text that is not kept"] += kept not in survivors
        broken["below the limit"] += measured < limit
        broken["told otherwise"] += abs(measured - observed) > 1e-6
    broken["texts lost or twice"] = (
        len(texts) - len(survivors | removed) + len(survivors.keys() & removed.keys())
    )
    clusters = set(clusters_of(survivors, removed).values())
    broken["clusters without a survivor"] = len(clusters - set(survivors.values()))
    return broken


def shingles(text, size=5):
    """Its words, five by five, as the definition has it."""
    words = re.findall(r"[^\W_]+", text.lower())
    return [tuple(words[i : i + size]) for i in range(max(1, len(words) - size + 1))]
