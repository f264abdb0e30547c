"""Benchmarks kept out of the corpus: what dedup rejects or cuts, and what later stages read."""

import json
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpora import finish, prose, results, write_corpus
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from word_runs import runs_of

from corpusforge.errors import SourceError
from corpusforge.executors.clusters import open_client
from corpusforge.executors.dask import DaskExecutor
from corpusforge.formats import facts, partition
from corpusforge.kernels.contamination import documents_with
from corpusforge.kernels.cuts import cut
from corpusforge.pipeline.config import ClusterConfig
from corpusforge.pipeline.plan import open_plan
from corpusforge.stages import dedup
from corpusforge.stages.decontamination import (
    common_grams,
    counted,
    findings,
    judged,
    report,
    scan_texts,
)
from corpusforge.stages.decontamination_index import load_benchmarks
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.stage import SCRATCH, TABLE
from corpusforge.stages.tokenizer_files import TOKENIZER
from corpusforge.tables.annotation import surviving_batches
from stages.folders import rejects_of, run_stage, table_of, write_clean

LONG = (
    "A spring of stiffness k holds a mass m on a frictionless table; what is the period of its "
    "small oscillations when the table itself moves with constant velocity?"
)
TEN = "Which element has the highest melting point of all metals?"
OTHER = "How many moons of the fifth planet did he see through that first telescope in one winter?"
EXAMS = [{"question": LONG}, {"question": TEN}, {"question": OTHER}, {"question": "What is it?"}]
SPAN = {"policy": "span", "margin": 20, "min_piece": 50}


def wanting(**how):
    """A config of dedup that looks for the exams."""
    told = {"benchmarks": {"exams": {"file": "exams.jsonl"}}} | how
    return msgspec.convert({"decontaminate": told}, DedupConfig)


def planted(name, *questions):
    """A paper with these questions in it, unlike any other paper."""
    parts = [prose(f"{name} {i}", sentences=5) for i in range(len(questions) + 1)]
    for i, question in enumerate(questions):
        parts[i] += f"\n\n{question} We do not know."
    return f"s:{name}", "\n\n".join(parts)


def write_exams(folder, records=EXAMS):
    (folder / "exams.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def run(base, partitions, config):
    """Dedup these partitions of (doc_id, text); the tally and the stage's folder."""
    write_exams(base)
    clean = write_clean(base / "clean", partitions)
    tally = run_stage(dedup.STAGE, config, base / "dedup", {"clean": clean}, base)
    return tally, base / "dedup"


def written(out):
    """The report as it is on disk."""
    return json.loads((out / "contamination.json").read_bytes())


def told(out):
    """What became of every document, and the report."""
    kept = {
        row["doc_id"]: (row["text_bytes"], [tuple(c.values()) for c in row["cuts"]])
        for row in table_of(out)
    }
    lost = {
        row["doc_id"]: (row["reason"], row["observed"], row["detail"]) for row in rejects_of(out)
    }
    return kept, lost, written(out)


def at_once(documents, config):
    """The same of documents that are no copies of each other, by the pure functions alone."""
    how = config.decontaminate
    with TemporaryDirectory() as folder:
        write_exams(Path(folder))
        benchmarks = load_benchmarks(how.benchmarks, Path(folder), how.words, how.min_words)
    texts = pa.array([text for _, text in documents], pa.large_string())
    hits = scan_texts(texts, benchmarks)
    common = common_grams(documents_with(hits, len(benchmarks.index)), how)
    found = findings(hits, common, benchmarks, how)
    judgement = judged(found, texts, benchmarks, how)
    kept, lost = {}, {}
    for i, ((doc_id, text), verdict) in enumerate(zip(documents, judgement.verdicts, strict=True)):
        if verdict is not None:
            lost[doc_id] = (verdict.reason.value, verdict.observed, verdict.detail)
        elif i in judgement.cuts:
            left = cut(text, judgement.cuts[i])
            kept[doc_id] = (len(left.encode()), list(map(tuple, judgement.cuts[i].tolist())))
        else:
            kept[doc_id] = (len(text.encode()), [])
    reports = report([found.items], counted(found, benchmarks), common, benchmarks)
    return kept, lost, msgspec.to_builtins(reports)


# TEN is in three documents and OTHER in two; the last is nothing but a question.
DOCUMENTS = [
    planted("clean"),
    planted("one", LONG),
    planted("two", TEN),
    planted("both", TEN, LONG.upper()),
    planted("some", " ".join(LONG.split()[5:20])),
    planted("three", TEN, OTHER),
    planted("four", OTHER),
    planted("also clean"),
    ("s:bare", LONG),
]
POLICIES = {"document": {}, "span": SPAN, "common": {"max_documents": 2}, "share": {"share": 0.5}}


# --- the whole road against the pure functions


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=6)
@given(st.permutations(DOCUMENTS), st.lists(st.integers(0, len(DOCUMENTS)), max_size=3))
def test_any_order_and_layout_gives_what_one_look_at_everything_gives(policy, documents, cuts):
    bounds = [0, *sorted(cuts), len(documents)]
    layout = [documents[a:b] for a, b in pairwise(bounds)]
    config = wanting(**POLICIES[policy])
    expected = at_once(DOCUMENTS, config)
    assert expected[1]  # so there is something to find
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for module in (partition, facts):  # a few documents then make several row groups
            patch.setattr(module, "ROW_GROUP", 3)
        tally, out = run(Path(folder), layout, config)
        assert told(out) == expected
    assert tally.balances
    assert tally.rejected == {"contaminated": len(expected[1])}


