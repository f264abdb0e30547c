"""What dedup promises: what brute force over all pairs would remove, whatever the layout."""

import re
from itertools import combinations
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from corpora import prose
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusforge.formats import facts, partition
from corpusforge.formats.partition import write_partition
from corpusforge.kernels.evidence import Limits
from corpusforge.stages import dedup
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.stage import SCRATCH, TABLE
from corpusforge.tables.identity import uid_of
from stages.folders import documents_table, rejects_of, run_stage, table_of, write_clean

CONFIG = DedupConfig()


def run(base, partitions, config=CONFIG):
    """Dedup these partitions of (doc_id, text); the tally and the stage's folder."""
    clean = write_clean(base / "clean", partitions)
    tally = run_stage(dedup.STAGE, config, base / "dedup", {"clean": clean})
    return tally, base / "dedup"


def outcome(base, partitions, config=CONFIG):
    """What dedup decided: survivors, and removed documents with what they were removed for."""
    _, out = run(base, partitions, config)
    survivors = {row["doc_id"]: (row["cluster"], len(row["copies"])) for row in table_of(out)}
    removed = {
        row["doc_id"]: (row["detail"], row["observed"], row["reason"]) for row in rejects_of(out)
    }
    return survivors, removed


def words(text):
    return re.findall(r"[^\W_]+", text.lower())


def shingles(text, n):
    said = words(text)
    return {tuple(said[i : i + n]) for i in range(max(1, len(said) - n + 1))}


def brute_force(documents, config=CONFIG):
    """The definition, over all pairs, with Python's sets: slow, obvious, and only here."""
    text = dict(documents)
    sets = {doc: shingles(text[doc], config.shingle_words) for doc in text}
    similar = {doc: {} for doc in text}
    for a, b in combinations(text, 2):
        likeness = len(sets[a] & sets[b]) / len(sets[a] | sets[b])
        if likeness >= config.limits.similarity:
            similar[a][b] = similar[b][a] = likeness
    best_first = sorted(text, key=lambda doc: (-len(text[doc].encode()), uid_of(doc)))
    kept_for, removed = {}, {}
    for doc in best_first:
        kept = [other for other in similar[doc] if kept_for.get(other) == other]
        nearest = max(kept, key=lambda o: (similar[doc][o], -best_first.index(o)), default=doc)
        kept_for[doc] = nearest
        if nearest != doc:
            exact = words(text[doc]) == words(text[nearest])
            reason = "exact_duplicate" if exact else "near_duplicate"
            removed[doc] = (nearest, similar[doc][nearest], reason)
    survivors = {
        doc: (min(map(uid_of, component(doc, similar))), list(kept_for.values()).count(doc) - 1)
        for doc in text
        if kept_for[doc] == doc
    }
    return survivors, removed


def component(doc, similar):
    reached, reach = set(), {doc}
    while reach:
        reached |= reach
        reach = {other for member in reach for other in similar[member]} - reached
    return reached


def family(seed, members):
    """Near-duplicates of one text, of several kinds, all far from the threshold of 0.8."""
    base = prose(f"family {seed}", sentences=9).split()[:120]
    more = prose(f"more {seed}", sentences=9).split()
    kinds = {
        "copy": base,
        "shout": [word.upper() + "," for word in base],
        "cut": base[:-6],
        "mended": [*base[:50], "mended", *base[51:]],
        "half": base[:60] + more[:60],  # similarity 1/3: stays
        "slid": [*base[7:], *more[:7]],  # 0.89 to the copy
        "slid_twice": [*base[14:], *more[:14]],  # 0.89 to slid, 0.78 to the copy
    }
    return [(f"f{seed}:{kind}", " ".join(kinds[kind])) for kind in members]


KINDS = ["copy", "shout", "cut", "mended", "half", "slid", "slid_twice"]


def families(numbers):
    return [doc for n in numbers for doc in family(n, KINDS)]


def scattered(documents, parts, random):
    """The documents in random order in that many partitions, some perhaps empty."""
    layout = [[] for _ in range(parts)]
    for doc in random.sample(documents, len(documents)):
        random.choice(layout).append(doc)
    return layout


