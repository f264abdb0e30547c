"""What clean promises: one repaired text per paper, kept or rejected for a stated reason."""

import msgspec
import pyarrow as pa
import pytest
from corpora import GERMAN_TEXT, prose
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.formats.partition import write_partition
from corpusforge.kernels.language import identify
from corpusforge.parsers.paper import Paper
from corpusforge.sources.records import Found
from corpusforge.stages import clean as stage
from corpusforge.stages.clean import CleanConfig, clean
from corpusforge.stages.extract_papers import paper_rows
from corpusforge.stages.stage import TABLE
from corpusforge.tables.schemas import DOCUMENTS
from stages.folders import rejects_of, run_stage, table_of

ENGLISH = prose("clean", sentences=4)
EVERYTHING = CleanConfig(min_words=0, languages=(), min_language_probability=0)


def papers(*given):
    """A batch of papers, numbered from 0."""
    found = [Found(Paper(source_id=str(i), **fields), 0) for i, fields in enumerate(given)]
    return paper_rows("pubmed", None, found)


def ids(batch):
    return batch["doc_id"].to_pylist()


parts = st.fixed_dictionaries({k: st.text(max_size=60) for k in ("title", "abstract", "body")})
configs = st.builds(
    CleanConfig,
    min_words=st.integers(0, 5),
    languages=st.sampled_from([(), ("en",), ("en", "de")]),
    min_language_probability=st.floats(0, 1),
)


@given(st.lists(parts, max_size=6), configs)
def test_every_paper_is_kept_or_rejected_exactly_once_in_order(given_papers, config):
    batch = papers(*given_papers)
    outcome = clean(batch, config)
    assert sorted(ids(outcome.kept) + ids(outcome.rejected)) == sorted(ids(batch))
    assert ids(outcome.kept) == sorted(ids(outcome.kept), key=int_of)
    assert ids(outcome.rejected) == sorted(ids(outcome.rejected), key=int_of)


def int_of(doc_id):
    return int(doc_id.split(":")[1])


@given(st.lists(parts, min_size=1, max_size=6), configs)
def test_the_verdict_on_a_paper_does_not_depend_on_its_neighbours(given_papers, config):
    together = clean(papers(*given_papers), config)
    alone = [clean(papers(paper), config) for paper in given_papers]
    assert [o.kept["text"][0] for o in alone if o.kept.num_rows] == list(together.kept["text"])
    reasons = [o.rejected["reason"][0] for o in alone if o.rejected.num_rows]
    assert reasons == list(together.rejected["reason"])


@given(st.lists(parts, max_size=6), configs)
def test_the_same_papers_give_the_same_outcome_twice(given_papers, config):
    assert clean(papers(*given_papers), config) == clean(papers(*given_papers), config)


def test_the_text_is_title_abstract_and_body_with_an_empty_line_between():
    batch = papers({"title": "A title", "abstract": "First.\n\nSecond.", "body": "## Findings"})
    [text] = clean(batch, EVERYTHING).kept["text"].to_pylist()
    assert text == "A title\n\nFirst.\n\nSecond.\n\n## Findings"


@pytest.mark.parametrize(
    ("fields", "text", "content"),
    [
        ({"abstract": "Only this."}, "Only this.", "abstract"),
        ({"title": "T", "body": "B"}, "T\n\nB", "full_text"),
        ({"title": "  ", "abstract": "A", "body": "B"}, "A\n\nB", "full_text"),
    ],
)
def test_a_part_that_is_missing_leaves_no_gap(fields, text, content):
    [row] = clean(papers(fields), EVERYTHING).kept.to_pylist()
    assert (row["text"], row["content"]) == (text, content)


def test_texts_are_repaired_before_they_are_judged():
    # Two words with a soft hyphen, mojibake and runs of blanks around them.
    batch = papers({"abstract": "  na\u00c3\u00afve   me\u00adthods "})
    [text] = clean(batch, CleanConfig(min_words=2, languages=())).kept["text"].to_pylist()
    assert text == "naïve methods"


def test_a_document_on_the_limit_of_words_stays():
    words = len(ENGLISH.split())
    batch = papers({"abstract": ENGLISH})
    assert clean(batch, CleanConfig(min_words=words)).rejected.num_rows == 0
    [row] = clean(batch, CleanConfig(min_words=words + 1)).rejected.to_pylist()
    assert (row["reason"], row["observed"], row["limit"]) == ("too_short", words, words + 1)


