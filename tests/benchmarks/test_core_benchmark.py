"""CORE's benchmark: files of its columns, the protocol of 2020, and our answers to it."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(scope="module")
def script(benchmark_script):
    return benchmark_script("core_benchmark")


def row(core_id, *duplicates, title="A Title", abstract="Some Words"):
    return {
        "core_id": core_id,
        "processed_title": title,
        "processed_abstract": abstract,
        "labelled_duplicates": list(duplicates),
    }


def written(path, rows):
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize("name", ["core.jsonl", "core.jsonl.gz", "core.parquet"])
def test_the_file_is_read_in_any_of_its_forms(script, tmp_path, name):
    rows = [row("11", "12"), row("12", "11"), row("13", abstract=None)]
    records = script.records_of(script.load(written(tmp_path / name, rows)), name)
    assert [record.core_id for record in records] == ["11", "12", "13"]
    assert [record.text for record in records] == ["a title some words"] * 2 + ["a title "]
    assert [set(record.duplicates) for record in records] == [{"12"}, {"11"}, set()]


def test_ids_may_be_numbers_or_the_text_of_a_list(script):
    rows = [row(11) | {"labelled_duplicates": "['12', '13']"}, row(12, 11, 13)]
    records = script.records_of(rows, "rows")
    assert [set(record.duplicates) for record in records] == [{"12", "13"}, {"11", "13"}]


def test_a_file_of_other_columns_is_refused(script):
    with pytest.raises(
        ValueError, match=r"core\.jsonl has no column 'processed_title' but core_id"
    ):
        script.records_of([{"core_id": "1"}], "core.jsonl")


# Truth, answer, and what the protocol makes of it.
CASES = {
    "found": ({"2", "3"}, {"2", "3"}),
    "found with one too many": ({"2"}, {"2", "3"}),
    "half found is wrong": ({"2", "3"}, {"2"}),
    "another is wrong": ({"2"}, {"3"}),
    "none found": ({"2"}, set()),
    "none there": (set(), set()),
    "one that is none": (set(), {"2"}),
}


@pytest.mark.parametrize(
    ("case", "scores"),
    [
        ("found", (1, 1, 0, 0, 1)),
        ("found with one too many", (1, 1, 0, 0, 0)),
        ("half found is wrong", (0, 0, 0, 0, 0)),
        ("another is wrong", (0, 0, 0, 0, 0)),
        ("none found", (0, 0, 0, 0, 0)),
        ("none there", (0, 0, 1, 1, 1)),
        ("one that is none", (0, 0, 0, 0, 0)),
    ],
)
def test_one_answer_counts_as_the_protocol_says(script, case, scores):
    truth, answer = CASES[case]
    record = script.Record("1", "text", frozenset(truth))
    assert script.score([record], [answer]) == script.CoreScores(*scores)


def test_the_published_macro_f1_is_a_mean_of_precisions(script):
    """The row of SimHash as text-dedup prints it, whose true macro F1 is lower."""
    simhash = script.CoreScores(0.9038, 0.7323, 0.7993, 0.9318, 0.8375)
    assert simhash.mean_precision == pytest.approx(0.8515, abs=1e-4)
    assert simhash.macro_f1 == pytest.approx(0.8347, abs=1e-4)


@given(st.lists(st.sampled_from(sorted(CASES)), min_size=1, max_size=20))
def test_scores_of_many_are_counted_over_all(script, cases):
    records = [script.Record("1", "text", frozenset(CASES[case][0])) for case in cases]
    scores = script.score(records, [CASES[case][1] for case in cases])
    right = sum(truth == answer for truth, answer in map(CASES.get, cases))
    answered = [case for case in cases if CASES[case][1]]
    found = sum(case.startswith("found") for case in cases)
    assert scores.accuracy == pytest.approx(right / len(cases))
    assert scores.duplicate_precision == pytest.approx(found / len(answered) if answered else 0)


def test_made_up_rows_have_a_truth_that_is_mutual_and_matches_their_kind(script):
    rows = script.synthetic(60)
    by_id = {row["core_id"]: row for row in rows}
    assert set(script.COLUMNS) <= set(rows[0])
    for row in rows:
        assert bool(row["labelled_duplicates"]) == (row["cat"] != "non_dup")
        for other in row["labelled_duplicates"]:
            assert row["core_id"] in by_id[other]["labelled_duplicates"]
    assert script.synthetic(60) == rows


def test_exact_copies_are_all_found_and_single_papers_stay_alone(script):
    records = script.records_of(script.synthetic(60), "synthetic")
    kinds = {row["core_id"]: row["cat"] for row in script.synthetic(60)}
    for record, answer in zip(records, script.answers(records, script.How()), strict=True):
        if kinds[record.core_id] != "near_exact":
            assert answer == record.duplicates
        assert answer <= record.duplicates


def test_shorter_shingles_find_more_of_what_was_edited(script):
    records = script.records_of(script.synthetic(150), "synthetic")
    limits = script.Limits(similarity=0.5)
    strict = script.score(records, script.answers(records, script.How()))
    loose = script.How(words=2, bands=50, rows=4, limits=limits)
    found = script.score(records, script.answers(records, loose))
    assert found.duplicate_recall > strict.duplicate_recall
    assert found.duplicate_precision > 0.9
