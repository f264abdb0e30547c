"""What keeps benchmarks out of the corpus."""

import json
import unicodedata

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentences import paragraph
from word_runs import runs_of, words_of

from corpusforge.errors import SourceError
from corpusforge.kernels.contamination import documents_with
from corpusforge.kernels.cuts import cut
from corpusforge.reasons import Reason
from corpusforge.stages.decontamination import (
    BenchmarkReport,
    ContaminationConfig,
    common_grams,
    counted,
    findings,
    judged,
    report,
    scan_texts,
)
from corpusforge.stages.decontamination_index import benchmark_evidence, load_benchmarks

LONG = (
    "A spring of stiffness k holds a mass m on a frictionless table; what is the period of its "
    "small oscillations when the table itself moves with constant velocity?"
)
TEN = "Which element has the highest melting point of all metals?"
SIX = "Who discovered the rings of Saturn?"
FOUR = "What is a meson?"
ACCENTED = "Which coefficient did Poincaré define for the énergie of a rotating fluid?"
EXAMS = [
    {"question": LONG, "choices": ["it is infinite", "it does not change"], "answer": 1},
    {"question": TEN, "answer": "Tungsten"},
    {"question": SIX, "answer": "Christiaan Huygens"},
    {"question": FOUR, "answer": "A quark pair"},
]
ABOVE = "Rivers and their springs.\n\n" + paragraph("en", 900)
BELOW = paragraph("en", 900)


def config(**settings):
    return msgspec.convert(
        {"benchmarks": {"exams": {"file": "exams.jsonl"}}} | settings, ContaminationConfig
    )


def write(folder, records, name="exams.jsonl"):
    (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records))


def load(folder, settings):
    return load_benchmarks(settings.benchmarks, folder, settings.words, settings.min_words)


def column(texts):
    return pa.array(texts, pa.large_string())


def looked_for(folder, texts, settings):
    """All that a stage would do with one partition."""
    benchmarks = load(folder, settings)
    hits = scan_texts(column(texts), benchmarks)
    common = common_grams(documents_with(hits, len(benchmarks.index)), settings)
    found = findings(hits, common, benchmarks, settings)
    counts = counted(found, benchmarks)
    return judged(found, column(texts), benchmarks, settings), report(
        [found.items], counts, common, benchmarks
    )


@pytest.fixture
def exams(tmp_path):
    write(tmp_path, EXAMS)
    return tmp_path


def planted(question):
    """A paper with a question in its middle."""
    return f"{ABOVE}\n\n{question} We do not know.\n\n{BELOW}"


@pytest.mark.parametrize(
    ("text", "line", "runs"),
    [
        (planted(LONG.upper()), 1, (17, 17)),
        (planted(" ".join(LONG.split()[5:20])), 1, (3, 17)),
        (planted(f"Question: {TEN}"), 2, (1, 1)),
        (planted(f"{SIX} Christiaan Huygens"), 3, (1, 1)),
    ],
)
def test_an_item_in_a_paper_rejects_it_and_is_named(exams, text, line, runs):
    assert len(words_of(LONG)) == 29
    judgement, _ = looked_for(exams, [ABOVE, text, BELOW], config())
    assert [verdict is None for verdict in judgement.verdicts] == [True, False, True]
    verdict = judgement.verdicts[1]
    assert verdict.reason is Reason.CONTAMINATED
    assert (verdict.observed, verdict.limit) == (runs[0] / runs[1], 0.0)
    assert verdict.detail == f"exams, line {line}: {runs[0]} of its {runs[1]} runs of words"
    assert judgement.cuts == {}


@pytest.mark.parametrize(
    "text",
    [
        ABOVE,
        "",
        planted(f"{SIX} Galileo Galilei."),  # another answer
        planted(FOUR + " A quark pair."),  # fewer than eight words: in texts by chance
        planted(" ".join(LONG.split()[:12])),
        planted(TEN.replace("metals", "rocks")),
        planted(LONG.replace("k", "kappa").replace("table", "desk").replace("of", "for")),
    ],
)
def test_a_paper_that_holds_no_item_stays(exams, text):
    judgement, [exam] = looked_for(exams, [text], config())
    assert judgement.verdicts == [None]
    assert (exam.found, exam.documents, exam.bytes) == (0, 0, 0)


def test_benchmarks_are_reported_by_name(exams):
    write(exams, [{"text": f"{TEN} {LONG}"}, {"text": "Of fewer words."}], "other.jsonl")
    files = {"exams": {"file": "exams.jsonl"}, "another": {"file": "other.jsonl"}}
    texts = [planted(TEN), planted(LONG), planted(f"{TEN} {LONG}"), ABOVE]
    _, reports = looked_for(exams, texts, config(benchmarks=files))
    ten, long, both = (len(text.rstrip("?")) for text in (TEN, LONG, f"{TEN} {LONG}"))
    assert reports == [
        BenchmarkReport("another", 2, 1, 0, 1, 2, long + both),
        BenchmarkReport("exams", 4, 1, 0, 2, 3, ten + long + both),
    ]


