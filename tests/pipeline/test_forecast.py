"""What dedup says before it runs."""

import pytest
from corpora import finish, write_corpus
from stages.folders import run_stage

from corpusforge.kernels.evidence import Limits
from corpusforge.pipeline.forecast import dedup_forecast, forecast
from corpusforge.pipeline.plan import open_plan
from corpusforge.stages import dedup
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.stage import SCRATCH


def test_the_chances_are_those_of_the_bands_at_the_usual_similarities_and_the_limit():
    made = forecast(DedupConfig(limits=Limits(similarity=0.85)), 1000, 10**6)
    assert [at for at, _ in made.chances] == [0.7, 0.8, 0.85, 0.9]
    assert dict(made.chances)[0.8] == pytest.approx(1 - (1 - 0.8**6) ** 20)


def test_what_is_needed_grows_with_the_corpus_and_the_memory_of_a_task_does_not():
    small, large = (forecast(DedupConfig(), n, n * 1000) for n in (10**6, 2 * 10**8))
    assert large.keys == 200 * small.keys
    assert large.facts == 200 * small.facts
    assert large.task == small.task < 10**9
    assert (large.choice, large.edge, large.pair) == (small.choice, small.edge, small.pair)


def test_long_texts_take_memory_while_they_are_signed():
    short, long = (forecast(DedupConfig(), 10**6, 10**6 * size) for size in (1000, 200_000))
    assert long.task > short.task + 10**9
    assert forecast(DedupConfig(), 0, 0).task < 500_000_000


def test_it_is_said_in_one_line_with_sizes_that_can_be_read():
    told = str(forecast(DedupConfig(), 200_000_000, 1_800 * 10**9))
    assert "\n" not in told
    assert "200,000,000 documents" in told
    assert "0.9977 at 0.8" in told
    assert "scratch at most 1 TB" in told


def test_scratch_is_no_larger_than_was_said(tmp_path):
    plan = finish(write_corpus(tmp_path, documents=200), until="clean")
    said = dedup_forecast(plan)
    out, reads = tmp_path / "dedup", {"clean": plan.step("clean").folder}
    run_stage(dedup.STAGE, DedupConfig(), out, reads)
    sizes = {
        name: sum(f.stat().st_size for f in (out / SCRATCH / name).iterdir())
        for name in ("claims", "facts", "sets")
    }
    assert sizes["claims"] <= said.keys + 4096
    assert sizes["facts"] <= 2 * said.facts + 8192  # few documents in many files
    assert sizes["sets"] <= said.shingles + 8192


def test_nothing_is_said_before_clean_is_done(tmp_path):
    assert dedup_forecast(open_plan(write_corpus(tmp_path, documents=9))) is None
