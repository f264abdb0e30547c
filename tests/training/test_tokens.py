"""What reading from many shards promises: the same as walking through the documents one by one."""

import os
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laid_shards import lay_index, lay_shard

from corpusforge.errors import ConfigError, FormatError
from corpusforge.formats.megatron import HEADER, data_path, index_path
from corpusforge.training.tokens import Tokens

DTYPES = ("<u2", "<i4")
# Documents by their lengths: empty ones, and ones much longer than a window.
lengths = st.lists(st.lists(st.just(0) | st.integers(0, 40), max_size=6), min_size=1, max_size=5)


def walk(shards):
    """Every token and its place in its document, one at a time; ids are all different."""
    tokens, places = [], []
    for shard in shards:
        for length in shard:
            for place in range(length):
                places.append(place)
                tokens.append(len(tokens))
    return np.array(tokens, np.int64), np.array(places, np.int64)


def laid(folder, shards, dtype="<u2"):
    """Shards of documents of these lengths."""
    prefixes, begin = [], 0
    for j, documents in enumerate(shards):
        ends = begin + np.cumsum(documents, dtype=np.int64)
        ids = [range(end - size, end) for end, size in zip(ends, documents, strict=True)]
        prefixes.append(lay_shard(folder / f"train-{j:05d}", ids, dtype))
        begin += sum(documents)
    return prefixes


def read(tokens, starts, length):
    rows = np.empty((len(starts), length), tokens.dtype)
    tokens.read(np.array(starts, np.int64), rows)
    return rows


def placed(tokens, starts, floors, length):
    places = np.empty((len(starts), length), np.int64)
    tokens.place(np.array(starts, np.int64), np.array(floors, np.int64), places)
    return places


@settings(max_examples=60)
@given(lengths.filter(lambda shards: sum(map(sum, shards))), st.sampled_from(DTYPES), st.data())
def test_windows_and_places_are_those_of_walking_through_the_documents(shards, dtype, data):
    expected, places = walk(shards)
    length = data.draw(st.integers(1, len(expected)))
    begin = st.integers(0, len(expected) - length)
    starts = np.array(data.draw(st.lists(begin, max_size=8)), np.int64)
    floors = np.array([data.draw(st.integers(0, start)) for start in starts.tolist()], np.int64)
    with tempfile.TemporaryDirectory() as folder:
        tokens = Tokens.of(laid(Path(folder), shards, dtype))
        rows = read(tokens, starts, length)
        found = placed(tokens, starts, floors, length)
    assert rows.dtype == np.dtype(dtype)
    for w, start in enumerate(starts):
        assert rows[w].tolist() == expected[start : start + length].tolist()
        from_floor = np.arange(start, start + length) - floors[w]
        assert found[w].tolist() == np.minimum(places[start : start + length], from_floor).tolist()


@given(st.lists(st.integers(0, 199), min_size=1, max_size=12), st.integers(1, 4))
@settings(max_examples=30)
def test_the_number_of_shards_mapped_at_a_time_changes_nothing(starts, mapped):
    shards = [[3, 4], [], [10], [20, 0, 20], [50], [7] * 14]
    with tempfile.TemporaryDirectory() as folder:
        prefixes = laid(Path(folder), shards)
        few, all_at_once = Tokens(Tokens.of(prefixes).shards, mapped), Tokens.of(prefixes)
        for start in starts:
            few.will_need(np.array([start]), 5)
            at = np.array([start, 204 - start])
            assert np.array_equal(read(few, at, 1), read(all_at_once, at, 1))
            assert np.array_equal(placed(few, at, at, 1), placed(all_at_once, at, at, 1))
            assert few.mapped <= mapped


OPEN_MANY = """
import resource, sys
from pathlib import Path
import numpy as np
from corpusforge.training.tokens import Tokens
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
tokens = Tokens.of(sorted(path.with_suffix("") for path in Path(sys.argv[1]).glob("*.bin")))
starts = np.arange(0, len(tokens) - 1, 3)
rows = np.empty((len(starts), 2), tokens.dtype)
tokens.will_need(starts, 2)
tokens.read(starts, rows)
places = np.empty((len(starts), 2), np.int64)
tokens.place(starts, np.zeros_like(starts), places)
print(tokens.mapped, (rows[:, 0] == starts).all(), (places == [0, 1]).all())
"""