def test_a_run_of_words_of_many_documents_is_a_common_phrase(exams):
    texts = [planted(TEN)] * 11 + [planted(LONG)]
    judgement, [exam] = looked_for(exams, texts, config())
    assert [v is None for v in judgement.verdicts] == [True] * 11 + [False]
    assert (exam.common, exam.found, exam.documents) == (1, 1, 1)
    judgement, [exam] = looked_for(exams, texts[1:], config())
    assert None not in judgement.verdicts
    assert (exam.common, exam.found, exam.documents) == (0, 2, 11)
    judgement, _ = looked_for(exams, texts, config(max_documents=None))
    assert None not in judgement.verdicts


def test_a_share_of_an_item_may_be_asked_for(exams):
    texts = [planted(" ".join(LONG.split()[:26])), planted(" ".join(LONG.split()[:20]))]
    judgement, _ = looked_for(exams, texts, config(share=0.7))
    [most, some] = judgement.verdicts
    assert (most.observed, most.limit, some) == (14 / 17, 0.7, None)


@pytest.mark.parametrize("question", [LONG, TEN])
def test_the_policy_span_cuts_the_item_and_keeps_the_paper(exams, question):
    settings = config(policy="span", margin=20, min_piece=50)
    text = planted(question)
    judgement, [exam] = looked_for(exams, [ABOVE, text], settings)
    assert judgement.verdicts == [None, None]
    assert list(judgement.cuts) == [1]
    left = cut(text, judgement.cuts[1])
    assert not set(runs_of(left, 8)) & set(runs_of(question, 8))
    assert left.startswith("Rivers and their springs.\n\nWe measured")
    assert left.endswith(BELOW[-200:])
    assert len(left) > len(text) - len(question) - 250
    again, _ = looked_for(exams, [left], settings)
    assert again.cuts == {}
    assert exam.documents == 1


@pytest.mark.parametrize(
    "text",
    [
        LONG,  # nothing is left
        f"Title\n\n{TEN} It is tungsten.",  # nothing but a title
        "\n\n".join([paragraph("en", 300), TEN] * 11 + [paragraph("en", 300)]),  # in 12 pieces
    ],
)
def test_the_policy_span_rejects_a_paper_of_which_too_little_or_too_much_is_left(exams, text):
    judgement, _ = looked_for(exams, [text], config(policy="span", margin=0, min_piece=100))
    [verdict] = judgement.verdicts
    assert verdict.reason is Reason.CONTAMINATED
    assert judgement.cuts == {}


@pytest.mark.parametrize(("most", "stays"), [(4, True), (3, False)])
def test_a_paper_may_be_in_as_many_pieces_as_the_limit_says(exams, most, stays):
    text = "\n\n".join([paragraph("en", 300), TEN] * 3 + [paragraph("en", 300)])
    settings = config(policy="span", margin=0, min_piece=100, max_pieces=most)
    judgement, _ = looked_for(exams, [text], settings)
    assert (judgement.verdicts == [None]) is (0 in judgement.cuts) is stays


words = st.sampled_from(["a", "b", "c", "d", ". ", "中", "\n\n"])


@given(st.lists(st.lists(words, max_size=40).map(" ".join), max_size=6), st.integers(0, 4))
def test_every_document_is_kept_cut_or_rejected_in_batches_as_at_once(
    tmp_path_factory, texts, split
):
    folder = tmp_path_factory.mktemp("benchmark")
    write(folder, [{"text": "a b c a b d"}, {"text": "c c d"}, {"text": "a"}])
    settings = config(words=4, min_words=3, policy="span", margin=0, min_piece=3, max_pieces=2)
    benchmarks = load(folder, settings)
    batches = [texts[:split], texts[split:]]
    hits = [scan_texts(column(batch), benchmarks) for batch in batches]
    grams = len(benchmarks.index)
    common = common_grams(sum(documents_with(h, grams) for h in hits), settings)
    found = [findings(h, common, benchmarks, settings) for h in hits]
    parts = [
        judged(f, column(batch), benchmarks, settings)
        for f, batch in zip(found, batches, strict=True)
    ]
    whole, reports = looked_for(folder, texts, settings)
    assert parts[0].verdicts + parts[1].verdicts == whole.verdicts
    cuts = parts[0].cuts | {split + d: c for d, c in parts[1].cuts.items()}
    assert {d: c.tolist() for d, c in cuts.items()} == {
        d: c.tolist() for d, c in whole.cuts.items()
    }
    counts = [counted(f, benchmarks) for f in found]
    total = {name: counts[0][name] + counts[1][name] for name in counts[0]}
    assert report([f.items for f in found], total, common, benchmarks) == reports
    for document, verdict in enumerate(whole.verdicts):
        assert verdict is None or document not in whole.cuts


