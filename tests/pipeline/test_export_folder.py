"""What a new folder of exported files promises: limits, and all of it or nothing."""

from contextlib import closing, contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ConfigError
from corpusforge.pipeline.export_folder import FilesInTurn, cut_rows, new_folder, settled
from corpusforge.pipeline.takedown import PENDING

sizes = st.lists(st.integers(0, 50), max_size=40)


@given(sizes, st.integers(1, 60), st.integers(1, 8))
def test_pieces_hold_every_row_once_and_as_much_as_fits(rows, limit, max_rows):
    pieces = list(cut_rows(np.array(rows, np.int64), limit, max_rows))
    assert [row for piece in pieces for row in rows[piece]] == rows
    for i, piece in enumerate(pieces):
        held = rows[piece]
        assert 1 <= len(held) <= max_rows
        assert sum(held) <= limit or len(held) == 1
        if i + 1 < len(pieces) and len(held) < max_rows:
            assert sum(held) + rows[piece.stop] > limit


@given(sizes, st.integers(1, 60))
def test_files_pass_the_limit_only_where_a_single_piece_does(tmp_path_factory, pieces, limit):
    folder = tmp_path_factory.mktemp("turn")

    @contextmanager
    def opened(path):
        with path.open("wb") as file:
            yield file

    with closing(FilesInTurn(folder / "train", ".x", limit, opened)) as files:
        for number, size in enumerate(pieces):
            files.writer(size).write(bytes([number]) * size)
    assert files.paths == sorted(folder.iterdir())
    assert b"".join(path.read_bytes() for path in files.paths) == b"".join(
        bytes([number]) * size for number, size in enumerate(pieces)
    )
    for path in files.paths:
        content = path.read_bytes()
        assert len(content) <= limit or len(set(content)) == 1


def test_files_are_numbered_from_zero(tmp_path):
    files = FilesInTurn(tmp_path / "valid", ".tar", 5, lambda path: path.open("wb"))
    for _ in range(3):
        files.writer(4).write(b"1234")
    files.close()
    names = [path.name for path in files.paths]
    assert names == ["valid-00000.tar", "valid-00001.tar", "valid-00002.tar"]


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path):
    (tmp_path / "mine").write_text("kept")
    with (
        pytest.raises(ConfigError, match=rf"{tmp_path} is not empty; give a folder that is"),
        new_folder(tmp_path),
    ):
        pass
    assert (tmp_path / "mine").read_text() == "kept"


def test_an_empty_folder_is_taken_and_what_a_killed_export_left_is_not_in_it(tmp_path):
    (tmp_path / ".out.partial").mkdir()
    (tmp_path / ".out.partial" / "old").touch()
    (tmp_path / "out").mkdir()
    with new_folder(tmp_path / "out") as unfinished:
        (unfinished / "new").touch()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["new"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failed_export_leaves_nothing(tmp_path):
    def fail():
        with new_folder(tmp_path / "out") as unfinished:
            (unfinished / "part").touch()
            raise RuntimeError("no space")

    with pytest.raises(RuntimeError, match="no space"):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_shards_that_are_not_there_cannot_be_exported(tmp_path):
    with pytest.raises(ConfigError, match=r"shards\.json does not exist; `corpusforge run"):
        settled(tmp_path)


def test_shards_in_the_middle_of_a_takedown_cannot_be_exported(tmp_path):
    (tmp_path / PENDING).mkdir()
    with pytest.raises(ConfigError, match=r"takedown\.pending is there: a takedown was cut short"):
        settled(tmp_path)
