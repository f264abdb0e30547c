"""Shards as WebDataset: documents, or windows of tokens, in the order that training has them in.

Everything comes from the folder of shards, so one that lies alone can be exported, and what was
taken out of it is in no sample. A text is what the ids decode to, and is held against its digest:
the clean text, in the normal form of the tokenizer if that has one.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.errors import ConfigError, FormatError
from corpusforge.formats.megatron import Shard, open_shard
from corpusforge.formats.partition import read_batches
from corpusforge.formats.shard_folder import TOKENIZER
from corpusforge.formats.tar_samples import END, Sample, npy, require_webdataset, tar_writer
from corpusforge.pipeline.export_folder import Exported, FilesInTurn, cut_rows, new_folder, settled
from corpusforge.pipeline.shard_texts import Decoder, decode, open_decoder
from corpusforge.tables.schemas import PROVENANCE
from corpusforge.training.data import windows_of

BLOCK_TOKENS = 1 << 22  # that are decoded together
SAID = [
    *("doc_id", "source", "content", "language", "doi", "year"),
    *("licence", "licence_stated", "retracted", "tokens", "pass"),
]
SAID_IN_WINDOW = ["doc_id", "source", "year", "licence"]


def export_samples(folder: Path, into: Path, max_bytes: int, window: int | None = None) -> Exported:
    """Write a folder of shards as tars, `train-00000.tar` and so on.

    Args:
        folder: Of shards.
        into: A new folder, or an empty one.
        max_bytes: Of a tar, unless one sample alone is larger.
        window: Tokens that a sample predicts, it has one more; without it a sample is a document.

    Returns:
        Samples and files of each split.

    Raises:
        ConfigError: The library is missing, `into` is not empty, there are no shards, texts cannot
            be had from ids, or a shard is too short for a window.
        FormatError: A shard is damaged.
    """
    require_webdataset()
    described = settled(folder)
    read = _reader(folder, window)
    made: Exported = {}
    with new_folder(into) as unfinished:
        for split, record in described.splits.items():
            count = 0
            begun = FilesInTurn(unfinished / split, ".tar", max_bytes - END, tar_writer)
            with closing(begun) as files:
                for shard in record.shards:
                    for sample in read(folder / split / shard.name):
                        files.writer(sample.size)(sample)
                        count += 1
            made[split] = count, len(files.paths)
    return made


def _reader(folder: Path, window: int | None) -> Callable[[Path], Iterator[Sample]]:
    """What makes samples of a shard."""
    if window is not None:
        return partial(windows, length=window)
    decoder = open_decoder(folder / TOKENIZER)
    if decoder is None:
        raise ConfigError(
            f"{folder / TOKENIZER} is not a byte-level tokenizer, so its ids do not give the texts "
            f"back; export them with --format parquet, or the ids with --windows"
        )
    return partial(documents, decoder=decoder)


def documents(prefix: Path, decoder: Decoder) -> Iterator[Sample]:
    """Every document of a shard: `.json`, `.npy` with its end-of-document token, `.txt`.

    Raises:
        FormatError: The shard is damaged, or an id does not decode to what was encoded.
    """
    shard, at = open_shard(prefix), 0
    for batch in read_batches(_provenance(prefix), PROVENANCE):
        sizes = batch["tokens"].to_numpy().astype(np.int64)
        for piece in cut_rows(sizes, BLOCK_TOKENS, batch.num_rows):
            rows = batch.slice(piece.start, piece.stop - piece.start)
            yield from _documents(shard, at + piece.start, rows, decoder)
        at += batch.num_rows


def _documents(
    shard: Shard, first: int, rows: pa.RecordBatch, decoder: Decoder
) -> Iterator[Sample]:
    tokens = [shard.document(first + i) for i in range(rows.num_rows)]
    texts = decode(decoder, [ids[:-1] for ids in tokens], rows["text_digest"].to_numpy())
    if texts.wrong.any():
        row = int(np.flatnonzero(texts.wrong)[0])
        raise FormatError(
            f"{shard.prefix}: the ids of {rows['doc_id'][row]} do not decode to the text that was "
            f"encoded; `corpusforge verify --all` says what else is damaged: make the shards again"
        )
    for i, said in enumerate(rows.select(SAID).to_pylist()):
        start, end = texts.spans[i]
        yield Sample(
            f"{shard.prefix.name}-{first + i:09d}",
            {
                "json": msgspec.json.encode(said),
                "npy": npy(tokens[i]),
                "txt": texts.data[start:end].tobytes(),
            },
        )


def windows(prefix: Path, length: int) -> Iterator[Sample]:
    """Every window of a shard as training cuts it: `.json`, and `.npy` of `length + 1` ids.

    Windows share one token. The last one ends with the shard; how many of its targets the one
    before has as well is `repeated`.

    Raises:
        ConfigError: The shard is shorter than a window.
        FormatError: The shard is damaged.
    """
    shard = open_shard(prefix)
    if not shard.tokens.size:
        return
    cut = windows_of([prefix], length)
    starts = cut.starts(np.arange(len(cut)))
    at, firsts, said = 0, np.empty(0, np.int64), list[dict[str, Any]]()
    for batch in read_batches(_provenance(prefix), PROVENANCE):
        firsts = np.concatenate([firsts, batch["start"].to_numpy()])
        said += batch.select(SAID_IN_WINDOW).to_pylist()
        covered = int(firsts[-1]) + batch["tokens"][-1].as_py()
        while at < len(starts) and starts[at] + length + 1 <= covered:
            start = int(starts[at])
            low, high = _rows_of(firsts, start, start + length + 1)
            places = np.maximum(firsts[low:high] - start, 0).tolist()
            about = {
                "shard": prefix.name,
                "start": start,
                "repeated": at * length - start,
                "documents": [
                    {**row, "at": place} for row, place in zip(said[low:high], places, strict=True)
                ],
            }
            parts = {
                "json": msgspec.json.encode(about),
                "npy": npy(shard.tokens[start : start + length + 1]),
            }
            yield Sample(f"{prefix.name}-{at:09d}", parts)
            at += 1
        if at < len(starts):  # keep what the next window may still have
            low, _ = _rows_of(firsts, int(starts[at]), covered)
            firsts, said = firsts[low:], said[low:]


def _rows_of(firsts: NDArray[np.int64], start: int, stop: int) -> tuple[int, int]:
    """The range of documents that have tokens from `start` to `stop`; each begins at its first."""
    low = int(np.searchsorted(firsts, start, side="right")) - 1
    return low, int(np.searchsorted(firsts, stop, side="left"))


def _provenance(prefix: Path) -> Path:
    return prefix.with_name(prefix.name + ".parquet")