def test_no_benchmarks_find_nothing(tmp_path):
    judgement, reports = looked_for(tmp_path, [ABOVE], ContaminationConfig())
    assert (judgement.verdicts, judgement.cuts, reports) == ([None], {}, [])


def test_passages_and_questions_of_an_item_are_looked_for_each(tmp_path):
    write(tmp_path, [{"question": TEN, "passage": LONG, "answer": "Tungsten"}])
    fields = {"file": "exams.jsonl", "question": ["question", "passage"]}
    judgement, _ = looked_for(
        tmp_path, [planted(TEN), planted(LONG)], config(benchmarks={"exams": fields})
    )
    details = [verdict.detail for verdict in judgement.verdicts]
    assert details == [f"exams, line 1: {n} of its 18 runs of words" for n in (1, 17)]


def test_a_question_of_just_enough_words_is_looked_for_without_its_answer(tmp_path):
    question = "Why is the night sky dark at all?"
    write(tmp_path, [{"question": question, "answer": "Stars have not shone long enough"}])
    judgement, _ = looked_for(tmp_path, [planted(question)], config(min_words=8))
    assert judgement.verdicts[0].detail == "exams, line 1: 1 of its 1 runs of words"
    judgement, _ = looked_for(tmp_path, [planted(question)], config(min_words=9))
    assert judgement.verdicts == [None]


@pytest.mark.parametrize(
    "question",
    [
        unicodedata.normalize("NFD", ACCENTED),
        ACCENTED.replace("fi", "\ufb01"),
        ACCENTED.replace("é", "&eacute;"),
        ACCENTED.replace("é", "Ã©"),
    ],
    ids=["marks apart", "ligature", "entity", "wrong code page"],
)
def test_an_item_in_another_form_of_the_same_characters_is_found(tmp_path, question):
    write(tmp_path, [{"question": question}])
    assert question != ACCENTED
    judgement, _ = looked_for(tmp_path, [planted(ACCENTED)], config())
    assert judgement.verdicts[0].detail == "exams, line 1: 1 of its 1 runs of words"


def test_items_are_numbered_benchmark_by_benchmark(exams):
    write(exams, [{"text": LONG}], "a.jsonl")
    settings = config(benchmarks={"exams": {"file": "exams.jsonl"}, "a": {"file": "a.jsonl"}})
    benchmarks = load(exams, settings)
    assert benchmarks.names == ("a", "exams")
    assert benchmarks.benchmark.tolist() == [0, 1, 1, 1, 1]
    assert benchmarks.line.tolist() == [1, 1, 2, 3, 4]
    assert benchmarks.indexed.tolist() == [True, True, True, True, False]


def test_a_benchmark_of_which_no_item_is_long_enough_is_told(tmp_path):
    write(tmp_path, [{"question": FOUR, "answer": 2}])
    with pytest.raises(SourceError, match=r"exams.jsonl: no item has 8 words in question, text"):
        load(tmp_path, config())


def test_another_file_is_other_evidence(exams):
    settings = config().benchmarks
    before = benchmark_evidence(settings, exams)
    write(exams, EXAMS[::-1])
    after = benchmark_evidence(settings, exams)
    assert [name for name, _ in before + after] == ["exams", "exams"]
    assert before != after
    with pytest.raises(SourceError, match="cannot be read"):
        benchmark_evidence(settings, exams / "elsewhere")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"min_words": 20}, "min_words=20 is more than words=13: items of 13 to 19 words"),
        ({"share": 1.5}, r"<= 1.0 - at `\$.share`"),
        ({"benchmarks": {"a": {"file": "a", "question": []}}}, r"length >= 1"),
        ({"policies": "span"}, "unknown field `policies`"),
    ],
)
def test_a_wrong_setting_is_told(settings, message):
    with pytest.raises(msgspec.ValidationError, match=message):
        config(**settings)


def test_real_abstracts_hold_an_abstract_that_is_a_benchmark_item_and_no_other(real_data, tmp_path):
    """Items are every fifth Chinese abstract; the others hold few, and itself each does."""
    rows = (real_data / "demo" / "csl_zh" / "ts_dev.tsv").read_text().splitlines()[1:]
    abstracts = sorted({max(row.split("\t"), key=len) for row in rows})
    write(tmp_path, [{"text": abstract} for abstract in abstracts[::5]])
    settings = config(share=0.5)
    judgement, [exam] = looked_for(tmp_path, abstracts, settings)
    rejected = [i for i, verdict in enumerate(judgement.verdicts) if verdict is not None]
    assert set(rejected) >= set(range(0, len(abstracts), 5))
    assert exam.found == exam.items
    assert len(rejected) <= exam.items + len(abstracts) // 100
