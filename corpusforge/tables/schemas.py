"""The columns of every table. Published to schemas/ and checked whenever a partition is read."""

import pyarrow as pa

from corpusforge.kernels.quality import MEASUREMENTS

TEXT = pa.large_string()  # texts of one row group may pass 2 GiB; identifiers never do


def _columns(*fields: tuple[str, pa.DataType, str]) -> list[pa.Field]:
    return [pa.field(name, kind, metadata={"description": about}) for name, kind, about in fields]


_IDENTITY = _columns(
    ("uid", pa.uint64(), "xxh3-64 of doc_id; the join key between tables"),
    ("doc_id", pa.string(), "`source:source_id`, stable across runs and dumps"),
    ("source", pa.string(), "name of the source in the pipeline file"),
)
_IDENTIFIERS = _columns(
    ("doi", pa.string(), "lower case, without resolver"),
    ("arxiv", pa.string(), "arXiv id without version"),
    ("pmid", pa.string(), "PubMed id"),
    ("pmcid", pa.string(), "PubMed Central id, with its PMC"),
    ("core", pa.string(), "CORE id"),
    ("mag", pa.string(), "Microsoft Academic Graph id"),
    ("openalex", pa.string(), "OpenAlex work id"),
    ("scopus", pa.string(), "Scopus id"),
)
_BIBLIOGRAPHY = _columns(
    ("authors", pa.list_(pa.string()), "family names, in order"),
    ("year", pa.int16(), "year of publication"),
    ("venue", pa.string(), "journal or conference"),
    ("document_type", pa.string(), "the source's own word"),
    ("version_kind", pa.string(), "preprint, accepted, published or unknown"),
    ("declared_language", pa.string(), "language stated by the source, ISO 639-1"),
    ("licence", pa.string(), "SPDX-like"),
    ("licence_stated", pa.string(), "where the licence was stated"),
    ("retracted", pa.bool_(), "marked as retracted by the source"),
    ("url", pa.string(), "landing page"),
    ("record_digest", pa.uint64(), "xxh3-64 of the source record's bytes"),
)

PAPERS = pa.schema(
    [
        *_IDENTITY,
        *_IDENTIFIERS,
        *_columns(
            ("title", TEXT, "as the source gives it, markup flattened"),
            ("abstract", TEXT, "paragraphs separated by an empty line"),
            ("body", TEXT, "paragraphs and `## ` section titles separated by an empty line"),
            (
                "translations",
                pa.list_(pa.struct([("language", pa.string()), ("abstract", TEXT)])),
                "abstracts in other languages",
            ),
        ),
        *_BIBLIOGRAPHY,
    ]
)

DOCUMENTS = pa.schema(
    [
        *_IDENTITY,
        *_IDENTIFIERS,
        *_columns(
            ("title", TEXT, "repaired"),
            ("text", TEXT, "what is trained on: title, abstract, body"),
            ("content", pa.string(), "`abstract` or `full_text`"),
            ("language", pa.string(), "detected, ISO 639-1"),
            ("language_probability", pa.float32(), "of the detected language, 0..1"),
        ),
        *_BIBLIOGRAPHY,
    ]
)

# What a kept document gets from the copies that were removed for it, where it has none of its own.
HANDED_ON = (*(field.name for field in _IDENTIFIERS), "authors", "year", "venue")

MEASURED = pa.schema(
    [
        *_columns(
            ("uid", pa.uint64(), "of a paper that clean judged, kept or not"),
            ("doc_id", pa.string(), "of the same paper"),
            ("source", pa.string(), "name of the source"),
            ("year", pa.int16(), "year of publication"),
            ("content", pa.string(), "`abstract`, `full_text`, or empty where there is neither"),
            ("language", pa.string(), "detected, ISO 639-1"),
            ("language_probability", pa.float32(), "of the detected language, 0..1"),
            ("kept", pa.bool_(), "whether it became a document"),
        ),
        *_columns(*((name, pa.float32(), about) for name, about in MEASUREMENTS.items())),
    ]
)

WORDS = pa.schema(
    _columns(
        ("hash", pa.uint64(), "of a word in small letters; ascending"),
        ("count", pa.int64(), "its occurrences in the partitions that were counted"),
    )
)

SURVIVORS = pa.schema(
    _columns(
        ("uid", pa.uint64(), "of a document that dedup keeps"),
        ("doc_id", pa.string(), "of the same document"),
        ("cluster", pa.uint64(), "smallest uid of its cluster of duplicates; its own if alone"),
        ("copies", pa.list_(pa.string()), "doc_ids removed in its favour"),
        ("text_bytes", pa.int64(), "UTF-8 bytes of its text, without the cuts"),
        (
            "cuts",
            pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64())])),
            "bytes of its text that hold items of benchmarks, and are left out wherever it is read",
        ),
    )
    + [DOCUMENTS.field(name) for name in HANDED_ON]  # its own, or else a copy's
)

PROVENANCE = pa.schema(
    _columns(
        ("uid", pa.uint64(), "row i describes sequence i of the shard beside this file"),
        ("doc_id", pa.string(), "of the document"),
        ("start", pa.int64(), "offset of its first token in the shard"),
        ("tokens", pa.int32(), "its tokens, the end-of-document token included"),
        ("source", pa.string(), "name of the source"),
        ("content", pa.string(), "`abstract` or `full_text`"),
        ("language", pa.string(), "detected, ISO 639-1"),
        ("doi", pa.string(), "of the document"),
        ("year", pa.int16(), "of publication"),
        ("licence", pa.string(), "SPDX-like"),
        ("licence_stated", pa.string(), "where the licence was stated"),
        ("retracted", pa.bool_(), "marked as retracted by the source"),
        ("cluster", pa.uint64(), "its cluster of duplicates; decides the split"),
        ("text_bytes", pa.int64(), "UTF-8 bytes of the text that was encoded"),
        ("text_digest", pa.uint64(), "xxh3-64 of these bytes"),
        ("pass", pa.int16(), "0 where the document stands first, 1 where a mixture repeats it"),
    )
)

REJECTS = pa.schema(
    _columns(
        ("doc_id", pa.string(), "of the record; `source:file@byte` when it has no identifier"),
        ("stage", pa.string(), "that left it out"),
        ("reason", pa.string(), "a member of the closed set of reasons"),
        ("observed", pa.float64(), "what was measured"),
        ("limit", pa.float64(), "what was wanted"),
        ("detail", pa.string(), "in words; of a duplicate, the doc_id kept in its place"),
    )
)

SUPERSEDED = pa.schema(
    _columns(
        ("doc_id", pa.string(), "of a document that an earlier run kept, and its index remembers"),
        ("uid", pa.uint64(), "of the same document"),
        ("replaced_by", pa.string(), "doc_id kept in its place; its own if the record was updated"),
        ("similarity", pa.float64(), "to that document"),
        ("rule", pa.string(), "why they are one, as in the rejects"),
    )
)

TABLES = {
    "papers": PAPERS,
    "documents": DOCUMENTS,
    "measured": MEASURED,
    "words": WORDS,
    "survivors": SURVIVORS,
    "provenance": PROVENANCE,
    "rejects": REJECTS,
    "superseded": SUPERSEDED,
}
