"""What dedup promises beside an index: what a run over all documents would find, for less."""

from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pyarrow as pa
import pytest
from corpora import prose
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusforge.formats.dedup_index import (
    open_index,
)
from corpusforge.formats.partition import write_partition
from corpusforge.stages import dedup
from corpusforge.stages.stage import TABLE
from corpusforge.tables.identity import uid_of
from stages.folders import documents_table, rejects_of, run_stage, table_of
from stages.months import KEEPING, clique, months, remembered_ids, removed_of, run, taken_back
from stages.test_dedup import KINDS, brute_force, families, family, scattered, shingles

# --- against a run over all documents


sizes = st.lists(st.integers(0, 10), unique=True, max_size=5)


@settings(max_examples=8, deadline=None)
@given(st.lists(sizes, max_size=4), st.integers(1, 3), st.randoms(use_true_random=False))
def test_of_cliques_the_survivors_are_those_of_one_run_over_everything(cliques, parts, random):
    documents = [doc for number, some in enumerate(cliques) for doc in clique(number, some)]
    split = [[], [], []]
    for doc in documents:
        random.choice(split).append(doc)
    with TemporaryDirectory() as folder:
        base = Path(folder)
        outs = months(base, *(scattered(docs, parts, random) for docs in split))
        _, whole = run(base, "whole", scattered(documents, parts, random))
        survivors = sorted(row["doc_id"] for row in table_of(whole))
        assert remembered_ids(outs[-1] / "index") == survivors
        assert open_index(outs[-1] / "index").documents == len(survivors)
        went = {doc: kept for out in outs for doc, kept in removed_of(out).items()}
        for doc, kept in removed_of(whole).items():
            stands = doc
            while stands in went:
                stands = went[stands]
            assert stands == kept


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(KINDS), unique=True, max_size=7), max_size=3),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
def test_no_two_documents_that_stand_are_copies_and_every_removed_one_has_a_kept_copy(
    kinds, parts, random
):
    documents = [doc for number, some in enumerate(kinds) for doc in family(number, some)]
    old = [doc for doc in documents if random.random() < 0.5]
    new = [doc for doc in documents if doc not in old]
    sets = {doc: shingles(text, 5) for doc, text in documents}
    with TemporaryDirectory() as folder:
        layouts = (scattered(old, parts, random), scattered(new, parts, random))
        before, after = months(Path(folder), *layouts)
        standing = remembered_ids(after / "index")
        removed, told = removed_of(after), rejects_of(after)
        kept_before = remembered_ids(before / "index")
    assert {doc for doc, _ in new} | set(kept_before) == set(standing) | set(removed)
    for a, b in combinations(standing, 2):
        assert len(sets[a] & sets[b]) / len(sets[a] | sets[b]) < 0.8
    assert set(removed.values()) <= set(standing)
    for row in told:
        a, b = sets[row["doc_id"]], sets[row["detail"]]
        assert row["observed"] == len(a & b) / len(a | b) >= row["limit"]


def test_without_old_documents_the_result_is_that_of_brute_force(tmp_path):
    _, out = months(tmp_path, [[]], [families([0])])
    survivors, removed = brute_force(families([0]))
    assert {row["doc_id"] for row in table_of(out)} == set(survivors)
    assert removed_of(out) == {doc: kept for doc, (kept, _, _) in removed.items()}
    assert taken_back(out) == {}


# --- which of two stays


def test_a_new_copy_that_is_worse_goes_for_the_old_document(tmp_path):
    [whole], [cut] = clique(1, [0]), clique(1, [6])
    _, out = months(tmp_path, [[whole]], [[cut, ("n:1", prose("other"))]])
    [row] = rejects_of(out)
    assert (row["doc_id"], row["detail"], row["reason"]) == ("c1:6", "c1:0", "near_duplicate")
    assert row["observed"] == 110 / 116
    assert taken_back(out) == {}
    assert remembered_ids(out / "index") == ["c1:0", "n:1"]


def test_a_new_copy_that_is_better_supersedes_the_old_document(tmp_path):
    [whole], [cut] = clique(1, [0]), clique(1, [6])
    _, out = months(tmp_path, [[cut]], [[whole]])
    assert rejects_of(out) == []
    [row] = table_of(out)
    assert (row["doc_id"], row["copies"]) == ("c1:0", ["c1:6"])
    assert row["cluster"] == min(uid_of("c1:0"), uid_of("c1:6"))
    assert taken_back(out)["c1:6"] == {
        "doc_id": "c1:6",
        "uid": uid_of("c1:6"),
        "replaced_by": "c1:0",
        "similarity": 110 / 116,
        "rule": "near_duplicate",
    }
    assert remembered_ids(out / "index") == ["c1:0"]


@pytest.mark.parametrize("ids", [("a:1", "b:2"), ("b:2", "a:1")])
def test_of_equal_documents_the_old_one_stays_whatever_its_uid(tmp_path, ids):
    text = prose("equal")
    _, out = months(tmp_path, [[(ids[0], text)]], [[(ids[1], text)]])
    assert removed_of(out) == {ids[1]: ids[0]}


