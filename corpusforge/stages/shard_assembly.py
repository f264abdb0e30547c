"""Token ids of all partitions, gathered into shards: the assemble and seal tasks of shards."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from tokenizers import Tokenizer

from corpusforge.errors import ContractError
from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.megatron import open_shard, write_shard
from corpusforge.formats.partition import write_partition
from corpusforge.stages.shard_encoding import SPLITS
from corpusforge.stages.tokenizer import END_OF_TEXT
from corpusforge.tables.schemas import PROVENANCE
from corpusforge.work import Tally, Task


def assemble(task: Task) -> Tally:
    """One shard and its provenance: the documents of one range of the global order."""
    encoded, tokenizer_file = task.sources
    prefix, provenance = task.targets[0].with_suffix(""), task.targets[2]
    index, shards = (int(argument) for argument in task.arguments)
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    end = np.array([tokenizer.token_to_id(END_OF_TEXT)], np.uint32)
    low, high = 2**64 * index // shards, 2**64 * (index + 1) // shards
    parts = [_range(path, low, high) for path in sorted(encoded.glob("part-*.arrow"))]
    table = pa.Table.from_batches(parts)
    order = np.lexsort((table["uid"].to_numpy(), table["order"].to_numpy()))
    shard = write_shard(
        prefix,
        (np.concatenate([ids, end]) for ids in _in_order(parts, order)),
        tokenizer.get_vocab_size(),
    )
    lengths = np.concatenate([np.diff(part["ids"].offsets.to_numpy()) for part in parts])[order] + 1
    if not np.array_equal(shard.lengths, lengths):
        raise ContractError(
            f"{prefix}.idx does not hold the documents that were written to it; the disk or the "
            f"file system returned other bytes: check it, then run the stage again"
        )
    sorted_rows = table.drop(["order", "ids"]).take(pa.array(order))
    placed = sorted_rows.append_column("start", pa.array(shard.bounds[:-1])).append_column(
        "tokens", pa.array(lengths.astype(np.int32))
    )
    write_partition(provenance, placed.select(PROVENANCE.names).cast(PROVENANCE))
    return Tally(counts={"tokens": int(shard.bounds[-1]), "documents": len(shard)})


def _range(path: Path, low: int, high: int) -> pa.RecordBatch:
    """The encoded documents of one file with low <= order < high, memory-mapped."""
    batch = pa.ipc.open_file(pa.memory_map(str(path))).get_batch(0)
    keys = batch["order"].to_numpy()
    first = int(np.searchsorted(keys, np.uint64(low)))
    last = len(keys) if high >= 2**64 else int(np.searchsorted(keys, np.uint64(high)))
    return batch.slice(first, last - first)


def _in_order(
    parts: list[pa.RecordBatch], order: NDArray[np.int64]
) -> Iterator[NDArray[np.uint32]]:
    starts = np.cumsum([0, *(part.num_rows for part in parts)])
    views = [(part["ids"].offsets.to_numpy(), part["ids"].values.to_numpy()) for part in parts]
    for row in order:
        part = int(np.searchsorted(starts, row, side="right")) - 1
        bounds, values = views[part]
        i = row - starts[part]
        yield values[bounds[i] : bounds[i + 1]]


class SplitSummary(msgspec.Struct, frozen=True):
    """One split of the corpus."""

    shards: list[str]
    tokens: int
    documents: int


class CorpusSummary(msgspec.Struct, frozen=True):
    """corpus.json: what a folder of shards holds."""

    fingerprint: str
    vocab_size: int
    eod_id: int
    splits: dict[str, SplitSummary]


def seal(task: Task) -> Tally:
    """Open every shard once more and describe the folder."""
    tokenizer_file, *data_files = task.sources
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    [target] = task.targets
    splits = {}
    for name in SPLITS:
        prefixes = [path.with_suffix("") for path in data_files if path.parent.name == name]
        shards = [open_shard(prefix) for prefix in prefixes]
        splits[name] = SplitSummary(
            shards=[prefix.name for prefix in prefixes],
            tokens=sum(len(shard.tokens) for shard in shards),
            documents=sum(len(shard) for shard in shards),
        )
    end = tokenizer.token_to_id(END_OF_TEXT)
    assert end is not None, "the tokenizer stage always adds it"
    summary = CorpusSummary(
        fingerprint=target.parent.name,
        vocab_size=tokenizer.get_vocab_size(),
        eod_id=end,
        splits=splits,
    )
    write_atomic(target, msgspec.json.format(msgspec.json.encode(summary)) + b"\n")
    return Tally()
