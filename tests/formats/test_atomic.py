"""A file appears whole under its name, or not at all."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.formats.atomic import PARTIAL, atomic_path, write_atomic


class BoomError(Exception):
    pass


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@given(st.binary())
def test_what_is_written_is_what_is_read(tmp_path_factory, content):
    target = tmp_path_factory.mktemp("atomic") / "new" / "folder" / "file"
    write_atomic(target, content)
    assert target.read_bytes() == content
    assert names(target.parent) == ["file"]


def test_nothing_is_there_under_the_name_until_the_block_ends(tmp_path):
    target = tmp_path / "file"
    with atomic_path(target) as partial:
        partial.write_bytes(b"new")
        assert not target.exists()
    assert target.read_bytes() == b"new"


def test_a_file_being_written_can_be_told_from_every_other(tmp_path):
    with atomic_path(tmp_path / "part-00001.parquet") as partial:
        partial.touch()
        assert partial.parent == tmp_path
        assert partial.name.startswith(".part-00001.parquet.")
        assert partial.name.endswith(PARTIAL)


def test_an_exception_leaves_the_old_file_and_no_partial_one(tmp_path):
    target = tmp_path / "file"
    write_atomic(target, b"old")
    with suppress(BoomError), atomic_path(target) as partial:
        partial.write_bytes(b"half")
        raise BoomError
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_an_exception_before_the_first_byte_passes_through(tmp_path):
    with pytest.raises(BoomError), atomic_path(tmp_path / "file"):
        raise BoomError
    assert names(tmp_path) == []


def test_a_block_that_writes_nothing_is_an_error_and_keeps_the_old_file(tmp_path):
    write_atomic(tmp_path / "file", b"old")
    with pytest.raises(FileNotFoundError), atomic_path(tmp_path / "file"):
        pass
    assert (tmp_path / "file").read_bytes() == b"old"


def test_two_attempts_at_once_do_not_mix_and_the_last_to_end_counts(tmp_path):
    target = tmp_path / "file"
    with atomic_path(target) as slow:
        slow.write_bytes(b"slow, ")
        with atomic_path(target) as quick:
            quick.write_bytes(b"quick")
        assert target.read_bytes() == b"quick"
        with slow.open("ab") as file:
            file.write(b"but whole")
    assert target.read_bytes() == b"slow, but whole"
    assert names(tmp_path) == ["file"]
