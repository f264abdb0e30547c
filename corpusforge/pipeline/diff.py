"""What clean did to one document, rule by rule."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import pyarrow.compute as pc

from corpusforge.errors import ConfigError
from corpusforge.kernels.marks import MARK
from corpusforge.kernels.structure import KINDS
from corpusforge.pipeline.plan import Plan
from corpusforge.pipeline.trace import partitions
from corpusforge.stages.clean import WORDS_FILE
from corpusforge.stages.clean_text import RULES, Context, TextConfig, Texts
from corpusforge.stages.clean_words import read_words
from corpusforge.stages.stage import TABLE

PIECE = re.compile(r"\s+|\w+|.", re.S)  # what is compared: words, blanks, signs
LINE = re.compile(r"\n+|[^\n]+")  # the last one equals the same line with others behind it
MOST_PIECES = 4000  # comparing takes the square of them
PARTS = ("title", "abstract", "body")


@dataclass(frozen=True)
class Change:
    """What one rule made of one part of a document."""

    rule: str
    part: str  # title, abstract or body
    before: str
    after: str


@dataclass(frozen=True)
class Edit:
    """A piece of a text: `kept` where both have it, else in only one of them."""

    kept: str = ""
    removed: str = ""
    added: str = ""


def changes(plan: Plan, doc_id: str) -> list[Change]:
    """Every rule's changes to a document, in the order of the rules; none where nothing changed.

    Raises:
        ConfigError: extract or clean are not done, or extract has not kept this document.
    """
    folder = plan.step("clean").folder
    papers = partitions(plan.step("extract").folder / TABLE)
    if papers is None or not (folder / WORDS_FILE).exists():
        raise ConfigError("clean is not done; `corpusforge run PIPELINE --until clean` runs it")
    # The id of a paper may itself have a "#": the whole of it is looked for first.
    paper_id, _, language = doc_id.rpartition("#")
    rows = papers.to_table(
        columns=["doc_id", *PARTS, "source", "translations"],
        filter=pc.field("doc_id").isin([doc_id, paper_id]),
    ).to_pylist()
    if own := [row for row in rows if row["doc_id"] == doc_id]:
        rows, language = own, ""
    if not rows:
        raise ConfigError(
            f"extract has not kept {doc_id!r}; `corpusforge explain {doc_id}` says what it became"
        )
    [row] = rows
    words = read_words(folder / WORDS_FILE)
    config = plan.config.stages.clean.text
    context = Context(config, words, [row["source"]], Counter())
    texts = Texts(*([text] for text in (_translated(row, language) if language else _own(row))))
    found: list[Change] = []
    for rule in RULES:
        after = rule.apply(texts, context)
        for part, column in zip(PARTS, ("titles", "abstracts", "bodies"), strict=True):
            old, new = (visible(getattr(t, column)[0], config) for t in (texts, after))
            if old != new:
                found.append(Change(rule.name, part, old, new))
        texts = after
    return found


def edits(before: str, after: str) -> Iterator[Edit]:
    """A change piece by piece: lines first, then words inside the lines that differ."""
    for old, new in _differences(LINE.findall(before), LINE.findall(after)):
        pieces = PIECE.findall("".join(old)), PIECE.findall("".join(new))
        if old == new or max(map(len, pieces)) > MOST_PIECES:
            compared = [(old, new)]
        else:
            compared = list(_differences(*pieces))
        for left, right in compared:
            removed, added = "".join(left), "".join(right)
            yield Edit(kept=removed) if left == right else Edit(removed=removed, added=added)


def _differences(before: list[str], after: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for _, start, end, new_start, new_end in matcher.get_opcodes():
        yield before[start:end], after[new_start:new_end]


def visible(text: str, config: TextConfig) -> str:
    """The text with a word for each mark by which a paragraph will go, and without other marks."""
    going = {mark: f"\u27e8{kind}\u27e9 " for mark, kind in KINDS.items() if _goes(kind, config)}
    return MARK.sub(lambda found: going.get(found[0], ""), text)


def _goes(kind: str, config: TextConfig) -> bool:
    return getattr(config, kind) == "drop"


def _own(row: dict[str, Any]) -> list[str]:
    return [row[part] for part in PARTS]


def _translated(row: dict[str, Any], language: str) -> list[str]:
    """The abstract that the source says is in this language, or the first one."""
    told = row["translations"]
    abstracts = [text["abstract"] for text in told if text["language"] == language]
    return ["", (abstracts or [text["abstract"] for text in told] or [row["abstract"]])[0], ""]
