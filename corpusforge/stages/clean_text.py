"""The rules that make a clean text of a paper, in the order in which they are applied.

A rule takes whole columns and gives whole columns, so that one which is fast for many texts at once
is a rule like any other, and so that `corpusforge diff` shows exactly what the stage does.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct

from corpusforge.kernels.boilerplate import bare_abstract, bare_body, bare_title
from corpusforge.kernels.cleaning import repair, with_line_ends
from corpusforge.kernels.layout import close_up, join_lines
from corpusforge.kernels.marks import PARAGRAPH, REFERENCE
from corpusforge.kernels.pages import joined_pages, without_references
from corpusforge.kernels.personal import mask
from corpusforge.kernels.structure import KINDS, restructure
from corpusforge.kernels.words import WordTable
from corpusforge.parsers.placeholders import is_placeholder

Choice = Literal["keep", "drop"]
SAME_START = 20_000  # characters of a body in which its own abstract is looked for
MIN_SAME = 200  # letters and digits; a shorter abstract may stand in a body by chance


class TextConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What of a paper belongs to its text."""

    citations: Annotated[
        Literal["keep", "bracket", "drop"],
        Meta(description="As printed; all in square brackets; or left out but for names."),
    ] = "keep"
    figures: Annotated[Choice, Meta(description="Captions of figures.")] = "keep"
    tables: Annotated[Choice, Meta(description="Captions and cells of tables.")] = "drop"
    footnotes: Annotated[Choice, Meta(description="Notes.")] = "keep"
    acknowledgements: Annotated[
        Choice, Meta(description="Thanks, funding, contributions, competing interests.")
    ] = "drop"
    references: Annotated[Choice, Meta(description="The list of references.")] = "drop"
    sub_articles: Annotated[
        Choice, Meta(description="Letters of decision, replies, comments of reviewers.")
    ] = "drop"
    boilerplate: Annotated[
        Choice, Meta(description="What publishers and repositories put around a text.")
    ] = "drop"
    personal_data: Annotated[
        Literal["mask_full_text", "mask", "keep"],
        Meta(description="Placeholders for e-mail addresses, telephone numbers, IP addresses."),
    ] = "mask_full_text"


@dataclass(frozen=True)
class Texts:
    """Columns of the texts of some papers."""

    titles: Sequence[str]
    abstracts: Sequence[str]
    bodies: Sequence[str]


@dataclass(frozen=True, eq=False)
class Context:
    """What rules go by beside the texts, and where they count what they do."""

    config: TextConfig
    words: WordTable  # of the corpus
    sources: Sequence[str]  # of each paper
    counts: Counter[str]


@dataclass(frozen=True)
class Rule:
    """One step of cleaning."""

    name: str
    apply: Callable[[Texts, Context], Texts]


def _pages(texts: Texts, context: Context) -> Texts:
    """Of full texts that come as plain text: pages joined, and the list of references found."""

    def one_text(body: str) -> str:
        body = joined_pages(body.replace("\r\n", "\n"))
        if context.config.references == "keep" or REFERENCE in body:
            return body
        body, entries = without_references(body)
        if entries:
            context.counts["references left out"] += entries
        return body

    return replace(texts, bodies=_changed(texts.bodies, one_text))


def _structure(texts: Texts, context: Context) -> Texts:
    dropped = "".join(m for m, kind in KINDS.items() if getattr(context.config, kind) == "drop")

    def restructured(text: str) -> str:
        text, gone = restructure(text, context.config.citations, dropped)
        context.counts.update({f"{kind} left out": count for kind, count in gone.items()})
        return text

    return _each(texts, restructured)


def _lines(texts: Texts, context: Context) -> Texts:
    return _each(texts, lambda text: join_lines(with_line_ends(text), context.words.count))


def _unicode(texts: Texts, context: Context) -> Texts:
    papers = len(texts.titles)
    repaired = repair([*texts.titles, *texts.abstracts, *texts.bodies])
    damaged = np.logical_or.reduce(repaired.damaged.reshape(3, papers)).tolist()
    context.counts.update(
        f"mojibake in {source}"
        for source, was_damaged in zip(context.sources, damaged, strict=True)
        if was_damaged
    )
    titles, abstracts = repaired.texts[:papers], repaired.texts[papers : 2 * papers]
    return Texts(titles, abstracts, repaired.texts[2 * papers :])


def _hyphens(texts: Texts, context: Context) -> Texts:
    return _each(texts, lambda text: close_up(text, context.words.count))


def _boilerplate(texts: Texts, context: Context) -> Texts:
    if context.config.boilerplate == "keep":
        return texts
    taken: Counter[str] = Counter()
    bare = Texts(
        _changed(texts.titles, bare_title),
        _changed(texts.abstracts, lambda abstract: _real(bare_abstract(abstract, taken))),
        _changed(texts.bodies, lambda body: bare_body(body, taken)),
    )
    context.counts.update({f"{kind} taken off": count for kind, count in taken.items()})
    return bare


def _personal_data(texts: Texts, context: Context) -> Texts:
    if context.config.personal_data == "keep":
        return texts

    def masked(text: str) -> str:
        text, found = mask(text)
        context.counts.update({f"{kind} masked": count for kind, count in found.items()})
        return text

    masked_bodies = replace(texts, bodies=_changed(texts.bodies, masked))
    if context.config.personal_data == "mask_full_text":
        return masked_bodies
    return replace(masked_bodies, abstracts=_changed(texts.abstracts, masked))


RULES = (
    Rule("pages", _pages),
    Rule("structure", _structure),
    Rule("lines", _lines),
    Rule("unicode", _unicode),
    Rule("hyphens", _hyphens),
    Rule("boilerplate", _boilerplate),
    Rule("personal_data", _personal_data),
)


def cleaned(texts: Texts, context: Context) -> Texts:
    """The texts after all rules."""
    for rule in RULES:
        texts = rule.apply(texts, context)
    return texts


def whole_text(title: str, abstract: str, body: str) -> str:
    """Title, abstract and body with an empty line between.

    Full texts that were extracted from a page begin with the title and the abstract: what a body
    begins with is not said twice.
    """
    if body and abstract and _begins_with(body, abstract):
        abstract = ""
    return PARAGRAPH.join(part for part in (title, abstract, body) if part)


def _begins_with(body: str, abstract: str) -> bool:
    wanted = _letters(abstract)
    return len(wanted) >= MIN_SAME and wanted in _letters(body[: SAME_START + 2 * len(abstract)])


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def _real(abstract: str) -> str:
    return "" if is_placeholder(abstract) else abstract


def _each(texts: Texts, change: Callable[[str], str]) -> Texts:
    parts = (texts.titles, texts.abstracts, texts.bodies)
    return Texts(*(_changed(column, change) for column in parts))


def _changed(column: Sequence[str], change: Callable[[str], str]) -> list[str]:
    """Most papers lack a part; an empty text is not worth a call."""
    return [change(text) if text else text for text in column]
