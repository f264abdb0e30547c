"""What `corpusforge duplicates` tells."""

import pytest
from corpora import (
    COPIED,
    DELETED,
    EXACT_COPY,
    IMITATED,
    NEAR_COPY,
    finish,
    prose,
    write_corpus,
)
from rich.console import Console

from corpusforge.cli.differences import print_family
from corpusforge.errors import ConfigError
from corpusforge.pipeline.duplicates import family
from corpusforge.pipeline.plan import open_plan


@pytest.mark.parametrize(("copy", "kept"), [(EXACT_COPY, COPIED), (NEAR_COPY, IMITATED)])
def test_the_family_is_the_same_from_the_copy_and_from_the_kept_document(finished, copy, kept):
    found = family(finished, copy)
    assert found == family(finished, kept)
    assert (found.kept, [c.doc_id for c in found.copies]) == (kept, [copy])
    assert found.copies[0].similarity >= found.copies[0].limit == 0.8


def test_a_document_without_copies_is_a_family_of_its_own(finished):
    found = family(finished, "pubmed:10")
    assert (found.kept, found.copies, found.neighbours) == ("pubmed:10", (), ())


def test_a_document_that_dedup_has_not_seen_is_refused(finished):
    with pytest.raises(ConfigError, match=f"dedup has not seen '{DELETED}'"):
        family(finished, DELETED)


@pytest.mark.parametrize("asked", [COPIED, EXACT_COPY])
def test_a_document_that_was_rejected_for_a_benchmark_has_no_family(tmp_path, asked):
    (tmp_path / "exams.jsonl").write_text(f'{{"question": "{prose("0 3")}"}}\n')
    wanted = {"benchmarks": {"exams": {"file": "exams.jsonl"}}}
    pipeline = write_corpus(tmp_path, documents=6, stages={"dedup": {"decontaminate": wanted}})
    plan = finish(pipeline, until="dedup")
    with pytest.raises(ConfigError, match=f"dedup has not kept '{COPIED}'; `corpusforge explain"):
        family(plan, asked)


def test_before_dedup_is_done_there_are_no_families(tmp_path, finished):
    plan = open_plan(finished.base / "pipeline.yaml")
    (finished.step("dedup").folder).rename(tmp_path / "elsewhere")
    try:
        with pytest.raises(ConfigError, match="dedup is not done"):
            family(plan, COPIED)
    finally:
        (tmp_path / "elsewhere").rename(finished.step("dedup").folder)


def test_the_evidence_and_the_words_that_differ_are_told(finished, capsys):
    print_family(family(finished, NEAR_COPY), Console(width=500))
    told = capsys.readouterr().out
    assert f"{IMITATED} is kept; removed for it: 1" in told
    assert f"{NEAR_COPY}  near_duplicate 0." in told
    assert "[-" in told
