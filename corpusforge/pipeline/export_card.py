"""The page beside exported texts, as Hugging Face's hub shows it: what is in them, and whose."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pyarrow as pa

from corpusforge.formats.shard_folder import Description

# What `datasets` calls the splits.
HUB_SPLITS = {"train": "train", "valid": "validation", "test": "test"}


class Part(NamedTuple):
    """What documents are counted by."""

    split: str
    source: str
    licence: str | None


def card(
    described: Description,
    columns: pa.Schema,
    parts: Mapping[Part, int],
    text_bytes: Mapping[str, int],
) -> str:
    """README.md of a folder of exported texts.

    Args:
        described: The shards that hold the same documents.
        columns: Of the texts, with a description of each.
        parts: Documents by split, source and licence.
        text_bytes: Of each split.
    """
    return "\n".join(
        [
            *_configuration(parts),
            *_counts(described, parts, text_bytes),
            *_licences(parts),
            *_columns(columns),
            "",
        ]
    )


def _configuration(parts: Mapping[Part, int]) -> Iterator[str]:
    """What `datasets` reads of the page: which files are which split."""
    filled = {part.split for part in parts}
    yield from ("---", "configs:", "- config_name: default", "  data_files:")
    for split, name in HUB_SPLITS.items():
        if split in filled:
            yield from (f"  - split: {name}", f'    path: "{split}-*.parquet"')
    yield "---"


def _counts(
    described: Description, parts: Mapping[Part, int], text_bytes: Mapping[str, int]
) -> Iterator[str]:
    yield from ("# Scientific papers", "")
    yield (
        f"Texts of papers, made with corpusforge. They are the documents of the shards "
        f"`{described.fingerprint}`, revision `{described.revision}`, each once. Splits keep "
        f"near copies of one text together, unless they go by year."
    )
    yield from ("", "| split | documents | bytes of text |", "|---|---|---|")
    for split in HUB_SPLITS:
        documents = sum(count for part, count in parts.items() if part.split == split)
        yield f"| {split} | {documents:,} | {text_bytes.get(split, 0):,} |"
    yield from ("", "Made by these stages: ")
    yield ", ".join(f"{stage} `{name}`" for stage, name in described.made_by.items()) + "."


def _licences(parts: Mapping[Part, int]) -> Iterator[str]:
    yield from ("", "## Licences", "")
    yield (
        "Every text has the licence of its paper, in the column `licence`; where it is empty "
        "nobody stated one, which gives no permission."
    )
    yield from ("", "| licence | source | documents |", "|---|---|---|")
    sums: dict[tuple[str, str], int] = {}
    for part, count in parts.items():
        key = part.licence or "", part.source
        sums[key] = sums.get(key, 0) + count
    for (licence, source), count in sorted(sums.items()):
        yield f"| {licence or 'not stated'} | {source} | {count:,} |"


def _columns(columns: pa.Schema) -> Iterator[str]:
    yield from ("", "## Columns", "", "| column | type | |", "|---|---|---|")
    for field in columns:
        about = (field.metadata or {}).get(b"description", b"").decode()
        yield f"| {field.name} | {field.type} | {about} |"
