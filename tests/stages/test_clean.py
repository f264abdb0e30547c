"""What clean promises: one clean text per paper, measured, and kept or rejected for a reason."""

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpora import GERMAN_TEXT, prose
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.formats.partition import write_partition
from corpusforge.kernels.marks import ACKNOWLEDGEMENT, CITATION, END_CITATION, FIGURE, REFERENCE
from corpusforge.kernels.words import count_words
from corpusforge.parsers.paper import Paper
from corpusforge.sources.records import Found
from corpusforge.stages import clean as stage
from corpusforge.stages.clean import CleanConfig
from corpusforge.stages.clean_quality import Bounds, Quality
from corpusforge.stages.clean_text import TextConfig
from corpusforge.stages.extract_papers import paper_rows
from corpusforge.stages.stage import TABLE
from corpusforge.tables.identity import uid_of
from corpusforge.tables.schemas import DOCUMENTS, MEASURED
from corpusforge.tables.text import text_buffers
from stages.folders import rejects_of, run_stage, table_of

ENGLISH = prose("clean", sentences=4)
EVERYTHING = CleanConfig(quality="forge", languages=())
WORDS = count_words(*text_buffers(pa.array([ENGLISH] * 9 + ["influence " * 99], pa.large_string())))


def at_least(words):
    """Limits that ask for so many words and nothing else."""
    limits = {"words": Bounds(min=words)}
    return Quality(abstract=limits, full_text=limits)


def papers(*given):
    """A batch of papers, numbered from 0."""
    found = [Found(Paper(source_id=str(i), **fields), 0) for i, fields in enumerate(given)]
    return paper_rows("pubmed", None, found)


def clean(batch, config):
    return stage.clean(batch, config, WORDS)[0]


def ids(batch):
    return batch["doc_id"].to_pylist()


