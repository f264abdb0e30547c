"""Clean: papers become documents, one repaired text each."""

from typing import Annotated

import pyarrow as pa
from msgspec import Meta, Struct

from corpusforge.kernels.cleaning import repair
from corpusforge.kernels.language import identify
from corpusforge.kernels.marks import PARAGRAPH
from corpusforge.reasons import Reason, Rejection
from corpusforge.stages.stage import Stage, per_partition
from corpusforge.tables.outcome import Outcome, reject_rows
from corpusforge.tables.schemas import DOCUMENTS, PAPERS


class CleanConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which documents are kept; one on a limit stays."""

    min_words: Annotated[
        int, Meta(ge=0, description="Words of title, abstract and body together.")
    ] = 30
    languages: Annotated[
        tuple[Annotated[str, Meta(pattern="^[a-z]{2,3}$")], ...],
        Meta(description="ISO 639-1 codes to keep; empty keeps all."),
    ] = ("en",)
    min_language_probability: Annotated[
        float, Meta(ge=0, le=1, description="Less certain documents are rejected.")
    ] = 0.4


def clean(papers: pa.RecordBatch, config: CleanConfig) -> Outcome:
    """Repair and judge a batch of papers. Input order is preserved on both sides."""
    titles = [repair(title) for title in papers["title"].to_pylist()]
    abstracts = [repair(abstract) for abstract in papers["abstract"].to_pylist()]
    bodies = [repair(body) for body in papers["body"].to_pylist()]
    contents = [
        "full_text" if body else "abstract" if a else ""
        for a, body in zip(abstracts, bodies, strict=True)
    ]
    texts = [
        PARAGRAPH.join(part for part in parts if part)
        for parts in zip(titles, abstracts, bodies, strict=True)
    ]
    languages = [identify(text) for text in texts]
    verdicts = [
        judge(text, content, language, config)
        for text, content, language in zip(texts, contents, languages, strict=True)
    ]
    made = {
        "title": titles,
        "text": texts,
        "content": contents,
        "language": [code for code, _ in languages],
        "language_probability": [probability for _, probability in languages],
    }
    documents = pa.RecordBatch.from_arrays(
        [
            pa.array(made[field.name], field.type) if field.name in made else papers[field.name]
            for field in DOCUMENTS
        ],
        schema=DOCUMENTS,
    )
    keep = pa.array([verdict is None for verdict in verdicts], pa.bool_())
    return Outcome(
        kept=documents.filter(keep),
        rejected=reject_rows("clean", papers["doc_id"].to_pylist(), verdicts),
    )


def judge(
    text: str, content: str, language: tuple[str, float], config: CleanConfig
) -> Rejection | None:
    """The first limit a document breaks, or None if it stays."""
    if not content:
        return Rejection(Reason.NO_TEXT, detail="neither an abstract nor a body")
    words = len(text.split())
    if words < config.min_words:
        return Rejection(Reason.TOO_SHORT, observed=words, limit=config.min_words)
    code, probability = language
    wanted = not config.languages or code in config.languages
    if not wanted or probability < config.min_language_probability:
        return Rejection(
            Reason.LANGUAGE,
            observed=probability,
            limit=config.min_language_probability,
            detail=f"detected {code}",
        )
    return None


STAGE = Stage(
    name="clean",
    version=1,
    config=CleanConfig,
    reads=("extract",),
    phases=per_partition("extract", clean, PAPERS, DOCUMENTS),
    records_from="extract",
)
