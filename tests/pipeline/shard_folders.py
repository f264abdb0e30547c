"""A small folder of shards: what the tests of verify, takedown, merge and split share."""

import shutil

import pyarrow.parquet as pq
from corpora import prose
from stages.folders import run_stage
from stages.test_shards import prepare

from corpusforge.formats.megatron import open_shard
from corpusforge.stages import shards
from corpusforge.stages.shards import ShardsConfig

DOCUMENTS = [(f"s:{i}", prose(f"folder {i}", sentences=1 + i % 5)) for i in range(60)]
TRANSLATED = [("s:7#fr", prose("folder 7 fr")), ("s:77#fr", prose("folder 77 fr"))]
CONFIG = ShardsConfig(split=(8, 1, 1), shard_tokens=1_500)


def make_folder(base, documents=(*DOCUMENTS, *TRANSLATED), config=CONFIG):
    """Shards of these documents, and the folders that they were made from."""
    reads = prepare(base, [documents[::2], documents[1::2]])
    out = base / "shards"
    run_stage(shards.STAGE, config, out, reads)
    shutil.rmtree(out / "scratch")
    return out, reads


def rows_of(folder):
    """Every document with its tokens, by split, in order: provenance without its place."""
    found = {}
    for split in ("train", "valid", "test"):
        found[split] = []
        for path in sorted((folder / split).glob("*.parquet")):
            shard, rows = open_shard(path.with_suffix("")), pq.read_table(path).to_pylist()
            assert [row["start"] for row in rows] == shard.bounds[:-1].tolist()
            for i, row in enumerate(rows):
                place = {"split": split, "shard": path.stem, "start": row.pop("start")}
                found[split].append((row, shard.document(i).tolist(), place))
    return found


def contents(folder):
    """Every document with its provenance and tokens, by split and in order, wherever it stands."""
    return {
        split: [(row, tokens) for row, tokens, _ in rows] for split, rows in rows_of(folder).items()
    }


def files_of(folder):
    """The bytes of every file, by path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }
