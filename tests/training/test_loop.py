"""What a whole run promises: real ranks under mpiexec, on a corpus of a few thousand tokens."""

import json
import os
import re
import shutil
import signal

import pytest
import torch
from safetensors.torch import load_file
from torch.distributed import checkpoint as dcp
from transformers import AutoModelForCausalLM, AutoTokenizer

from corpusforge.errors import ConfigError, RunError
from corpusforge.lock import exclusive
from corpusforge.training.neox import NeoX
from corpusforge.training.shapes import NeoXConfig
from corpusforge.training.trainer import Trainer

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.filterwarnings("ignore:torch.distributed is disabled"),  # as it is in tests
]

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
QUIT_AT_3 = "if (number, trainer.world.rank) == (3, 1): os._exit(0)"
SLOWLY = "time.sleep(0.2)"


def logged(out, key):
    """The values of one key by step."""
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    return {line["step"]: line[key] for line in lines if key in line}


def in_checkpoint(out):
    """The parameters in the last checkpoint of a run."""
    model = NeoX(NeoXConfig(layers=2, hidden=32, heads=2), 384)
    state = {"model": model.state_dict()}
    dcp.load(state, checkpoint_id=out / "checkpoints" / "step-00000020", no_dist=True)
    return state["model"]


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
    parameters = load_file(out / "model" / "model.safetensors")
    assert done["parameters"] == sum(value.numel() for value in parameters.values())


@torch.no_grad()
def test_the_exported_folder_opens_in_transformers_with_our_logits(finished):
    out, _ = finished
    model = AutoModelForCausalLM.from_pretrained(out / "model").eval()
    tokenizer = AutoTokenizer.from_pretrained(out / "model")
    ids = tokenizer("alpha théta gamma", return_tensors="pt").input_ids
    assert tokenizer.decode(ids[0]) == "alpha théta gamma"
    assert model.config.eos_token_id == tokenizer.eos_token_id == 0
    ours = NeoX(NeoXConfig(layers=2, hidden=32, heads=2), 384)
    ours.load_state_dict(in_checkpoint(out))
    assert torch.allclose(model(ids, use_cache=False).logits, ours(ids), atol=1e-5)


@pytest.fixture(scope="module")
def on_two_ranks(folder, run_job, tmp_path_factory):
    """The same run on two ranks, which nothing disturbed either."""
    out = tmp_path_factory.mktemp("run") / "out"
    ended = run_job(2, "-m", "corpusforge.training", *folder.options(out))
    assert ended.status == 0, ended.output
    return out


def same(out, expected, tolerance):
    """Check that two runs have logged the same losses, and norms, which are less smooth."""
    for key, slack in (("loss", 1), ("validation_loss", 1), ("gradient_norm", 10)):
        expectation = pytest.approx(logged(expected, key), abs=slack * tolerance)
        assert logged(out, key) == expectation, key


def test_the_number_of_ranks_does_not_change_the_losses(finished, on_two_ranks):
    same(on_two_ranks, finished[0], 1e-5)


def sigterm(job):
    job.send_signal(signal.SIGTERM)


def ctrl_c(job):
    """The terminal sends it to mpiexec and to every rank, and mpiexec passes it on."""
    os.killpg(job.pid, signal.SIGINT)


def test_a_killed_run_goes_on_with_the_same_losses_on_more_ranks_that_share_the_model(
    on_two_ranks, folder, run_job, tmp_path
):
    out = tmp_path / "out"
    killed = run_job(2, "-c", MEDDLING.format(action=KILL_AT_8), *folder.options(out))
    assert killed.status != 0
    assert not (out / "DONE").exists()
    assert max(logged(out, "loss")) == 8  # three steps past the last checkpoint
    execution = {"parallel": "fsdp", "activation_checkpointing": True, "async_checkpoints": True}
    again = run_job(3, "-m", "corpusforge.training", *folder.options(out, execution=execution))
    assert again.status == 0, again.output
    assert "continuing after step 5" in again.output
    assert "Warning" not in again.output
    same(out, on_two_ranks, 1e-6)
    assert (out / "checkpoints" / "LATEST").read_text() == "step-00000020"
    exported, saved = load_file(out / "model" / "model.safetensors"), in_checkpoint(out)
    assert exported.keys() == saved.keys()
    assert all(torch.equal(exported[name], saved[name]) for name in saved)


def test_one_rank_asked_to_stop_stops_all_of_them_after_the_same_step(
    on_two_ranks, folder, run_job, tmp_path
):
    out, fsdp = tmp_path / "out", {"parallel": "fsdp"}
    options = folder.options(out, execution=fsdp)
    ended = run_job(2, "-c", MEDDLING.format(action=ASK_AT_3), *options)
    assert ended.status == 75
    assert "stopped on request after step 4/20" in ended.output
    assert (out / "checkpoints" / "LATEST").read_text() == "step-00000004"
    assert not (out / "DONE").exists()
    again = run_job(1, "-m", "corpusforge.training", *folder.options(out))
    assert "continuing after step 4" in again.output
    same(out, on_two_ranks, 1e-6)


def test_an_exit_status_of_0_says_less_than_done(folder, run_job, tmp_path):
    """A rank that exits without a word: MPICH calls the job a success, Open MPI does not."""
    out = tmp_path / "out"
    run_job(2, "-c", MEDDLING.format(action=QUIT_AT_3), *folder.options(out))
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


def test_a_complete_run_is_not_repeated_and_not_mistaken_for_another(finished, folder, run_here):
    out, _ = finished
    before = (out / "DONE").stat().st_mtime_ns
    again = run_here(folder.job(out))
    assert (again.status, before) == (0, (out / "DONE").stat().st_mtime_ns)
    assert "nothing to do" in again.output
    with pytest.raises(ConfigError, match=r"seed 0 \(now 4\); give another --out"):
        run_here(folder.job(out, seed=4))


def test_a_run_killed_before_it_said_done_only_does_the_rest(finished, folder, run_here, tmp_path):
    out, _ = finished
    copy = tmp_path / "out"
    shutil.copytree(out, copy, ignore=shutil.ignore_patterns("DONE", "model"))
    again = run_here(folder.job(copy))
    assert "continuing after step 20" in again.output
    assert (copy / "DONE").read_bytes() == (out / "DONE").read_bytes()
    for file in (out / "model").iterdir():
        assert (copy / "model" / file.name).read_bytes() == file.read_bytes(), file.name


def test_a_loss_that_is_no_number_ends_the_run(folder, run_here, tmp_path, monkeypatch):
    take = Trainer.step

    def spoiled(trainer, number, portion):
        if number == 2:
            next(trainer.model.parameters()).data.fill_(float("nan"))
        return take(trainer, number, portion)

    monkeypatch.setattr(Trainer, "step", spoiled)
    message = r"the loss is nan at step 3; lower learning_rate or raise warmup, in stages\.train"
    with pytest.raises(RunError, match=message):
        run_here(folder.job(tmp_path / "out"))


def test_a_run_in_a_folder_that_another_uses_is_refused(folder, run_job, tmp_path):
    out = tmp_path / "out"
    with exclusive(out):
        ended = run_job(1, "-m", "corpusforge.training", *folder.options(out))
    assert ended.status == 1
    assert re.fullmatch("rank 0 of 1: .*is in use by process .*\n", ended.output)
