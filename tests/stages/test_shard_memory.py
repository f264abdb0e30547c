"""What making a shard promises of memory: it does not grow with the corpus."""

import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

from corpusforge.stages import shard_assembly, shard_cuts
from corpusforge.stages.shard_assembly import blocks
from corpusforge.stages.shard_cuts import cut, read_cuts
from corpusforge.stages.shard_parts import PLACE_COLUMNS, encoded_schema, open_parts, write_batch
from corpusforge.work import Task

TOKENS = 20  # of a document
SHARD = 1000  # documents


def write_parts(folder, documents, parts, repeated):
    """Encoded documents of equal length, each in two places where they are repeated."""
    schema = encoded_schema(300)
    for part in range(parts):
        count = documents // parts
        order = np.sort(np.random.default_rng(part).integers(0, 2**64, count, np.uint64))
        given = {
            "order": order,
            "uid": order,
            "ids": pa.LargeListArray.from_arrays(
                np.arange(0, TOKENS * (count + 1), TOKENS), np.full(TOKENS * count, 7, np.uint16)
            ),
        }
        columns = [
            pa.array(given[f.name]) if f.name in given else pa.nulls(count, f.type) for f in schema
        ]
        path = folder / "train" / f"part-{part:05d}.arrow"
        write_batch(path, pa.RecordBatch.from_arrays(columns, schema=schema))
        if repeated:
            second = np.sort(order ^ np.uint64(2**63))
            places = [
                np.sort(np.concatenate([order, second])),
                np.arange(2 * count) // 2,
                (np.arange(2 * count) % 2).astype(np.int16),
            ]
            batch = pa.RecordBatch.from_arrays([*map(pa.array, places)], schema=PLACE_COLUMNS)
            write_batch(path.with_suffix(".places"), batch)
    return folder / "train"


def peak_of(work):
    """Bytes that were held at once, by numpy and Python, while something ran."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("repeated", [False, True])
def test_eight_times_the_documents_take_no_more_memory(tmp_path, monkeypatch, repeated):
    monkeypatch.setattr(shard_cuts, "RANGE", 2 * SHARD)
    monkeypatch.setattr(shard_assembly, "BLOCK_DOCUMENTS", 256)
    peaks = {}
    for times in (1, 8):
        folder = write_parts(tmp_path / str(times), 8 * SHARD * times, 8, repeated)
        target = tmp_path / f"{times}.json"
        task = Task("train", (folder,), (target,))
        cutting = peak_of(lambda task=task: cut(task, SHARD * TOKENS))
        made = read_cuts(target)
        assert len(made) >= 8 * times

        def first_shard(folder=folder, made=made):
            for _ in blocks(open_parts(folder), made[0].low, made[0].high):
                pass

        peaks[times] = cutting, peak_of(first_shard)
    for small, large in zip(peaks[1], peaks[8], strict=True):
        # The list of shards itself grows; it has 100 bytes a shard.
        assert large < 1.5 * small
