"""How well copies and versions are found among real papers, and how often others are merged.

Truth comes from the papers' sources (benchmarks/labelled_copies.py), never from their likeness.
Nothing is trained; every figure is with the limits of `kernels.evidence` as they stand. Beside the
linking of bibliographic records runs `bib-dedupe`, if it is installed (`pip install bib-dedupe`).

    CORPUSFORGE_DATA=… python benchmarks/dedup_quality.py [SECTION ...]

Sections: crosslist acl changed titles elife shared records scurve brute merges. About 7 minutes,
3 GB of memory.
"""

import sys
import time
from dataclasses import replace
from functools import cache

import numpy as np
from brute_force import print_brute_force
from cluster_scores import b_cubed, pairwise
from labelled_copies import (
    DATA,
    arxiv_tables,
    changed_versions,
    equal_titles,
    first_and_last_versions,
    published_and_preprints,
)
from record_linkage import print_record_linkage
from small_corpus import Document, How, Shingled, claims, compare, find_copies, judge, meeting

from corpusforge.kernels.bibliography import bibliographic_key, family_key
from corpusforge.kernels.clusters import components
from corpusforge.kernels.evidence import Evidence, Limits, Rule, judge_pairs
from corpusforge.kernels.lsh import band_keys, collision_probability
from corpusforge.kernels.minhash import HashFamily, signatures

HOW = How()
MIN_WORDS = 50  # of an abstract that the peS2o preset keeps
RANDOM_PAIRS = 10_000_000
PASTED_PAIRS = 200_000
CURVE_PAIRS = 20_000
NARROW, SHARING = ("q-fin.PM", "q-fin.ST", "econ.TH"), 800
TITLE_SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@cache
def arxiv():
    """Subjects, ids and documents of all rows of the arXiv tables."""
    return tuple(zip(*arxiv_tables(), strict=True))


def related(one, other):
    """Whether two documents have an author's name in common."""
    return bool(set(map(family_key, one.authors)) & set(map(family_key, other.authors)) - {""})


def names_of(rules):
    counts = np.bincount(rules, minlength=len(Rule) + 1)
    return ", ".join(f"{rule.name.lower()} {counts[rule]:,}" for rule in Rule)


def judged(pairs, evidence, limits=HOW.limits):
    """The rule of each pair of documents, with this evidence for all."""
    documents = [document for pair in pairs for document in pair]
    rows = np.arange(len(documents)).reshape(-1, 2)
    texts = Shingled.of([d.text for d in documents], HOW.words)
    bits = np.full(len(pairs), int(evidence), np.uint8)
    return judge(documents, rows, compare(documents, texts, rows, bits), limits)


def print_crosslist():
    """The same arXiv id in several tables: copies by construction. Ids are not shown to dedup."""
    _, ids, documents = arxiv()
    for min_words in (0, MIN_WORDS):
        kept = [i for i, d in enumerate(documents) if len(d.text.split()) >= min_words]
        shown = [replace(documents[i], identifiers={}) for i in kept]
        truth = np.unique([ids[i] for i in kept], return_inverse=True)[1]
        found = find_copies(shown, HOW)
        left, right = found.pairs.T
        is_copy = found.rules > 0
        same = truth[left] == truth[right]
        other = np.flatnonzero(is_copy & ~same)
        # A resubmission under another id, or equal words: copies, though the ids do not say so.
        fact = same | (found.rules == Rule.EXACT)
        fact[other] |= [related(shown[a], shown[b]) for a, b in found.pairs[other]]
        known = is_copy & fact
        wider = components(len(shown), left[known], right[known])
        print(f"{len(shown):,} rows of {min_words} words or more, {len(set(truth)):,} papers; "
              f"pairs: {names_of(found.rules)}")  # fmt: skip
        print(f"  by id alone:      pairs {pairwise(found.clusters, truth)}")
        print(f"  or author, words: pairs {pairwise(found.clusters, wider)}")
        print(f"                 B-cubed {b_cubed(found.clusters, wider)}")
        print(f"  copies by neither id, author nor words: {np.count_nonzero(is_copy & ~fact)}")


def print_acl():
    """Published papers and preprints of one title, in one corpus."""
    rows, documents, linked = {}, [], []
    for acl, published, preprint_id, preprint in published_and_preprints():
        for name, document in ((acl, published), (preprint_id, preprint)):
            if name not in rows:
                rows[name] = len(documents)
                documents.append(document)
        linked.append((rows[acl], rows[preprint_id]))
    left, right = np.array(linked).T
    truth = components(len(documents), left, right)
    nameless = [replace(d, authors=()) for d in documents]
    for label, shown in (("text alone", nameless), ("text and title", documents)):
        found = find_copies(shown, HOW)
        print(f"{label}: {len(shown):,} documents, {names_of(found.rules)}")
        print(f"  pairs   {pairwise(found.clusters, truth)}")
        print(f"  B-cubed {b_cubed(found.clusters, truth)}")


