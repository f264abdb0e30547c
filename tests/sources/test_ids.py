"""What a config's ids promise: those of the config and of its file, and none where none can be."""

import pytest
from msgspec import Struct

from corpusforge.errors import ConfigError
from corpusforge.sources.ids import ids_of, reads_ids_file
from corpusforge.sources.scopus_plan import ScopusConfig


class Everything(Struct, frozen=True):
    """A config that names no ids, as a harvest of a whole repository."""

    address: str = "http://host"


def test_ids_come_from_the_config_and_then_from_the_file(tmp_path):
    (tmp_path / "ids.txt").write_text("# a list\n10.1/b\n\n  10.1/c \n")
    config = ScopusConfig(ids=["10.1/a"], ids_file="ids.txt")
    assert ids_of(config, tmp_path) == ["10.1/a", "10.1/b", "10.1/c"]
    assert reads_ids_file(config)
    assert not reads_ids_file(ScopusConfig(ids=["10.1/a"]))


def test_the_mark_that_windows_begins_files_with_is_no_part_of_an_id(tmp_path):
    (tmp_path / "ids.txt").write_bytes(b"\xef\xbb\xbf10.1/a\r\n10.1/b\r\n")
    assert ids_of(ScopusConfig(ids_file="ids.txt"), tmp_path) == ["10.1/a", "10.1/b"]


def test_a_config_that_cannot_name_ids_has_none(tmp_path):
    assert ids_of(Everything(), tmp_path) == []
    assert not reads_ids_file(Everything())


def test_a_missing_file_of_ids_is_told(tmp_path):
    with pytest.raises(ConfigError, match=r"ids_file .*none cannot be read \(FileNotFoundError\)"):
        ids_of(ScopusConfig(ids_file="none"), tmp_path)


@pytest.mark.parametrize("content", ["", "\n \n", "# only a remark\n"])
def test_a_file_without_ids_is_told_by_its_name(tmp_path, content):
    (tmp_path / "ids.txt").write_text(content)
    with pytest.raises(ConfigError, match=r"ids_file .*/ids\.txt has no ids: expected one a line"):
        ids_of(ScopusConfig(ids=["10.1/a"], ids_file="ids.txt"), tmp_path)


def test_a_list_of_blanks_is_no_list_of_ids():
    with pytest.raises(ValueError, match="scopus needs either query, or ids or ids_file"):
        ScopusConfig(ids=["", " "])
