"""Readers hold a few records, not the file. `benchmarks/bench_memory.py` tries all of them."""

import subprocess
import sys
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PEAK = """
import sys
from pathlib import Path
from corpusforge.memory import peak_memory
from corpusforge.parsers.field_mapping import FieldMapping
from corpusforge.sources.mapped import read_mapped
mapping = FieldMapping(source_id="key", title="heading")
print(sum(1 for _ in read_mapped(Path(sys.argv[1]), mapping)), peak_memory())
"""


def peak(path):
    """Records of a file, and most bytes of a process that reads it."""
    command = [sys.executable, "-c", PEAK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return map(int, done.stdout.split())


@pytest.mark.parametrize("rows_per_group", [500, 1_000_000])
def test_memory_does_not_grow_with_a_parquet_file(tmp_path, rows_per_group):
    """30 MB and 150 MB that do not compress; whether in many row groups or in one."""
    peaks = []
    for rows in (1_500, 7_500):
        draw = Random(0)
        texts = [draw.randbytes(10_000).hex() for _ in range(rows)]
        table = pa.table({"key": list(map(str, range(rows))), "heading": texts})
        path = tmp_path / f"{rows}.parquet"
        pq.write_table(table, path, row_group_size=rows_per_group, compression="none")
        assert path.stat().st_size > 20_000 * rows
        found, most = peak(path)
        assert found == rows
        peaks.append(most)
    assert peaks[1] < peaks[0] + 40_000_000
