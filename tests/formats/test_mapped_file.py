"""What a mapped file promises."""

import ctypes
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import FormatError
from corpusforge.formats.mapped_file import MappedFile

CONTENT = bytes(range(256)) * 64


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("mapped") / "file"
    path.write_bytes(CONTENT)
    return path


@given(st.integers(1, len(CONTENT)), st.data())
def test_the_bytes_at_the_address_are_those_of_the_file(path, size, data):
    offset = data.draw(st.integers(0, size - 1))
    length = data.draw(st.integers(1, size - offset))
    file = MappedFile(path, size)
    file.will_need(offset, length)
    assert ctypes.string_at(file.address + offset, length) == CONTENT[offset : offset + length]


@pytest.mark.skipif(not Path("/proc/self/maps").is_file(), reason="/proc is of Linux")
def test_no_file_stays_open_and_no_memory_mapped():
    """Both would run out: the one after 1,024, the other after 65,530 files."""
    path = Path(__file__)
    before = len(os.listdir("/proc/self/fd"))
    files = [MappedFile(path, 10) for _ in range(20)]
    assert len(os.listdir("/proc/self/fd")) == before
    seen = Path("/proc/self/maps").read_text().count(path.name)
    files[0].close()
    files[0].close()
    assert Path("/proc/self/maps").read_text().count(path.name) == seen - 1
    files.clear()
    assert path.name not in Path("/proc/self/maps").read_text()


def test_a_file_that_is_shorter_than_expected_is_refused(path):
    with pytest.raises(FormatError, match="has 16,384 bytes but had 16,385 when it was"):
        MappedFile(path, len(CONTENT) + 1)


def test_what_cannot_be_mapped_is_an_error_of_the_system(path, tmp_path):
    with pytest.raises(FileNotFoundError, match="missing"):
        MappedFile(tmp_path / "missing", 1)
    with pytest.raises(OSError, match="Invalid argument"):
        MappedFile(path, 0)
