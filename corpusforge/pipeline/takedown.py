"""Take documents out of a folder of shards, wherever it lies.

Only the shards that hold one are written anew, beside the old ones and read back; then a new
shards.json is put there, and from then on the removal is decided: everything is moved into place,
and if that is cut short, the next takedown or `finish` moves the rest. Before, nothing has changed.
The stage that made the shards leaves the same documents out if it ever has to make them again.
"""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.partition import read_columns
from corpusforge.formats.shard_folder import (
    NAME,
    Description,
    ShardRecord,
    SplitRecord,
    read_description,
    split_record,
    with_splits,
    write_description,
)
from corpusforge.formats.takedowns import FOLDER, Removed, Takedown, encoded, read_takedowns
from corpusforge.pipeline.receipts import renew_receipts
from corpusforge.pipeline.shard_rows import kept_blocks
from corpusforge.stages.shard_removal import matches
from corpusforge.stages.shard_writer import write_shard_files

PENDING = "takedown.pending"  # what is about to take the place of the files beside it


@dataclass(frozen=True)
class Result:
    """What became of a wish to remove documents."""

    removed: list[str]  # by this call
    already: list[str]  # by an earlier one
    unknown: list[str]  # in no shard
    record: Takedown | None  # None if nothing was left to remove


def takedown(folder: Path, doc_ids: Sequence[str]) -> Result:
    """Remove documents, and their abstracts in other languages, from all shards.

    Args:
        folder: Of shards.
        doc_ids: `source:id`; of `pubmed:1` its translations `pubmed:1#fr` go too.

    Raises:
        ConfigError: This is not a folder of shards.
        FormatError: A shard is damaged.
        ContractError: The disk returns something else than was written.
    """
    finish(folder)
    before = read_description(folder)
    wanted = pa.array(sorted(set(doc_ids)), pa.string())
    found = {
        (split, shard.name): rows
        for split, record in before.splits.items()
        for shard in record.shards
        if (rows := _found(folder / split / shard.name, split, wanted))
    }
    removed = [row for rows in found.values() for row in rows]
    record = None
    if removed:
        record = _prepare(folder, before, removed, wanted)
        finish(folder)
    gone = {row.doc_id for past in read_takedowns(folder) for row in past.documents}
    now = {row.doc_id for row in removed}
    left = [name for name in wanted.to_pylist() if not _covers(name, now)]
    return Result(
        removed=sorted(now),
        already=[name for name in left if _covers(name, gone)],
        unknown=[name for name in left if not _covers(name, gone)],
        record=record,
    )


def finish(folder: Path) -> None:
    """Bring a takedown that was cut short to its end; one that had not been decided is dropped."""
    pending = folder / PENDING
    if (pending / NAME).exists():
        moved = [path for path in pending.rglob("*") if path.is_file() and path.name != NAME]
        # A shard's index goes last, as where it is written; the description after everything.
        for path in sorted(moved, key=lambda path: (path.suffix == ".idx", path)):
            target = folder / path.relative_to(pending)
            target.parent.mkdir(exist_ok=True)
            os.replace(path, target)
        os.replace(pending / NAME, folder / NAME)
    if pending.exists():
        shutil.rmtree(pending)
    if read_takedowns(folder):
        renew_receipts(folder, _sizes(folder))


def _sizes(folder: Path) -> dict[str, int]:
    """Bytes of the files of a folder of shards, as its description has them."""
    sizes = {
        f"{split}/{shard.name}{suffix}": file.bytes
        for split, record in read_description(folder).splits.items()
        for shard in record.shards
        for suffix, file in shard.files.items()
    }
    return sizes | {NAME: (folder / NAME).stat().st_size}


def _found(prefix: Path, split: str, wanted: pa.Array) -> list[Removed]:
    rows = read_columns(prefix.with_name(prefix.name + ".parquet"), ["doc_id", "start", "tokens"])
    here = rows.filter(pa.array(matches(rows["doc_id"], wanted)))
    return [Removed(split=split, shard=prefix.name, **row) for row in here.to_pylist()]


def _covers(wanted: str, doc_ids: set[str]) -> bool:
    return wanted in doc_ids or any(name.startswith(f"{wanted}#") for name in doc_ids)


def _prepare(
    folder: Path, before: Description, removed: list[Removed], wanted: pa.Array
) -> Takedown:
    """Write what will take the place of the shards that hold these documents."""
    pending = folder / PENDING
    touched = {(row.split, row.shard) for row in removed}

    def remade(split: str, shard: ShardRecord) -> ShardRecord:
        if (split, shard.name) not in touched:
            return shard
        blocks = kept_blocks(
            folder / split / shard.name, shard, lambda rows: ~matches(rows["doc_id"], wanted)
        )
        return write_shard_files(pending / split / shard.name, blocks, before.vocab_size)

    splits: dict[str, SplitRecord] = {
        split: split_record(remade(split, shard) for shard in record.shards)
        for split, record in before.splits.items()
    }
    after = with_splits(before, splits)
    record = Takedown(
        before=before.revision,
        after=after.revision,
        documents=removed,
        shard_tokens={
            split: {shard.name: shard.tokens for shard in record.shards}
            for split, record in before.splits.items()
        },
    )
    write_atomic(pending / FOLDER / f"{before.revision}.json", encoded(record))
    write_description(pending, after)  # from here on it is decided
    return record
