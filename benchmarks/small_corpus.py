"""Dedup of a corpus that fits in memory: the kernels of the dedup stage without its files.

Every pair that shares a key is compared: a band of the signatures, the digest of all words, an
identifier, or title and first author. What the evidence and the texts say together decides.
"""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.kernels.bibliography import authors_agree, bibliographic_key, identity_keys
from corpusforge.kernels.clusters import components
from corpusforge.kernels.evidence import COMPARISON, Evidence, Limits, Rule, judge_pairs
from corpusforge.kernels.jit import jit
from corpusforge.kernels.lsh import band_keys
from corpusforge.kernels.minhash import HashFamily, signatures
from corpusforge.kernels.shingles import letter_table, shingle_sets
from corpusforge.kernels.similarity import shared
from corpusforge.tables.text import text_buffers

Pairs = NDArray[np.int64]  # (P, 2) rows of documents, the smaller first


@dataclass(frozen=True)
class Document:
    """What dedup looks at. The text holds the title, as the documents of a corpus do."""

    text: str
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    identifiers: dict[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class How:
    """Parameters, by default those of the stage."""

    words: int = 5
    bands: int = 20
    rows: int = 6
    seed: int = 1
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, eq=False)
class Shingled:
    """Sorted distinct shingles of D texts, and a digest of the words of each."""

    bounds: NDArray[np.int64]  # (D + 1,)
    shingles: NDArray[np.uint32]
    digests: NDArray[np.uint64]  # (D,)

    @classmethod
    def of(cls, texts, words):
        data, offsets = text_buffers(pa.array(texts, pa.large_string()))
        return cls(*shingle_sets(data, offsets, letter_table(), words))

    @property
    def sizes(self):
        return np.diff(self.bounds)

    def shared(self, pairs):
        """Shingles in common, (P,), of (P, 2) rows."""
        out = np.empty(len(pairs), np.int64)
        _count_shared(self.bounds, self.shingles, pairs, out)
        return out

    def band_keys(self, how):
        family = HashFamily.seeded(how.bands * how.rows, how.seed)
        return band_keys(signatures(self.bounds, self.shingles, family), how.bands)


@jit
def _count_shared(
    bounds: NDArray[np.int64], shingles: NDArray[np.uint32], pairs: Pairs, out: NDArray[np.int64]
) -> None:
    for p in range(len(pairs)):
        a, b = pairs[p]
        out[p] = shared(shingles[bounds[a] : bounds[a + 1]], shingles[bounds[b] : bounds[b + 1]])


@dataclass(frozen=True, eq=False)
class Copies:
    """What was found: candidate pairs, what was measured of them, and the clusters."""

    pairs: Pairs
    compared: NDArray[np.void]  # (P,) COMPARISON
    rules: NDArray[np.uint8]  # (P,) values of Rule, 0 where the two are not copies
    clusters: NDArray[np.int64]  # (D,) smallest row of each document's cluster


def meeting(keys, rows):
    """Every two rows with an equal key, (P, 2): all of them, however many share one."""
    order = np.lexsort((rows, keys))
    keys, rows = keys[order], rows[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] ^ np.uint64(1)))
    counts = np.diff(starts, append=len(keys))
    found = [np.empty((0, 2), np.int64)]
    for size in np.unique(counts[counts > 1]):
        members = rows[starts[counts == size][:, None] + np.arange(size)]
        left, right = np.triu_indices(size, 1)
        found.append(np.stack([members[:, left].ravel(), members[:, right].ravel()], axis=1))
    pairs = np.concatenate(found)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)


def claims(keys_of_rows):
    """Keys and the rows that they are of, from a list of keys for each row."""
    lengths = [len(keys) for keys in keys_of_rows]
    flat = np.array([key for keys in keys_of_rows for key in keys], np.uint64)
    return flat, np.repeat(np.arange(len(lengths)), lengths)


def candidates(documents, texts, how):
    """Pairs with a reason to be compared, and the bits of their evidence."""
    count = len(documents)
    works = [bibliographic_key(d.title, d.authors) for d in documents]
    bands = texts.band_keys(how)
    reasons = {
        Evidence.EXACT: (texts.digests, np.arange(count)),
        Evidence.NEAR: (bands.ravel(), np.repeat(np.arange(count), how.bands)),
        Evidence.IDENTIFIER: claims([identity_keys(d.identifiers) for d in documents]),
        Evidence.BIBLIOGRAPHIC: claims([[key] if key is not None else [] for key in works]),
    }
    met = {reason: meeting(*told) for reason, told in reasons.items()}
    every = np.concatenate(list(met.values()))
    bits = np.concatenate([np.full(len(pairs), int(r), np.uint8) for r, pairs in met.items()])
    pairs, place = np.unique(every, axis=0, return_inverse=True)
    evidence = np.zeros(len(pairs), np.uint8)
    np.bitwise_or.at(evidence, place.ravel(), bits)
    return pairs, evidence


def compare(documents, texts, pairs, evidence):
    """The measurements on which candidates are judged."""
    titles = Shingled.of([d.title for d in documents], 5).sizes
    years = np.array([d.year or 0 for d in documents])
    left, right = pairs.T
    compared = np.zeros(len(pairs), COMPARISON)
    compared["evidence"] = evidence
    known = (years[left] > 0) & (years[right] > 0)
    compared["years_apart"] = np.where(known, np.abs(years[left] - years[right]), 0)
    compared["title"] = np.minimum(titles[left], titles[right])
    compared["one"], compared["other"] = texts.sizes[left], texts.sizes[right]
    compared["shared"] = texts.shared(pairs)
    return compared


def judge(documents, pairs, compared, limits):
    """The rule of each pair; where authors differ, an identifier in common is in doubt."""
    rules = judge_pairs(compared, limits)
    by_name = np.flatnonzero(rules == Rule.IDENTIFIER)
    for i in by_name:
        a, b = pairs[i]
        if not authors_agree(documents[a].authors, documents[b].authors):
            compared["evidence"][i] ^= Evidence.IDENTIFIER | Evidence.DOUBTED
    rules[by_name] = judge_pairs(compared[by_name], limits)
    return rules


def find_copies(documents, how):
    """All copies among some documents."""
    texts = Shingled.of([d.text for d in documents], how.words)
    pairs, evidence = candidates(documents, texts, how)
    compared = compare(documents, texts, pairs, evidence)
    rules = judge(documents, pairs, compared, how.limits)
    left, right = pairs[rules > 0].T
    return Copies(pairs, compared, rules, components(len(documents), left, right))
