"""Which language a text is said to be in."""

# ruff: noqa: RUF001 (letters that look like others)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.language import SAMPLE, identify

# Our own sentences, as an abstract might begin.
SENTENCES = {
    "en": "We measured how fast the water in the river warms after the snow has melted.",
    "de": "Wir haben gemessen, wie schnell sich das Wasser im Fluss nach der Schmelze erwärmt.",
    "fr": "Nous avons mesuré la vitesse à laquelle l'eau de la rivière se réchauffe au printemps.",
    "es": "Medimos la rapidez con la que se calienta el agua del río después del deshielo.",
    "it": "Abbiamo misurato quanto velocemente si riscalda l'acqua del fiume dopo il disgelo.",
    "pt": "Medimos a rapidez com que a água do rio aquece depois que a neve derrete nas montanhas.",
    "nl": "Wij hebben gemeten hoe snel het water in de rivier opwarmt na het smelten van sneeuw.",
    "pl": "Zmierzyliśmy, jak szybko ogrzewa się woda w rzece po stopieniu śniegu.",
    "ru": "Мы измерили, как быстро нагревается вода в реке после таяния снега.",
    "zh": "我们测量了融雪之后河水升温的速度。",
    "ja": "雪が溶けた後に川の水がどれだけ速く温まるかを測定した。",
    "ko": "우리는 눈이 녹은 뒤 강물이 얼마나 빨리 따뜻해지는지 측정했다.",
    "ar": "قمنا بقياس سرعة ارتفاع درجة حرارة ماء النهر بعد ذوبان الثلج.",
    "tr": "Kar eridikten sonra nehirdeki suyun ne kadar hızlı ısındığını ölçtük.",
}
texts = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_is_in_its_language(language):
    found, probability = identify(SENTENCES[language])
    assert found == language
    assert 0.5 < probability <= 1


@given(texts)
def test_a_probability_is_between_0_and_1_whatever_the_text(text):
    language, probability = identify(text)
    assert language.isalpha()
    assert 0 <= probability <= 1


@given(texts, texts)
def test_the_answer_does_not_depend_on_what_was_asked_before(text, other):
    first = identify(text)
    identify(other)
    assert identify(text) == first


@given(st.text(st.characters(exclude_categories=["Cs", "Lu", "Ll", "Lt", "Lm", "Lo"])))
def test_a_text_without_a_letter_is_in_no_language(text):
    assert identify(text) == ("und", 0.0)


@pytest.mark.parametrize("text", ["", "\n", "1 2 3", "²", "½ Ⅷ", "_", "😀", "\x00"])
def test_neither_numbers_nor_signs_are_letters(text):
    assert identify(text) == ("und", 0.0)


@given(texts, st.integers(0, 3))
def test_only_the_beginning_of_a_long_text_is_looked_at(text, extra):
    long = SENTENCES["en"] * (SAMPLE // len(SENTENCES["en"]) + 1 + extra)
    assert identify(long + text) == identify(long)


def test_a_text_of_megabytes_is_no_burden():
    assert identify(SENTENCES["de"] * 100_000)[0] == "de"


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\x00", "\t", "\u2028"])
def test_text_after_a_line_end_or_a_nul_counts(separator):
    german = separator.join(SENTENCES["de"].split())
    assert identify("The " + separator + german)[0] == "de"


def test_capitals_are_no_other_language():
    assert identify(SENTENCES["en"].upper())[0] == "en"
