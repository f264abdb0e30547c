"""The verbs for shards, as they are typed: on a pipeline's shards, and on a folder by itself."""

import io
import shutil

import pytest
from corpora import finish, write_corpus
from rich.console import Console

from corpusforge import Corpus
from corpusforge.cli import run_command
from corpusforge.formats.shard_folder import read_description
from corpusforge.pipeline.manifest import is_complete
from corpusforge.pipeline.plan import open_plan

TRAIN = {
    "model": {"kind": "neox", "layers": 1, "hidden": 8, "heads": 1},
    **{"sequence_length": 16, "batch": 4, "steps": 50, "warmup": 1, "seed": 3},
}


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    path = write_corpus(tmp_path_factory.mktemp("verbs"), documents=30, stages={"train": TRAIN})
    finish(path)
    return path


@pytest.fixture
def copied(pipeline, tmp_path):
    """A pipeline whose shards may be changed."""
    shutil.copytree(pipeline.parent, tmp_path / "copied")
    return tmp_path / "copied" / pipeline.name


def command(*words):
    """Exit status and what was printed."""
    console = Console(width=200, file=io.StringIO())
    status = run_command([str(word) for word in words], console)
    return status, console.file.getvalue()


def shards_of(pipeline):
    return open_plan(pipeline).step("shards").folder


def test_verify_says_what_it_looked_at(pipeline):
    status, told = command("verify", "-p", pipeline, "--all")
    texts = Corpus.open(pipeline).table("shards", ["doc_id"]).num_rows
    assert status == 0
    assert f"{texts:,} texts" in told
    assert "all is as it was written" in told


def test_verify_ends_with_status_1_and_names_each_fault(copied):
    path = shards_of(copied) / "train" / "train-00000.bin"
    path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    status, told = command("verify", "--shards", path.parent.parent)
    assert status == 1
    assert "FAULT" in told
    assert str(path) in told


def test_licences_counts_tokens_by_licence_and_source(pipeline):
    status, told = command("licences", "-p", pipeline)
    table = Corpus.open(pipeline).licences().to_pylist()
    assert status == 0
    for row in table:
        name = row["licence"] or "not stated"
        [line] = [ln for ln in told.splitlines() if name in ln and f" {row['source']} " in ln]
        assert f"{row['tokens']:,}" in line
    described = read_description(shards_of(pipeline))
    assert sum(row["tokens"] for row in table) == sum(s.tokens for s in described.splits.values())


def test_takedown_takes_a_paper_out_and_the_pipeline_stays_complete(copied, tmp_path):
    ids = tmp_path / "ids.txt"
    ids.write_text("# asked for by its publisher\npubmed:8\n\npubmed:424242\n")
    samples = tmp_path / "samples.tsv"
    status, told = command(
        "takedown", "-p", copied, "pubmed:7", "--file", ids, "--samples", samples
    )
    assert status == 0
    assert "removed: 2 (pubmed:7, pubmed:8)" in told
    assert "in no shard: 1 (pubmed:424242)" in told
    assert samples.read_text().startswith("step\tplace\twindow\tdoc_id\n")
    assert {line.split("\t")[3] for line in samples.read_text().splitlines()[1:]} <= {
        *("pubmed:7", "pubmed:8")
    }
    plan = open_plan(copied)
    assert is_complete(plan.step("shards"))
    assert command("verify", "-p", copied, "--all")[0] == 0
    kept = Corpus.open(copied).table("shards", ["doc_id"])["doc_id"].to_pylist()
    assert not {"pubmed:7", "pubmed:8"} & set(kept)
    status, told = command("takedown", "-p", copied, "pubmed:7")
    assert "removed before: 1 (pubmed:7)" in told


def test_shards_that_are_made_again_stay_without_what_was_taken_down(copied):
    command("takedown", "-p", copied, "pubmed:7")
    (shards_of(copied) / "train" / "train-00000.bin").unlink()
    plan = finish(copied)
    assert is_complete(plan.step("shards"))
    kept = Corpus.open(copied).table("shards", ["doc_id"])["doc_id"].to_pylist()
    assert "pubmed:7" not in kept
    assert "pubmed:8" in kept


def test_what_a_pipeline_excludes_is_in_no_shard_and_is_another_corpus(copied):
    before = shards_of(copied)
    (copied.parent / "removed.txt").write_text("pubmed:7\n")
    recipe = copied.read_text().replace("shard_tokens:", "exclude: removed.txt\n    shard_tokens:")
    copied.write_text(recipe)
    plan = finish(copied)
    assert plan.step("shards").folder != before
    kept = Corpus.open(copied).table("shards", ["doc_id"])["doc_id"].to_pylist()
    assert "pubmed:7" not in kept
    events = Corpus.open(copied).explain("pubmed:7")
    assert [(e.stage, e.facts["reason"]) for e in events if not e.kept] == [
        ("shards", "taken_down")
    ]
    (copied.parent / "removed.txt").write_text("pubmed:7\npubmed:8\n")
    assert open_plan(copied).step("shards").folder != plan.step("shards").folder


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["takedown"], "takedown needs doc_ids, such as pubmed:33728380, or --file with them"),
        (["takedown", "--file", "missing.txt"], "expected a file of doc_ids, one a line"),
        (["takedown", "s:1", "--samples", "x"], "--samples needs --sequence-length where no"),
    ],
)
def test_a_takedown_that_says_too_little_is_refused(pipeline, capsys, words, message):
    status, _ = command(*words, "--shards", shards_of(pipeline))
    assert status == 1
    assert message in capsys.readouterr().err


def test_split_and_merge_make_folders_that_verify(pipeline, tmp_path):
    folder = shards_of(pipeline)
    status, told = command("split", folder, "--shard-tokens", 500, "--into", tmp_path / "small")
    assert status == 0
    assert f"wrote {tmp_path / 'small' / 'shards.json'}" in told
    status, _ = command("merge", tmp_path / "small", "--into", tmp_path / "merged")
    assert status == 0
    assert command("verify", "--shards", tmp_path / "merged", "--all")[0] == 0
    revisions = {read_description(tmp_path / name).revision for name in ("small", "merged")}
    assert len(revisions) == 1


def test_split_into_shards_of_no_tokens_is_refused(pipeline, tmp_path, capsys):
    words = ("split", shards_of(pipeline), "--shard-tokens", 0, "--into", tmp_path / "none")
    assert command(*words)[0] == 1
    assert "--shard-tokens 0: expected 1 or more" in capsys.readouterr().err


def test_the_same_from_python(copied):
    corpus = Corpus.open(copied)
    assert not [fault for verdict in corpus.verify() for fault in verdict.faults]
    assert corpus.takedown(["pubmed:7"]).removed == ["pubmed:7"]
    assert corpus.takedown(["pubmed:7"]).already == ["pubmed:7"]
    assert not [fault for verdict in corpus.verify(everything=True) for fault in verdict.faults]