def test_all_shards_are_mapped_with_far_fewer_files_than_shards(tmp_path):
    """64 files are few even for Python itself; every shard has two."""
    laid(tmp_path, [[3]] * 300)
    done = subprocess.run(
        [sys.executable, "-c", OPEN_MANY, tmp_path], capture_output=True, text=True, check=False
    )
    assert (done.stdout.split(), done.stderr) == (["300", "True", "True"], "")


def test_a_window_outside_the_tokens_is_refused(tmp_path):
    tokens = Tokens.of(laid(tmp_path, [[4, 6]]))
    message = r"windows of 3 tokens from {} to {} on are not all within the 10 tokens"
    for start in (-1, 8):
        with pytest.raises(ValueError, match=message.format(start, start)):
            read(tokens, [start], 3)
        with pytest.raises(ValueError, match="not all within"):
            placed(tokens, [start], [-1], 3)
        with pytest.raises(ValueError, match="not all within"):
            tokens.will_need(np.array([start]), 3)


@pytest.mark.parametrize("rows", [np.empty((1, 3), "<i4"), np.empty((3, 1), "<u2").T], ids=str)
def test_rows_of_another_kind_are_refused(tmp_path, rows):
    tokens = Tokens.of(laid(tmp_path, [[9]]))
    with pytest.raises(ValueError, match=r"rows of \S+ .* for 2 windows of uint16; expected one"):
        tokens.read(np.array([0, 1]), rows)


def test_a_floor_after_its_window_is_refused(tmp_path):
    tokens = Tokens.of(laid(tmp_path, [[9]]))
    with pytest.raises(ValueError, match=r"1 rows and 1 floors for 1 windows; .* no floor after"):
        placed(tokens, [2], [3], 2)
    with pytest.raises(ValueError, match="2 rows and 1 floors for 1 windows"):
        tokens.place(np.array([2]), np.array([2]), np.empty((2, 3), np.int64))


def test_shards_of_different_types_are_refused(tmp_path):
    prefixes = [lay_shard(tmp_path / dtype[1:], [[1]], dtype) for dtype in DTYPES]
    with pytest.raises(ConfigError, match=r"i4 stores tokens as int32 but \S+u2 as uint16"):
        Tokens.of(prefixes)


@pytest.mark.parametrize("path_of", [data_path, index_path])
def test_a_shard_cut_short_after_it_was_opened_is_an_error_and_not_the_end(tmp_path, path_of):
    [prefix] = laid(tmp_path, [[4, 6]])
    tokens = Tokens.of([prefix])
    path = path_of(prefix)
    os.truncate(path, 7)
    with pytest.raises(FormatError, match=f"{path.name} has 7 bytes but had \\d+ when it was"):
        read(tokens, [0], 3)


@pytest.mark.parametrize("pointer", [-2, 10, 22, 2**40])
def test_an_index_whose_documents_are_out_of_order_is_named(tmp_path, pointer):
    """The second of three documents should start at byte 8 and end at byte 12."""
    [prefix] = laid(tmp_path, [[4, 2, 4]])
    with index_path(prefix).open("r+b") as file:
        file.seek(HEADER.size + 4 * 3 + 8 * (0 if pointer < 0 or pointer == 10 else 1))
        file.write(np.int64(pointer).tobytes())
    tokens = Tokens.of([prefix])
    with pytest.raises(FormatError, match=r"idx has documents that do not start one after the"):
        placed(tokens, [0], [0], 10)


def test_what_lies_past_four_gigabytes_is_found_without_holding_the_index(tmp_path):
    """Files with holes, so that they take no room: 2^32 tokens of 4 bytes in 2^21 documents.

    Their index has 42 MB, of which next to nothing is held.
    """
    prefix, count, each = tmp_path / "train-00000", 2**21, 2**11
    with data_path(prefix).open("wb") as file:
        file.truncate(4 * count * each)
        file.seek(4 * (count - 1) * each)
        file.write(np.arange(each, dtype="<i4").tobytes())
    lay_index(prefix, np.full(count, each), "<i4")
    tracemalloc.start()
    tokens = Tokens.of([prefix])
    starts = np.array([(count - 1) * each - 3])
    assert read(tokens, starts, 6).tolist() == [[0, 0, 0, 0, 1, 2]]
    assert placed(tokens, starts, starts, 6).tolist() == [[0, 1, 2, 0, 1, 2]]
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