def test_two_old_documents_that_a_better_new_one_resembles_are_both_superseded(tmp_path):
    text = prose("three", sentences=12).split()
    old = [("s:1", " ".join(text[:120])), ("s:2", " ".join(text[14:134]))]  # 0.78 alike
    new = ("s:3", " ".join([*text[7:127], "and", "more"]))
    _, out = months(tmp_path, [old[:1], old[1:]], [[new]])
    assert removed_of(out) == {"s:1": "s:3", "s:2": "s:3"}


def test_a_new_document_that_resembles_only_a_removed_one_stays_in_a_cluster_of_its_own(tmp_path):
    text = prose("removed", sentences=12).split()
    old = [("s:1", " ".join([*text[:120], *LONGER])), ("s:2", " ".join(text[7:127]))]
    new = ("s:3", " ".join(text[14:133]))
    before, out = months(tmp_path, [old], [[new]])
    assert removed_of(before) == {"s:2": "s:1"}
    assert [row["cluster"] for row in table_of(out)] == [uid_of("s:3")]
    _, whole = run(tmp_path, "whole", [[*old, new]])
    assert {row["doc_id"] for row in table_of(whole)} == {"s:1", "s:3"}
    assert len({row["cluster"] for row in table_of(whole)}) == 1


def test_what_was_removed_for_a_document_that_is_now_superseded_is_not_looked_at_again(tmp_path):
    """The case in which one run over everything keeps more."""
    text = prose("third", sentences=12).split()
    old = [("s:2", " ".join([*text[7:127], *LONGER])), ("s:1", " ".join(text[:120]))]
    new = ("s:3", " ".join([*text[14:134], *LONGER, *LONGER]))
    before, out = months(tmp_path, [old], [[new]])
    assert removed_of(before) == {"s:1": "s:2"}
    assert removed_of(out) == {"s:2": "s:3"}
    _, whole = run(tmp_path, "whole", [[*old, new]])
    assert {row["doc_id"] for row in table_of(whole)} == {"s:1", "s:3"}


LONGER = ["notwithstanding", "nevertheless"]


# --- a record that comes again


def test_a_record_that_comes_again_unchanged_is_a_copy_of_itself_and_no_loss(tmp_path):
    documents = [("s:1", prose("one")), ("s:2", prose("two"))]
    months(tmp_path, [documents])
    tally, out = run(tmp_path, "m1", [documents[:1]], against="m0/dedup/index")
    [row] = rejects_of(out)
    assert (row["doc_id"], row["detail"], row["reason"]) == ("s:1", "s:1", "exact_duplicate")
    told = {name: tally.counts.get(f"{name} s") for name in ("of", "removed of", "again of")}
    assert told == {"of": 1, "removed of": 1, "again of": 1}
    assert tally.balances
    assert remembered_ids(out / "index") == ["s:1", "s:2"]


@pytest.mark.parametrize("longer", ["old", "new"])
def test_a_record_that_was_rewritten_is_still_one_and_the_policy_decides(tmp_path, longer):
    old = prose("as it was", sentences=9 if longer == "old" else 4)
    new = prose("as it is", sentences=9 if longer == "new" else 4)
    other = ("s:2", prose("other"))
    _, out = months(tmp_path, [[("s:1", old)]], [[("s:1", new), other]])
    assert remembered_ids(out / "index") == ["s:1", "s:2"]
    if longer == "old":
        [row] = rejects_of(out)
        assert (row["detail"], row["reason"], row["limit"]) == ("s:1", "same_identifier", 0.0)
    else:
        assert taken_back(out)["s:1"]["replaced_by"] == "s:1"
        assert {row["doc_id"]: row["copies"] for row in table_of(out)}["s:1"] == ["s:1"]


def test_a_record_never_stands_twice_even_where_the_better_one_is_in_the_other(tmp_path):
    text = prose("shrunk", sentences=30).split()
    old, new = ("s:1", " ".join(text)), ("s:1", " ".join(text[:120]))
    run(tmp_path, "m0", [[old]], keep=("newer",))
    clean = tmp_path / "m1" / "clean" / TABLE / "part-00000.parquet"
    table = documents_table([new])
    at = table.schema.get_field_index("year")
    dated = table.set_column(at, table.schema.field(at), pa.array([2001], pa.int16()))
    write_partition(clean, dated)
    config = msgspec.structs.replace(KEEPING, keep=("newer",), against="m0/dedup/index")
    out = tmp_path / "m1" / "dedup"
    run_stage(dedup.STAGE, config, out, {"clean": tmp_path / "m1" / "clean"}, tmp_path)
    assert (removed_of(out), rejects_of(out)) == ({"s:1": "s:1"}, [])
    assert remembered_ids(out / "index") == ["s:1"]


def test_two_documents_of_one_uid_are_two_documents(tmp_path, monkeypatch):
    monkeypatch.setattr("stages.folders.uid_of", lambda _: 7)
    _, out = months(tmp_path, [[("s:1", prose("one"))]], [[("s:2", prose("two"))]])
    assert rejects_of(out) == []
    assert taken_back(out) == {}
    assert remembered_ids(out / "index") == ["s:1", "s:2"]
