"""The export verb as it is typed, and the same from Python."""

import io

import pytest
from corpora import finish, write_corpus
from rich.console import Console

from corpusforge import Corpus
from corpusforge.cli import run_command


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    path = write_corpus(tmp_path_factory.mktemp("export"), documents=30)
    finish(path)
    return path


def command(*words):
    """Exit status and what was printed."""
    console = Console(width=200, file=io.StringIO())
    status = run_command(["export", *(str(word) for word in words)], console)
    return status, console.file.getvalue()


def test_texts_of_a_pipeline_become_parquet(pipeline, tmp_path):
    status, told = command(tmp_path / "out", "--format", "parquet", "-p", pipeline)
    documents = Corpus.open(pipeline).table("shards", ["doc_id"]).num_rows
    assert status == 0
    assert f"wrote {tmp_path / 'out'}" in told
    printed = [int(line.split()[1]) for line in told.splitlines() if "documents, " in line]
    assert sum(printed) == documents
    assert (tmp_path / "out" / "README.md").exists()


@pytest.mark.parametrize(
    ("options", "what"), [((), "documents, "), (("--windows", 64), "windows, ")]
)
def test_a_folder_of_shards_becomes_tars_that_are_read_back(pipeline, tmp_path, options, what):
    pytest.importorskip("webdataset")
    shards = Corpus.open(pipeline).plan.step("shards").folder
    words = ("--format", "webdataset", "--shards", shards, *options)
    status, told = command(tmp_path / "out", *words)
    assert status == 0
    assert what in told
    assert list((tmp_path / "out").glob("train-*.tar"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--format", "webdataset", "--windows", 0), "--windows 0: expected 1 or more"),
        (("--format", "parquet", "--megabytes", 0), "--megabytes 0: expected 1 or more"),
        (("--format", "parquet", "--windows", 8), "--windows goes with --format webdataset"),
        (("--format", "parquet", "--shards", "x"), "--shards goes with --format webdataset"),
    ],
)
def test_options_that_do_not_go_together_are_refused(pipeline, tmp_path, capsys, words, message):
    words = [tmp_path / "x" if word == "x" else word for word in words]
    assert command(tmp_path / "out", *words, "-p", pipeline)[0] == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_empty_is_refused(pipeline, tmp_path, capsys):
    (tmp_path / "mine").touch()
    assert command(tmp_path, "--format", "parquet", "-p", pipeline)[0] == 1
    assert "is not empty; give a folder that is, or a new one" in capsys.readouterr().err


def test_the_same_from_python(pipeline, tmp_path):
    corpus = Corpus.open(pipeline)
    counts = corpus.export_texts(tmp_path / "texts")
    assert sum(documents for documents, _ in counts.values()) == corpus.table("shards").num_rows
    pytest.importorskip("webdataset")
    samples = corpus.export_samples(tmp_path / "samples")
    assert {split: n for split, (n, _) in samples.items()} == {
        split: n for split, (n, _) in counts.items()
    }
