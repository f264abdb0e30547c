"""The alarm for a source of which dedup leaves hardly anything."""

import pytest
from corpora import PUBMED_SOURCE, paper, pubmed_file, write_file, write_pipeline

from corpusforge.errors import RunError
from corpusforge.pipeline.losses import MIN_DOCUMENTS, check_losses
from corpusforge.pipeline.plan import open_plan
from corpusforge.pipeline.runner import run_step
from corpusforge.work import SerialExecutor, Tally


def losing(removed, documents=1000, source="pubmed"):
    return Tally(counts={f"of {source}": documents, f"removed of {source}": removed})


@pytest.mark.parametrize("removed", [0, 500, 900])
def test_a_loss_up_to_the_limit_is_none_to_speak_of(removed):
    check_losses(losing(removed), {})


def test_a_loss_beyond_the_limit_stops_the_run_and_says_of_what():
    message = r"901 of the 1,000 documents of pubmed \(90%\), more than 90%; .*max_loss\.pubmed"
    with pytest.raises(RunError, match=message):
        check_losses(losing(901), {})


def test_the_limit_of_a_source_is_its_own():
    check_losses(losing(1000), {"pubmed": 1.0})
    with pytest.raises(RunError, match="documents of pubmed"):
        check_losses(losing(11, 100), {"pubmed": 0.1, "core": 1.0})


def test_a_small_source_may_vanish_by_chance():
    check_losses(losing(MIN_DOCUMENTS - 1, MIN_DOCUMENTS - 1), {})


def test_records_that_an_index_has_come_again_are_no_loss():
    again = Tally(counts={"again of pubmed": 950})
    check_losses(losing(950) + again, {})
    check_losses(losing(1000) + again, {})  # of fewer than MIN_DOCUMENTS others, all
    with pytest.raises(RunError, match="removed 140 of the 150 documents of pubmed"):
        check_losses(losing(990) + Tally(counts={"again of pubmed": 850}), {})


def test_a_stage_that_counts_no_removals_loses_nothing():
    check_losses(Tally(read=9, counts={"words": 1000}), {})


def test_a_source_that_another_one_holds_stops_a_real_run(tmp_path):
    papers = [paper(number) for number in range(1, 121)]
    for name in ("one", "two"):
        write_file(tmp_path / "sources" / name / "papers.xml", pubmed_file(papers))
    sources = {
        n: PUBMED_SOURCE | {"folder": f"sources/{n}", "files": "*.xml"} for n in ("one", "two")
    }
    plan = open_plan(write_pipeline(tmp_path, sources))
    for step in plan.until("clean"):
        list(run_step(step, SerialExecutor()))
    with pytest.raises(RunError, match=r"documents of (one|two) \("):
        list(run_step(plan.step("dedup"), SerialExecutor(), None, None, {"one": 0.4, "two": 0.4}))
    list(run_step(plan.step("dedup"), SerialExecutor()))
