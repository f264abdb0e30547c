"""The bytes of a file as far as they can be read, and what is said where they end."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.sources import compressed
from corpusforge.sources.compressed import BLOCK, CutShortError, read_blocks

TEXT = b"".join(b"line %d of the file\n" % (i * i) for i in range(60))


def read(path):
    """What a file gives, and what it complains of."""
    got = b""
    try:
        for block in read_blocks(path):
            assert block
            got += block
    except CutShortError as error:
        return got, str(error)
    return got, None


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=4), st.integers(0, 3))
def test_gzip_members_are_read_as_one_file_whatever_their_number(tmp_path_factory, parts, padding):
    path = tmp_path_factory.mktemp("gzip") / "file.gz"
    path.write_bytes(b"".join(map(gzip.compress, parts)) + bytes(padding))
    assert read(path) == (b"".join(parts), None)


@given(st.binary().filter(lambda content: not content.startswith(b"\x1f\x8b")))
def test_plain_bytes_are_given_as_they_are(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("plain") / "file.xml"
    path.write_bytes(content)
    assert read(path) == (content, None)


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_files_of_many_blocks_are_whole(tmp_path, compress):
    content = bytes(range(251)) * (5 * BLOCK // 251)
    noise = zlib.compress(content)  # does not compress again, so that blocks are read one by one
    (tmp_path / "file").write_bytes(compress(content + noise * 40))
    assert read(tmp_path / "file") == (content + noise * 40, None)


@pytest.mark.parametrize("size", [2, 3, 7, 64, 65])
def test_where_blocks_are_cut_does_not_matter(tmp_path, monkeypatch, size):
    """In headers, in trailers, between members and inside padding."""
    monkeypatch.setattr(compressed, "BLOCK", size)
    members = gzip.compress(TEXT) + gzip.compress(b"") + bytes(9) + gzip.compress(b"more")
    (tmp_path / "file").write_bytes(members)
    assert read(tmp_path / "file") == (TEXT + b"more", None)


def test_a_file_cut_anywhere_gives_a_beginning_and_says_where_it_ends(tmp_path):
    whole = gzip.compress(TEXT)
    for size in range(2, len(whole)):
        (tmp_path / "cut.gz").write_bytes(whole[:size])
        got, complaint = read(tmp_path / "cut.gz")
        assert TEXT.startswith(got)
        assert complaint == f"ends inside the compressed stream, at byte {size}"
    assert got == TEXT  # only the checksum is missing


def test_a_second_member_cut_anywhere_is_not_taken_for_the_end(tmp_path):
    first, second = gzip.compress(TEXT), gzip.compress(b"more")
    for size in range(1, len(second)):
        (tmp_path / "cut.gz").write_bytes(first + second[:size])
        got, complaint = read(tmp_path / "cut.gz")
        assert got.startswith(TEXT)
        assert complaint == f"ends inside the compressed stream, at byte {len(first) + size}"


def test_no_changed_byte_of_the_data_goes_unnoticed(tmp_path):
    whole = gzip.compress(TEXT)
    for place in range(10, len(whole) - 4):
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        (tmp_path / "bad.gz").write_bytes(damaged)
        _, complaint = read(tmp_path / "bad.gz")
        assert complaint is not None, f"byte {place}"


def test_damage_is_said_with_its_place_and_kind(tmp_path):
    whole = bytearray(gzip.compress(TEXT))
    whole[-8] ^= 1  # the checksum
    (tmp_path / "bad.gz").write_bytes(whole)
    _, complaint = read(tmp_path / "bad.gz")
    assert complaint.startswith(f"damaged before byte {len(whole)}: ")
    assert "incorrect data check" in complaint


def test_what_precedes_the_damaged_block_is_given(tmp_path):
    noise = b"".join(zlib.compress(b"%d" % i) for i in range(80_000))
    whole = bytearray(gzip.compress(noise))
    assert len(whole) > 3 * BLOCK
    whole[2 * BLOCK + 100 : 2 * BLOCK + 600] = b"\xff" * 500
    (tmp_path / "bad.gz").write_bytes(whole)
    got, complaint = read(tmp_path / "bad.gz")
    assert noise.startswith(got[: 2 * BLOCK - 1000])
    assert len(got) > 2 * BLOCK - 1000
    assert complaint.startswith("damaged before byte ")


@pytest.mark.parametrize("garbage", [b"x", b"<html>", b"\0\0x", b"\x1f", b"\x1f\x8b"])
def test_bytes_after_the_last_member_do_not_vanish_silently(tmp_path, garbage):
    (tmp_path / "long.gz").write_bytes(gzip.compress(TEXT) + garbage)
    got, complaint = read(tmp_path / "long.gz")
    assert got == TEXT
    assert complaint is not None


@pytest.mark.parametrize("zeros", [1, 512, 3 * BLOCK])
def test_zeros_after_a_member_are_padding(tmp_path, zeros):
    padded = gzip.compress(TEXT) + bytes(zeros)
    (tmp_path / "padded.gz").write_bytes(padded)
    assert read(tmp_path / "padded.gz") == (TEXT, None)
    (tmp_path / "padded.gz").write_bytes(padded + gzip.compress(b"more"))
    assert read(tmp_path / "padded.gz") == (TEXT + b"more", None)


def test_an_empty_file_has_no_blocks(tmp_path):
    (tmp_path / "empty").touch()
    assert read(tmp_path / "empty") == (b"", None)


def test_a_block_stays_small_even_where_a_file_is_one_long_run(tmp_path):
    """Zeros compress best: 1,032 to one."""
    (tmp_path / "zeros.gz").write_bytes(gzip.compress(bytes(100 << 20), compresslevel=1))
    sizes = [len(block) for block in read_blocks(tmp_path / "zeros.gz")]
    assert sum(sizes) == 100 << 20
    assert max(sizes) <= 65 << 20