def test_every_policy_decides_something_else():
    outcomes = [at_once(DOCUMENTS, wanting(**how)) for how in POLICIES.values()]
    assert all(outcomes.count(outcome) == 1 for outcome in outcomes)


def test_what_was_found_is_counted_and_written(tmp_path):
    tally, out = run(tmp_path, [DOCUMENTS[:4], DOCUMENTS[4:]], wanting())
    [exams] = written(out)
    assert (exams["benchmark"], exams["items"], exams["too_short"]) == ("exams", 4, 1)
    assert (exams["common"], exams["found"], exams["documents"]) == (0, 3, 7)
    assert tally.counts["exams: items"] == exams["found"]
    assert tally.counts["exams: documents"] == exams["documents"]
    assert tally.counts["exams: bytes"] == exams["bytes"] > 0
    assert tally.counts["documents_scanned"] == len(DOCUMENTS)
    assert tally.counts["documents_cut"] == 0


def test_documents_that_are_cut_are_counted(tmp_path):
    tally, out = run(tmp_path, [DOCUMENTS], wanting(**SPAN))
    assert tally.counts["documents_cut"] == sum(bool(row["cuts"]) for row in table_of(out)) == 6


# --- copies


def test_copies_of_a_contaminated_document_stay_removed_and_name_it(tmp_path):
    """Else the item would be back in the corpus with the next best copy."""
    doc_id, text = planted("original", LONG)
    shorter = [(f"s:copy {i}", text.rsplit(" ", i)[0]) for i in (1, 2)]
    _, out = run(
        tmp_path, [[shorter[0], planted("clean")], [(doc_id, text), shorter[1]]], wanting()
    )
    assert [row["doc_id"] for row in table_of(out)] == ["s:clean"]
    assert {row["doc_id"]: (row["reason"], row["detail"]) for row in rejects_of(out)} == {
        doc_id: ("contaminated", "exams, line 1: 17 of its 17 runs of words"),
        "s:copy 1": ("near_duplicate", doc_id),
        "s:copy 2": ("near_duplicate", doc_id),
    }


def test_a_document_that_is_cut_keeps_its_copies(tmp_path):
    doc_id, text = planted("original", LONG)
    _, out = run(tmp_path, [[("s:copy", text.rsplit(" ", 2)[0]), (doc_id, text)]], wanting(**SPAN))
    [row] = table_of(out)
    assert (row["doc_id"], row["copies"]) == (doc_id, ["s:copy"])
    assert len(row["cuts"]) == 1


def test_a_run_of_words_in_many_copies_of_one_work_is_no_common_phrase(tmp_path):
    _, text = planted("original", TEN)
    copies = [(f"s:{i}", text) for i in range(6)]
    different = [planted(f"different {i}", OTHER) for i in range(6)]
    _, out = run(tmp_path, [copies[:3], different, copies[3:]], wanting(max_documents=5))
    [exams] = written(out)
    assert (exams["common"], exams["found"], exams["documents"]) == (1, 1, 1)
    assert {row["doc_id"] for row in table_of(out)} == {doc_id for doc_id, _ in different}


# --- what later stages read


