"""The command line of training, as far as it starts nothing."""

import json
import sys

import pytest

from corpusforge.training.__main__ import main


@pytest.fixture
def run(monkeypatch, capsys):
    """The exit status and what was printed."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["training", *map(str, words)])
        try:
            status = main()
        except SystemExit as end:
            status = end.code
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return call


@pytest.fixture
def file(config, tmp_path):
    path = tmp_path / "train.json"
    path.write_text(json.dumps(config))
    return path


def test_a_plan_needs_shards_and_a_configuration_only(run, folder, file):
    status, said = run("--shards", folder.shards, "--config", file, "--plan", "--ranks", 3)
    assert status == 0
    assert "GPT-NeoX, 2 layers, 32 wide, 2 heads, vocabulary 280" in said
    assert "2 windows at once on each of 3 ranks" in said
    assert "memory of a rank, GB" in said


def test_a_plan_that_cannot_be_is_refused(run, folder, file):
    status, said = run("--shards", folder.shards, "--config", file, "--plan", "--ranks", 4)
    assert status == 1
    assert said == (
        "a batch of 6 windows does not divide among 4 ranks; set batch to a multiple of 4, or "
        "start another number of ranks\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--tokenizer and --out are needed, except with --plan"),
        (["--plan", "--ranks", "0"], "--ranks 0: at least 1 rank"),
        (["--tokenizer", "t", "--out", "o", "--log-every", "0"], "at least 1 step between lines"),
    ],
)
def test_a_wrong_command_line_is_refused(run, folder, file, words, message):
    status, said = run("--shards", folder.shards, "--config", file, *words)
    assert status == 2
    assert message in said
