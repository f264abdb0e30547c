"""Looking at results does not need the input files; running does."""

import pytest
from corpora import write_corpus

from corpusforge.errors import SourceError
from corpusforge.pipeline.plan import open_plan, reopen_plan
from corpusforge.pipeline.survey import remember


def folders(plan):
    return [step.folder for step in plan.steps]


@pytest.fixture
def pipeline(tmp_path):
    """A pipeline file that was run once."""
    path = write_corpus(tmp_path, documents=6)
    plan = open_plan(path)
    remember(plan.output, plan.config, plan.evidence)
    return path


def test_a_purged_input_does_not_hide_the_results(pipeline):
    plan = open_plan(pipeline)
    (pipeline.parent / "sources" / "pubmed").rename(pipeline.parent / "purged")
    assert folders(reopen_plan(pipeline)) == folders(plan)
    with pytest.raises(SourceError, match="is not a folder"):
        open_plan(pipeline)


def test_a_changed_input_is_for_the_next_run_to_see(pipeline):
    plan = open_plan(pipeline)
    added = pipeline.parent / "sources" / "pubmed" / "pubmed-0099.xml"
    added.write_text("<PubmedArticleSet/>")
    assert folders(reopen_plan(pipeline)) == folders(plan)
    assert folders(open_plan(pipeline)) != folders(plan)


def test_a_recipe_that_looks_elsewhere_is_not_answered_from_memory(pipeline):
    text = pipeline.read_text()
    assert "*.xml*" in text
    pipeline.write_text(text.replace("*.xml*", "*.gz"))
    assert folders(reopen_plan(pipeline)) == folders(open_plan(pipeline))


def test_other_benchmarks_are_not_answered_from_memory(tmp_path):
    exams = tmp_path / "exams.jsonl"
    exams.write_text('{"text": "one two three four five six seven eight"}\n')
    wanted = {"decontaminate": {"benchmarks": {"exams": {"file": exams.name}}}}
    path = write_corpus(tmp_path, documents=6, stages={"dedup": wanted})
    plan = open_plan(path)
    remember(plan.output, plan.config, plan.evidence)
    exams.rename(tmp_path / "others.jsonl")
    assert folders(reopen_plan(path)) == folders(plan)
    path.write_text(path.read_text().replace("exams.jsonl", "others.jsonl"))
    assert folders(reopen_plan(path)) == folders(open_plan(path)) != folders(plan)


def test_without_a_run_there_is_nothing_to_remember(tmp_path):
    path = write_corpus(tmp_path, documents=6)
    assert folders(reopen_plan(path)) == folders(open_plan(path))


def test_a_damaged_memory_is_no_memory(pipeline):
    plan = open_plan(pipeline)
    (plan.output / "evidence.json").write_text("{")
    assert folders(reopen_plan(pipeline)) == folders(plan)
