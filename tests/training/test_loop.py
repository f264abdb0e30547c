"""What a whole run promises: real ranks under mpiexec, on a corpus of a few thousand tokens."""

import json
import os
import shutil
import signal

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from corpusforge.training.config import ModelConfig
from corpusforge.training.model import NeoX

pytestmark = pytest.mark.cluster

# A run in which one rank does something between two steps.
MEDDLING = """
import os, signal, sys, time
from corpusforge.training.trainer import Trainer
from corpusforge.training.__main__ import main
take = Trainer.step
def step(trainer, number, portion):
    {action}
    return take(trainer, number, portion)
Trainer.step = step
sys.exit(main())
"""
KILL_AT_8 = "if (number, trainer.world.rank) == (8, 1): os.kill(os.getpid(), signal.SIGKILL)"
ASK_AT_3 = "if (number, trainer.world.rank) == (3, 1): os.kill(os.getpid(), signal.SIGUSR1)"
SLOWLY = "time.sleep(0.2)"


def logged(out, key):
    """The values of one key by step."""
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    return {line["step"]: line[key] for line in lines if key in line}


@pytest.fixture(scope="module")
def finished(folder, run_job, tmp_path_factory):
    """A run on one rank that nothing disturbed, and what it printed."""
    out = tmp_path_factory.mktemp("run") / "out"
    ended = run_job(1, "-m", "corpusforge.training", *folder.options(out))
    assert ended.status == 0, ended.output
    return out, ended.output


def test_a_run_says_what_it_does(finished):
    out, output = finished
    assert "1 rank on 1 host" in output
    assert "step 20/20  loss " in output
    assert output.count("validation loss ") == 3  # after steps 10 and 20, and in the summary
    assert f"the model is in {out / 'model'}" in output


def test_done_holds_the_last_evaluation_and_the_model_beats_the_baseline(finished):
    out, _ = finished
    done = json.loads((out / "DONE").read_text())
    losses = logged(out, "validation_loss")
    assert list(losses) == [10, 20]
    assert done["validation"]["loss"] == losses[20]
    assert done["validation"]["loss"] < done["unigram"]["loss"] - 0.5
    assert done["fingerprint"] == "0123456789ab"
    assert (done["steps"], done["tokens"]) == (20, 20 * 6 * 32)
    parameters = torch.load(out / "checkpoints" / "step-00000020.pt", weights_only=True)["model"]
    assert done["parameters"] == sum(value.numel() for value in parameters.values())


@torch.no_grad()
def test_the_exported_folder_opens_in_transformers_with_our_logits(finished):
    out, _ = finished
    model = AutoModelForCausalLM.from_pretrained(out / "model").eval()
    tokenizer = AutoTokenizer.from_pretrained(out / "model")
    ids = tokenizer("alpha théta gamma", return_tensors="pt").input_ids
    assert tokenizer.decode(ids[0]) == "alpha théta gamma"
    assert model.config.eos_token_id == tokenizer.eos_token_id == 0
    ours = NeoX(ModelConfig(layers=2, hidden=32, heads=2), 384)
    state = torch.load(out / "checkpoints" / "step-00000020.pt", weights_only=True)
    ours.load_state_dict(state["model"])
    assert torch.allclose(model(ids, use_cache=False).logits, ours(ids), atol=1e-5)


def test_the_number_of_ranks_does_not_change_the_losses(finished, folder, run_job, tmp_path):
    out = tmp_path / "out"
    ended = run_job(2, "-m", "corpusforge.training", *folder.options(out))
    assert ended.status == 0, ended.output
    for key in ("loss", "validation_loss", "gradient_norm"):
        assert logged(out, key) == pytest.approx(logged(finished[0], key), abs=1e-4)


def sigterm(job):
    job.send_signal(signal.SIGTERM)


def ctrl_c(job):
    """The terminal sends it to mpiexec and to every rank, and mpiexec passes it on."""
    os.killpg(job.pid, signal.SIGINT)