parts = st.fixed_dictionaries({k: st.text(max_size=60) for k in ("title", "abstract", "body")})
configs = st.builds(
    CleanConfig,
    quality=st.integers(0, 5).map(at_least),
    languages=st.sampled_from([(), ("en",), ("en", "de")]),
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
    config = CleanConfig(quality=at_least(2), languages=())
    assert clean(batch, config).kept["text"].to_pylist() == ["naïve methods"]


def test_a_document_on_the_limit_of_words_stays():
    words = len(ENGLISH.split())
    batch = papers({"abstract": ENGLISH})
    assert clean(batch, CleanConfig(quality=at_least(words))).rejected.num_rows == 0
    [row] = clean(batch, CleanConfig(quality=at_least(words + 1))).rejected.to_pylist()
    assert (row["reason"], row["observed"], row["limit"]) == ("too_short", words, words + 1)
    assert row["detail"] == "words is below its limit"


def test_words_of_title_and_body_count_too():
    batch = papers({"title": "one two", "abstract": "three", "body": "four five"})
    outcome = clean(batch, CleanConfig(quality=at_least(5), languages=()))
    assert outcome.kept.num_rows == 1


def test_abstracts_and_full_texts_have_limits_of_their_own():
    quality = Quality(full_text={"words": Bounds(min=1000)})
    batch = papers({"abstract": ENGLISH}, {"abstract": ENGLISH, "body": ENGLISH})
    assert ids(clean(batch, CleanConfig(quality=quality)).kept) == ["pubmed:0"]


def test_marked_parts_stay_or_go_by_policy():
    body = (
        f"We grow mice ({CITATION}Ito, 2009{END_CITATION}).\n\n{FIGURE}A mouse.\n\n{REFERENCE}Ito."
    )
    batch = papers({"body": f"{body}\n\n{ACKNOWLEDGEMENT}We thank you."})
    [text] = clean(batch, EVERYTHING).kept["text"].to_pylist()
    assert text == "We grow mice (Ito, 2009).\n\nA mouse."
    own = TextConfig(citations="drop", figures="drop", references="keep", acknowledgements="keep")
    config = CleanConfig(text=own, quality="forge", languages=())
    outcome, _, counts = stage.clean(batch, config, WORDS)
    assert outcome.kept["text"].to_pylist() == ["We grow mice.\n\nIto.\n\nWe thank you."]
    assert counts == {"added": 0, "citations left out": 1, "figures left out": 1}


def test_lines_are_joined_and_words_made_whole_by_the_words_of_the_corpus():
    batch = papers({"body": "the in-\r\nfluence of\r\nmice"})
    assert clean(batch, EVERYTHING).kept["text"].to_pylist() == ["the influence of mice"]


def test_boilerplate_and_personal_data_go_unless_they_are_to_be_kept():
    batch = papers({"abstract": "© 2016 We grow mice.", "body": "Write to a@b.org."})
    assert clean(batch, EVERYTHING).kept["text"].to_pylist() == [
        "We grow mice.\n\nWrite to [email]."
    ]
    own = TextConfig(boilerplate="keep", personal_data="keep")
    kept = clean(batch, CleanConfig(text=own, quality="forge", languages=())).kept
    assert kept["text"].to_pylist() == ["© 2016 We grow mice.\n\nWrite to a@b.org."]


def test_mojibake_is_counted_for_each_source():
    batch = papers({"title": "caf\u00c3\u00a9", "abstract": "x"}, {"abstract": "fine"})
    _, _, counts = stage.clean(batch, EVERYTHING, WORDS)
    assert counts == {"added": 0, "mojibake in pubmed": 1}


def test_a_body_that_begins_with_the_abstract_does_not_say_it_twice():
    abstract = prose("twice", sentences=6)
    batch = papers(
        {"title": "T", "abstract": abstract, "body": f"T\n\n{abstract.upper()}\n\nMore."}
    )
    [text] = clean(batch, EVERYTHING).kept["text"].to_pylist()
    assert text == f"T\n\nT\n\n{abstract.upper()}\n\nMore."


def test_every_paper_is_measured_kept_or_not():
    batch = papers({"abstract": ENGLISH}, {"title": "T"}, {"abstract": GERMAN_TEXT})
    outcome, measured, _ = stage.clean(batch, CleanConfig(quality=at_least(1)), WORDS)
    assert measured.schema == MEASURED
    assert measured["kept"].to_pylist() == [True, False, False]
    assert ids(measured) == ids(batch)
    assert measured["words"].to_pylist()[0] == len(ENGLISH.split())
    assert outcome.kept.num_rows == 1


def test_another_language_is_rejected_with_its_name():
    batch = papers({"title": "Wald", "abstract": GERMAN_TEXT}, {"abstract": ENGLISH})
    outcome = clean(batch, CleanConfig(quality=at_least(1)))
    assert ids(outcome.kept) == ["pubmed:1"]
    [row] = outcome.rejected.to_pylist()
    assert (row["reason"], row["stage"]) == ("language", "clean")
    assert row["detail"] == "detected de; kept are en"
    assert row["observed"] > 0.9


def test_languages_asked_for_are_kept_and_no_languages_keep_all():
    batch = papers({"abstract": GERMAN_TEXT}, {"abstract": ENGLISH})
    assert ids(clean(batch, CleanConfig(quality="forge", languages=("de",))).kept) == ["pubmed:0"]
    kept = clean(batch, EVERYTHING).kept
    assert kept["language"].to_pylist() == ["de", "en"]
    assert all(0.4 < probability <= 1 for probability in kept["language_probability"].to_pylist())


def test_a_translated_abstract_is_kept_in_its_own_language():
    german = {"title": "Wald", "abstract": GERMAN_TEXT, "translations": (("en", ENGLISH),)}
    batch = papers(german)
    [english] = clean(batch, CleanConfig(quality=at_least(1))).kept.to_pylist()
    assert (english["doc_id"], english["text"], english["language"]) == ("pubmed:0", ENGLISH, "en")
    outcome, measured, counts = stage.clean(batch, EVERYTHING, WORDS)
    assert ids(outcome.kept) == ids(measured) == ["pubmed:0", "pubmed:0#en"]
    assert outcome.kept["text"].to_pylist() == [f"Wald\n\n{GERMAN_TEXT}", ENGLISH]
    assert outcome.kept["uid"].to_pylist() == [uid_of("pubmed:0"), uid_of("pubmed:0#en")]
    assert counts["added"] == 1


def test_the_boilerplate_of_a_translation_goes_too():
    batch = papers({"abstract": GERMAN_TEXT, "translations": (("en", f"© 2016 {ENGLISH}"),)})
    assert clean(batch, CleanConfig(quality="forge")).kept["text"].to_pylist() == [ENGLISH]


def test_a_title_alone_is_no_text_however_long():
    [row] = clean(papers({"title": ENGLISH}), CleanConfig(quality=at_least(1))).rejected.to_pylist()
    assert (row["reason"], row["detail"]) == ("no_text", "neither an abstract nor a body")


def test_what_a_paper_says_of_itself_is_handed_on():
    batch = papers({"title": "T", "abstract": ENGLISH, "doi": "10.1/x", "year": 1999})
    [row] = clean(batch, CleanConfig(quality=at_least(1))).kept.to_pylist()
    before = batch.to_pylist()[0]
    same = set(DOCUMENTS.names) - {"text", "content", "language", "language_probability"}
    assert {name: row[name] for name in same} == {name: before[name] for name in same}


def test_an_empty_batch_gives_an_empty_outcome():
    outcome = clean(papers(), CleanConfig())
    assert (outcome.kept.num_rows, outcome.rejected.num_rows) == (0, 0)
    assert outcome.kept.schema == DOCUMENTS


@pytest.mark.parametrize(
    ("setting", "value"),
    [("quality", "beautiful"), ("languages", ["English"]), ("text", {"figures": "sometimes"})],
)
def test_settings_that_do_not_exist_are_refused(setting, value):
    with pytest.raises(msgspec.ValidationError, match=rf"\$\.{setting}"):
        msgspec.convert({setting: value}, CleanConfig)


def test_the_stage_writes_a_partition_and_its_rejects_for_each_one_it_reads(tmp_path):
    batches = [papers({"abstract": ENGLISH}, {"title": "T"}), papers(), papers({"body": ENGLISH})]
    for i, batch in enumerate(batches):
        path = tmp_path / "extract" / TABLE / f"part-0000{i}.parquet"
        write_partition(path, pa.Table.from_batches([batch]))
    out = tmp_path / "clean"
    config = CleanConfig(quality=at_least(1))
    tally = run_stage(stage.STAGE, config, out, {"extract": tmp_path / "extract"})
    assert [row["content"] for row in table_of(out)] == ["abstract", "full_text"]
    assert [row["reason"] for row in rejects_of(out)] == ["no_text"]
    assert len(list((out / TABLE).iterdir())) == 3
    assert (tally.read, tally.kept, tally.rejected) == (3, 2, {"no_text": 1})
    assert tally.bytes_read > 0
    measured = pq.read_table(out / "measured")
    assert measured["kept"].to_pylist() == [True, False, True]
    assert measured["log_probability"].to_numpy()[0] < 0
    words = pq.read_table(out / "words.parquet")
    assert sum(words["count"].to_pylist()) == tally.counts["words"] > 2 * len(ENGLISH.split())
