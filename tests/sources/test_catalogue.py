"""The kinds of source that a pipeline file may name."""

from typing import get_args

import pytest

from corpusforge.parsers.field_mapping import FieldMapping
from corpusforge.sources.catalogue import READERS, Kind, reader_of
from corpusforge.sources.records import Found


def test_every_kind_has_a_reader_and_every_reader_a_kind():
    assert set(get_args(Kind)) == {*READERS, "mapped"}


def test_a_mapped_file_is_read_through_its_mapping(tmp_path):
    path = tmp_path / "papers.jsonl"
    path.write_text('{"key": "7", "heading": "On tests"}\n')
    mapping = FieldMapping(source_id="key", title="heading")
    [record] = reader_of("mapped", mapping)(path)
    assert isinstance(record, Found)
    assert (record.paper.source_id, record.paper.title) == ("7", "On tests")


@pytest.mark.parametrize("kind", sorted(READERS))
def test_an_empty_file_is_told_or_holds_nothing_but_never_breaks(kind, tmp_path):
    path = tmp_path / "empty"
    path.touch()
    assert not [r for r in reader_of(kind, None)(path) if isinstance(r, Found)]
