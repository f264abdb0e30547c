"""What a paper says in each language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentences import SENTENCES, paragraph

from corpusforge.kernels.language import UNKNOWN
from corpusforge.kernels.language_texts import texts_by_language, wanted_texts
from corpusforge.kernels.marks import PARAGRAPH

EN, FR, DE, ES = (paragraph(language, 500) for language in ("en", "fr", "de", "es"))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
translations = st.lists(st.tuples(st.sampled_from(["en", "fr", "und"]), texts), max_size=3)


def parts(found):
    return [(text.code, text.title, text.abstract, text.body) for text in found]


@given(texts, texts, texts, translations)
def test_there_is_one_text_per_language_and_nothing_is_in_two(title, abstract, body, others):
    found = texts_by_language(title, abstract, body, others)
    assert len({text.code for text in found}) == len(found) >= 1
    assert sorted(text.title for text in found)[-1] == title
    assert [text.body for text in found if text.body] == [body][: len(body)]
    letters = set("".join(text.abstract for text in found))
    assert set(abstract) - {"\n"} <= letters


@given(texts, texts, texts)
def test_a_paper_in_one_language_is_one_text_as_it_was(title, abstract, body):
    found = texts_by_language(title, abstract, body, ())
    if len(found) == 1:
        assert parts(found)[0][1:] == (title, abstract, body)


def test_an_english_paper_keeps_its_text_and_its_translation_is_another():
    found = texts_by_language("", EN, EN, [("fr", FR)])
    assert parts(found) == [("en", "", EN, EN), ("fr", "", FR, "")]


def test_a_french_paper_has_its_english_abstract_as_an_english_text():
    found = texts_by_language(SENTENCES["fr"], FR, FR, [("en", EN)])
    assert parts(found) == [("fr", SENTENCES["fr"], FR, FR), ("en", "", EN, "")]
    assert parts(wanted_texts(found, ["en"])) == [("en", "", EN, "")]


def test_an_abstract_in_another_language_than_the_body_goes_to_its_own():
    body = PARAGRAPH.join([FR] * 8)
    found = texts_by_language("", EN, body, [("fr", FR)])
    assert parts(found) == [("fr", "", FR, body), ("en", "", EN, "")]


def test_an_abstract_in_two_languages_is_parted():
    both = PARAGRAPH.join(["Abstract", EN, EN, "Résumé", FR])
    found = texts_by_language("", both, "", ())
    assert parts(found) == [
        ("en", "", PARAGRAPH.join(["Abstract", EN, EN]), ""),
        ("fr", "", PARAGRAPH.join(["Résumé", FR]), ""),
    ]


def test_a_body_stays_whole():
    body = PARAGRAPH.join([EN, EN, FR, EN, EN])
    assert parts(texts_by_language("", EN, body, ())) == [("en", "", EN, body)]


def test_a_title_goes_to_the_text_in_its_language():
    found = texts_by_language(SENTENCES["en"], FR, "", [("en", EN)])
    assert parts(found) == [("fr", "", FR, ""), ("en", SENTENCES["en"], EN, "")]


def test_a_title_in_a_language_without_a_text_stays_with_the_first():
    found = texts_by_language(SENTENCES["de"], FR, "", [("en", EN)])
    assert [text.title for text in found] == [SENTENCES["de"], ""]


def test_a_paper_of_a_title_and_translations_is_the_translations():
    found = texts_by_language(SENTENCES["de"], "", "", [("en", EN), ("fr", FR)])
    assert parts(found) == [("en", SENTENCES["de"], EN, ""), ("fr", "", FR, "")]


def test_a_translation_is_in_the_language_that_it_is_found_in_whatever_is_stated():
    assert parts(texts_by_language("", EN, "", [("es", DE)]))[1:] == [("de", "", DE, "")]


def test_the_first_abstract_of_a_language_counts():
    found = texts_by_language(
        "", EN, "", [("en", EN + " Again."), ("es", ES), ("es", ES + " Otra.")]
    )
    assert parts(found) == [("en", "", EN, ""), ("es", "", ES, "")]


def test_a_paper_without_text_is_one_text_in_no_language():
    assert parts(texts_by_language("", "", "", ())) == [(UNKNOWN, "", "", "")]
    assert parts(texts_by_language("x", "", "", [("en", "")])) == [(UNKNOWN, "x", "", "")]


@pytest.mark.parametrize(
    ("languages", "kept"), [((), ["en", "fr", "es"]), (("es", "en"), ["en", "es"]), (("pl",), [])]
)
def test_texts_in_wanted_languages_stay_in_their_order(languages, kept):
    found = texts_by_language("", EN, EN, [("fr", FR), ("es", ES)])
    assert [text.code for text in wanted_texts(found, languages)] == kept
