"""Samples of what was left out, and what other limits would leave out."""

import re
import shutil
from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from corpora import (
    EXACT_COPY,
    GERMAN,
    GERMAN_TEXT,
    PUBMED_SOURCE,
    SHORT,
    UNTITLED,
    UPDATED,
    Record,
    finish,
    prose,
    pubmed_file,
    pubmed_record,
    write_corpus,
    write_file,
    write_pipeline,
)
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.api import Corpus
from corpusforge.errors import ConfigError
from corpusforge.pipeline.rejects import measured, samples, would_reject
from corpusforge.stages.clean_quality import Bounds, Quality
from corpusforge.tables.schemas import REJECTS

OTHER = '<OtherAbstract Language="ger"><AbstractText>{}</AbstractText></OtherAbstract>'


@pytest.fixture(scope="module")
def corpus(finished):
    return Corpus(finished)


def ids(table):
    return table["doc_id"].to_pylist()


def text_of(plan, doc_id):
    rejects = Corpus(plan).rejects()
    told = samples(plan, rejects.filter(pc.field("doc_id") == doc_id), count=1, seed=0)
    return told["text"].to_pylist()


# --- samples


@given(st.integers(0, 4), st.integers(0, 2**63 - 1))
def test_of_each_stage_and_reason_there_are_as_many_as_asked_for(corpus, count, seed):
    rejects = corpus.rejects()
    told = samples(corpus.plan, rejects, count, seed)
    groups = Counter(zip(told["stage"].to_pylist(), told["reason"].to_pylist(), strict=True))
    every = Counter(zip(rejects["stage"].to_pylist(), rejects["reason"].to_pylist(), strict=True))
    assert groups == {group: min(count, n) for group, n in every.items() if count}
    rows = told.drop_columns("text").to_pylist()
    assert all(row in rejects.to_pylist() for row in rows)


@given(st.integers(0, 99))
def test_which_ones_are_taken_does_not_depend_on_the_order_of_the_rejects(corpus, seed):
    rejects = would_reject(corpus.plan, Quality(abstract={"words": Bounds(min=1000)}))
    backwards = rejects.take(pa.array(range(rejects.num_rows - 1, -1, -1)))
    told = samples(corpus.plan, rejects, 3, seed)
    assert told == samples(corpus.plan, backwards, 3, seed)
    assert set(ids(told)) <= set(ids(samples(corpus.plan, rejects, 4, seed)))


def test_another_seed_takes_others(corpus):
    rejects = would_reject(corpus.plan, Quality(abstract={"words": Bounds(min=1000)}))
    drawn = {tuple(ids(samples(corpus.plan, rejects, 3, seed))) for seed in range(5)}
    assert len(drawn) > 1


def test_the_text_is_what_the_stage_read(corpus):
    assert text_of(corpus.plan, SHORT) == ["A short note\n\nToo few words."]
    assert text_of(corpus.plan, GERMAN) == [f"Die Wälder im Norden des Landes\n\n{GERMAN_TEXT}"]
    assert text_of(corpus.plan, UNTITLED) == [prose("0 untitled", sentences=3)]
    cleaned = dict(zip(*corpus.table("clean", ["doc_id", "text"]).columns, strict=True))
    assert text_of(corpus.plan, EXACT_COPY) == [cleaned[pa.scalar(EXACT_COPY)].as_py()]


def test_a_record_that_extract_left_out_has_no_text(corpus):
    assert text_of(corpus.plan, UPDATED) == [""]


def test_samples_of_no_rejects_are_an_empty_table(corpus):
    told = samples(corpus.plan, REJECTS.empty_table(), 3, 0)
    assert told.column_names == [*REJECTS.names, "text"]
    assert told.num_rows == 0


def test_a_table_of_texts_that_was_deleted_leaves_the_reasons(tmp_path):
    plan = finish(write_corpus(tmp_path, documents=6), until="dedup")
    for stage in ("extract", "clean"):
        shutil.rmtree(plan.step(stage).folder / "table")
    assert text_of(plan, SHORT) == text_of(plan, EXACT_COPY) == [""]


def test_of_a_translation_the_text_is_what_the_paper_says_in_that_language(tmp_path):
    record = pubmed_record(Record("1", "Title", prose("translated")))
    both = record.replace("</Article>", f"</Article>{OTHER.format(GERMAN_TEXT)}")
    write_file(tmp_path / "sources" / "pubmed" / "a.xml", pubmed_file([both]))
    sixty = {"abstract": {"words": {"min": 60}}}
    clean = {"clean": {"languages": ["en", "de"], "quality": sixty}}
    plan = finish(write_pipeline(tmp_path, {"pubmed": PUBMED_SOURCE}, clean), until="clean")
    assert ids(Corpus(plan).rejects("clean")) == ["pubmed:1#de"]
    assert text_of(plan, "pubmed:1#de") == [GERMAN_TEXT]
    others = would_reject(plan, Quality(abstract={"words": Bounds(min=1000)}))
    texts = dict(zip(ids(others), samples(plan, others, 2, 0)["text"].to_pylist(), strict=True))
    assert sorted(texts) == ["pubmed:1", "pubmed:1#de"]
    assert f"Title\n\n{prose('translated')}\n\n{GERMAN_TEXT}" in texts.values()


# --- other limits


def test_the_limits_of_the_corpus_leave_out_what_clean_left_out(corpus):
    own = corpus.plan.config.stages.clean.quality
    assert would_reject(corpus.plan, own) == corpus.rejects("clean")


@pytest.mark.parametrize("name", ["science", "forge", "gopher", "pes2o-abstract"])
def test_what_a_preset_would_leave_out_is_what_a_run_with_it_leaves_out(corpus, tmp_path, name):
    shutil.copytree(corpus.plan.base / "sources", tmp_path / "sources")
    text = (corpus.plan.base / "pipeline.yaml").read_text()
    assert text.count("quality:") == 1
    whole = re.sub(r"quality:.*?(?=\n  \w)", f"quality: {name}", text, flags=re.S)
    (tmp_path / "pipeline.yaml").write_text(whole)
    plan = finish(tmp_path / "pipeline.yaml", until="clean")
    assert plan.config.stages.clean.quality == name
    assert would_reject(corpus.plan, name) == Corpus(plan).rejects("clean")


def test_stricter_limits_leave_out_more_and_say_why(corpus):
    rejects = would_reject(corpus.plan, Quality(abstract={"words": Bounds(min=1000)}))
    abstracts = corpus.measured().filter(pc.field("content") == "abstract")
    english = abstracts.filter(pc.field("language") == "en")
    for_quality = rejects.filter(~pc.field("reason").isin(["no_text", "language"]))
    assert sorted(ids(for_quality)) == sorted(ids(english))
    assert set(for_quality["limit"].to_pylist()) == {1000}
    assert set(for_quality["detail"].to_pylist()) == {"words is below its limit"}


def test_an_unknown_preset_is_refused_with_the_known_ones(corpus):
    with pytest.raises(ConfigError, match="no preset 'beauty'; presets are science, forge, goph"):
        would_reject(corpus.plan, "beauty")


def test_before_clean_has_measured_anything_that_is_said(tmp_path):
    plan = finish(write_corpus(tmp_path, documents=5), until="extract")
    message = "clean has measured nothing yet; `corpusforge run PIPELINE --until clean` does"
    for ask in (measured, lambda plan: would_reject(plan, "gopher")):
        with pytest.raises(ConfigError, match=re.escape(message)):
            ask(plan)
