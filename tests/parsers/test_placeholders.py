"""Which sentences say that there is no text, and which are one."""

import pytest

from corpusforge.parsers.placeholders import OnlyPlaceholder, is_placeholder, real_texts

NO_TEXTS = [
    "[This corrects the article DOI: 10.1000/182.]",
    "Not available for public API users.",
    "No abstract available",
    "[No abstract available]",
    "No abstract available.",
    "no abstract",
    "Abstract not available",
    "Abstract unavailable.",
    "This paper has been withdrawn by the authors.",
    "This submission has been withdrawn by arXiv administrators",
    "The paper is withdrawn due to an error in Lemma 3.",
    "This article was temporarily withdrawn",
    "N/A",
    "Abstract",
    "see pdf",
]
TEXTS = [
    "",
    "No abstract algebra is needed to follow the proof.",
    "We withdraw heat from the system.",
    "This paper has shown that funds were withdrawn.",
    "See the paper by Smith for what is not available here, and then compute the rest.",
    "This paper has been withdrawn by the authors. " + "However, a new result is shown. " * 20,
]


@pytest.mark.parametrize("text", NO_TEXTS)
def test_a_sentence_for_an_absent_text_is_a_placeholder(text):
    assert is_placeholder(text)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_none(text):
    assert not is_placeholder(text)


def test_a_placeholder_beside_a_text_is_dropped():
    assert real_texts("1", "A real abstract.", NO_TEXTS[0]) == ("A real abstract.", "")


def test_a_placeholder_alone_is_told_with_the_record_and_its_words():
    with pytest.raises(OnlyPlaceholder, match=r"record 7 has 'No abstract available' and no other"):
        real_texts("7", "No abstract available", "")


def test_no_text_at_all_is_not_a_placeholder():
    assert real_texts("1", "", "") == ("", "")
