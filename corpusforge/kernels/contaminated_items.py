"""Which items of benchmarks documents hold, and where, from the grams found in them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit
from corpusforge.kernels.ngram_index import NgramIndex

# A document and a benchmark: of its items that were found, the one of which the document has the
# largest share; how many different grams that item has, and how many of them the document has.
FINDING = np.dtype(
    [(name, "<i8") for name in ("document", "benchmark", "item", "covered", "grams")]
)
# Bytes of a document that repeat items of a benchmark, from the start of its text.
SPAN = np.dtype([(name, "<i8") for name in ("document", "benchmark", "start", "end")])


@dataclass(frozen=True, eq=False)
class Findings:
    """What documents have of benchmarks."""

    best: NDArray[np.void]  # `FINDING` records by document and benchmark
    spans: NDArray[np.void]  # `SPAN` records by document, benchmark and start
    items: NDArray[np.int64]  # found in any of the documents, ascending


class _Holders(NamedTuple):
    bounds: NDArray[np.int64]
    items: NDArray[np.int64]  # gram g is held by items[bounds[g]:bounds[g + 1]]
    grams: NDArray[np.int64]  # (I,) different ones of each item
    benchmark: NDArray[np.int64]  # (I,)


class _Found(NamedTuple):
    best: NDArray[np.int64]  # (K, B) the item, -1 where there is none, for each document with hits
    covered: NDArray[np.int64]  # (K, B)
    counts: NDArray[np.bool_]  # (H, B) whether a hit is of an item found in its document
    items: NDArray[np.bool_]  # (I,)


def find(
    hits: NDArray[np.void], index: NgramIndex, benchmark: NDArray[np.int64], share: float
) -> Findings:
    """The items that documents hold, and where.

    Args:
        hits: Of one scan, (H,).
        index: That of the scan, without the grams that are not to count.
        benchmark: Of each item, from 0, shape (I,).
        share: How much of an item's different grams a document must have, 0 to 1; one at least.

    Returns:
        Spans are those of the words that match; where they overlap or touch, one span.
    """
    grams = np.bincount(index.items, minlength=len(benchmark))
    documents, first = np.unique(hits["document"], return_index=True)
    found = _find(
        np.ascontiguousarray(hits["gram"]),
        np.append(first, len(hits)).astype(np.int64),
        _Holders(index.bounds, index.items, grams, benchmark),
        share,
    )
    row, column = np.nonzero(found.best >= 0)
    best = np.empty(len(row), FINDING)
    best["document"], best["benchmark"] = documents[row], column
    best["item"], best["covered"] = found.best[row, column], found.covered[row, column]
    best["grams"] = grams[best["item"]]
    ends = hits["word"] + index.grams.sizes[hits["gram"]]
    spans = np.concatenate(
        [_spans(hits[counts], ends[counts], number) for number, counts in enumerate(found.counts.T)]
        or [np.empty(0, SPAN)]
    )
    order = np.argsort(spans, order=("document", "benchmark", "start"))
    return Findings(best, spans[order], np.flatnonzero(found.items))


def _spans(hits: NDArray[np.void], ends: NDArray[np.int64], benchmark: int) -> NDArray[np.void]:
    """The spans of hits that are in the order of a scan; `ends` are the words after their last."""
    stride = 1 + ends.max(initial=0)  # words of one document before all those of the next
    offset = hits["document"] * stride
    reached = np.maximum.accumulate(offset + ends)
    apart = offset[1:] + hits["word"][1:] > reached[:-1]
    first = np.flatnonzero(np.append(np.ones(min(1, len(hits)), np.bool_), apart))
    spans = np.empty(len(first), SPAN)
    spans["document"], spans["benchmark"] = hits["document"][first], benchmark
    spans["start"] = hits["start"][first]
    spans["end"] = np.maximum.reduceat(hits["end"], first) if len(first) else 0
    return spans


@jit
def _find(
    gram: NDArray[np.int64], groups: NDArray[np.int64], holders: _Holders, share: float
) -> _Found:
    """What is found; the hits of document k are gram[groups[k]:groups[k + 1]]."""
    items = len(holders.benchmark)
    benchmarks = 1 + (holders.benchmark.max() if items else -1)
    documents = len(groups) - 1
    best = np.full((documents, benchmarks), -1)
    covered = np.zeros((documents, benchmarks), np.int64)
    counts = np.zeros((len(gram), benchmarks), np.bool_)
    found = np.zeros(items, np.bool_)
    held = np.zeros(items, np.int64)  # grams of the item that the document has
    for k in range(documents):
        here = gram[groups[k] : groups[k + 1]]
        touched = _count(np.unique(here), holders, held)
        for item in touched:
            part = held[item] / holders.grams[item]
            if part < share:
                held[item] = 0
                continue
            found[item] = True
            column = holders.benchmark[item]
            other = best[k, column]
            if other < 0 or part > held[other] / holders.grams[other]:
                best[k, column], covered[k, column] = item, held[item]
        for h in range(groups[k], groups[k + 1]):
            for item in holders.items[holders.bounds[gram[h]] : holders.bounds[gram[h] + 1]]:
                counts[h, holders.benchmark[item]] |= held[item] > 0
        held[touched] = 0
    return _Found(best, covered, counts, found)


@jit
def _count(
    grams: NDArray[np.int64], holders: _Holders, held: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count for each item how many of these grams it holds; the items that hold any, ascending."""
    most = 0
    for g in grams:
        most += holders.bounds[g + 1] - holders.bounds[g]
    touched = np.empty(most, np.int64)
    number = 0
    for g in grams:
        for item in holders.items[holders.bounds[g] : holders.bounds[g + 1]]:
            if held[item] == 0:
                touched[number] = item
                number += 1
            held[item] += 1
    return np.sort(touched[:number])
