"""The clean texts of a corpus as Parquet that Hugging Face `datasets` finds the splits of.

A document is here if a shard holds it, once however often a mixture repeats it, with the text that
was trained on before any tokenizer saw it. Documents come in the order of clean's partitions.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from corpusforge.errors import ContractError
from corpusforge.formats.atomic import atomic_path, write_atomic
from corpusforge.formats.partition import read_columns
from corpusforge.formats.shard_folder import Description
from corpusforge.formats.takedowns import removed_ids
from corpusforge.pipeline.export_card import Part, card
from corpusforge.pipeline.export_folder import Exported, FilesInTurn, cut_rows, new_folder, settled
from corpusforge.pipeline.plan import Plan, Step
from corpusforge.stages.shard_removal import matches
from corpusforge.stages.shard_split import SPLITS, sides_of
from corpusforge.stages.shards import ShardsConfig
from corpusforge.stages.stage import partition_targets
from corpusforge.tables.annotation import surviving_batches
from corpusforge.tables.schemas import DOCUMENTS, SURVIVORS

ROW_GROUP = 4096  # rows, at most
ROW_GROUP_BYTES = 64_000_000  # of text, at most
EXPORTED = pa.schema(
    [
        *(DOCUMENTS.field(n) for n in ("doc_id", "source", "content", "language", "year")),
        *(DOCUMENTS.field(n) for n in ("licence", "doi")),
        SURVIVORS.field("cluster"),
        pa.field("split", pa.string(), metadata={"description": "train, valid or test"}),
        DOCUMENTS.field("text"),
    ]
)


def export_documents(plan: Plan, into: Path, max_bytes: int) -> Exported:
    """Write the texts as `train-00000-of-00002.parquet` and so on, with a README.md beside them.

    Args:
        plan: Of a pipeline that has made its shards.
        into: A new folder, or an empty one.
        max_bytes: Of text in a file, unless one document alone has more.

    Returns:
        Documents and files of each split.

    Raises:
        ConfigError: `into` is not empty, or there are no shards.
        ContractError: The texts are not those of the shards.
    """
    step = plan.step("shards")
    described = settled(step.folder)
    parts: Counter[Part] = Counter()
    text_bytes: Counter[str] = Counter()
    with new_folder(into) as partial, ExitStack() as opened:
        files = {split: _Files(partial / split, max_bytes, opened) for split in SPLITS}
        for split, rows in _kept(step, plan.config.stages.shards):
            files[split].write(rows)
            named = (rows[name].to_pylist() for name in ("source", "licence"))
            parts.update(Part(split, *names) for names in zip(*named, strict=True))
            text_bytes[split] += int(pc.sum(pc.binary_length(rows["text"])).as_py() or 0)
        paths = {split: files[split].finish() for split in SPLITS}
        documents = {split: sum(n for p, n in parts.items() if p.split == split) for split in files}
        _check(step.folder, described, documents)
        page = card(described, EXPORTED, parts, text_bytes)
        write_atomic(partial / "README.md", page.encode())
    return {split: (documents[split], len(paths[split])) for split in SPLITS}


def _kept(step: Step, config: ShardsConfig) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Documents that are in the shards of a split, and that split."""
    gone = pa.array(sorted(removed_ids(step.folder)), pa.string())
    pairs = zip(step.inputs.partitions("clean"), step.inputs.partitions("dedup"), strict=True)
    for documents, survivors in pairs:
        rejected = _rejected(step.folder, documents.stem)
        for batch, annotation in surviving_batches(documents, survivors):
            rows = batch.append_column("cluster", annotation["cluster"])
            out = matches(rows["doc_id"], gone)
            out |= pc.is_in(rows["doc_id"], rejected).to_numpy(zero_copy_only=False)
            side = np.where(out, -1, sides_of(rows, config.split, config.seed))
            for number, split in enumerate(SPLITS):
                part = rows.filter(pa.array(side == number))
                named = part.append_column("split", pa.repeat(split, part.num_rows))
                yield split, named.select(EXPORTED.names).cast(EXPORTED)


def _rejected(folder: Path, stem: str) -> pa.Array:
    """What the shards stage left out of one partition, for its tokens and for the mixture."""
    paths = [partition_targets(folder, name)[1] for name in (stem, f"{stem}-mixture")]
    found = [read_columns(path, ["doc_id"])["doc_id"] for path in paths if path.exists()]
    return pa.concat_arrays([pa.array([], pa.string()), *found])


class _Files:
    """The files of one split: row groups, and files, of limited size."""

    def __init__(self, prefix: Path, max_bytes: int, opened: ExitStack) -> None:
        self._files = FilesInTurn(prefix, ".parquet", max_bytes, _parquet)
        opened.callback(self._files.close)
        self._group_bytes = min(max_bytes, ROW_GROUP_BYTES)
        self._pending = EXPORTED.empty_table()

    def write(self, rows: pa.RecordBatch) -> None:
        self._pending = pa.concat_tables([self._pending, pa.Table.from_batches([rows])])
        *full, (rest, _) = self._groups() if self._pending.num_rows else [(self._pending, 0)]
        for group, size in full:
            self._write(group, size)
        self._pending = rest

    def finish(self) -> list[Path]:
        """Write what is left, and give the files the names that say how many there are."""
        for group, size in self._groups():
            self._write(group, size)
        self._files.close()
        paths = self._files.paths
        for path in paths:
            path.rename(path.with_name(f"{path.stem}-of-{len(paths):05d}{path.suffix}"))
        return paths

    def _groups(self) -> Iterator[tuple[pa.Table, int]]:
        """What is pending as row groups, with the bytes of text in each; the last may grow."""
        sizes = pc.binary_length(self._pending["text"]).to_numpy()
        for piece in cut_rows(sizes, self._group_bytes, ROW_GROUP):
            rows = self._pending.slice(piece.start, piece.stop - piece.start)
            yield rows, int(sizes[piece].sum())

    def _write(self, group: pa.Table, size: int) -> None:
        self._files.writer(size).write_table(group.combine_chunks(), row_group_size=ROW_GROUP)


@contextmanager
def _parquet(target: Path) -> Iterator[pq.ParquetWriter]:
    with (
        atomic_path(target) as partial,
        pq.ParquetWriter(
            partial, EXPORTED, compression="zstd", compression_level=3, write_page_checksum=True
        ) as file,
    ):
        yield file


def _check(folder: Path, described: Description, documents: dict[str, int]) -> None:
    """Compare what was exported of each split with what the shards hold of it."""
    for split, record in described.splits.items():
        wanted = 0
        for shard in record.shards:
            passes = read_columns(folder / split / f"{shard.name}.parquet", ["pass"])["pass"]
            wanted += int(np.count_nonzero(passes.to_numpy() == 0))
        if documents[split] != wanted:
            raise ContractError(
                f"the texts of {split} are {documents[split]:,}, but the shards in {folder} hold "
                f"{wanted:,} documents of it; were files moved between stage folders? Run the "
                f"pipeline again, then export"
            )