# --- against brute force

members = st.lists(st.sampled_from(KINDS), unique=True, max_size=7)


@settings(max_examples=20)
@given(st.lists(members, max_size=4), st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_result_is_that_of_brute_force_for_any_order_and_layout(families, parts, random):
    documents = [doc for number, kinds in enumerate(families) for doc in family(number, kinds)]
    with TemporaryDirectory() as folder:
        found = outcome(Path(folder), scattered(documents, parts, random))
    assert found == brute_force(documents)


def test_brute_force_itself_meets_every_kind_of_decision():
    survivors, removed = brute_force(families([0]))
    assert set(survivors) > {"f0:half"}
    assert {reason for _, _, reason in removed.values()} == {"exact_duplicate", "near_duplicate"}
    assert len(survivors) + len(removed) == len(KINDS)


def test_many_small_ranges_give_what_one_range_gives(tmp_path, monkeypatch):
    documents = families(range(6))
    one = outcome(tmp_path / "one", [documents])
    monkeypatch.setattr(dedup, "RECORDS_PER_RANGE", 10)
    assert outcome(tmp_path / "many", [documents]) == one
    assert len(list((tmp_path / "many" / "dedup" / SCRATCH / "edges").iterdir())) > 3
    assert one == brute_force(documents)


def test_documents_beyond_the_first_row_group_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr(partition, "ROW_GROUP", 4)
    monkeypatch.setattr(facts, "ROW_GROUP", 4)
    documents = families(range(3))
    layout = [documents[:9], documents[9:]]
    assert outcome(tmp_path, layout) == brute_force(documents)


def test_the_same_documents_give_the_same_bytes_twice(tmp_path):
    files = []
    for name in ("first", "second"):
        _, out = run(tmp_path / name, [families([0]), families([1])])
        files.append({p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()})
    assert files[0] == files[1]


# --- what is removed, and for what


def test_of_equal_documents_the_smallest_uid_stays(tmp_path):
    text = prose("equal")
    documents = [(f"s:{i}", text) for i in range(5)]
    survivors, removed = outcome(tmp_path, [documents[:2], documents[2:]])
    smallest = min((doc for doc, _ in documents), key=uid_of)
    assert survivors == {smallest: (uid_of(smallest), 4)}
    assert {kept for kept, _, _ in removed.values()} == {smallest}


def test_the_longest_copy_stays_whatever_its_uid(tmp_path):
    long = prose("long", sentences=12)
    documents = [("s:a", long), ("s:b", long.rsplit(" ", 2)[0]), ("s:c", long.rsplit(" ", 4)[0])]
    for rotation in range(3):  # each doc_id, and so each uid, has each length once
        ids = [doc for doc, _ in documents[rotation:] + documents[:rotation]]
        renamed = [(i, text) for i, (_, text) in zip(ids, documents, strict=True)]
        survivors, _ = outcome(tmp_path / str(rotation), [renamed])
        assert set(survivors) == {ids[0]}


def test_equal_words_in_another_dress_are_an_exact_duplicate(tmp_path):
    text = prose("dress")
    _, removed = outcome(tmp_path, [[("s:1", text), ("s:2", text.upper().replace(" ", " - "))]])
    [(_, similarity, reason)] = removed.values()
    assert (similarity, reason) == (1.0, "exact_duplicate")


def test_a_removal_says_which_document_is_kept_how_similar_it_is_and_what_was_wanted(tmp_path):
    text = prose("near", sentences=10)
    cut = text.rsplit(" ", 8)[0]
    _, out = run(tmp_path, [[("s:cut", cut), ("s:whole", text)]])
    [row] = rejects_of(out)
    one, other = shingles(cut, 5), shingles(text, 5)
    assert row == {
        "doc_id": "s:cut",
        "stage": "dedup",
        "reason": "near_duplicate",
        "observed": len(one & other) / len(one | other),
        "limit": 0.8,
        "detail": "s:whole",
    }


def test_a_similarity_on_the_threshold_is_a_duplicate(tmp_path):
    # 9 of 10 shingles are shared: the longer text has 14 words, the other 13 of them.
    long = prose("threshold").split()[:14]
    documents = [("s:1", " ".join(long)), ("s:2", " ".join(long[:-1]))]
    on = DedupConfig(limits=Limits(similarity=0.9), bands=60, rows=3)
    above = DedupConfig(limits=Limits(similarity=0.9000001), bands=60, rows=3)
    assert set(outcome(tmp_path / "on", [documents], on)[0]) == {"s:1"}
    assert set(outcome(tmp_path / "above", [documents], above)[0]) == {"s:1", "s:2"}


def test_a_chain_of_resemblances_removes_only_what_resembles_a_kept_document(tmp_path):
    text = prose("chain", sentences=12).split()
    # Each window is 0.89 like the next and 0.78 like the one after that.
    chain = [(f"s:{i}", " ".join(text[7 * i : 7 * i + 120])) for i in range(6)]
    survivors, removed = outcome(tmp_path, [chain])
    assert (survivors, removed) == brute_force(chain)
    assert len(survivors) > 1
    assert all(kept in survivors and s >= 0.8 for kept, s, _ in removed.values())
    assert len({cluster for cluster, _ in survivors.values()}) == 1


def test_survivors_are_at_least_as_many_as_clusters(tmp_path):
    tally, out = run(tmp_path, [families(range(5))])
    clusters = {row["cluster"] for row in table_of(out)}
    assert len(clusters) <= tally.kept
    assert tally.counts["clusters"] <= tally.kept
    assert tally.balances


def test_copies_count_the_documents_removed_in_favour_of_a_survivor(tmp_path):
    survivors, removed = outcome(tmp_path, [families(range(3))])
    for doc, (_, copies) in survivors.items():
        assert copies == sum(kept == doc for kept, _, _ in removed.values())


# --- what is not removed


def test_unrelated_documents_with_the_same_boilerplate_stay(tmp_path):
    """PITFALLS 1: one shared licence text merged 51,160 unrelated books into one cluster."""
    boilerplate = prose("boilerplate", sentences=20)  # half of each pair's shingles
    documents = [
        (f"s:{i}", f"{boilerplate} {prose(f'book {i}', sentences=10)} {boilerplate}")
        for i in range(60)
    ]
    tally, out = run(tmp_path, [documents[:30], documents[30:]])
    assert tally.counts["candidates"] > 100  # so verification has had something to refuse
    assert tally.kept == 60
    assert rejects_of(out) == []


def test_two_pairs_among_one_set_of_candidates_stay_two_clusters(tmp_path):
    """PITFALLS 4: verified pairs (1, 3) and (2, 4) of one candidate cluster were merged back."""
    text = prose("pairs", sentences=12).split()
    first, second = text[:120], text[16:136]  # 0.76 alike: candidates, not duplicates
    documents = [
        ("s:1", " ".join(first)),
        ("s:2", " ".join(second)),
        ("s:3", " ".join(first[:-3])),
        ("s:4", " ".join(second[:-3])),
    ]
    config = DedupConfig(limits=Limits(similarity=0.9), bands=60, rows=3)
    tally, out = run(tmp_path, [documents], config)
    assert tally.counts["pairs_compared"] == 6
    assert tally.counts["pairs_verified"] == 2
    assert tally.counts["clusters"] == 2
    assert {row["doc_id"]: row["detail"] for row in rejects_of(out)} == {"s:3": "s:1", "s:4": "s:2"}


@pytest.mark.parametrize("text", ["", "--- ... !!!", "\n\n"])
def test_documents_without_words_are_no_duplicates_of_each_other(tmp_path, text):
    survivors, removed = outcome(tmp_path, [[("s:1", text), ("s:2", text)], [("s:3", text)]])
    assert set(survivors) == {"s:1", "s:2", "s:3"}
    assert removed == {}


def test_the_smallest_and_the_largest_uid_are_documents_like_any_other(tmp_path):
    """PITFALLS 8: an index sentinel of all ones joined a cluster."""
    text = prose("extreme")
    rows = [("s:least", text), ("s:most", text), ("s:alone", prose("alone"))]
    table = documents_table(rows, uids=[0, 2**64 - 1, 2**64 - 2])
    write_partition(tmp_path / "clean" / TABLE / "part-00000.parquet", table)
    run_stage(dedup.STAGE, CONFIG, tmp_path / "dedup", {"clean": tmp_path / "clean"})
    rows = [(row["uid"], row["cluster"]) for row in table_of(tmp_path / "dedup")]
    assert rows == [(0, 0), (2**64 - 2, 2**64 - 2)]
    assert [row["detail"] for row in rejects_of(tmp_path / "dedup")] == ["s:least"]


# --- sizes of the corpus

ONE, TWO = ("s:1", prose("one")), ("s:2", prose("two"))


@pytest.mark.parametrize(
    "partitions",
    [[[]], [[], []], [[ONE]], [[ONE], []], [[], [ONE]], [[ONE, TWO]], [[ONE], [], [TWO]]],
    ids=lambda partitions: "+".join(str(len(p)) for p in partitions),
)
def test_corpora_of_0_1_and_2_documents_and_empty_partitions_lose_nothing(tmp_path, partitions):
    tally, out = run(tmp_path, partitions)
    documents = [doc for rows in partitions for doc in rows]
    assert [row["doc_id"] for row in table_of(out)] == [doc_id for doc_id, _ in documents]
    assert [row["text_bytes"] for row in table_of(out)] == [len(t.encode()) for _, t in documents]
    assert [row["cluster"] for row in table_of(out)] == [uid_of(doc_id) for doc_id, _ in documents]
    assert tally.read == tally.kept == len(documents)
    assert rejects_of(out) == []


def test_survivors_lie_beside_their_documents_partition_by_partition(tmp_path):
    layout = scattered(families(range(4)), 3, Random(3))
    survivors, _ = outcome(tmp_path, layout)
    for i, rows in enumerate(layout):
        path = tmp_path / "dedup" / TABLE / f"part-0000{i}.parquet"
        here = partition.read_columns(path, ["doc_id"])["doc_id"].to_pylist()
        assert here == [doc_id for doc_id, _ in rows if doc_id in survivors]


# --- settings


@pytest.mark.parametrize(
    ("bands", "rows", "found"), [(1, 6, "26%"), (2, 8, "31%"), (13, 60, "0%"), (20, 13, "68%")]
)
def test_bands_and_rows_that_would_find_too_little_are_refused(bands, rows, found):
    message = f"bands={bands}, rows={rows} would find only {found} of pairs at similarity 0.8"
    with pytest.raises(ValueError, match=message):
        DedupConfig(bands=bands, rows=rows)


def test_another_seed_gives_the_same_decisions_about_clear_cases(tmp_path):
    documents = families(range(3))
    for seed in (2, 2**32 - 1):
        config = DedupConfig(seed=seed)
        assert outcome(tmp_path / str(seed), [documents], config) == brute_force(documents)


def test_shingle_words_decides_what_is_compared(tmp_path):
    # Every second word differs: no two consecutive words are shared, half of the words are.
    text = prose("single", sentences=8).split()
    other = [w if i % 2 else f"{w}x" for i, w in enumerate(text)]
    documents = [("s:1", " ".join(text)), ("s:2", " ".join(other))]
    loose = DedupConfig(shingle_words=1, limits=Limits(similarity=0.2), bands=60, rows=2)
    assert len(outcome(tmp_path / "loose", [documents], loose)[0]) == 1
    assert len(outcome(tmp_path / "strict", [documents])[0]) == 2


def test_a_golden_corpus_keeps_its_decisions(tmp_path):
    """Golden values. If this fails, raise dedup's version; do not edit the numbers."""
    survivors, removed = outcome(tmp_path, [families([0])])
    assert survivors == {
        "f0:shout": (110538804414396246, 4),
        "f0:half": (3217614852064200529, 0),
        "f0:slid_twice": (110538804414396246, 0),
    }
    assert removed["f0:slid"] == ("f0:shout", 109 / 123, "near_duplicate")
