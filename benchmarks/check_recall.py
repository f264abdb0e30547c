"""Dedup against the truth: every pair of the demo's documents that is similar enough.

Two sets with Jaccard similarity J or more share one of the |A| - ceil(J |A|) + 1 rarest elements of
each (prefix filter: Chaudhuri, Ganti, Kaushik, ICDE 2006), so comparing the documents that do finds
every pair there is.

    corpusforge run pipelines/demo.yaml && python benchmarks/check_recall.py [PIPELINE]
"""

import math
import sys
from itertools import combinations
from pathlib import Path

import numpy as np

from corpusforge import Corpus
from corpusforge.kernels.shingles import letter_table, shingle_sets
from corpusforge.kernels.similarity import jaccard
from corpusforge.tables.text import text_buffers

DEMO = Path(__file__).parents[1] / "pipelines" / "demo.yaml"


def exact_pairs(bounds, shingles, similarity):
    """Every pair of sets at least this similar, as (i, j), i < j."""
    _, inverse, counts = np.unique(shingles, return_inverse=True, return_counts=True)
    by_shingle = {}
    for d in range(len(bounds) - 1):
        own = slice(bounds[d], bounds[d + 1])
        size = bounds[d + 1] - bounds[d]
        prefix = size - math.ceil(similarity * size) + 1
        rarest = np.lexsort((inverse[own], counts[inverse[own]]))[:prefix]
        for shingle in inverse[own][rarest]:
            by_shingle.setdefault(shingle, []).append(d)
    candidates = {pair for found in by_shingle.values() for pair in combinations(found, 2)}
    return {
        (i, j)
        for i, j in candidates
        if jaccard(shingles[bounds[i] : bounds[i + 1]], shingles[bounds[j] : bounds[j + 1]])
        >= similarity
    }


def main():
    corpus = Corpus.open(sys.argv[1] if len(sys.argv) > 1 else DEMO)
    config = corpus.plan.config.stages.dedup
    table = corpus.table("clean", ["doc_id", "text"]).combine_chunks()
    data, offsets = text_buffers(table["text"].chunk(0))
    bounds, shingles, _ = shingle_sets(data, offsets, letter_table(), config.shingle_words)
    pairs = exact_pairs(bounds, shingles, config.limits.similarity)
    doc_ids = table["doc_id"].to_pylist()
    similar = {frozenset((doc_ids[i], doc_ids[j])) for i, j in pairs}
    clusters = corpus.clusters().to_pylist()
    removed = {row["removed"] for row in clusters}
    by_text = [row for row in clusters if row["rule"] in ("exact_duplicate", "near_duplicate")]
    replaced = {frozenset((row["removed"], row["kept"])) for row in by_text}
    missed = [pair for pair in similar if not pair & removed]
    print(
        f"{len(doc_ids):,} documents, {len(similar):,} pairs of similarity "
        f"{config.limits.similarity} or more; dedup removed {len(by_text):,} for their words, "
        f"{len(replaced - similar):,} of them without such a pair, and "
        f"{len(removed) - len(by_text):,} on other evidence; it left {len(missed):,} pairs standing"
    )
    raise SystemExit(bool(missed or replaced - similar))


if __name__ == "__main__":
    main()
