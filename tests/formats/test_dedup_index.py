"""What an index promises on disk."""

import json
import os

import msgspec
import numpy as np
import pytest

from corpusforge.errors import FormatError
from corpusforge.formats.dedup_index import (
    CLAIMS,
    FORGOTTEN,
    FORMAT,
    GONE,
    MANIFEST,
    SETS,
    File,
    Generation,
    Manifest,
    Parameters,
    claim_runs,
    damaged_files,
    describe,
    gone_in,
    link_file,
    open_index,
    part_number,
    part_path,
    write_addresses,
)

PARAMETERS = Parameters(1, 5, 20, 6, 1, ("longer",), ())
CLAIM_FILE = "gen-000/claims/range-00000.run"


@pytest.fixture
def folder(tmp_path):
    """An index of one generation with one file."""
    (tmp_path / CLAIM_FILE).parent.mkdir(parents=True)
    (tmp_path / CLAIM_FILE).write_bytes(b"claims")
    write_addresses(tmp_path / GONE, np.array([2**63], np.uint64))
    added = Generation(3, {CLAIM_FILE: describe(tmp_path / CLAIM_FILE)})
    made = Manifest(FORMAT, PARAMETERS, (added,), describe(tmp_path / GONE))
    (tmp_path / MANIFEST).write_bytes(msgspec.json.encode(made))
    return tmp_path


def test_the_manifest_is_that_of_the_specification(folder):
    """Golden. If this fails, indexes that exist can no longer be read: raise FORMAT."""
    assert json.loads((folder / MANIFEST).read_text()) == {
        "format": 1,
        "parameters": {
            "scheme": 1,
            "shingle_words": 5,
            "bands": 20,
            "rows": 6,
            "seed": 1,
            "keep": ["longer"],
            "sources": [],
        },
        "generations": [
            {
                "documents": 3,
                "files": {CLAIM_FILE: {"bytes": 6, "digest": "f4b00976e321b92dbae14ef3d4892fbd"}},
            }
        ],
        "gone": {"bytes": 40, "digest": describe(folder / GONE).digest},
    }


@pytest.mark.parametrize(
    ("generation", "part", "number", "name"),
    [
        (0, 0, 2**31, "gen-000/sets/part-00000.arrow"),
        (0, 2**20 - 1, 2**31 + 2**20 - 1, "gen-000/sets/part-1048575.arrow"),
        (1, 7, 2**31 + 2**20 + 7, "gen-001/sets/part-00007.arrow"),
        (2047, 2**20 - 1, 2**32 - 1, "gen-2047/sets/part-1048575.arrow"),
    ],
)
def test_the_number_of_a_partition_names_its_file_for_good(
    tmp_path, generation, part, number, name
):
    assert part_number(generation, part) == number
    assert part_path(tmp_path, SETS, number) == tmp_path / name


@pytest.mark.parametrize(("generation", "part"), [(2048, 0), (0, 1 << 20)])
def test_addresses_end_somewhere(generation, part):
    with pytest.raises(ValueError, match="an index holds 1,048,576 partitions in each of 2,048"):
        part_number(generation, part)


def test_documents_that_are_gone_do_not_count_and_change_the_digest(folder):
    before = open_index(folder)
    write_addresses(folder / FORGOTTEN, np.array([2**63, 2**63 + 2], np.uint64))
    after = open_index(folder)
    assert (before.documents, after.documents) == (2, 1)
    assert before.digest != after.digest
    assert gone_in(folder).tolist() == [2**63, 2**63 + 2]


def test_sizes_are_told_by_kind(folder):
    index = open_index(folder)
    assert (index.size(), index.size(CLAIMS), index.size(SETS)) == (6, 6, 0)
    assert claim_runs(folder) == [folder / CLAIM_FILE]


def test_a_changed_file_of_the_same_size_is_damaged(folder):
    assert damaged_files(open_index(folder)) == []
    (folder / CLAIM_FILE).write_bytes(b"Claims")
    assert damaged_files(open_index(folder)) == [CLAIM_FILE]


def test_an_index_of_another_format_is_refused(folder):
    told = json.loads((folder / MANIFEST).read_text()) | {"format": 2}
    (folder / MANIFEST).write_text(json.dumps(told))
    with pytest.raises(FormatError, match="is an index of format 2, expected 1; make it anew"):
        open_index(folder)


def test_a_damaged_list_of_the_forgotten_is_refused(folder):
    (folder / FORGOTTEN).write_bytes(b"CFRUN001")
    with pytest.raises(FormatError, match=r"forgotten\.run is not a sorted run"):
        open_index(folder)


def test_the_digest_of_a_file_is_that_of_its_bytes(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(bytes(range(256)) * 4)
    whole = describe(path)
    monkeypatch.setattr("corpusforge.formats.dedup_index.BLOCK", 100)
    assert describe(path) == whole
    path.write_bytes(b"")
    assert describe(path) == File(0, "99aa06d3014798d86001c324468d497f")  # of nothing


def test_a_link_is_the_same_file_and_a_second_one_changes_nothing(tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    for _ in range(2):
        link_file(tmp_path / "a", tmp_path / "b" / "c")
    assert (tmp_path / "b" / "c").samefile(tmp_path / "a")
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["c"]


def test_without_links_a_file_is_copied(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    (tmp_path / "a").write_bytes(b"content")
    link_file(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == b"content"
    assert not (tmp_path / "b").samefile(tmp_path / "a")
