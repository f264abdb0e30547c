"""Lines of a dump: whatever the compression, every one before the damage, and one loss for it."""

import bz2
import gzip
import lzma
import tracemalloc

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.reasons import Reason
from corpusforge.sources.lines import Line, read_lines
from corpusforge.sources.records import Lost
from corpusforge.sources.streams import PIECE

TEXT = b"".join(b'{"record": %d, "half": "%x"}\n' % (i, i * i * i) for i in range(400))
COMPRESS = {
    "plain": bytes,
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
every_compression = pytest.mark.parametrize("compress", COMPRESS.values(), ids=COMPRESS)
each_stream = pytest.mark.parametrize("name", ["gzip", "xz", "bzip2", "zstd"])
bodies = st.binary(max_size=20).map(lambda line: b"{" + line.replace(b"\n", b"") + b"}")


@pytest.fixture
def lines(tmp_path):
    """The lines of a file of these bytes."""

    def read(content, **limits):
        (tmp_path / "dump").write_bytes(content)
        return list(read_lines(tmp_path / "dump", **limits))

    return read


def contents(found):
    return [line.content for line in found if isinstance(line, Line)]


@every_compression
def test_every_line_comes_with_its_place(lines, compress):
    found = lines(compress(TEXT))
    assert contents(found) == TEXT.splitlines()
    for line in found:
        assert TEXT[line.offset :].startswith(line.content)
        assert line.ended


@given(st.lists(bodies, min_size=1, max_size=30), st.sampled_from(list(COMPRESS)), st.booleans())
def test_several_streams_are_one_file(tmp_path_factory, records, name, ended):
    path = tmp_path_factory.mktemp("lines") / "dump"
    whole = b"\n".join(records) + (b"\n" if ended else b"")
    middle = len(whole) // 2
    path.write_bytes(COMPRESS[name](whole[:middle]) + COMPRESS[name](whole[middle:]))
    found = list(read_lines(path))
    assert contents(found) == records
    assert found[-1].ended == ended


@each_stream
def test_a_file_cut_anywhere_keeps_its_first_lines_and_tells_one_loss(lines, name):
    whole = COMPRESS[name](TEXT)
    for size in range(8, len(whole), 61):
        *kept, loss = lines(whole[:size])
        assert contents(kept) == TEXT.splitlines()[: len(kept)]
        assert loss.rejection.reason is Reason.TRUNCATED
        assert "dump ends inside the compressed stream, at byte" in loss.rejection.detail


@each_stream
def test_damage_keeps_what_precedes_it_and_tells_one_loss(lines, name):
    first, second = COMPRESS[name](TEXT), bytearray(COMPRESS[name](TEXT))
    second[len(second) // 2 : len(second) // 2 + 40] = bytes(range(60, 100))
    *kept, loss = lines(first + second)
    assert contents(kept)[:400] == TEXT.splitlines()
    assert loss.rejection.reason is Reason.TRUNCATED
    assert "dump damaged before byte" in loss.rejection.detail


@each_stream
def test_garbage_after_the_last_stream_does_not_vanish(lines, name):
    *kept, loss = lines(COMPRESS[name](TEXT) + b"<html>")
    assert contents(kept) == TEXT.splitlines()
    assert loss.rejection.reason is Reason.TRUNCATED


@each_stream
@pytest.mark.parametrize("zeros", [4, 512, 3 * PIECE])
def test_zeros_between_and_after_streams_are_padding(lines, name, zeros):
    found = lines((COMPRESS[name](TEXT) + bytes(zeros)) * 2)
    assert contents(found) == TEXT.splitlines() * 2


def test_a_skippable_frame_is_skipped(lines):
    """Parallel zstd writes them, at the start too."""
    frame = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"size"
    assert contents(lines(frame + COMPRESS["zstd"](TEXT))) == TEXT.splitlines()


@pytest.mark.parametrize("character", ["\u0085", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\r"])
def test_only_a_newline_ends_a_line(lines, character):
    record = f'{{"abstract": "one{character}line"}}'.encode()
    assert contents(lines(record + b"\n" + record)) == [record, record]


def test_blank_lines_are_no_records(lines):
    assert contents(lines(b"\n\r\n{1}\r\n  \n\n{2}\n \n")) == [b"{1}\r", b"{2}"]


def test_an_empty_file_has_no_lines(lines):
    assert lines(b"") == []


@pytest.mark.parametrize("ending", [b"\n{3}\n", b"\n{3}", b"\n", b""])
def test_an_overlong_line_is_lost_alone(lines, ending):
    found = lines(b"{1}\n" + b"x" * 300_000 + ending, longest=100_000)
    loss = next(line for line in found if isinstance(line, Lost))
    assert contents(found) == ([b"{1}", b"{3}"] if b"3" in ending else [b"{1}"])
    assert (loss.key, loss.rejection.reason) == ("dump@4", Reason.UNREADABLE)
    assert (loss.rejection.observed, loss.rejection.limit) == (300_000, 100_000)


def test_a_line_of_the_limit_is_kept(lines):
    assert contents(lines(b"x" * 1000 + b"\n", longest=1000)) == [b"x" * 1000]


@pytest.mark.parametrize("name", ["gzip", "xz", "bzip2", "zstd"])
def test_a_file_that_is_one_endless_line_does_not_fill_the_memory(tmp_path, name):
    (tmp_path / "zeros").write_bytes(COMPRESS[name](b"0" * (192 << 20)))
    tracemalloc.start()
    [loss] = read_lines(tmp_path / "zeros", longest=1 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert loss.rejection.observed == 192 << 20
    assert peak < 140 << 20
