"""The text of a JATS article: title, abstracts and body."""

import re

from lxml import etree

from corpusforge.kernels.marks import HEADING, PARAGRAPH, SUB_ARTICLE
from corpusforge.parsers.jats_blocks import paragraphs, thanks
from corpusforge.parsers.languages import normal_language
from corpusforge.parsers.markup import flatten
from corpusforge.parsers.xmldoc import attribute, children, first, local_name

# An abstract says what the authors did, to their peers. The other types are written for the
# reader of a table of contents, the press or the public (graphical, teaser, toc, executive-summary
# as eLife calls its digest, plain-language-summary, key-points, …), often by an editor, and would
# put a second text about the same paper in its abstract.
ABSTRACT_TYPES = {"", "abstract", "main", "full", "structured", "section", "sections", "normal"}
# PLOS calls its lay text this and gives an abstract too; journals without another one mean theirs.
FALLBACK_TYPES = {"summary", "short"}
SECTION_TITLE = re.compile(rf"#*{HEADING}")
HOLDERS = ("{*}body", "{*}back", "{*}floats-group")
SUB_ARTICLES = ("{*}sub-article", "{*}response")
DOI_LINE = re.compile(r"DOI:\s*(?:https?://\S+|10\.\S+)", re.I)  # eLife ends abstracts with one


def title(meta: etree._Element) -> str:
    """The title, with its subtitle after a colon; without one, the title in another language."""
    group = first(meta, "title-group")
    group = meta if group is None else group
    for path in ("article-title", "trans-title-group/trans-title", "trans-title"):
        main = first(group, path)
        if main is not None and (text := flatten(main)):
            subtitle = first(group, "subtitle") if path == "article-title" else None
            return text if subtitle is None else _with_subtitle(text, flatten(subtitle))
    return ""


def abstracts(
    article: etree._Element, meta: etree._Element
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The abstract in the article's language, and (language, abstract) for the others."""
    own = normal_language(language_of(article))
    texts: dict[str, list[str]] = {"main": [], "fallback": []}
    translations: list[tuple[str, str]] = []
    for element in [*children(meta, "abstract"), *children(meta, "trans-abstract")]:
        kind, text = attribute(element, "abstract-type").lower(), _abstract(element)
        language = normal_language(attribute(element, "lang"))
        if not text or kind not in ABSTRACT_TYPES | FALLBACK_TYPES:
            continue
        if local_name(element) == "trans-abstract" or (own and language and language != own):
            if kind in ABSTRACT_TYPES:
                translations.append((language or "und", text))
        else:
            texts["main" if kind in ABSTRACT_TYPES else "fallback"].append(text)
    return PARAGRAPH.join(texts["main"] or texts["fallback"]), tuple(translations)


def body(article: etree._Element, meta: etree._Element) -> str:
    """The article, what it says behind its sections, and its sub-articles, with their marks."""
    parts = _parts(article, "", thanks(meta))
    waiting = [*article.iterchildren(*SUB_ARTICLES)][::-1]
    while waiting:
        sub_article = waiting.pop()
        waiting += [*sub_article.iterchildren(*SUB_ARTICLES)][::-1]
        stub = first(sub_article, "front-stub")
        stub = first(sub_article, "front/article-meta") if stub is None else stub
        name = "" if stub is None else title(stub)
        heading = [SUB_ARTICLE + HEADING + name] if name else []
        if inner := _parts(sub_article, SUB_ARTICLE, []):
            parts += [*heading, *inner]
    return PARAGRAPH.join(parts)


def _parts(article: etree._Element, kind: str, front: list[str]) -> list[str]:
    """Body, what the front says, back and floats, in their order."""
    parts = {local_name(part): paragraphs(part, kind) for part in article.iterchildren(*HOLDERS)}
    own = parts.pop("body", [])
    return [*own, *front, *(text for texts in parts.values() for text in texts)]


def language_of(element: etree._Element) -> str:
    """The value of xml:lang, or ""."""
    return attribute(element, "lang")


def _abstract(element: etree._Element) -> str:
    """Paragraphs; the title of a section labels its first one, as in PubMed: "Methods: we …"."""
    heading = next(iter(children(element, "title")), None)
    own_title = "" if heading is None else HEADING + flatten(heading)  # "Abstract", "Summary"
    labelled: list[str] = []
    label = ""
    for text in paragraphs(element):
        if heading_mark := SECTION_TITLE.match(text):
            label = "" if text == own_title else text[heading_mark.end() :].rstrip(":. ")
        elif not DOI_LINE.fullmatch(text):
            labelled.append(f"{label}: {text}" if label else text)
            label = ""
    return PARAGRAPH.join(labelled)


def _with_subtitle(main: str, subtitle: str) -> str:
    if not subtitle:
        return main
    return f"{main} {subtitle}" if main.endswith((":", "?", "!", ".")) else f"{main}: {subtitle}"
