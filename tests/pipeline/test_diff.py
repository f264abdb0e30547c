"""What `corpusforge diff` tells of one document."""

import pytest
from corpora import JATS_SOURCE, Record, finish, jats_file, prose, write_file, write_pipeline
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from corpusforge.api import Corpus
from corpusforge.cli.differences import print_changes
from corpusforge.errors import ConfigError
from corpusforge.kernels.marks import CITATION, END_CITATION, FIGURE, PARAGRAPH
from corpusforge.pipeline.diff import Change, changes, edits, visible
from corpusforge.pipeline.plan import open_plan
from corpusforge.stages.clean_text import TextConfig

TEXT = st.lists(st.sampled_from(["one ", "two ", "\n\n", "- ", "x"]), max_size=30).map("".join)


@given(TEXT, TEXT)
def test_edits_spell_both_texts(before, after):
    found = list(edits(before, after))
    assert "".join(edit.kept + edit.removed for edit in found) == before
    assert "".join(edit.kept + edit.added for edit in found) == after


def test_only_what_differs_is_told_as_a_difference():
    found = list(edits("We grow mise here.\nAnd there.", "We grow mice here.\nAnd there."))
    assert [(edit.removed, edit.added) for edit in found if not edit.kept] == [("mise", "mice")]


def test_a_paragraph_is_the_same_whether_or_not_others_follow_it():
    long = "word " * 3000
    found = list(edits(f"{long}\n\n{long}gone", long))
    assert found[0].kept == long
    assert "".join(edit.removed for edit in found) == f"\n\n{long}gone"


def test_only_marks_by_which_something_goes_are_shown():
    text = f"{FIGURE}A mouse {CITATION}[1]{END_CITATION}."
    assert visible(text, TextConfig(figures="drop")) == "\u27e8figures\u27e9 A mouse [1]."
    assert visible(text, TextConfig(figures="keep")) == "A mouse [1]."


def test_a_text_of_a_megabyte_is_compared_in_a_moment():
    before = " ".join(f"w{i}" for i in range(150_000))
    found = list(edits(before, before.upper()))
    assert "".join(edit.removed for edit in found) == before


@pytest.fixture
def plan(tmp_path):
    body = ["the in-\nfluence of mice", "Write to a@b.org.", prose("body", sentences=9)]
    article = Record("PMC7", "Mice.", f"© 2016 {prose('abstract')}", body)
    write_file(tmp_path / "sources" / "pmc" / "article.nxml", jats_file(article))
    return write_pipeline(tmp_path, {"pmc": JATS_SOURCE}, {"clean": {"quality": "forge"}})


def test_every_rule_that_changed_something_is_told_in_order(plan):
    found = changes(finish(plan, until="clean"), "pmc:PMC7")
    assert [(change.rule, change.part) for change in found] == [
        ("boilerplate", "title"),
        ("boilerplate", "abstract"),
        ("personal_data", "body"),
    ]
    assert found[0] == Change("boilerplate", "title", "Mice.", "Mice")


def test_the_changes_end_in_the_text_of_the_document(plan):
    finished = finish(plan, until="clean")
    last = {change.part: change.after for change in changes(finished, "pmc:PMC7")}
    [text] = Corpus(finished).table("clean", ["text"])["text"].to_pylist()
    assert text == PARAGRAPH.join([last["title"], last["abstract"], last["body"]])


def test_a_paper_whose_own_id_has_a_number_sign_is_found(tmp_path):
    folder = tmp_path / "lab"
    write_file(folder / "papers.csv", f"id,title,text\n1#fr,Mice.,{prose('a')}\n".encode())
    mapping = {"source_id": "id", "title": "title", "abstract": "text"}
    source = {"kind": "mapped", "folder": str(folder), "files": "*.csv", "mapping": mapping}
    plan = write_pipeline(tmp_path, {"lab": source}, {"clean": {"quality": "forge"}})
    [change] = changes(finish(plan, until="clean"), "lab:1#fr")
    assert change == Change("boilerplate", "title", "Mice.", "Mice")


def test_a_document_that_extract_has_not_kept_is_refused(plan):
    with pytest.raises(ConfigError, match="extract has not kept 'pmc:none'"):
        changes(finish(plan, until="clean"), "pmc:none")


def test_before_clean_is_done_there_is_nothing_to_compare(plan):
    with pytest.raises(ConfigError, match="clean is not done"):
        changes(open_plan(plan), "pmc:PMC7")


def test_without_colours_what_went_and_what_came_stands_in_brackets(capsys):
    print_changes("x:1", [Change("unicode", "title", "naive mice", "na\u00efve mice")], Console())
    assert capsys.readouterr().out == "unicode: title\n  [-naive-]{+na\u00efve+} mice\n"
    print_changes("x:1", [], Console())
    assert capsys.readouterr().out == "x:1: clean changed nothing\n"
