"""One shard from blocks of documents: tokens, index and provenance, read back before it counts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.errors import ContractError
from corpusforge.formats.file_digest import file_record
from corpusforge.formats.megatron import TokenBatch, write_batches
from corpusforge.formats.partition import partition_writer, read_batches
from corpusforge.formats.shard_folder import Group, ShardRecord, added
from corpusforge.tables.schemas import PROVENANCE

PLACED = ("start", "tokens")  # columns of provenance that only a place in a shard gives


@dataclass(frozen=True, eq=False)
class Block:
    """Some documents one after another."""

    tokens: NDArray[Any]  # of all of them, each with its end-of-document token
    lengths: NDArray[np.int64]  # (D,) tokens of each
    provenance: pa.RecordBatch  # (D,) PROVENANCE without the columns PLACED


def write_shard_files(prefix: Path, blocks: Iterable[Block], vocab_size: int) -> ShardRecord:
    """Write a shard with its provenance; what lies on disk is read again and compared.

    Raises:
        ValueError: As in `write_batches`.
        ContractError: The disk returns something else than was written.
    """
    groups: list[Group] = []
    uids = [np.empty(0, np.uint64)]
    provenance = prefix.with_name(prefix.name + ".parquet")
    with partition_writer(provenance, PROVENANCE) as writer:

        def tokens() -> Iterator[TokenBatch]:
            """The tokens of each block, once its provenance is written and counted."""
            start = 0
            for block in blocks:
                rows = _placed(block, start)
                writer.write(rows)
                groups[:] = added([*groups, *groups_of(rows)])
                uids.append(rows["uid"].to_numpy())
                start += int(block.lengths.sum())
                yield block.tokens, block.lengths

        written = write_batches(prefix, tokens(), vocab_size)
    shard = written.shard
    _check_provenance(provenance, np.concatenate(uids), shard.bounds)
    return ShardRecord(
        name=prefix.name,
        documents=len(shard),
        tokens=int(shard.bounds[-1]),
        groups=added(groups),
        files={
            ".bin": written.data,
            ".idx": written.index,
            ".parquet": file_record(provenance),
        },
    )


def _placed(block: Block, start: int) -> pa.RecordBatch:
    """Provenance of a block whose first token is at `start`."""
    ends = start + np.cumsum(block.lengths, dtype=np.int64)
    made = {
        "start": pa.array(ends - block.lengths),
        "tokens": pa.array(block.lengths.astype(np.int32)),
    }
    return pa.RecordBatch.from_arrays(
        [made[f.name] if f.name in made else block.provenance[f.name] for f in PROVENANCE],
        schema=PROVENANCE,
    )


def groups_of(provenance: pa.RecordBatch) -> list[Group]:
    """Rows of provenance, counted by source and licence."""
    table = pa.Table.from_batches([provenance]).select(
        ["source", "licence", "tokens", "text_bytes"]
    )
    summed = table.group_by(["source", "licence"], use_threads=False).aggregate(
        [([], "count_all"), ("tokens", "sum"), ("text_bytes", "sum")]
    )
    return [
        Group(
            row["source"],
            row["licence"],
            row["count_all"],
            row["tokens_sum"],
            row["text_bytes_sum"],
        )
        for row in summed.to_pylist()
    ]


def _check_provenance(path: Path, uids: NDArray[np.uint64], bounds: NDArray[np.int64]) -> None:
    """Read every page, whose checksums are verified, and compare what joins it to the tokens."""
    at = 0
    for batch in read_batches(path, PROVENANCE):
        here = slice(at, at + batch.num_rows)
        at += batch.num_rows
        same = np.array_equal(batch["uid"].to_numpy(), uids[here])
        if not same or not np.array_equal(batch["start"].to_numpy(), bounds[:-1][here]):
            at = -1
            break
    if at != len(uids) or at != len(bounds) - 1:
        raise ContractError(
            f"{path} does not describe the documents that were written beside it; the disk or the "
            f"file system returned other bytes: check it, then run the same command again"
        )
