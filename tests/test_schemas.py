"""The published contract is what the code says."""

from pathlib import Path

import pytest

from corpusforge.pipeline.publish import published
from corpusforge.tables.schemas import TABLES

FOLDER = Path(__file__).parents[1] / "schemas"


def test_the_published_files_are_those_the_code_generates():
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    wanted = published()
    different = sorted(n for n in found.keys() | wanted.keys() if found.get(n) != wanted.get(n))
    assert not different, f"{different} in schemas/ differ from the code: run `make schemas`"


@pytest.mark.parametrize("table", TABLES)
def test_every_column_is_described(table):
    for column in TABLES[table]:
        assert column.metadata[b"description"].strip(), f"{table}.{column.name}"