def test_a_killed_run_goes_on_with_the_same_losses(finished, folder, run_job, tmp_path):
    out = tmp_path / "out"
    killed = run_job(2, "-c", MEDDLING.format(action=KILL_AT_8), *folder.options(out))
    assert killed.status != 0
    assert not (out / "DONE").exists()
    assert max(logged(out, "loss")) == 8  # three steps past the last checkpoint
    again = run_job(3, "-m", "corpusforge.training", *folder.options(out))
    assert again.status == 0, again.output
    assert "continuing after step 5" in again.output
    for key in ("loss", "validation_loss"):
        assert logged(out, key) == pytest.approx(logged(finished[0], key), abs=1e-4)


def test_one_rank_asked_to_stop_stops_all_of_them_after_the_same_step(folder, run_job, tmp_path):
    out = tmp_path / "out"
    ended = run_job(2, "-c", MEDDLING.format(action=ASK_AT_3), *folder.options(out))
    assert ended.status == 75
    assert "stopped on request after step 4/20" in ended.output
    assert (out / "checkpoints" / "LATEST").read_text() == "step-00000004.pt"
    assert not (out / "DONE").exists()


@pytest.mark.parametrize("send", [sigterm, ctrl_c], ids=["to mpiexec", "Ctrl-C"])
def test_a_signal_stops_the_ranks_at_their_next_step(folder, start_job, tmp_path, send):
    options = folder.options(tmp_path / "out")
    with start_job(2, "-c", MEDDLING.format(action=SLOWLY), *options) as job:
        while "step 1/20" not in (line := job.stdout.readline()):
            assert line, "the job ended early"
        send(job)
        output, _ = job.communicate(timeout=30)
    assert "stopped on request" in output
    assert job.returncode == 75


def test_a_complete_run_is_not_repeated_and_not_mistaken_for_another(finished, folder, run_job):
    out, _ = finished
    before = (out / "DONE").stat().st_mtime_ns
    again = run_job(1, "-m", "corpusforge.training", *folder.options(out))
    assert (again.status, before) == (0, (out / "DONE").stat().st_mtime_ns)
    assert "nothing to do" in again.output
    other = run_job(1, "-m", "corpusforge.training", *folder.options(out, seed=4))
    assert other.status == 1
    assert "seed 0 (now 4); give another --out" in other.output


def test_a_run_killed_before_it_said_done_only_does_the_rest(finished, folder, run_job, tmp_path):
    out, _ = finished
    copy = tmp_path / "out"
    shutil.copytree(out, copy, ignore=shutil.ignore_patterns("DONE", "model"))
    again = run_job(1, "-m", "corpusforge.training", *folder.options(copy))
    assert "continuing after step 20" in again.output
    assert (copy / "DONE").read_bytes() == (out / "DONE").read_bytes()
    for file in (out / "model").iterdir():
        assert (copy / "model" / file.name).read_bytes() == file.read_bytes(), file.name


def test_a_batch_that_the_ranks_cannot_share_is_refused(folder, run_job, tmp_path):
    options = folder.options(tmp_path / "out", batch=5)
    ended = run_job(2, "-m", "corpusforge.training", *options)
    assert ended.status != 0
    assert "a batch of 5 windows does not divide among 2 ranks" in ended.output
    assert "Traceback" not in ended.output


def test_a_loss_that_is_no_number_ends_the_run(folder, run_job, tmp_path):
    spoil = "number == 2 and next(trainer.model.parameters()).data.fill_(float('nan'))"
    options = folder.options(tmp_path / "out")
    ended = run_job(1, "-c", MEDDLING.format(action=spoil), *options)
    assert ended.status == 1
    assert "the loss is nan at step 3; lower learning_rate" in ended.output


def test_two_runs_in_one_folder_are_refused(folder, run_job, start_job, tmp_path):
    options = folder.options(tmp_path / "out")
    with start_job(1, "-c", MEDDLING.format(action=SLOWLY), *options) as first:
        while "step 1/20" not in (line := first.stdout.readline()):
            assert line, "the job ended early"
        second = run_job(1, "-m", "corpusforge.training", *options)
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=30)
    assert "is in use by process" in second.output
