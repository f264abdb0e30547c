"""Decontamination: no document of the corpus holds the items that models will be tested with.

Pure functions on batches of texts, for dedup to call:

    scan_texts          per partition   the grams of benchmarks that its texts have
    common_grams        once            those of so many documents that they say nothing
    findings            per partition   items that documents hold, and where
    judged              per partition   what becomes of each document
    counted, report                     by benchmark, what was found
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct
from numpy.typing import NDArray

from corpusforge.kernels.contaminated_items import Findings, find
from corpusforge.kernels.contamination import scan
from corpusforge.kernels.cuts import pieces, to_cut
from corpusforge.reasons import Reason, Rejection
from corpusforge.stages.decontamination_index import BenchmarkConfig, Benchmarks
from corpusforge.tables.text import text_buffers


class ContaminationConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Benchmarks to keep out of the corpus. The defaults are those of GPT-3 but for the policy."""

    benchmarks: Annotated[
        dict[str, BenchmarkConfig], Meta(description="By name; none leaves every document alone.")
    ] = {}
    words: Annotated[
        int,
        Meta(
            ge=1,
            description="Words in a row that a document and an item share; an "
            "ideograph counts as one.",
        ),
    ] = 13
    min_words: Annotated[
        int, Meta(ge=1, description="Of an item that is shorter than that; it must be there whole.")
    ] = 8
    share: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Of an item's runs of words that a document must have; with "
            "0 one is enough, PaLM took 0.7 of runs of 8.",
        ),
    ] = 0.0
    max_documents: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description="A run of words that more documents have is a common phrase and does not "
            "count; null counts all."
        ),
    ] = 10
    policy: Annotated[
        Literal["document", "span"],
        Meta(description="Reject a document that holds an item, or cut the item out of it."),
    ] = "document"
    margin: Annotated[
        int,
        Meta(
            ge=0,
            description="span: bytes on either side that are cut with the words, on "
            "to the end of a sentence.",
        ),
    ] = 200
    min_piece: Annotated[
        int, Meta(ge=0, description="span: a piece of fewer bytes between cuts is cut as well.")
    ] = 200
    max_pieces: Annotated[
        int, Meta(ge=1, description="span: a document in more pieces is rejected.")
    ] = 10

    def __post_init__(self) -> None:
        if self.min_words > self.words:
            raise ValueError(
                f"min_words={self.min_words} is more than words={self.words}: items of "
                f"{self.words} to {self.min_words - 1} words would not be looked for; lower "
                f"min_words"
            )


@dataclass(frozen=True, eq=False)
class Judgement:
    """What becomes of the documents of a batch."""

    verdicts: list[Rejection | None]  # of each document
    cuts: dict[int, NDArray[np.int64]]  # document to the bytes to cut, (R, 2); it is kept


@dataclass(frozen=True)
class BenchmarkReport:
    """What the corpus had of one benchmark."""

    benchmark: str
    items: int
    too_short: int  # items that were not looked for
    common: int  # items all of whose runs of words are common phrases: they were not found either
    found: int  # items
    documents: int  # that hold one or more
    bytes: int  # of the words that match


def scan_texts(texts: pa.Array, benchmarks: Benchmarks) -> NDArray[np.void]:
    """`HIT` records of a batch; document d is the d-th text."""
    return scan(*text_buffers(texts), benchmarks.index)


def common_grams(documents: NDArray[np.int64], config: ContaminationConfig) -> NDArray[np.bool_]:
    """Which grams do not count, of how many documents have each: the sum of `documents_with`."""
    if config.max_documents is None:
        return np.zeros(len(documents), np.bool_)
    return documents > config.max_documents


def findings(
    hits: NDArray[np.void],
    common: NDArray[np.bool_],
    benchmarks: Benchmarks,
    config: ContaminationConfig,
) -> Findings:
    """The items that the documents of a batch hold."""
    return find(hits, benchmarks.index.without(common), benchmarks.benchmark, config.share)


def judged(
    found: Findings, texts: pa.Array, benchmarks: Benchmarks, config: ContaminationConfig
) -> Judgement:
    """What becomes of each document of the batch that `found` is of."""
    verdicts: list[Rejection | None] = [None] * len(texts)
    cuts: dict[int, NDArray[np.int64]] = {}
    for best in found.best:
        document = int(best["document"])
        verdicts[document] = verdicts[document] or _verdict(best, benchmarks, config)
    if config.policy == "span":
        documents, first = np.unique(found.spans["document"], return_index=True)
        for document, spans in zip(
            documents.tolist(), np.split(found.spans, first[1:]), strict=False
        ):
            text = texts[document].as_py().encode()
            words = np.stack([spans["start"], spans["end"]], axis=1)
            ranges = to_cut(text, words, config.margin, config.min_piece)
            if 1 <= len(pieces(len(text), ranges)) <= config.max_pieces:
                verdicts[document] = None
                cuts[document] = ranges
    return Judgement(verdicts, cuts)


def _verdict(best: np.void, benchmarks: Benchmarks, config: ContaminationConfig) -> Rejection:
    covered, grams, item = int(best["covered"]), int(best["grams"]), best["item"]
    return Rejection(
        Reason.CONTAMINATED,
        observed=covered / grams,
        limit=config.share,
        detail=f"{benchmarks.names[best['benchmark']]}, line {benchmarks.line[item]}: "
        f"{covered} of its {grams} runs of words",
    )


def counted(found: Findings, benchmarks: Benchmarks) -> dict[str, int]:
    """Documents and bytes by benchmark, to add up in tallies."""
    counts: dict[str, int] = {}
    for number, name in enumerate(benchmarks.names):
        spans = found.spans[found.spans["benchmark"] == number]
        counts[f"{name}: documents"] = int(np.sum(found.best["benchmark"] == number))
        counts[f"{name}: bytes"] = int(np.sum(spans["end"] - spans["start"]))
    return counts


def report(
    items: Sequence[NDArray[np.int64]],
    counts: dict[str, int],
    common: NDArray[np.bool_],
    benchmarks: Benchmarks,
) -> list[BenchmarkReport]:
    """What was found in all of the corpus.

    Args:
        items: Those found in each batch, `Findings.items`.
        counts: The sum of `counted`.
        common: From `common_grams`.
        benchmarks: In the order of whose names the reports are.
    """
    found = benchmarks.by_name(np.unique(np.concatenate([*items, np.empty(0, np.int64)])))
    number = benchmarks.by_name(np.arange(len(benchmarks.line)))
    short = benchmarks.by_name(~benchmarks.indexed)
    counting = np.bincount(benchmarks.index.without(common).items, minlength=len(benchmarks.line))
    vague = benchmarks.by_name(benchmarks.indexed & (counting == 0))
    return [
        BenchmarkReport(
            name,
            number[name],
            short[name],
            vague[name],
            found[name],
            counts.get(f"{name}: documents", 0),
            counts.get(f"{name}: bytes", 0),
        )
        for name in benchmarks.names
    ]
