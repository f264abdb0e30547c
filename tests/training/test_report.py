"""What a run tells, and to whom."""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from corpusforge.errors import ConfigError
from corpusforge.training.evaluate import Evaluation, Score
from corpusforge.training.launch import World
from corpusforge.training.material import Job
from corpusforge.training.moment import Moment
from corpusforge.training.pace import Reading
from corpusforge.training.report import Report, summary
from corpusforge.training.trainer import Step

FIRST = World(0, 2, 0, ("here", "here"), torch.device("cpu"))
TAKEN = Step(2.5, 0.75, 0.001, 0.0, 1.0, skipped=False)
READING = Reading(12345.6, 0.421, 0.0125, 2_340_000_000, 3725.0)
MOMENT = Moment(10, 200, TAKEN, None, READING)
SCORES = {"source": {"pmc": Score(2.0, 1.0, 60), "pubmed": Score(3.0, math.nan, 40)}}
EVALUATION = Evaluation(2.4, 1.1, SCORES)
NUMBERS = ("2.500", "12,346", "42.1%", "1.2%")


def job(out, **how):
    return Job(Path("shards"), Path("tokenizer"), Path("config"), out, **how)


def logged(out):
    return [json.loads(line) for line in (out / "log.jsonl").read_bytes().splitlines()]


def test_a_line_and_an_entry_of_the_log_tell_the_same(tmp_path, capsys):
    report = Report.continuing(job(tmp_path), 0, FIRST)
    report.show(MOMENT)
    report.record(MOMENT)
    assert capsys.readouterr().out == ""
    report.line(MOMENT)
    line = capsys.readouterr().out
    assert line.startswith("step 10/200  loss 2.500  lr 1.00e-03  12,346 tokens/s  42.1% of peak")
    assert line.endswith("waited 1.2%  2,340 MB  1:02:05 left\n")
    [entry] = logged(tmp_path)
    assert entry["utilisation"] == READING.utilisation
    assert (entry["step"], entry["loss"], entry["waited"]) == (10, 2.5, 0.0125)
    assert (entry["memory"], entry["seconds_left"]) == (2_340_000_000, 3725.0)


def test_only_the_first_rank_tells(tmp_path, capsys):
    report = Report.continuing(job(tmp_path, live=80, tensorboard=True), 0, replace(FIRST, rank=1))
    report.say("something")
    report.show(MOMENT)
    report.record(MOMENT)
    report.line(MOMENT)
    report.evaluation(10, EVALUATION)
    report.close()
    assert capsys.readouterr().out == ""
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_logged_after_its_checkpoint_is_forgotten(tmp_path):
    lines = [b'{"step":%d}\n' % step for step in (5, 10, 15)]
    (tmp_path / "log.jsonl").write_bytes(b"".join(lines) + b'{"step":20,"lo')
    Report.continuing(job(tmp_path), 10, FIRST)
    assert [entry["step"] for entry in logged(tmp_path)] == [5, 10]


def test_an_evaluation_is_logged_by_kinds_of_text(tmp_path):
    Report.continuing(job(tmp_path), 0, FIRST).evaluation(10, EVALUATION)
    [entry] = logged(tmp_path)
    assert entry["bits_per_byte_by"] == {"source": {"pmc": 1.0, "pubmed": None}}


def test_the_last_table_holds_every_kind_beside_the_baseline(tmp_path):
    unigram = {"source": {"pmc": Score(4.0, 2.5, 60), "pubmed": Score(4.0, 3.5, 40)}}
    lines = summary(EVALUATION, Evaluation(4.0, 2.9, unigram), tmp_path, 1e6)
    table = [line.split() for line in lines[1:3]]
    assert table == [
        ["source", "pmc", "60", "1.000", "2.500"],
        ["source", "pubmed", "40", "nan", "3.500"],
    ]
    assert "better than the unigram baseline's 4.000" in lines[3]


def test_a_terminal_gets_a_table_and_lines_above_it(tmp_path, capsys):
    report = Report.continuing(job(tmp_path, live=100), 0, FIRST)
    report.say("ranks      [1] of 2")
    report.show(MOMENT)
    report.show(replace(MOMENT, steps_done=11))  # too soon to be drawn
    report.record(replace(MOMENT, steps_done=20))
    report.line(replace(MOMENT, steps_done=20))
    report.show(replace(MOMENT, steps_done=200))
    report.close()
    told = capsys.readouterr().out
    assert "ranks      [1] of 2" in told
    assert "10/200" in told
    assert "11/200" not in told
    assert "step 20" not in told  # in the log only
    assert "200/200" in told
    assert all(number in told for number in (*NUMBERS, "2.34 GB", "1:02:05"))
    assert "\x1b[" in told  # moves the cursor
    assert told.rindex("\x1b[?25h") > told.rindex("\x1b[?25l")  # and never leaves it hidden
    assert [entry["step"] for entry in logged(tmp_path)] == [20]


def test_the_cursor_stays_visible_while_a_run_may_be_killed(tmp_path, capsys):
    report = Report.continuing(job(tmp_path, live=100), 0, FIRST)
    report.show(MOMENT)
    told = capsys.readouterr().out
    report.close()
    assert told.rindex("\x1b[?25h") > told.rindex("\x1b[?25l")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_tensorboard_gets_every_number_of_the_log(tmp_path):
    loading = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="needs tensorboard"
    )
    report = Report.continuing(job(tmp_path, tensorboard=True), 0, FIRST)
    report.record(MOMENT)
    report.evaluation(10, EVALUATION)
    report.close()
    events = loading.EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    [loss] = events.Scalars("loss")
    assert (loss.step, loss.value) == (10, 2.5)
    [apart] = events.Scalars("bits_per_byte_by/source/pmc")
    assert apart.value == 1.0
    assert "utilisation" in events.Tags()["scalars"]


def test_tensorboard_that_is_not_installed_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard.writer", None)
    with pytest.raises(ConfigError, match=r"needs the package tensorboard .*corpusforge\[tensorbo"):
        Report.continuing(job(tmp_path, tensorboard=True), 0, FIRST)
