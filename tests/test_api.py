"""What a notebook can ask of a corpus."""

import json
import re

import pytest
from corpora import EXACT_COPY, FULL_TEXT, NEAR_COPY, SHORT, finish, prose, write_corpus

from corpusforge.api import Corpus
from corpusforge.errors import ConfigError, SourceError
from corpusforge.formats.atomic import write_atomic
from corpusforge.stages.clean_quality import Bounds, preset
from corpusforge.tables.schemas import DOCUMENTS, MEASURED, PAPERS, REJECTS, SURVIVORS


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A finished corpus, opened by the path of its pipeline file."""
    pipeline = write_corpus(tmp_path_factory.mktemp("api"), documents=30)
    finish(pipeline)
    return Corpus.open(str(pipeline))


@pytest.fixture
def empty(tmp_path):
    """A corpus of which nothing has been made."""
    return Corpus.open(write_corpus(tmp_path, documents=5))


def test_a_corpus_is_opened_without_reading_or_writing_anything(empty, tmp_path):
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipeline.yaml", "sources"]
    assert empty.plan.base == tmp_path


def test_a_pipeline_file_that_is_wrong_cannot_be_opened(tmp_path):
    with pytest.raises(ConfigError, match=r"absent\.yaml cannot be read"):
        Corpus.open(tmp_path / "absent.yaml")
    path = write_corpus(tmp_path, documents=5)
    (tmp_path / "sources" / "pmc" / "article-1.nxml").unlink()
    with pytest.raises(SourceError, match="source pmc: no file in"):
        Corpus.open(path)


def test_the_ledger_has_an_entry_per_stage(corpus, empty):
    assert {entry.verdict for entry in corpus.ledger()} == {"balanced", "complete"}
    assert [entry.verdict for entry in empty.ledger()] == ["not run"] * 6


@pytest.mark.parametrize(
    ("stage", "schema"), [("extract", PAPERS), ("clean", DOCUMENTS), ("dedup", SURVIVORS)]
)
def test_a_table_holds_all_records_that_its_stage_kept(corpus, stage, schema):
    table = corpus.table(stage)
    kept = {entry.stage: entry.tally.kept for entry in corpus.ledger()}
    assert table.schema.equals(schema)
    assert table.num_rows == kept[stage]
    assert len(set(table["doc_id"].to_pylist())) == kept[stage]


def test_a_table_can_be_read_by_column(corpus):
    table = corpus.table("clean", columns=["doc_id", "year"])
    assert table.column_names == ["doc_id", "year"]
    assert corpus.table("shards", columns=["doc_id", "shard"]).column_names == ["doc_id", "shard"]


def test_the_table_of_shards_is_their_provenance_with_the_name_of_the_shard(corpus):
    table = corpus.table("shards")
    survivors = corpus.table("dedup")["doc_id"].to_pylist()
    assert sorted(table["doc_id"].to_pylist()) == sorted(survivors)
    for row in table.to_pylist()[::7]:
        assert corpus.lookup(row["shard"], row["start"])["doc_id"] == row["doc_id"]


@pytest.mark.parametrize("stage", ["extract", "clean", "dedup"])
def test_a_table_that_is_not_there_yet_says_what_makes_it(empty, stage):
    message = f"{stage} has written no table; `corpusforge run PIPELINE --until {stage}` makes it"
    with pytest.raises(ConfigError, match=re.escape(message)):
        empty.table(stage)


def test_shards_that_are_not_there_yet_say_what_makes_them(empty):
    with pytest.raises(ConfigError, match="there are no shards; `corpusforge run PIPELINE` makes"):
        empty.table("shards")


def test_an_unknown_stage_is_refused_with_the_known_ones(corpus):
    for ask in (corpus.table, corpus.rejects):
        with pytest.raises(ConfigError, match="there is no stage 'cook'; stages are fetch, extr"):
            ask("cook")


def test_rejects_are_those_of_one_stage_or_of_all(corpus):
    counted = {entry.stage: entry.tally.total_rejected for entry in corpus.ledger()}
    assert corpus.rejects().num_rows == sum(counted.values()) == 7
    for stage, count in counted.items():
        table = corpus.rejects(stage)
        assert table.num_rows == count
        assert set(table["stage"].to_pylist()) <= {stage}


def test_rejects_of_nothing_are_an_empty_table(empty):
    assert empty.rejects().num_rows == 0
    assert empty.rejects().schema.equals(REJECTS)


def test_samples_of_rejects_are_rejects_with_their_texts(corpus):
    samples = corpus.samples(corpus.rejects("clean"), count=2)
    rows = {row["doc_id"]: row for row in samples.to_pylist()}
    assert rows[SHORT]["text"] == "A short note\n\nToo few words."
    assert rows[SHORT]["reason"] == "too_short"
    assert corpus.samples(corpus.rejects("clean"), count=2, seed=0) == samples


def test_measurements_are_of_every_paper_that_clean_judged(corpus):
    measured = corpus.measured()
    assert measured.schema.equals(MEASURED)
    assert measured["doc_id"].to_pylist() == corpus.table("extract")["doc_id"].to_pylist()
    kept = measured.filter(measured["kept"])
    assert kept["doc_id"].to_pylist() == corpus.table("clean")["doc_id"].to_pylist()


def test_measurements_can_be_read_by_column(corpus):
    assert corpus.measured(["doc_id", "words"]).column_names == ["doc_id", "words"]


def test_before_clean_there_are_no_measurements(empty):
    with pytest.raises(ConfigError, match="clean has measured nothing yet; `corpusforge run PIPE"):
        empty.measured()


def test_the_limits_in_use_leave_out_what_was_left_out_and_others_something_else(corpus):
    assert corpus.limits.abstract == {"words": Bounds(min=30)}
    assert corpus.would_reject(corpus.limits) == corpus.rejects("clean")
    reasons = corpus.would_reject("forge")["reason"].to_pylist()
    assert sorted(set(reasons)) == ["language", "no_text"]


def test_limits_given_by_name_are_those_of_the_preset(tmp_path):
    stages = {"clean": {"quality": "gopher"}}
    corpus = Corpus.open(write_corpus(tmp_path, documents=5, stages=stages))
    assert corpus.limits == preset("gopher")


def test_a_diff_is_what_each_rule_of_clean_changed(corpus):
    title = prose("0 full text title", sentences=1)
    [change] = corpus.diff(FULL_TEXT)
    assert (change.rule, change.part) == ("boilerplate", "title")
    assert (change.before, change.after) == (title, title.removesuffix("."))


def test_clusters_name_removed_and_kept_with_similarity_and_rule(corpus):
    rows = sorted(corpus.clusters().to_pylist(), key=lambda row: row["removed"])
    assert [(r["removed"], r["kept"], r["rule"]) for r in rows] == [
        (EXACT_COPY, "pubmed:3", "exact_duplicate"),
        (NEAR_COPY, "pubmed:4", "near_duplicate"),
    ]
    assert rows[0]["similarity"] == 1.0
    assert 0.8 <= rows[1]["similarity"] < 1.0
    assert [row["limit"] for row in rows] == [0.8, 0.8]


def test_a_document_that_holds_a_benchmark_is_no_duplicate(tmp_path):
    item = {"question": prose("0 7", sentences=3)}
    (tmp_path / "exam.jsonl").write_bytes(json.dumps(item).encode() + b"\n")
    benchmarks = {"exam": {"file": "exam.jsonl", "question": ["question"]}}
    stages = {"dedup": {"decontaminate": {"benchmarks": benchmarks}}}
    pipeline = write_corpus(tmp_path, documents=10, stages=stages)
    finish(pipeline, until="dedup")
    corpus = Corpus.open(pipeline)
    assert "pubmed:7" in corpus.rejects("dedup")["doc_id"].to_pylist()
    assert set(corpus.clusters()["removed"].to_pylist()) == {EXACT_COPY, NEAR_COPY}


def test_cluster_sizes_and_losses_count_what_dedup_removed(corpus):
    sizes, losses = corpus.cluster_sizes(), corpus.losses()
    assert sizes["doc_id"].to_pylist() == ["pubmed:3", "pubmed:4"]
    assert losses["source"].to_pylist() == ["pmc", "pubmed"]
    assert losses["removed"].to_pylist() == [0, corpus.clusters().num_rows]
    assert sum(losses["documents"].to_pylist()) == corpus.table("clean").num_rows


def test_duplicates_of_a_kept_and_of_a_removed_document_are_the_same_family(corpus):
    family = corpus.duplicates(NEAR_COPY)
    assert family == corpus.duplicates("pubmed:4")
    assert [copy.doc_id for copy in family.copies] == [NEAR_COPY]


def test_documents_similar_to_a_text_are_found_whatever_dedup_made_of_them(corpus):
    text = corpus.duplicates(NEAR_COPY).copies[0].text
    found = corpus.similar(text.upper())
    assert [match.doc_id for match in found] == [NEAR_COPY, "pubmed:4"]
    assert found[0].similarity == 1.0
    assert found[1].title == prose("title 0 4", sentences=1).removesuffix(".")
    assert [match.doc_id for match in corpus.similar(text, count=1)] == [NEAR_COPY]


def test_a_document_can_be_followed_both_ways(corpus):
    last = corpus.explain("pubmed:7")[-1]
    row = corpus.lookup(last.facts["shard"], last.facts["start"] + 3)
    assert (row["doc_id"], row["position"]) == ("pubmed:7", 3)


def test_the_tokens_of_a_document_decode_to_its_text(corpus):
    for row in corpus.table("clean", ["doc_id", "text"]).slice(5, 3).to_pylist():
        ids = corpus.tokens(row["doc_id"])
        assert ids[-1] == corpus.tokenizer.token_to_id("<|endoftext|>")
        assert corpus.tokenizer.decode(ids[:-1].tolist()) == row["text"]


def test_a_tokenizer_comes_with_its_diagnostics(corpus):
    found = corpus.tokenizer_diagnostics()
    assert found.vocabularies[0].entries == corpus.tokenizer.get_vocab_size()
    whole = found.spellings[0]
    assert (whole.tokenizer, whole.group, whole.documents) == ("this", "all", found.documents)


@pytest.mark.parametrize("doc_id", [SHORT, "pubmed:424242"])
def test_a_document_in_no_shard_has_no_tokens(corpus, doc_id):
    with pytest.raises(ConfigError, match=f"{doc_id} is in no shard; `corpusforge explain"):
        corpus.tokens(doc_id)


def test_a_tokenizer_that_is_not_there_yet_says_what_makes_it(empty):
    with pytest.raises(ConfigError, match="there is no tokenizer; `corpusforge run PIPELINE`"):
        _ = empty.tokenizer
    with pytest.raises(ConfigError, match=r"diagnostics\.json does not exist; .* unless tokenizer"):
        empty.tokenizer_diagnostics()


def test_before_training_its_log_is_empty_and_there_is_no_result(corpus):
    assert corpus.training_log() == []
    assert corpus.training_result() is None


def test_after_training_its_log_and_its_result_are_what_it_wrote(empty):
    log = [{"step": 1, "loss": 8.0}, {"step": 2, "loss": 7.5}]
    lines = b"".join(json.dumps(entry).encode() + b"\n" for entry in log)
    write_atomic(empty.plan.train_folder / "log.jsonl", lines + b'{"step": 3, "lo')
    write_atomic(empty.plan.train_folder / "DONE", b'{"steps": 2}')
    assert empty.training_log() == log
    assert empty.training_result() == {"steps": 2}