def test_words_of_title_and_body_count_too():
    batch = papers({"title": "one two", "abstract": "three", "body": "four five"})
    outcome = clean(batch, CleanConfig(min_words=5, languages=(), min_language_probability=0))
    assert outcome.kept.num_rows == 1


def test_a_document_on_the_limit_of_probability_stays():
    _, probability = identify(ENGLISH)
    batch = papers({"abstract": ENGLISH})
    on, above = (
        CleanConfig(min_words=0, min_language_probability=limit)
        for limit in (probability, min(1.0, probability + 1e-6))
    )
    assert probability < 1
    assert clean(batch, on).rejected.num_rows == 0
    [row] = clean(batch, above).rejected.to_pylist()
    assert row["reason"] == "language"
    assert row["observed"] == probability
    assert row["limit"] == probability + 1e-6


def test_another_language_is_rejected_with_its_name():
    batch = papers({"title": "Wald", "abstract": GERMAN_TEXT}, {"abstract": ENGLISH})
    outcome = clean(batch, CleanConfig())
    assert ids(outcome.kept) == ["pubmed:1"]
    [row] = outcome.rejected.to_pylist()
    assert (row["reason"], row["detail"], row["stage"]) == ("language", "detected de", "clean")
    assert row["observed"] > 0.9


def test_languages_asked_for_are_kept_and_no_languages_keep_all():
    batch = papers({"abstract": GERMAN_TEXT}, {"abstract": ENGLISH})
    assert ids(clean(batch, CleanConfig(languages=("de",))).kept) == ["pubmed:0"]
    kept = clean(batch, CleanConfig(languages=())).kept
    assert kept["language"].to_pylist() == ["de", "en"]
    assert all(0.4 < probability <= 1 for probability in kept["language_probability"].to_pylist())


def test_a_title_alone_is_no_text_however_long():
    [row] = clean(papers({"title": ENGLISH}), CleanConfig(min_words=1)).rejected.to_pylist()
    assert (row["reason"], row["detail"]) == ("no_text", "neither an abstract nor a body")


def test_what_a_paper_says_of_itself_is_handed_on():
    batch = papers({"title": "T", "abstract": ENGLISH, "doi": "10.1/x", "year": 1999})
    [row] = clean(batch, CleanConfig()).kept.to_pylist()
    before = batch.to_pylist()[0]
    same = set(DOCUMENTS.names) - {"text", "content", "language", "language_probability"}
    assert {name: row[name] for name in same} == {name: before[name] for name in same}


def test_an_empty_batch_gives_an_empty_outcome():
    outcome = clean(papers(), CleanConfig())
    assert (outcome.kept.num_rows, outcome.rejected.num_rows) == (0, 0)
    assert outcome.kept.schema == DOCUMENTS


@pytest.mark.parametrize(
    ("setting", "value"), [("min_words", -1), ("min_language_probability", 1.5)]
)
def test_settings_out_of_range_are_refused(setting, value):
    with pytest.raises(msgspec.ValidationError, match=rf"Expected .* at `\$\.{setting}`"):
        msgspec.convert({setting: value}, CleanConfig)


def test_the_stage_writes_a_partition_and_its_rejects_for_each_one_it_reads(tmp_path):
    batches = [papers({"abstract": ENGLISH}, {"title": "T"}), papers(), papers({"body": ENGLISH})]
    for i, batch in enumerate(batches):
        path = tmp_path / "extract" / TABLE / f"part-0000{i}.parquet"
        write_partition(path, pa.Table.from_batches([batch]))
    out = tmp_path / "clean"
    tally = run_stage(stage.STAGE, CleanConfig(), out, {"extract": tmp_path / "extract"})
    assert [row["content"] for row in table_of(out)] == ["abstract", "full_text"]
    assert [row["reason"] for row in rejects_of(out)] == ["no_text"]
    assert len(list((out / TABLE).iterdir())) == 3
    assert (tally.read, tally.kept, tally.rejected) == (3, 2, {"no_text": 1})
    assert tally.bytes_read > 0
