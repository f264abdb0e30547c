"""T17: no buffer keeps its tail. A published reader wrote full buffers of 2,000 records only."""

import json
import os
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest
from corpora import finish, prose, write_file, write_pipeline
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusforge.formats import megatron, partition
from corpusforge.sources.answers import Answer, Request
from corpusforge.sources.landing import Landing, copy_members
from corpusforge.sources.landing_file import landed_responses, places
from corpusforge.stages import dedup, extract, extract_papers
from corpusforge.stages.stage import REJECTED, TABLE
from corpusforge.tables.identity import uid_of
from stages.folders import rejects_of, table_of

SOURCE = {"lines": {"kind": "core-2018", "folder": "lines", "files": "*.jsonl"}}
TEXTS = [prose(f"tail {i}") for i in range(50)]
BUFFERS = [
    (extract_papers, "BATCH"),
    (partition, "ROW_GROUP"),
    (extract, "CLAIMS_PER_RANGE"),
    (dedup, "RECORDS_PER_RANGE"),
    (megatron, "DOCUMENTS_PER_WRITE"),
]


def corpus(folder, numbers):
    """A pipeline of files with so many records each, and the ids of all, file by file."""
    files, first = [], 1
    for i, number in enumerate(numbers):
        cores = range(first, first + number)
        records = [
            {"coreId": str(core), "title": f"Number {core}", "abstract": TEXTS[core % 50]}
            for core in cores
        ]
        content = "".join(json.dumps(record) + "\n" for record in records)
        write_file(folder / "lines" / f"{i:02d}.jsonl", content.encode())
        files.append([f"lines:{core}" for core in cores])
        first += number
    return write_pipeline(folder, SOURCE), files


@contextmanager
def scratch():
    """A folder whose files need not outlive a power failure, which makes hundreds of them quick."""
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)
        yield Path(name), patched


def ids_of(folder):
    return [row["doc_id"] for row in table_of(folder)]


@settings(max_examples=12)
@given(
    st.lists(st.integers(0, 13), min_size=1, max_size=3).filter(any),
    st.tuples(*[st.integers(1, 6)] * len(BUFFERS)),
)
def test_every_record_comes_through_every_stage_whatever_the_size_of_buffers(numbers, sizes):
    with scratch() as (folder, patched):
        for (module, buffer), size in zip(BUFFERS, sizes, strict=True):
            patched.setattr(module, buffer, size)
        pipeline, files = corpus(folder, numbers)
        ids = list(chain.from_iterable(files))
        plan = finish(pipeline)
        for stage in ("extract", "clean", "dedup"):
            made = plan.step(stage).folder
            lost = [row["doc_id"] for row in rejects_of(made)]
            assert sorted(ids_of(made) + lost) == sorted(ids), stage
            ids = ids_of(made)
        paths = plan.step("shards").folder.glob("*/*.parquet")
        provenance = [pq.read_table(path) for path in paths if path.parent.name != REJECTED]
        uids = [uid for shard in provenance for uid in shard["uid"].to_pylist()]
        assert sorted(uids) == sorted(map(uid_of, ids))


def around(*sizes):
    return [size + change for size in sizes for change in (-1, 0, 1)]


def test_numbers_around_the_real_sizes_of_buffers_come_through(tmp_path):
    numbers = [1, *around(extract_papers.BATCH, 2000, partition.ROW_GROUP)]
    pipeline, files = corpus(tmp_path, numbers)
    plan = finish(pipeline, until="clean")
    for stage in ("extract", "clean"):
        folder = plan.step(stage).folder
        for i, ids in enumerate(files):
            sides = [folder / side / f"part-{i:05d}.parquet" for side in (TABLE, REJECTED)]
            found = [pq.read_table(side)["doc_id"].to_pylist() for side in sides]
            assert sorted(found[0] + found[1]) == sorted(ids)
            assert len(found[0]) > 0.9 * len(ids), stage


@given(st.integers(0, 9), st.integers(1, 2000))
def test_the_last_answers_of_a_harvest_are_copied_too(number, file_bytes):
    with scratch() as (folder, _):
        landing = Landing(folder / "landing", file_bytes)
        for i in range(number):
            landing.append(Request("https://a", (("n", str(i)),)), Answer(200, {}, b"%d" % i), 0)
        landed = sorted((folder / "landing").glob("landing-*.gz"))
        copied = copy_members(
            [place for path in landed for place in places(path)], folder / "copy", file_bytes
        )
        bodies = [found.answer.body for path in copied for found in landed_responses(path)]
    assert bodies == [b"%d" % i for i in range(number)]
