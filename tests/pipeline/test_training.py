"""The command that trains: how it is put together, and when there is none."""

import json
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import msgspec
import pytest
from corpora import write_corpus

from corpusforge.errors import ConfigError
from corpusforge.pipeline import training
from corpusforge.pipeline.manifest import write_manifest
from corpusforge.pipeline.plan import open_plan
from corpusforge.pipeline.training import training_command, training_plan
from corpusforge.training.config import load_config
from corpusforge.work import Tally

MODEL = {"kind": "neox", "layers": 1, "hidden": 16, "heads": 1}
TRAIN = {"train": {"model": MODEL, "steps": 7, "warmup": 1}}


@pytest.fixture
def plan(tmp_path):
    """A plan whose shards are declared complete."""
    made = open_plan(write_corpus(tmp_path, documents=5, stages=TRAIN))
    write_manifest(made.step("shards"), Tally(), 0.0)
    return made


def test_the_command_starts_training_on_the_shards_under_the_launcher(plan):
    assert training_command(plan, "srun --mpi=pmi2 -n 8") == [
        *("srun", "--mpi=pmi2", "-n", "8", sys.executable, "-m", "mpi4py"),
        *("-m", "corpusforge.training", "--shards", str(plan.step("shards").folder)),
        *("--tokenizer", str(plan.step("tokenizer").folder / "tokenizer")),
        *("--config", str(plan.train_folder / "train.json"), "--out", str(plan.train_folder)),
        *("--log-every", "1"),
    ]


EVERY = [(1, 1), (20, 1), (21, 2), (200, 10), (999, 50), (2000, 100), (213_000, 100)]


@pytest.mark.parametrize(("steps", "every"), EVERY)
def test_a_whole_run_prints_twenty_lines_and_a_long_one_more(plan, steps, every):
    train = msgspec.structs.replace(plan.config.stages.train, steps=steps)
    stages = msgspec.structs.replace(plan.config.stages, train=train)
    longer = replace(plan, config=msgspec.structs.replace(plan.config, stages=stages))
    assert training_command(longer, "srun")[-2:] == ["--log-every", str(every)]


@pytest.mark.parametrize(
    ("launcher", "said"),
    [("nosuch -n 2", "there is no such command"), ("srun '", "No closing quotation")],
)
def test_a_launcher_that_cannot_be_started_is_refused(plan, launcher, said):
    with pytest.raises(ConfigError, match=rf"--launcher {re.escape(repr(launcher))}: .*{said}"):
        training_command(plan, launcher)


def test_its_config_is_written_beside_the_model_as_the_pipeline_file_says(plan):
    training_command(plan, "srun")
    path = plan.train_folder / "train.json"
    assert json.loads(path.read_bytes())["steps"] == 7
    assert load_config(path) == plan.config.stages.train


def test_without_a_launcher_it_is_the_mpiexec_beside_this_python(plan, tmp_path, monkeypatch):
    beside = tmp_path / "bin" / "mpiexec"
    beside.parent.mkdir()
    beside.touch()
    monkeypatch.setattr(sys, "executable", str(beside.with_name("python")))
    assert training_command(plan, None)[:3] == [str(beside), "-n", "2"]


def test_the_number_of_ranks_is_that_of_the_cluster(plan):
    cluster = msgspec.structs.replace(plan.config.cluster, ranks=6)
    wide = replace(plan, config=msgspec.structs.replace(plan.config, cluster=cluster))
    assert training_command(wide, None)[1:3] == ["-n", "6"]


def test_another_number_of_ranks_may_be_asked_for(plan):
    assert training_command(plan, None, ranks=3)[1:3] == ["-n", "3"]


def test_a_launcher_and_a_number_of_ranks_are_one_too_many(plan):
    with pytest.raises(ConfigError, match="--ranks 3 with --launcher 'srun -n 8': the launcher st"):
        training_command(plan, "srun -n 8", ranks=3)


def test_without_any_mpiexec_it_says_how_to_get_one(plan, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(training.shutil, "which", lambda _name: None)
    with pytest.raises(ConfigError, match=r"there is no mpiexec; `pip install 'corpusforge\[train"):
        training_command(plan, None)


def test_without_a_model_there_is_nothing_to_train(tmp_path):
    plan = open_plan(write_corpus(tmp_path, documents=5))
    with pytest.raises(ConfigError, match=r"the pipeline file has no stages\.train; add a model"):
        training_command(plan, None)


def test_without_shards_there_is_nothing_to_train_on(tmp_path):
    plan = open_plan(write_corpus(tmp_path, documents=5, stages=TRAIN))
    message = f"{plan.step('shards').folder} is not complete; run `corpusforge run PIPELINE` first"
    with pytest.raises(ConfigError, match=re.escape(message)):
        training_command(plan, None)
    assert not plan.train_folder.exists()


def test_before_there_are_shards_a_plan_counts_with_the_vocabulary_that_is_wanted(tmp_path):
    plan = open_plan(write_corpus(tmp_path, documents=5, stages=TRAIN))
    wanted = plan.config.stages.tokenizer.vocabulary
    lines = training_plan(plan, None)
    assert lines[0] == f"model        GPT-NeoX, 1 layers, 16 wide, 1 heads, vocabulary {wanted:,}"
    assert "8 windows at once on each of 2 ranks" in "\n".join(lines)
    assert "4 windows at once on each of 4 ranks" in "\n".join(training_plan(plan, 4))


def test_before_there_are_shards_a_plan_knows_how_many_ids_bytes_are(tmp_path):
    stages = TRAIN | {"tokenizer": {"preset": "bytes"}}
    plan = open_plan(write_corpus(tmp_path, documents=5, stages=stages))
    assert training_plan(plan, None)[0].endswith("vocabulary 258")


def test_with_shards_a_plan_counts_with_what_they_hold(plan, monkeypatch):
    held = SimpleNamespace(vocab_size=300, splits={"train": SimpleNamespace(tokens=40_960)})
    opened = SimpleNamespace(description=held)
    monkeypatch.setattr(training, "open_corpus", {plan.step("shards").folder: opened}.__getitem__)
    lines = training_plan(plan, None)
    assert lines[0].endswith("vocabulary 300")
    assert "epochs of 40,960 tokens" in "\n".join(lines)


def test_without_a_model_there_is_nothing_to_plan(tmp_path):
    plan = open_plan(write_corpus(tmp_path, documents=5))
    with pytest.raises(ConfigError, match=r"the pipeline file has no stages\.train; add a model"):
        training_plan(plan, None)
