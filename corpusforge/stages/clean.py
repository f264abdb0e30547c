"""Clean: papers become documents, one text each, measured and judged."""

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct
from numpy.typing import NDArray

from corpusforge.formats.partition import partition_writer, read_batches
from corpusforge.kernels.language import UNKNOWN
from corpusforge.kernels.language_texts import LanguageText, texts_by_language, wanted_texts
from corpusforge.kernels.quality import MEASUREMENTS, measure
from corpusforge.kernels.words import WordTable
from corpusforge.reasons import Reason, Rejection
from corpusforge.stages.clean_quality import Quality, judge, preset
from corpusforge.stages.clean_text import Context, TextConfig, Texts, cleaned, whole_text
from corpusforge.stages.clean_words import add_up, count, read_words, sampled
from corpusforge.stages.stage import ADDED, SCRATCH, Inputs, Phase, Phases, Stage, partition_targets
from corpusforge.tables.identity import uid_of
from corpusforge.tables.outcome import Outcome, reject_rows
from corpusforge.tables.schemas import DOCUMENTS, MEASURED, PAPERS, REJECTS, TEXT
from corpusforge.tables.text import text_buffers
from corpusforge.work import Tally, Task

WORDS_FILE = "words.parquet"
MEASURED_FOLDER = "measured"


class CleanConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a document's text is made of, and which documents are kept."""

    text: Annotated[TextConfig, Meta(description="What of a paper belongs to its text.")] = (
        TextConfig()
    )
    languages: Annotated[
        tuple[Annotated[str, Meta(pattern="^[a-z]{2,3}$")], ...],
        Meta(description="ISO 639-1 codes to keep; empty keeps all."),
    ] = ("en",)
    quality: Annotated[
        Literal["science", "forge", "gopher", "pes2o-abstract", "pes2o-fulltext"] | Quality,
        Meta(description="A preset (`corpusforge presets` shows them), or limits of your own."),
    ] = "science"


def phases(config: CleanConfig, inputs: Inputs, out: Path) -> Phases:
    partitions = inputs.partitions("extract")
    words = out / WORDS_FILE
    counting = [
        Task(p.stem, (p,), (out / SCRATCH / "words" / p.name,)) for p in sampled(partitions)
    ]
    yield Phase("count", count, counting)
    counted = tuple(target for task in counting for target in task.targets)
    yield Phase("words", add_up, [Task("words", counted, (words,))])
    yield Phase(
        "map",
        partial(_clean_partition, config=config),
        [
            Task(
                p.stem,
                (p, words),
                (*partition_targets(out, p.stem), out / MEASURED_FOLDER / p.name),
            )
            for p in partitions
        ],
    )


def _clean_partition(task: Task, config: CleanConfig) -> Tally:
    papers, words_file = task.sources
    table, rejects, measurements = task.targets
    words = read_words(words_file)
    tally = Tally()
    with (
        partition_writer(table, DOCUMENTS) as kept,
        partition_writer(rejects, REJECTS) as rejected,
        partition_writer(measurements, MEASURED) as measured,
    ):
        for batch in read_batches(papers, PAPERS):
            outcome, rows, counts = clean(batch, config, words)
            kept.write(outcome.conserving(batch.num_rows + counts[ADDED]).kept)
            rejected.write(outcome.rejected)
            measured.write(rows)
            tally += replace(outcome.tally(bytes_read=batch.nbytes), counts=counts)
    return tally


