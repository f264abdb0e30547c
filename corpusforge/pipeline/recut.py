"""Folders of shards made into one, and shards cut into smaller or larger ones.

Documents keep their order, shard after shard and folder after folder, their provenance and their
split. What comes out is a folder of shards like any other.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.errors import ConfigError
from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.partition import read_columns
from corpusforge.formats.shard_folder import (
    NAME,
    TOKENIZER,
    Description,
    ShardRecord,
    split_record,
    with_splits,
    write_description,
)
from corpusforge.pipeline.export_folder import new_folder, settled
from corpusforge.pipeline.shard_rows import kept_blocks, split_block
from corpusforge.stages.shard_cuts import next_aim
from corpusforge.stages.shard_writer import Block, write_shard_files

UIDS = 1 << 24  # of documents that are compared at a time


def merge(folders: Sequence[Path], into: Path) -> Description:
    """One folder with all shards of some folders, numbered anew.

    Raises:
        ConfigError: `into` is not empty, the folders differ in tokenizer, a document is in two, or
            one is no folder of shards, or a takedown of it was cut short.
    """
    described = [settled(folder) for folder in folders]
    _check_alike(folders, described)
    _check_apart(folders, described)
    return _write(folders, described, into, None)


def recut(folder: Path, into: Path, shard_tokens: int) -> Description:
    """The same documents in shards of at most so many tokens, unless one document alone has more.

    Raises:
        ConfigError: `into` is not empty, or `folder` is no folder of shards, or a takedown of it
            was cut short.
    """
    return _write([folder], [settled(folder)], into, shard_tokens)


def _write(
    folders: Sequence[Path],
    described: Sequence[Description],
    into: Path,
    shard_tokens: int | None,
) -> Description:
    with new_folder(into) as folder:
        return _fill(folder, folders, described, shard_tokens)


def _fill(
    into: Path,
    folders: Sequence[Path],
    described: Sequence[Description],
    shard_tokens: int | None,
) -> Description:
    first, splits = described[0], {}
    for split in first.splits:
        sources = [
            (folder / split / shard.name, shard)
            for folder, description in zip(folders, described, strict=True)
            for shard in description.splits[split].shards
        ]
        streams = _streams(sources, shard_tokens)
        splits[split] = split_record(
            write_shard_files(into / split / f"{split}-{index:05d}", stream, first.vocab_size)
            for index, stream in enumerate(streams)
        )
    write_atomic(into / TOKENIZER, (folders[0] / TOKENIZER).read_bytes())
    made = with_splits(_parents(described), splits)
    write_description(into, made)
    return made


def _streams(
    sources: Sequence[tuple[Path, ShardRecord]], shard_tokens: int | None
) -> Iterator[Iterator[Block]]:
    """The blocks of each new shard; each must be used up before the next is asked for."""
    filled = [(prefix, shard) for prefix, shard in sources if shard.documents]
    if not filled:
        yield iter(())
    elif shard_tokens is None:
        for prefix, shard in filled:
            yield kept_blocks(prefix, shard, _all)
    else:
        total = sum(shard.tokens for _, shard in filled)
        blocks = chain.from_iterable(kept_blocks(prefix, shard, _all) for prefix, shard in filled)
        yield from _recut(blocks, total, shard_tokens)


def _all(rows: pa.RecordBatch) -> NDArray[np.bool_]:
    return np.ones(rows.num_rows, np.bool_)


def _recut(blocks: Iterator[Block], total: int, limit: int) -> Iterator[Iterator[Block]]:
    rest: list[Block] = []  # begun, and not yet in a shard
    left = total

    def one_shard(aim: int) -> Iterator[Block]:
        nonlocal left
        taken = 0
        while block := (rest.pop() if rest else next(blocks, None)):
            fits = int(np.searchsorted(np.cumsum(block.lengths), aim - taken, side="right"))
            if not taken:
                fits = max(1, fits)  # a document that is longer than a shard
            now, later = split_block(block, fits)
            if len(later.lengths):
                rest.append(later)
            if not fits:
                return
            size = int(now.lengths.sum())
            taken, left = taken + size, left - size
            yield now
            if len(later.lengths):
                return

    while left:
        yield one_shard(next_aim(left, limit))


def _parents(described: Sequence[Description]) -> Description:
    """What the folders have in common, and which they were."""
    first = described[0]
    if len(described) == 1:
        return first

    made_by: dict[str, str] = {}
    for number, description in enumerate(described):
        made_by |= {f"{number}/{stage}": name for stage, name in description.made_by.items()}
    return Description(
        fingerprint="+".join(description.fingerprint for description in described),
        revision="",
        dtype=first.dtype,
        vocab_size=first.vocab_size,
        eod_id=first.eod_id,
        tokenizer_sha256=first.tokenizer_sha256,
        split=_common([description.split for description in described]) or {},
        seed=first.seed,
        mixture=_common([description.mixture for description in described]),
        made_by=made_by,
        splits={},
    )


def _common(values: Sequence[dict[str, Any] | None]) -> dict[str, Any] | None:
    return values[0] if all(value == values[0] for value in values) else {"merged": list(values)}


def _check_alike(folders: Sequence[Path], described: Sequence[Description]) -> None:
    for folder, description in zip(folders, described, strict=True):
        if description.tokenizer_sha256 != described[0].tokenizer_sha256:
            raise ConfigError(
                f"{folder / NAME} was made with another tokenizer than {folders[0] / NAME} "
                f"({description.tokenizer_sha256[:12]}, {described[0].tokenizer_sha256[:12]}): "
                f"equal ids would mean different texts. Make its shards with that tokenizer"
            )


def _check_apart(folders: Sequence[Path], described: Sequence[Description]) -> None:
    """Refuse a document that is in two of the folders, a range of uids at a time."""
    documents = sum(split.documents for d in described for split in d.splits.values())
    count = 1 + documents // UIDS
    for i in range(count):
        low, high = 2**64 * i // count, 2**64 * (i + 1) // count - 1
        held = [
            _uids(folder, description, low, high)
            for folder, description in zip(folders, described, strict=True)
        ]
        uids, times = np.unique(np.concatenate(held), return_counts=True)
        if (times > 1).any():
            uid = uids[times > 1][0]
            both = [str(f) for f, mine in zip(folders, held, strict=True) if uid in mine]
            name = _doc_id(folders, described, uid)
            raise ConfigError(
                f"{' and '.join(both)} both have the document {name}; take it out of one of them "
                f"before they are merged (`corpusforge takedown --shards FOLDER {name}`)"
            )


def _doc_id(folders: Sequence[Path], described: Sequence[Description], uid: np.uint64) -> str:
    """The name of a document that one of the folders has."""
    rows = chain.from_iterable(
        read_columns(path, ["uid", "doc_id"]).to_pylist()
        for folder, description in zip(folders, described, strict=True)
        for path in _provenance(folder, description)
    )
    return next(row["doc_id"] for row in rows if row["uid"] == int(uid))


def _provenance(folder: Path, description: Description) -> Iterator[Path]:
    for split, record in description.splits.items():
        for shard in record.shards:
            yield folder / split / f"{shard.name}.parquet"


def _uids(folder: Path, description: Description, low: int, high: int) -> NDArray[np.uint64]:
    """The distinct uids of a folder from low to high."""
    found = [np.empty(0, np.uint64)]
    for path in _provenance(folder, description):
        uids = read_columns(path, ["uid"])["uid"].to_numpy()
        found.append(uids[(uids >= np.uint64(low)) & (uids <= np.uint64(high))])
    return np.unique(np.concatenate(found))
