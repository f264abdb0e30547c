"""From a document to what became of it, and from a token back to its document."""

import re

import numpy as np
import pytest
from corpora import (
    COPIED,
    DELETED,
    EXACT_COPY,
    FULL_TEXT,
    GERMAN,
    IMITATED,
    NEAR_COPY,
    SHORT,
    UNTITLED,
    UPDATED,
    finish,
    write_corpus,
)

from corpusforge.errors import ConfigError
from corpusforge.formats.megatron import open_shard
from corpusforge.pipeline.plan import open_plan
from corpusforge.pipeline.trace import explain, lookup, provenance
from corpusforge.tables.identity import uid_of


def told(plan, doc_id):
    return [(event.stage, event.kept) for event in explain(plan, doc_id)]


def test_a_document_that_was_kept_is_followed_to_its_shard(finished):
    events = explain(finished, "pubmed:10")
    stages = ["extract", "clean", "dedup", "shards"]
    assert [(e.stage, e.kept) for e in events] == [(stage, True) for stage in stages]
    extracted, cleaned, deduplicated, sharded = (event.facts for event in events)
    assert (extracted["source"], extracted["year"]) == ("pubmed", 1990)
    assert (cleaned["language"], cleaned["content"]) == ("en", "abstract")
    assert deduplicated["cluster"] == uid_of("pubmed:10")
    assert "copies" not in deduplicated
    assert sharded["shard"] in provenance(finished)
    assert lookup(finished, sharded["shard"], sharded["start"])["doc_id"] == "pubmed:10"


@pytest.mark.parametrize(
    ("doc_id", "stage", "reason"),
    [
        (DELETED, "extract", "deleted"),
        (SHORT, "clean", "too_short"),
        (GERMAN, "clean", "language"),
        (UNTITLED, "clean", "no_text"),
        (EXACT_COPY, "dedup", "exact_duplicate"),
        (NEAR_COPY, "dedup", "near_duplicate"),
    ],
)
def test_a_document_that_was_left_out_ends_with_its_stage_and_reason(
    finished, doc_id, stage, reason
):
    *before, last = explain(finished, doc_id)
    assert all(event.kept for event in before)
    assert (last.stage, last.kept, last.facts["reason"]) == (stage, False, reason)
    assert not {"doc_id", "stage"} & set(last.facts)


@pytest.mark.parametrize(("copy", "original"), [(EXACT_COPY, COPIED), (NEAR_COPY, IMITATED)])
def test_a_duplicate_names_the_document_kept_in_its_place(finished, copy, original):
    facts = explain(finished, copy)[-1].facts
    assert facts["detail"] == original
    assert facts["observed"] >= facts["limit"] == 0.8
    kept = [event for event in explain(finished, original) if event.stage == "dedup"]
    assert [event.facts["copies"] for event in kept] == [[copy]]


def test_of_an_updated_document_both_records_are_told_of(finished):
    superseded, kept, *rest = explain(finished, UPDATED)
    assert (superseded.kept, superseded.facts["reason"]) == (False, "superseded")
    assert (superseded.facts["observed"], superseded.facts["limit"]) == (1, 2)
    assert kept.kept
    assert [event.stage for event in rest] == ["clean", "dedup", "shards"]


def test_facts_that_are_absent_are_not_told(finished):
    for doc_id in (FULL_TEXT, UNTITLED, NEAR_COPY):
        for event in explain(finished, doc_id):
            assert None not in event.facts.values()


def test_a_document_that_no_stage_has_seen_has_no_events(finished):
    assert explain(finished, "pubmed:424242") == []


def test_a_document_is_followed_as_far_as_the_run_has_come(tmp_path):
    plan = finish(write_corpus(tmp_path, documents=6), until="clean")
    assert told(plan, "pubmed:5") == [("extract", True), ("clean", True)]
    assert provenance(plan) == {}


# --- from a token to its document


def test_every_token_of_every_shard_is_found_with_its_place(finished):
    for name, path in provenance(finished).items():
        shard = open_shard(path.with_name(name))
        total = len(shard.tokens)
        for token in {0, 1, total // 2, total - 1, *shard.bounds[:-1], *(shard.bounds[1:] - 1)}:
            row = lookup(finished, name, int(token))
            i = int(np.flatnonzero(shard.bounds <= token)[-1])
            assert row["start"] == shard.bounds[i]
            assert row["tokens"] == shard.lengths[i]
            assert row["position"] == token - shard.bounds[i]


@pytest.mark.parametrize("beyond", [0, 1_000_000, None])
def test_a_token_that_a_shard_does_not_have_is_refused_with_its_range(finished, beyond):
    path = provenance(finished)["train-00000"]
    total = len(open_shard(path.with_name("train-00000")).tokens)
    token = -1 if beyond is None else total + beyond
    message = f"shard train-00000 has tokens 0 to {total - 1:,}; there is no token {token:,} in it"
    with pytest.raises(ConfigError, match=re.escape(message)):
        lookup(finished, "train-00000", token)


def test_a_shard_without_tokens_says_so(tmp_path):
    stages = {"shards": {"split": [1, 0, 0]}}
    plan = finish(write_corpus(tmp_path, documents=6, stages=stages))
    with pytest.raises(ConfigError, match="valid-00000 has no tokens; there is no token 0 in"):
        lookup(plan, "valid-00000", 0)


def test_an_unknown_shard_is_refused_with_the_known_ones(finished):
    with pytest.raises(ConfigError, match="there is no shard 'train-9'; shards are train-00000, "):
        lookup(finished, "train-9", 0)


def test_before_there_are_shards_none_is_known(tmp_path):
    plan = open_plan(write_corpus(tmp_path, documents=5))
    with pytest.raises(ConfigError, match="shards are none yet: run the shards stage first"):
        lookup(plan, "train-00000", 0)