def test_texts_are_read_without_what_was_cut_and_are_as_long_as_is_told(tmp_path):
    layout = [DOCUMENTS[:5], DOCUMENTS[5:]]
    _, out = run(tmp_path, layout, wanting(**SPAN))
    read = {}
    for path in sorted((tmp_path / "clean" / TABLE).iterdir()):
        for batch, annotation in surviving_batches(path, out / TABLE / path.name):
            sizes = [len(text.encode()) for text in batch["text"].to_pylist()]
            assert annotation["text_bytes"].to_pylist() == sizes
            read |= dict(zip(batch["doc_id"].to_pylist(), batch["text"].to_pylist(), strict=True))
    assert set(read) == {doc_id for doc_id, _ in DOCUMENTS} - {"s:bare"}
    grams = {gram for item in EXAMS[:3] for gram in runs_of(item["question"], 8)}
    for doc_id, text in DOCUMENTS[:-1]:
        assert not grams & set(runs_of(read[doc_id], 8))
        assert (read[doc_id] == text) == ("clean" in doc_id)
        assert read[doc_id].startswith(text[:100])


# --- in a pipeline


PLANTED = prose("0 7").split(". ")[2]  # a sentence of pubmed:7


def corpus(folder, question=PLANTED, **how):
    """A pipeline that looks for a sentence in its papers."""
    folder.mkdir(exist_ok=True)
    write_exams(folder, [{"question": question}, {"question": LONG}])
    wanted = {"benchmarks": {"exams": {"file": "exams.jsonl"}}} | how
    return write_corpus(folder, documents=30, stages={"dedup": {"decontaminate": wanted}})


def made_by_dedup(pipeline):
    """The phases of dedup, and its table and rejects."""
    folder = finish(pipeline, until="dedup").step("dedup").folder
    assert not (folder / SCRATCH).exists()
    files = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.parquet")}
    return {path.name for path in (folder / "receipts").iterdir()}, files


def test_without_it_there_are_no_phases_for_it_and_the_bytes_are_those_of_nothing_found(tmp_path):
    never, of_never = made_by_dedup(write_corpus(tmp_path, documents=30))
    nothing, of_nothing = made_by_dedup(corpus(tmp_path / "looks", question=OTHER))
    assert of_never == of_nothing
    assert len(of_never) == 10
    assert nothing - never == {"scan", "common", "contamination"}
    assert never < nothing
    assert of_never != made_by_dedup(corpus(tmp_path / "finds"))[1]


def test_another_benchmark_file_is_another_dedup_of_the_same_documents(tmp_path):
    pipeline = corpus(tmp_path)
    before = open_plan(pipeline)
    write_exams(tmp_path, EXAMS[::-1])
    after = open_plan(pipeline)
    assert before.step("clean").fingerprint == after.step("clean").fingerprint
    assert before.step("dedup").fingerprint != after.step("dedup").fingerprint
    (tmp_path / "exams.jsonl").unlink()
    with pytest.raises(SourceError, match=r"exams.jsonl cannot be read"):
        open_plan(pipeline)


@pytest.mark.cluster
def test_dask_and_one_process_make_the_same_bytes(tmp_path):
    serial = finish(corpus(tmp_path / "serial", **SPAN))
    with open_client(ClusterConfig(workers=2, dashboard=0, memory="1GB"), Path()) as client:
        parallel = finish(corpus(tmp_path / "dask", **SPAN), DaskExecutor(client, Event()))
    assert results(parallel.output) == results(serial.output)


def test_what_was_cut_is_in_no_shard(tmp_path):
    plan = finish(corpus(tmp_path, **SPAN))
    [exams] = written(plan.step("dedup").folder)
    assert (exams["found"], exams["documents"]) == (1, 1)
    shards, vocabulary = plan.step("shards").folder, plan.step("tokenizer").folder / TOKENIZER
    tokenizer = Tokenizer.from_file(str(vocabulary / "tokenizer.json"))
    rows = [row for path in shards.rglob("*.parquet") for row in pq.read_table(path).to_pylist()]
    stored = [
        tokenizer.decode(np.fromfile(path, np.uint16).tolist()) for path in shards.rglob("*.bin")
    ]
    assert "pubmed:7" in {row.get("doc_id") for row in rows}
    assert not any(PLANTED in text for text in stored)
    assert any(prose("0 8").split(". ")[2] in text for text in stored)
