"""Documents of shards that exist, to be written into other shards."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.errors import FormatError
from corpusforge.formats.megatron import Shard, open_shard
from corpusforge.formats.partition import read_batches
from corpusforge.formats.shard_folder import ShardRecord, damage
from corpusforge.kernels.runs import copy_runs
from corpusforge.stages.shard_writer import PLACED, Block
from corpusforge.tables.schemas import PROVENANCE

ROWS = [name for name in PROVENANCE.names if name not in PLACED]


def kept_blocks(
    prefix: Path, record: ShardRecord, keep: Callable[[pa.RecordBatch], NDArray[np.bool_]]
) -> Iterator[Block]:
    """The documents of a shard that are to be kept, in order.

    Args:
        prefix: Of the shard; its provenance lies beside it.
        record: Of the shard.
        keep: Given some rows of provenance, which of them stay.

    Raises:
        FormatError: A file is not what was written; in other shards the damage would be no more to
            be seen.
    """
    if found := damage(prefix, record):
        raise FormatError(found[0])
    shard, at = open_shard(prefix), 0
    for batch in read_batches(prefix.with_name(prefix.name + ".parquet"), PROVENANCE):
        rows = at + np.flatnonzero(keep(batch))
        if len(rows):
            yield _block(shard, rows, batch.take(pa.array(rows - at)))
        at += batch.num_rows


def split_block(block: Block, documents: int) -> tuple[Block, Block]:
    """The first so many documents of a block, and the others."""
    tokens = int(block.lengths[:documents].sum())
    return (
        Block(
            block.tokens[:tokens],
            block.lengths[:documents],
            block.provenance.slice(0, documents),
        ),
        Block(block.tokens[tokens:], block.lengths[documents:], block.provenance.slice(documents)),
    )


def _block(shard: Shard, rows: NDArray[np.int64], provenance: pa.RecordBatch) -> Block:
    starts = shard.bounds[rows]
    lengths = shard.bounds[rows + 1] - starts
    tokens = np.empty(int(lengths.sum()), shard.tokens.dtype)
    copy_runs(shard.tokens, starts, lengths, tokens, np.cumsum(lengths) - lengths)
    return Block(tokens, lengths, provenance.select(ROWS))
