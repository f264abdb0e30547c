"""Encoded documents of all partitions, gathered into shards: the assemble tasks of shards.

A task holds the keys and places of one shard's documents, and of their tokens and provenance a
block at a time; what it reads is mapped.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.errors import ContractError
from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.shard_folder import ShardRecord
from corpusforge.kernels.runs import copy_runs
from corpusforge.stages.shard_encoding import open_codec
from corpusforge.stages.shard_parts import CARRIED, Part, open_parts
from corpusforge.stages.shard_writer import PLACED, Block, write_shard_files
from corpusforge.tables.schemas import PROVENANCE
from corpusforge.work import Tally, Task

BLOCK_TOKENS = 1 << 23
BLOCK_DOCUMENTS = 1 << 15
ROWS = pa.schema([f for f in PROVENANCE if f.name not in PLACED])


def assemble(task: Task) -> Tally:
    """One shard, its provenance, and the record of both: the documents of one range of the order.

    Raises:
        ContractError: What was encoded is not there any more, or is more than it was.
    """
    prefix, record_file = task.targets[0].with_suffix(""), task.targets[3]
    low, high, documents, tokens = (int(argument) for argument in task.arguments)
    encoded, tokenizer_file = task.sources
    parts = open_parts(encoded)
    vocab_size = open_codec(tokenizer_file).vocab_size
    record = write_shard_files(prefix, blocks(parts, low, high), vocab_size)
    if (record.documents, record.tokens) != (documents, tokens):
        raise ContractError(
            f"{prefix} got {record.documents:,} documents with {record.tokens:,} tokens, but "
            f"{documents:,} with {tokens:,} were encoded for it; were files removed from "
            f"{encoded}? Delete {prefix.parent.parent} and run the stage again"
        )
    first = sum(int((part.passes(part.between(low, high)) == 0).sum()) for part in parts)
    write_atomic(record_file, msgspec.json.encode(record))
    return Tally(
        kept=first,
        counts={"tokens": tokens, "documents": first, "repeats": documents - first},
    )


def blocks(parts: Sequence[Part], low: int, high: int) -> Iterator[Block]:
    """The documents in these places, in order."""
    spans = [part.between(low, high) for part in parts]
    pairs = list(zip(parts, spans, strict=True))
    order = _joined([part.order[span] for part, span in pairs], np.uint64)
    part_of = np.repeat(np.arange(len(parts)), [s.stop - s.start for s in spans])
    rows = _joined([part.rows(span) for part, span in pairs], np.int64)
    passes = _joined([part.passes(span) for part, span in pairs], np.int16)
    uids = _joined(
        [part.documents["uid"].to_numpy()[part.rows(span)] for part, span in pairs], np.uint64
    )
    lengths = _joined([part.lengths(part.rows(span)) for part, span in pairs], np.int64)
    sorting = np.lexsort((passes, uids, order))
    ends = np.cumsum(lengths[sorting])
    at = 0
    while at < len(sorting):
        full = np.searchsorted(ends, ends[at] - lengths[sorting[at]] + BLOCK_TOKENS, side="right")
        stop = min(max(int(full), at + 1), at + BLOCK_DOCUMENTS)
        chosen = sorting[at:stop]
        yield _block(parts, part_of[chosen], rows[chosen], passes[chosen], lengths[chosen])
        at = stop


def _joined(arrays: list[NDArray[Any]], dtype: type) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *arrays])


def _block(
    parts: Sequence[Part],
    part_of: NDArray[np.int64],
    rows: NDArray[np.int64],
    passes: NDArray[np.int16],
    lengths: NDArray[np.int64],
) -> Block:
    """One block: row `rows[i]` of part `part_of[i]`, for each i in turn."""
    starts = np.cumsum(lengths) - lengths
    tokens = np.empty(int(lengths.sum()), parts[0].ids.dtype)
    by_part = np.argsort(part_of, kind="stable")
    taken: list[pa.RecordBatch] = []
    for number in np.unique(part_of):
        part, here = parts[number], by_part[part_of[by_part] == number]
        copy_runs(part.ids, part.bounds[rows[here]], lengths[here], tokens, starts[here])
        taken.append(part.documents.select([f.name for f in CARRIED]).take(pa.array(rows[here])))
    # The rows stand part by part now; `back` says where each place of the block finds its own.
    back = np.empty_like(by_part)
    back[by_part] = np.arange(len(by_part))
    carried = pa.concat_batches(taken).take(pa.array(back))
    made = {"pass": pa.array(passes)}
    provenance = pa.RecordBatch.from_arrays(
        [made[f.name] if f.name in made else carried[f.name] for f in ROWS], schema=ROWS
    )
    return Block(tokens, lengths, provenance)


def read_record(path: Path) -> ShardRecord:
    """What assemble wrote of a shard."""
    return msgspec.json.decode(path.read_bytes(), type=ShardRecord)
