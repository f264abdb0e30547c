"""What an index has of the documents that dedup kept, and for how long."""

import shutil
from random import Random

import msgspec
import pyarrow as pa
from corpora import prose

from corpusforge.formats import facts, partition
from corpusforge.formats.dedup_index import (
    FACTS,
    SETS,
    claim_runs,
    part_number,
    part_path,
)
from corpusforge.formats.facts import open_facts
from corpusforge.formats.partition import write_partition
from corpusforge.formats.run import open_run
from corpusforge.formats.shingle_sets import open_shingle_sets
from corpusforge.stages import dedup
from corpusforge.stages.decontamination import ContaminationConfig
from corpusforge.stages.decontamination_index import BenchmarkConfig
from corpusforge.stages.dedup_sign import CLAIM
from corpusforge.stages.stage import TABLE
from corpusforge.tables.schemas import DOCUMENTS
from stages.folders import run_stage, table_of
from stages.months import KEEPING, clique, months, remembered_ids, removed_of, run, taken_back
from stages.test_dedup import families, scattered, shingles
from stages.test_dedup_evidence import ABSTRACT, REWRITTEN, document

# --- what is remembered


def test_an_index_has_the_facts_and_the_shingles_of_what_was_kept_and_of_nothing_else(
    tmp_path, monkeypatch
):
    for module in (partition, facts):
        monkeypatch.setattr(module, "ROW_GROUP", 4)
    documents = families(range(3))
    [out] = months(tmp_path, [documents[:9], documents[9:]])
    kept = [row["doc_id"] for row in table_of(out)]
    assert remembered_ids(out / "index") == sorted(kept)
    at = iter(kept)
    for part in range(2):
        number = part_number(0, part)
        sets = open_shingle_sets(part_path(out / "index", SETS, number))
        every = open_facts(part_path(out / "index", FACTS, number))
        for row in range(sum(batch.num_rows for batch in every.batches)):
            doc_id = next(at)
            assert every.of(row, "doc_id") == doc_id
            assert len(sets.shingles(row)) == len(shingles(dict(documents)[doc_id], 5))
    new = [(f"n{doc}", f"{text} more") for doc, text in documents]
    _, after = run(tmp_path, "m1", [new], against="m0/dedup/index")
    assert len(taken_back(after)) == len(kept)


def test_claims_are_ordered_as_they_are_compared(tmp_path, monkeypatch):
    monkeypatch.setattr(dedup, "RECORDS_PER_RANGE", 100)
    [out] = months(tmp_path, scattered(families(range(6)), 3, Random(4)))
    seen = []
    for path in claim_runs(out / "index"):
        run = open_run(path, CLAIM)
        near, uid = run.records["near"].tolist(), run.records["member"]["uid"].tolist()
        seen += zip(run.keys.tolist(), near, uid, strict=True)
    assert len(claim_runs(out / "index")) > 1
    assert seen == sorted(seen)
    of_kept = {row["uid"] for row in table_of(out)}
    assert {uid for _, _, uid in seen} == of_kept


def test_what_a_document_got_from_its_copies_it_hands_on_to_the_one_that_supersedes_it(tmp_path):
    """Last month's copy had the DOI, the kept one had not, and neither has the better one."""
    text = prose("handed on")
    with_doi = document("a:1", text, doi="10.1000/mice")
    better = document("b:2", f"{text} More.")
    best = document("c:3", f"{text} More yet.")
    for i, documents in enumerate([[with_doi, better], [best]]):
        columns = [pa.array([row.get(f.name) for row in documents], f.type) for f in DOCUMENTS]
        table = pa.Table.from_arrays(columns, schema=DOCUMENTS)
        clean = tmp_path / f"m{i}" / "clean"
        write_partition(clean / TABLE / "part-00000.parquet", table)
        against = "m0/dedup/index" if i else None
        config = msgspec.structs.replace(KEEPING, against=against)
        out = tmp_path / f"m{i}" / "dedup"
        run_stage(dedup.STAGE, config, out, {"clean": clean}, tmp_path)
    [row] = table_of(out)
    assert (row["doc_id"], row["copies"], row["doi"]) == ("c:3", ["b:2"], "10.1000/mice")


