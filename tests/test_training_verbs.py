"""`corpusforge generate`, and what `corpusforge train` passes on about the terminal."""

import os
import sys
from io import StringIO
from pathlib import Path

import pytest
from corpora import write_corpus
from rich.console import Console
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from corpusforge.cli import run_command
from corpusforge.formats.shard_folder import Description
from corpusforge.pipeline.manifest import write_manifest
from corpusforge.pipeline.plan import open_plan
from corpusforge.training.config import TrainConfig
from corpusforge.training.export import export_model
from corpusforge.training.model import build_model
from corpusforge.training.shapes import NeoXConfig
from corpusforge.work import Tally

SHAPE = NeoXConfig(layers=1, hidden=16, heads=1)
CORPUS = Description(
    **{"fingerprint": "", "revision": "", "dtype": "uint16", "vocab_size": 257, "eod_id": 256},
    **{"tokenizer_sha256": "", "split": {}, "seed": 1, "made_by": {}, "splits": {}},
)


def say(*words, terminal=False):
    """The status of a command and what it prints."""
    out = StringIO()
    console = Console(file=out, width=90, force_terminal=terminal)
    return run_command([*map(str, words)], console), out.getvalue()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """An untrained model that reads bytes."""
    folder = tmp_path_factory.mktemp("exported")
    alphabet = {letter: i for i, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(alphabet, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.save(str(folder / "tokenizer.json"))
    weights = build_model(SHAPE, 384, seed=1).state_dict()
    config = TrainConfig(model=SHAPE)
    export_model(weights, config, CORPUS, folder / "tokenizer.json", folder / "model")
    return folder / "model"


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    """A pipeline file whose shards are declared complete."""
    train = {"train": {"model": {"kind": "neox", "layers": 1, "hidden": 16, "heads": 1}}}
    path = write_corpus(tmp_path_factory.mktemp("verbs"), documents=5, stages=train)
    write_manifest(open_plan(path).step("shards"), Tally(), 0.0)
    return path


def test_generate_goes_on_from_a_prompt_as_the_seed_has_it(model):
    words = ("generate", "[b]alpha[/b]", "--model", model, "--tokens", 8, "--top-k", 40)
    status, text = say(*words)
    assert status == 0
    assert text.startswith("[b]alpha[/b]")  # which rich would take for markup
    assert len(text) > len("[b]alpha[/b]\n")
    assert say(*words) == (0, text)
    assert say(*words, "--seed", 1)[1] != text


def test_a_sampling_that_is_none_is_refused(model, capsys):
    assert say("generate", "", "--model", model, "--temperature", "-1")[0] == 1
    assert "temperature=-1.0" in capsys.readouterr().err


def test_a_pipeline_without_a_model_says_how_to_make_one(pipeline, capsys):
    assert say("generate", "", "-p", pipeline)[0] == 1
    assert "model is not there; `corpusforge train PIPELINE` makes" in capsys.readouterr().err


def test_without_torch_generate_says_what_to_install(model, monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "corpusforge.training.generate")
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr("corpusforge.training.generate", None, raising=False)
    monkeypatch.delattr("corpusforge.training.generate")
    assert say("generate", "", "--model", model)[0] == 1
    assert "`pip install 'corpusforge[train]'` brings it" in capsys.readouterr().err


@pytest.fixture
def started(monkeypatch):
    """The command that would have taken this process's place."""
    seen = []
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(os, "execvp", lambda _, command: seen.append(command))
    return seen


@pytest.mark.parametrize(
    ("terminal", "wish", "passed_on"),
    [
        (True, [], ["--live", "90"]),
        (True, ["--plain"], []),
        (False, [], []),
        (False, ["--tensorboard"], ["--tensorboard"]),
    ],
)
def test_training_draws_a_table_where_somebody_looks(pipeline, started, terminal, wish, passed_on):
    say("train", pipeline, *wish, terminal=terminal)
    [command] = started
    assert command[command.index("--log-every") + 2 :] == passed_on


def test_a_dumb_terminal_gets_lines(pipeline, started, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    say("train", pipeline, terminal=True)
    assert "--live" not in started[0]


def test_the_configuration_of_training_knows_nothing_of_terminals(pipeline, started):
    say("train", pipeline, "--tensorboard")
    [command] = started
    written = Path(command[command.index("--config") + 1]).read_text()
    assert "tensorboard" not in written
