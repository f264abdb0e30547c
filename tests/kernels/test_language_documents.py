"""Which language a document is said to be in, passage by passage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentences import SENTENCES, paragraph

from corpusforge.kernels.language import FLOOR, SURE, UNKNOWN
from corpusforge.kernels.language_documents import (
    MAX_PASSAGE,
    MIN_PASSAGE,
    PASSAGES,
    Verdict,
    identify_document,
    identify_paragraphs,
)
from corpusforge.kernels.marks import PARAGRAPH

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=400)
laid_out = st.lists(st.integers(0, 700), max_size=30).map(
    lambda lengths: PARAGRAPH.join(("water " * 200)[:length] for length in lengths)
)


@given(texts, texts, texts)
def test_a_verdict_is_a_language_with_a_share_or_none(title, abstract, body):
    verdict = identify_document(title, abstract, body)
    assert (verdict.code == UNKNOWN) == (verdict.probability < FLOOR)
    assert 0 <= verdict.probability <= 1
    assert (verdict.share > 0) == (verdict.code != UNKNOWN)
    assert verdict.share < 1 or not verdict.others
    assert verdict.code not in verdict.others


def test_a_document_without_text_is_in_no_language():
    assert identify_document("", "", "") == Verdict(UNKNOWN, 0.0, 0.0, ())


@pytest.mark.parametrize("language", SENTENCES)
def test_a_short_document_is_in_the_language_of_its_sentence(language):
    sentence = SENTENCES[language]
    assert identify_document(sentence, "", "").code == language
    assert identify_document("", sentence, "").code == language
    assert identify_document("", "", sentence).code == language
    assert identify_document(sentence, sentence, sentence).share == 1


@pytest.mark.parametrize("own", ["en", "fr", "zh", "ru"])
@pytest.mark.parametrize("foreign", ["de", "es", "ja"])
def test_a_foreign_abstract_does_not_condemn_a_paper(own, foreign):
    body = PARAGRAPH.join([paragraph(own)] * 20)
    verdict = identify_document("", paragraph(foreign), body)
    assert verdict.code == own
    assert verdict.probability > SURE
    assert 0.8 < verdict.share < 1
    assert verdict.others == (foreign,)


def test_a_quotation_at_the_beginning_of_a_body_does_not_condemn_a_paper():
    body = PARAGRAPH.join([paragraph("fr", 1500), *[paragraph("en")] * 20])
    assert identify_document("", "", body).code == "en"


def test_other_languages_come_with_the_longest_first():
    body = PARAGRAPH.join([paragraph("de", 1200), paragraph("en", 3000), paragraph("fr", 400)])
    assert identify_document("", "", body).others == ("de", "fr")


def test_a_chinese_abstract_is_not_outweighed_by_its_translation():
    assert identify_document("", paragraph("zh", 300), paragraph("en", 700)).code == "zh"


def test_a_declared_language_is_heard_where_there_is_a_doubt():
    title = "Konservative Therapie der Malabsorption"
    assert identify_document(title, "", "", "de").code == "de"
    assert identify_document(title, "", "", "en").code == "en"


@given(laid_out)
def test_passages_cover_a_text_and_do_not_overlap(text):
    found = identify_paragraphs(text)
    places = [place for passage in found for place in (passage.start, passage.end)]
    assert places == sorted(places)
    covered = "".join(text[passage.start : passage.end] for passage in found)
    assert covered.replace("\n", "") == text.replace("\n", "")


@given(laid_out)
def test_passages_are_long_enough_unless_the_text_is_not(text):
    found = identify_paragraphs(text)
    for passage in found:
        assert passage.end - passage.start >= MIN_PASSAGE or len(found) == 1
        assert passage.end - passage.start <= MAX_PASSAGE
    assert len(found) >= min(1, len(text))


@given(laid_out, st.integers(2, 9))
def test_of_many_passages_some_are_looked_at_the_first_and_the_last_among_them(text, most):
    every, some = identify_paragraphs(text), identify_paragraphs(text, most=most)
    spans = [(passage.start, passage.end) for passage in every]
    chosen = [(passage.start, passage.end) for passage in some]
    assert len(chosen) == min(most, len(spans))
    assert set(chosen) <= set(spans)
    assert chosen[:1] == spans[:1]
    assert chosen[-1:] == spans[-1:]


def test_a_foreign_paragraph_is_found_where_it_stands():
    parts = [paragraph("en"), paragraph("fr"), paragraph("en")]
    text = PARAGRAPH.join(parts)
    found = identify_paragraphs(text)
    assert [passage.code for passage in found] == ["en", "fr", "en"]
    assert [text[passage.start : passage.end] for passage in found] == parts


def test_a_heading_belongs_to_the_paragraph_after_it():
    text = PARAGRAPH.join([paragraph("en"), "## Zusammenfassung", paragraph("de")])
    assert [passage.code for passage in identify_paragraphs(text)] == ["en", "de"]
    assert text[identify_paragraphs(text)[1].start :].startswith("## Zusammenfassung")


def test_a_text_without_paragraphs_is_not_a_single_passage():
    text = paragraph("de", 3000) + " " + paragraph("en", 20_000)
    assert len(identify_paragraphs(text)) > 4
    assert identify_document("", "", text).code == "en"


def test_a_long_body_is_looked_at_in_a_few_places():
    body = PARAGRAPH.join([paragraph("en")] * 500)
    assert len(identify_paragraphs(body, most=PASSAGES)) == PASSAGES
    assert identify_document("", "", body) == identify_document("", "", body)
