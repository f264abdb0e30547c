"""What a paper says in each language: a translated abstract goes to its own language.

A paper in French whose abstract is also in English is a French text and an English one. Which of
them are wanted is asked afterwards, of each for itself.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from corpusforge.kernels.language import SURE, identify
from corpusforge.kernels.language_documents import (
    Passage,
    identify_document,
    identify_paragraphs,
)
from corpusforge.kernels.marks import PARAGRAPH


@dataclass(frozen=True)
class LanguageText:
    """The parts of a paper that are in one language, "" for those that are not."""

    code: str  # ISO 639-1, or "und"
    probability: float  # of the language, 0..1
    title: str
    abstract: str
    body: str


def texts_by_language(
    title: str,
    abstract: str,
    body: str,
    translations: Sequence[tuple[str, str]],
    declared: str | None = None,
) -> tuple[LanguageText, ...]:
    """The texts of a paper, one per language: first the one that most of it is in.

    The body stays whole. Passages of the abstract that are surely in another language leave it;
    they and the translations, each in the language that it is found to be in, are the abstracts of
    the other texts, the first of a language only. The title belongs to the text whose language it
    is in, or to the first. A text of a title alone stands only if there is no other.

    Args:
        title: One line.
        abstract: Paragraphs joined by `PARAGRAPH`, as is the body.
        body: "" where there is none.
        translations: (language that the source states, abstract).
        declared: The language that the source states for the paper.
    """
    own = identify_document(title, abstract, body, declared)
    if not own.others and not translations:
        return (LanguageText(own.code, own.probability, title, abstract, body),)
    probabilities = {own.code: own.probability}
    abstracts: dict[str, str] = {}
    for code, probability, text in (*_parted(abstract, own.code), *_found(translations)):
        if code not in abstracts:
            abstracts[code] = text
            probabilities.setdefault(code, probability)
    codes = [code for code in probabilities if code in abstracts or (body and code == own.code)]
    if not codes:
        return (LanguageText(own.code, own.probability, title, abstract, body),)
    titled, _ = identify(title)
    if titled not in codes:
        titled = codes[0]
    return tuple(
        LanguageText(
            code=code,
            probability=probabilities[code],
            title=title if code == titled else "",
            abstract=abstracts.get(code, ""),
            body=body if code == own.code else "",
        )
        for code in codes
    )


def _parted(abstract: str, own: str) -> list[tuple[str, float, str]]:
    """Language, probability and passages of each language that an abstract is surely in.

    What is not sure is in the paper's own language, as are short paragraphs.
    """
    parts: dict[str, list[str]] = {}
    probabilities: dict[str, float] = {}
    passages = identify_paragraphs(abstract)

    def language(passage: Passage) -> str:
        return passage.code if passage.probability >= SURE else own

    for code, group in groupby(passages, language):
        run = list(group)
        parts.setdefault(code, []).append(abstract[run[0].start : run[-1].end])
        highest = max(passage.probability for passage in run)
        probabilities[code] = max(highest, probabilities.get(code, 0.0))
    return [(code, probabilities[code], PARAGRAPH.join(texts)) for code, texts in parts.items()]


def _found(translations: Sequence[tuple[str, str]]) -> list[tuple[str, float, str]]:
    return [(*identify(text, language), text) for language, text in translations if text]


def wanted_texts(
    texts: Sequence[LanguageText], languages: Collection[str]
) -> tuple[LanguageText, ...]:
    """The texts in one of some languages, in their order; all of them if none is named."""
    return tuple(text for text in texts if not languages or text.code in languages)
