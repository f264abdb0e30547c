"""What the dedup benchmarks count, against counts of all pairs one by one."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.evidence import Rule

LABELS = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)))
)
TEXTS = st.lists(
    st.lists(st.sampled_from(["ion", "gas", "star", "cell"]), max_size=9).map(" ".join),
    min_size=1,
    max_size=12,
)


@pytest.fixture(scope="module")
def scores(benchmark_script):
    return benchmark_script("cluster_scores")


@pytest.fixture(scope="module")
def corpus(benchmark_script):
    return benchmark_script("small_corpus")


def pairs_of(labels):
    return {(i, j) for i, j in combinations(range(len(labels)), 2) if labels[i] == labels[j]}


@given(LABELS)
def test_pairwise_scores_are_shares_of_pairs(scores, labels):
    found, true = map(pairs_of, labels)
    got = scores.pairwise(*map(np.array, labels))
    assert got.precision == (len(found & true) / len(found) if found else 1.0)
    assert got.recall == (len(found & true) / len(true) if true else 1.0)


@given(LABELS)
def test_b_cubed_is_a_mean_over_documents(scores, labels):
    found, true = labels
    everywhere = range(len(found))
    shares = []
    for i in everywhere:
        own = {j for j in everywhere if found[j] == found[i]}
        right = {j for j in everywhere if true[j] == true[i]}
        shares.append((len(own & right) / len(own), len(own & right) / len(right)))
    got = scores.b_cubed(np.array(found), np.array(true))
    assert (got.precision, got.recall) == pytest.approx(tuple(np.mean(shares, axis=0)))


def test_f1_is_the_harmonic_mean(scores):
    assert scores.Scores(0.5, 1.0).f1 == pytest.approx(2 / 3)
    assert scores.Scores(0.0, 0.0).f1 == 0.0


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=30))
def test_all_rows_that_share_a_key_meet(corpus, told):
    keys = np.array([key for key, _ in told], np.uint64)
    rows = np.array([row for _, row in told], np.int64)
    expected = {
        (min(a, b), max(a, b))
        for (k, a), (other, b) in combinations(told, 2)
        if k == other and a != b
    }
    assert set(map(tuple, corpus.meeting(keys, rows).tolist())) == expected


@given(TEXTS)
def test_shingles_in_common_are_those_of_the_sets(corpus, texts):
    made = corpus.Shingled.of(texts, 2)
    sets = [
        set(made.shingles[a:b].tolist()) for a, b in zip(made.bounds, made.bounds[1:], strict=False)
    ]
    pairs = np.array(list(combinations(range(len(texts)), 2)), np.int64).reshape(-1, 2)
    assert made.shared(pairs).tolist() == [len(sets[i] & sets[j]) for i, j in pairs]


def test_copies_are_found_by_text_by_identifier_and_by_title(corpus):
    words = [f"word{i}" for i in range(300)]
    whole, changed = " ".join(words[:100]), " ".join(words[60:200])
    documents = [
        corpus.Document(whole, identifiers={"pmid": "1"}),
        corpus.Document(whole.upper()),
        corpus.Document(changed, identifiers={"pmid": "1"}),
        corpus.Document(changed.replace("word150", "x"), "Muon Colliders", ("Palmer",), 1996),
        corpus.Document(" ".join(words[100:240]), "Muon colliders.", ("Palmer", "Ito"), 1997),
        corpus.Document(" ".join(words[240:])),
    ]
    found = corpus.find_copies(documents, corpus.How())
    named = {tuple(pair): Rule(rule).name for pair, rule in
             zip(found.pairs.tolist(), found.rules, strict=True) if rule}  # fmt: skip
    assert named == {(0, 1): "EXACT", (0, 2): "IDENTIFIER", (2, 3): "NEAR", (3, 4): "BIBLIOGRAPHIC"}
    assert found.clusters.tolist() == [0, 0, 0, 0, 0, 5]