def print_changed():
    """How much of what changed is still found, over the similarity of the two abstracts."""
    likeness, *both = zip(*changed_versions(), strict=True)
    pairs, likeness = list(zip(*both, strict=True)), np.array(likeness)
    documents = [d for pair in pairs for d in pair]
    texts = Shingled.of([d.text for d in documents], HOW.words)
    met = meeting(texts.band_keys(HOW).ravel(), np.repeat(np.arange(len(documents)), HOW.bands))
    banded = np.zeros(len(pairs), bool)
    banded[[a // 2 for a, b in met if a // 2 == b // 2]] = True
    keys = [bibliographic_key(d.title, d.authors) for d in documents]
    titled = np.array([a == b is not None for a, b in zip(keys[::2], keys[1::2], strict=True)])
    by_text = judged(pairs, Evidence.NEAR)
    by_title = judged(pairs, Evidence.BIBLIOGRAPHIC) > 0
    columns = {
        "share a band": banded,
        "near": banded & ((by_text == Rule.NEAR) | (by_text == Rule.EXACT)),
        "contained": by_text == Rule.CONTAINED,
        "text or title": (banded & (by_text > 0)) | (titled & by_title),
        "identifier": judged(pairs, Evidence.IDENTIFIER) > 0,
        "many bear it": judged(pairs, Evidence.DOUBTED) > 0,
    }
    print(f"{'abstracts':<12}{'pairs':>6}" + "".join(f"{name:>15}" for name in columns))
    for low in (*TITLE_SHARES, None):
        here = (likeness >= low) & (likeness < low + 0.1) if low is not None else likeness >= 0
        if low == TITLE_SHARES[-1]:
            here |= likeness == 1
        shown = "all" if low is None else f"{low:.1f} to {low + 0.1:.1f}"
        shares = "".join(f"{found[here].mean():15.3f}" for found in columns.values())
        print(f"{shown:<12}{here.sum():6}{shares}")


def print_titles():
    """Pairs of one title on arXiv, and of one title and first author: what is made of them."""
    _, ids, documents = arxiv()
    known = dict(zip(ids, documents, strict=True))
    pairs = list(equal_titles())
    rules = judged([pair[1:] for pair in pairs], Evidence.NEAR)
    print(f"{len(pairs)} pairs of equal titles; by text alone: {names_of(rules)}")
    for who, wanted in (("no common author", False), ("a common author", True)):
        chosen = [
            (known[one], known[other])
            for (one, other), *_ in pairs
            if one in known and other in known and related(known[one], known[other]) == wanted
        ]
        print(f"  {len(chosen)} with {who}, text alone: {names_of(judged(chosen, Evidence.NEAR))}")
        print(f"    with equal titles: {names_of(judged(chosen, Evidence.BIBLIOGRAPHIC))}")
    papers = list(known.values())
    works = [bibliographic_key(d.title, d.authors) for d in papers]
    met = meeting(*claims([[key] if key is not None else [] for key in works]))
    texts = Shingled.of([d.text for d in papers], HOW.words)
    bits = np.full(len(met), int(Evidence.BIBLIOGRAPHIC), np.uint8)
    compared = compare(papers, texts, met, bits)
    sizes, title = (compared[name].astype(np.int64) for name in ("one", "title"))
    smaller = np.minimum(sizes, compared["other"])
    beyond = np.maximum(compared["shared"] - title, 0) / np.maximum(smaller - title, 1)
    rules = names_of(judge_pairs(compared, HOW.limits))
    print(f"{len(met)} pairs of {len(papers):,} papers have one key, {rules}; beyond the title")
    for low in (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.9):
        print(f"  {np.count_nonzero(beyond >= low):4} share {low:.2f} or more")


def print_elife():
    """First and last version of full texts: all found, and what would keep the later one."""
    pairs = list(first_and_last_versions())
    documents = [d for pair in pairs for d in pair]
    truth = np.arange(len(documents)) // 2
    for label, shown in (
        ("text alone", [replace(d, authors=(), identifiers={}) for d in documents]),
        ("text and identifiers", documents),
    ):
        found = find_copies(shown, HOW)
        both = found.clusters[::2] == found.clusters[1::2]
        print(f"{label}: {both.sum()} of {len(pairs)} papers found, {names_of(found.rules)}")
        print(f"  pairs   {pairwise(found.clusters, truth)}")
        print(f"  B-cubed {b_cubed(found.clusters, truth)}")
    order = [np.sign(len(last.text.encode()) - len(first.text.encode())) for first, last in pairs]
    alike = sum(a.identifiers == b.identifiers and a.year == b.year for a, b in pairs)
    print(f"later versions: {order.count(1)} of {len(pairs)} are longer, and so kept; as long, "
          f"so that the smaller uid is kept, {order.count(0)}; shorter, and so removed, "
          f"{order.count(-1)}; of {alike} year and identifiers are equal")  # fmt: skip


def print_shared():
    """One identifier on all papers of a subject: how many pairs would become one for it."""
    subjects, ids, documents = arxiv()
    for name in NARROW:
        papers = {ids[i]: documents[i] for i, subject in enumerate(subjects) if subject == name}
        some = [papers[arxiv_id] for arxiv_id in sorted(papers)[:SHARING]]
        texts = Shingled.of([d.text for d in some], HOW.words)
        pairs = np.stack(np.triu_indices(len(some), 1), axis=1)
        for label, evidence in (("few", Evidence.IDENTIFIER), ("many", Evidence.DOUBTED)):
            compared = compare(some, texts, pairs, np.uint8(evidence))
            unjudged = np.count_nonzero(judge_pairs(compared, HOW.limits) == Rule.IDENTIFIER)
            rules = judge(some, pairs, compared, HOW.limits)
            merged = [(some[i], some[j]) for i, j in pairs[rules == Rule.IDENTIFIER]]
            strangers = sum(not related(*pair) for pair in merged)
            print(
                f"{name}, {len(pairs):,} pairs, {label} bear it: {len(merged)} merged, "
                f"{strangers} without a common author; {unjudged} by their texts alone"
            )


def print_scurve():
    """Candidates among pairs of sets whose similarity is known exactly."""
    random = np.random.default_rng(5)
    family = HashFamily.seeded(HOW.bands * HOW.rows, HOW.seed)
    print(f"{HOW.bands} bands of {HOW.rows} rows, {CURVE_PAIRS:,} pairs of sets each")
    union = 200
    for likeness in (0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9):
        both, own = round(likeness * union), round((1 - likeness) * union / 2)
        values = random.integers(0, 2**32, (CURVE_PAIRS, both + 2 * own), np.uint32)
        sets = np.stack(
            [values[:, : both + own], np.delete(values, np.s_[both : both + own], 1)], 1
        )
        bounds = np.arange(2 * CURVE_PAIRS + 1) * (both + own)
        keys = band_keys(signatures(bounds, sets.ravel(), family), HOW.bands)
        rate = (keys[::2] == keys[1::2]).any(axis=1).mean()
        theory = collision_probability(both / (both + 2 * own), HOW.bands, HOW.rows)
        sigma = np.sqrt(theory * (1 - theory) / CURVE_PAIRS)
        off = (rate - theory) / sigma
        print(f"  {likeness:4.2f}  found {rate:.4f}  theory {theory:.4f}  {off:+5.1f} sigma")


def print_merges():
    """Random pairs of different papers: how many would become one, and by what mistake."""
    subjects, ids, documents = arxiv()
    papers = {arxiv_id: row for row, arxiv_id in reversed(list(enumerate(ids)))}
    rows = np.array(sorted(papers.values()))
    texts = Shingled.of([documents[row].text for row in rows], HOW.words)
    documents = [documents[row] for row in rows]
    random = np.random.default_rng(6)
    names = np.unique([subjects[row] for row in rows], return_inverse=True)[1]
    order = np.argsort(names, kind="stable")
    starts = np.searchsorted(names[order], np.arange(names.max() + 2))
    a = random.integers(0, len(rows), RANDOM_PAIRS)
    low, high = starts[names[a]], starts[names[a] + 1]
    near = order[low + (random.random(RANDOM_PAIRS) * (high - low)).astype(np.int64)]
    any_other = random.integers(0, len(rows), RANDOM_PAIRS)
    for label, b in (("any two", any_other), ("two of one subject", near)):
        pairs = np.stack([a, b], axis=1)[a != b]
        compared = compare(documents, texts, pairs, np.uint8(Evidence.NEAR))
        for mistake in (Evidence.NEAR, Evidence.IDENTIFIER):
            compared["evidence"] = int(mistake)
            rules = judge(documents, pairs, compared, HOW.limits)
            merged = [(documents[i], documents[j]) for i, j in pairs[rules > 0]]
            strangers = sum(not related(*pair) for pair in merged)
            print(f"{len(pairs):,} pairs of {label}, evidence {mistake.name.lower()}: "
                  f"{len(merged)} merged, {strangers} without a common author; "
                  f"{names_of(rules)}")  # fmt: skip
    print_pasted(documents, np.stack([a, near], axis=1)[a != near][:PASTED_PAIRS])


def print_pasted(documents, pairs):
    """The right title, author and year over the abstract of another paper of the subject."""
    made = []
    for i, j in pairs:
        title, other = documents[i].title, documents[j]
        made.append((documents[i], Document(title + other.text[len(other.title) :], title)))
    print(f"{len(made):,} right titles over another abstract; merged at a bibliographic limit of")
    for limit in (0.02, 0.05, 0.1, 0.2, 0.3):
        rules = judged(made, Evidence.BIBLIOGRAPHIC, Limits(bibliographic=limit))
        print(f"  {limit:4.2f}  {np.count_nonzero(rules == Rule.BIBLIOGRAPHIC)}")


SECTIONS = {
    "crosslist": print_crosslist,
    "acl": print_acl,
    "changed": print_changed,
    "titles": print_titles,
    "elife": print_elife,
    "shared": print_shared,
    "records": print_record_linkage,
    "scurve": print_scurve,
    "brute": print_brute_force,
    "merges": print_merges,
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
        SECTIONS[name]()
        print(f"   {time.perf_counter() - started:.0f} s\n", flush=True)


if __name__ == "__main__":
    main()