def clean(
    papers: pa.RecordBatch, config: CleanConfig, words: WordTable
) -> tuple[Outcome, pa.RecordBatch, dict[str, int]]:
    """Clean, measure and judge a batch of papers. Input order is preserved everywhere.

    A paper that says something in a second wanted language becomes a second document, named by its
    doc_id and the language, as in "pubmed:1#fr"; how many there are is counted as `ADDED`.

    Returns:
        Documents and rejects; the measurements of both, a row for each; and what the rules did, by
        name.
    """
    counts: Counter[str] = Counter()
    texts = _texts(papers, Context(config.text, words, papers["source"].to_pylist(), counts))
    rows = [(i, text) for i, own in enumerate(texts) for text in _chosen(own, config)]
    counts[ADDED] = len(rows) - len(texts)
    told = [text for _, text in rows]
    whole = pa.array([whole_text(text.title, text.abstract, text.body) for text in told], TEXT)
    measured = measure(*text_buffers(whole), words)
    again = papers.take(pa.array([i for i, _ in rows], pa.int64()))
    ids = again["doc_id"].to_pylist()
    for at in range(1, len(rows)):
        if rows[at][0] == rows[at - 1][0]:
            ids[at] = f"{ids[at]}#{told[at].code}"
    made = {
        "uid": [uid_of(doc_id) for doc_id in ids],
        "doc_id": ids,
        "title": [text.title for text in told],
        "text": whole,
        "content": [_content(text) for text in told],
        "language": [text.code for text in told],
        "language_probability": [text.probability for text in told],
    }
    columns = [
        pa.array(made[field.name], field.type) if field.name in made else again[field.name]
        for field in DOCUMENTS
    ]
    documents = pa.RecordBatch.from_arrays(columns, schema=DOCUMENTS)
    verdicts = judged(documents, measured, config)
    keep = pa.array([verdict is None for verdict in verdicts], pa.bool_())
    outcome = Outcome(documents.filter(keep), reject_rows("clean", ids, verdicts))
    return outcome, _measured_rows(documents, measured, keep), dict(sorted(counts.items()))


def _texts(papers: pa.RecordBatch, context: Context) -> list[tuple[LanguageText, ...]]:
    """What each paper says in each language, clean."""
    translations = papers["translations"].to_pylist()
    owner = [i for i, own in enumerate(translations) for _ in own]
    raw = [papers[name].to_pylist() for name in ("title", "abstract", "body")]
    main = cleaned(Texts(*raw), context)
    other = [text["abstract"] for own in translations for text in own]
    nothing = [""] * len(other)
    of_owner = replace(context, sources=[context.sources[i] for i in owner])
    others = iter(cleaned(Texts(nothing, other, nothing), of_owner).abstracts)
    return [
        texts_by_language(*parts, [(text["language"], next(others)) for text in own], declared)
        if any(parts[1:]) or own
        else (LanguageText(UNKNOWN, 0.0, *parts),)
        for parts, own, declared in zip(
            zip(main.titles, main.abstracts, main.bodies, strict=True),
            translations,
            papers["declared_language"].to_pylist(),
            strict=True,
        )
    ]


def _chosen(texts: tuple[LanguageText, ...], config: CleanConfig) -> tuple[LanguageText, ...]:
    """The texts that are wanted; if none is, the paper's own, to be rejected."""
    return wanted_texts(texts, config.languages) or texts[:1]


def _content(text: LanguageText) -> str:
    return "full_text" if text.body else "abstract" if text.abstract else ""


def judged(
    documents: pa.RecordBatch, measured: NDArray[np.float32], config: CleanConfig
) -> list[Rejection | None]:
    """The first rule that each document breaks: to have a text, its language, its quality.

    Args:
        documents: With the columns year, content, language and language_probability.
        measured: Their measurements, shape (D, len(MEASUREMENTS)).
    """
    quality = preset(config.quality)
    year = documents["year"].cast(pa.float32()).to_numpy(zero_copy_only=False)
    by_content = {
        "abstract": judge(measured, year, quality.abstract),
        "full_text": judge(measured, year, quality.full_text),
    }
    told = [documents[n].to_pylist() for n in ("content", "language", "language_probability")]
    return [
        _no_text(content)
        or _wrong_language(language, probability, config)
        or by_content[content][row]
        for row, (content, language, probability) in enumerate(zip(*told, strict=True))
    ]


def _no_text(content: str) -> Rejection | None:
    if content:
        return None
    return Rejection(Reason.NO_TEXT, detail="neither an abstract nor a body")


def _wrong_language(language: str, probability: float, config: CleanConfig) -> Rejection | None:
    if not config.languages or language in config.languages:
        return None
    detail = f"detected {language}; kept are {', '.join(config.languages)}"
    return Rejection(Reason.LANGUAGE, observed=probability, detail=detail)


def _measured_rows(
    documents: pa.RecordBatch, measured: NDArray[np.float32], keep: pa.Array
) -> pa.RecordBatch:
    columns = {"kept": keep} | {
        name: pa.array(measured[:, i]) for i, name in enumerate(MEASUREMENTS)
    }
    arrays = [
        columns[field.name] if field.name in columns else documents[field.name]
        for field in MEASURED
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=MEASURED)


STAGE = Stage(
    name="clean",
    version=3,
    config=CleanConfig,
    reads=("extract",),
    phases=phases,
    records_from="extract",
)