def test_a_document_that_holds_a_benchmark_is_not_remembered(tmp_path):
    question = prose("exam", sentences=2)
    (tmp_path / "exams.jsonl").write_text(f'{{"question": "{question}"}}\n')
    wanted = ContaminationConfig(benchmarks={"exams": BenchmarkConfig(file="exams.jsonl")})
    documents = [("s:1", f"{prose('holds')} {question}"), ("s:2", prose("holds nothing"))]
    months(tmp_path, [documents], decontaminate=wanted)
    assert remembered_ids(tmp_path / "m0" / "dedup" / "index") == ["s:2"]


def test_many_small_ranges_give_what_one_range_gives(tmp_path, monkeypatch):
    old, new = families(range(4))[::2], families(range(4))[1::2]
    one = removed_of(months(tmp_path / "one", [old], [new])[1])
    monkeypatch.setattr(dedup, "RECORDS_PER_RANGE", 40)
    _, out = months(tmp_path / "many", [old], [new])
    assert removed_of(out) == one
    assert len(list((out / "index" / "gen-001" / "claims").iterdir())) > 3


def test_the_same_documents_give_the_same_index_twice(tmp_path):
    layouts = [[families([0]), families([1])], [[*families([2]), *clique(0, [1])]]]
    files = []
    for name in ("first", "second"):
        out = months(tmp_path / name, *layouts)[-1]
        files.append({p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()})
    assert files[0] == files[1]


def test_a_dedup_without_index_is_not_told_of_any(tmp_path):
    tally, out = run(tmp_path, "plain", [families([0])], keep_index=False)
    assert not (out / "index").exists()
    assert not (out / "superseded.parquet").exists()
    assert not [name for name in tally.counts if name.startswith("again")]


def test_a_version_goes_for_the_bearer_of_what_a_removed_copy_said_of_itself(tmp_path):
    """b goes for a in one month, and in the next comes c, which shares an identifier with b."""
    longer, told = document("a:1", f"{ABSTRACT} more"), {"doi": "10.1000/x", "pmid": "7"}
    copy, version = document("b:2", ABSTRACT, **told), document("c:3", REWRITTEN, **told)
    for month, rows in enumerate(([longer, copy], [version])):
        columns = [pa.array([row.get(f.name) for row in rows], f.type) for f in DOCUMENTS]
        table = pa.Table.from_arrays(columns, schema=DOCUMENTS)
        write_partition(tmp_path / f"clean{month}" / TABLE / "part-00000.parquet", table)
        against = "m0/index" if month else None
        config = msgspec.structs.replace(KEEPING, against=against, keep=("longer",))
        reads, out = {"clean": tmp_path / f"clean{month}"}, tmp_path / f"m{month}"
        run_stage(dedup.STAGE, config, out, reads, tmp_path)
    assert removed_of(tmp_path / "m1") == {"c:3": "a:1"}


def test_what_an_earlier_index_has_is_linked_and_outlives_its_folder(tmp_path):
    first, second = months(tmp_path, [clique(0, [3])], [clique(1, [3])])
    name = "gen-000/facts/part-00000.arrow"
    assert (first / "index" / name).samefile(second / "index" / name)
    shutil.rmtree(tmp_path / "m0")
    _, third = run(tmp_path, "m2", [[*clique(0, [5]), *clique(1, [5])]], against="m1/dedup/index")
    assert removed_of(third) == {"c0:5": "c0:3", "c1:5": "c1:3"}


def test_a_superseded_document_matches_nothing_any_more(tmp_path):
    text = prose("forth", sentences=12).split()
    old, better = ("s:1", " ".join(text[:120])), ("s:2", " ".join(text[7:135]))
    like_old = ("s:3", " ".join([*text[:106], *prose("end").split()[:6]]))
    outs = months(tmp_path, [[old]], [[better]], [[like_old]])
    assert removed_of(outs[1]) == {"s:1": "s:2"}
    assert removed_of(outs[2]) == {}
    assert remembered_ids(outs[2] / "index") == ["s:2", "s:3"]
