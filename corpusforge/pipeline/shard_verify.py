"""Is a folder of shards what its description says, down to the texts?

Of every file size and digest; of every document its place, its end and its row of provenance; of
every id that the vocabulary has it; and of some documents, or of all, that their ids decode to the
text whose digest provenance keeps.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.errors import ConfigError, FormatError
from corpusforge.formats.file_digest import file_record
from corpusforge.formats.megatron import Shard, open_shard
from corpusforge.formats.partition import read_batches
from corpusforge.formats.shard_folder import (
    TOKENIZER,
    Description,
    ShardRecord,
    added,
    damage,
    read_description,
    revision_of,
    split_record,
)
from corpusforge.kernels.mixing import seeded_order
from corpusforge.pipeline.shard_texts import Decoder, decode, open_decoder
from corpusforge.pipeline.takedown import PENDING
from corpusforge.stages.shard_writer import groups_of
from corpusforge.tables.digests import digests
from corpusforge.tables.schemas import PROVENANCE
from corpusforge.tables.text import text_buffers

SAMPLE = 64  # documents of a shard whose texts are compared, about; `everything` compares all
TOKENS = 1 << 24  # ids that are looked at together


@dataclass(frozen=True)
class Verdict:
    """What was looked at, and what is wrong with it."""

    checked: Counter[str] = field(default_factory=Counter)  # what -> how many
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what could not be looked at, and why


def verify(folder: Path, everything: bool = False) -> Iterator[Verdict]:
    """Look at a folder of shards: one verdict on the folder, then one on each shard.

    Args:
        folder: Of shards.
        everything: Compare the texts of all documents, and not of a sample.

    Raises:
        ConfigError: There is no description, or it cannot be read.
    """
    description = read_description(folder)
    verdict = _verify_folder(folder, description)
    decoder = _decoder(folder, verdict)
    yield verdict
    for split, record in description.splits.items():
        for shard in record.shards:
            yield _verify_shard(
                folder / split / shard.name, shard, description, decoder, everything
            )


def _verify_folder(folder: Path, description: Description) -> Verdict:
    verdict = Verdict()
    if (folder / PENDING).exists():
        verdict.faults.append(
            f"{folder / PENDING} is there: a takedown was cut short; give the same command again"
        )
    tokenizer = folder / TOKENIZER
    found = file_record(tokenizer).sha256 if tokenizer.is_file() else "missing"
    if found != description.tokenizer_sha256:
        verdict.faults.append(
            f"{tokenizer} is {found}, expected SHA-256 {description.tokenizer_sha256}; copy it "
            f"from the tokenizer that the shards were made with"
        )
    verdict.checked["tokenizer"] += 1
    for split, record in description.splits.items():
        if split_record(record.shards) != record:
            verdict.faults.append(f"{folder}: the counts of {split} are not those of its shards")
        verdict.checked["splits"] += 1
    revision = revision_of(
        description.splits,
        description.tokenizer_sha256,
        description.vocab_size,
        description.eod_id,
    )
    if revision != description.revision:
        verdict.faults.append(
            f"{folder}: revision {description.revision}, but its files make {revision}"
        )
    return verdict


def _decoder(folder: Path, verdict: Verdict) -> Decoder | None:
    try:
        decoder = open_decoder(folder / TOKENIZER)
    except ConfigError as error:
        verdict.notes.append(f"texts are not compared: {error}")
        return None
    if decoder is None:
        verdict.notes.append(
            "texts are not compared: the tokenizer is no byte-level one, or puts blanks into texts"
        )
    return decoder


def _verify_shard(
    prefix: Path,
    record: ShardRecord,
    description: Description,
    decoder: Decoder | None,
    everything: bool,
) -> Verdict:
    verdict = Verdict(faults=damage(prefix, record))
    verdict.checked["files"] += len(record.files)
    verdict.checked["shards"] += 1
    try:
        shard = open_shard(prefix)
        _check_tokens(shard, record, description, verdict)
        _check_documents(shard, record, decoder, everything, verdict)
    except (FormatError, FileNotFoundError) as error:
        verdict.faults.append(str(error))
    return verdict


def _check_tokens(
    shard: Shard, record: ShardRecord, description: Description, verdict: Verdict
) -> None:
    """Places, ends, and ids of the vocabulary."""
    tokens, end = shard.tokens, description.eod_id
    if (len(shard), tokens.size) != (record.documents, record.tokens):
        verdict.faults.append(
            f"{shard.prefix} has {len(shard):,} documents and {tokens.size:,} tokens, expected "
            f"{record.documents:,} and {record.tokens:,}"
        )
    last = tokens[np.maximum(shard.bounds[1:] - 1, 0)]
    if (wrong := np.flatnonzero(last != end)).size:
        verdict.faults.append(
            f"{shard.prefix}: document {wrong[0]} ends with id {last[wrong[0]]}, expected {end}"
        )
    ends = 0
    for at in range(0, tokens.size, TOKENS):
        piece = tokens[at : at + TOKENS]
        ends += int(np.count_nonzero(piece == end))
        low, high = int(piece.min()), int(piece.max())
        if low < 0 or high >= description.vocab_size:
            verdict.faults.append(
                f"{shard.prefix}: an id is {low if low < 0 else high}, outside the vocabulary of "
                f"{description.vocab_size:,}"
            )
    if ends != len(shard):
        verdict.faults.append(
            f"{shard.prefix}: {ends:,} ends of document in {len(shard):,} documents"
        )
    verdict.checked["documents"] += len(shard)
    verdict.checked["tokens"] += tokens.size


def _check_documents(
    shard: Shard,
    record: ShardRecord,
    decoder: Decoder | None,
    everything: bool,
    verdict: Verdict,
) -> None:
    """Provenance of every document, and the texts of some."""
    path, at, groups = shard.prefix.with_name(shard.prefix.name + ".parquet"), 0, []
    for batch in read_batches(path, PROVENANCE):
        bounds = shard.bounds[at : at + batch.num_rows + 1]
        at += batch.num_rows
        groups += groups_of(batch)
        same = np.array_equal(batch["start"].to_numpy(), bounds[:-1])
        if not same or not np.array_equal(batch["tokens"].to_numpy(), np.diff(bounds)):
            verdict.faults.append(f"{path} puts documents elsewhere than {shard.prefix}.idx")
            return
        names = digests(*text_buffers(batch["doc_id"].cast(pa.large_string())))
        for row in np.flatnonzero(batch["uid"].to_numpy() != names)[:1]:
            verdict.faults.append(f"{path}: {batch['doc_id'][row]} has not its own uid")
        chosen = _chosen(batch, len(shard), everything)
        if decoder is not None and len(chosen) and not verdict.faults:
            pieces = [shard.tokens[bounds[row] : bounds[row + 1] - 1] for row in chosen]
            _check_texts(shard.prefix, batch.take(pa.array(chosen)), pieces, decoder, verdict)
    if at != len(shard) or added(groups) != record.groups:
        verdict.faults.append(f"{path} does not have the documents that shards.json counts")
    verdict.checked["rows of provenance"] += at


def _chosen(batch: pa.RecordBatch, documents: int, everything: bool) -> NDArray[np.int64]:
    """The rows whose texts are compared: the same ones every time."""
    if everything or documents <= SAMPLE:
        return np.arange(batch.num_rows)
    keys = seeded_order(batch["uid"].to_numpy(), 0)
    return np.flatnonzero(keys < np.uint64(2**64 * SAMPLE // documents))


def _check_texts(
    prefix: Path,
    rows: pa.RecordBatch,
    pieces: list[NDArray[Any]],
    decoder: Decoder,
    verdict: Verdict,
) -> None:
    """Compare texts by digest; piece i is the ids of row i without its end."""
    texts = decode(decoder, pieces, rows["text_digest"].to_numpy())
    for row in np.flatnonzero(texts.wrong)[:1]:
        verdict.faults.append(
            f"{prefix}: the ids of {rows['doc_id'][row]} do not decode to the text that was encoded"
        )
    verdict.checked["texts"] += len(pieces)
