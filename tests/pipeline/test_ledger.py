"""What the ledger says of every stage: complete or not, and whether the counts add up."""

import pytest
from corpora import finish, write_corpus

from corpusforge.pipeline.config import STAGES
from corpusforge.pipeline.ledger import Entry, ledger
from corpusforge.pipeline.plan import open_plan
from corpusforge.pipeline.runner import run_step
from corpusforge.stages.stage import TABLE
from corpusforge.work import SerialExecutor, Tally
from pipeline.toys import BreakingExecutor


def test_a_finished_corpus_balances_at_every_stage(finished):
    entries = {entry.stage: entry for entry in ledger(finished)}
    assert list(entries) == [stage.name for stage in STAGES]
    assert all(entry.complete for entry in entries.values())
    without_records = {"fetch", "tokenizer"}
    assert {name: entry.verdict for name, entry in entries.items()} == {
        name: "complete" if name in without_records else "balanced" for name in entries
    }
    # 40 ordinary, an update, 5 planted and a full text; see tests/corpora.py.
    assert entries["extract"].tally.read == 40 + 1 + 5 + 1
    assert entries["extract"].tally.rejected == {"deleted": 1, "superseded": 1}
    assert entries["clean"].tally.rejected == {"language": 1, "no_text": 1, "too_short": 1}
    assert entries["dedup"].tally.rejected == {"exact_duplicate": 1, "near_duplicate": 1}
    assert entries["shards"].tally.rejected == {}


@pytest.mark.parametrize(
    ("later", "earlier"), [("clean", "extract"), ("dedup", "clean"), ("shards", "dedup")]
)
def test_a_stage_reads_what_the_one_before_kept(finished, later, earlier):
    tallies = {entry.stage: entry.tally for entry in ledger(finished)}
    assert tallies[later].read == tallies[earlier].kept > 0


def test_a_stage_that_ran_has_a_time_and_a_peak_of_memory(finished):
    for entry in ledger(finished):
        assert entry.seconds >= 0
        assert (entry.peak_memory > 10_000_000) is (entry.stage != "fetch")  # nothing to fetch


def test_an_unfinished_stage_tells_what_its_finished_tasks_counted(tmp_path):
    plan = finish(write_corpus(tmp_path, documents=9), until="extract")
    partitions = len(list((plan.step("extract").folder / TABLE).iterdir()))
    with pytest.raises(OSError, match="the power failed"):
        # Each partition is a task of counting words, and all together one of adding them up.
        list(run_step(plan.step("clean"), BreakingExecutor(partitions + 1 + 2)))
    entries = {entry.stage: entry for entry in ledger(plan)}
    assert entries["extract"].verdict == "balanced"
    assert entries["clean"].verdict == "not complete"
    assert entries["clean"].tally.read == 2  # the full text, and what is left of 1 to 3
    assert entries["clean"].seconds == 0
    assert entries["dedup"].verdict == "not run"
    list(run_step(plan.step("clean"), SerialExecutor()))
    assert ledger(plan)[2].tally.read == 14  # no task is counted twice


def test_nothing_has_run_where_there_is_no_output(tmp_path):
    plan = open_plan(write_corpus(tmp_path, documents=5))
    assert {entry.verdict for entry in ledger(plan)} == {"not run"}


def test_counts_that_do_not_add_up_are_called_so():
    entry = Entry("clean", True, True, Tally(read=3, kept=1, rejected={"language": 1}), 0.0, 0)
    assert entry.verdict == "DOES NOT BALANCE"
