"""Members of an archive, compared with what `tarfile` reads of the same bytes."""

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.sources.compressed import CutShortError
from corpusforge.sources.tar_stream import read_members

names = st.text(st.characters(exclude_characters="\0/", exclude_categories=["Cs"]), min_size=1)
paths = st.lists(names.map(lambda part: part[:90]), min_size=1, max_size=3).map("/".join)
members = st.lists(st.tuples(paths, st.binary(max_size=1200)), max_size=5)


def archive(files, style=tarfile.PAX_FORMAT, **extra):
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=style) as tar:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            info.pax_headers = extra
            tar.addfile(info, io.BytesIO(content))
    return held.getvalue()


def read(data, size=700):
    found = []
    blocks = (data[i : i + size] for i in range(0, len(data), size))
    try:
        found.extend((m.name, m.content.read(m.size)) for m in read_members(blocks))
    except CutShortError as error:
        return found, str(error)
    return found, None


@given(members, st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]), st.integers(1, 2000))
def test_members_are_those_that_tarfile_reads(files, style, size):
    data = archive(files, style)
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        expected = [(info.name, tar.extractfile(info).read()) for info in tar]
    found, complaint = read(data, size)
    assert complaint is None
    # tarfile drops a slash at the end, which only a folder should have
    assert [(name.rstrip("/"), content) for name, content in found] == expected


def test_ustar_names_in_two_parts_are_whole():
    name = "a" * 120 + "/" + "b" * 90
    assert read(archive([(name, b"x")], tarfile.USTAR_FORMAT)) == ([(name, b"x")], None)


def test_other_fields_of_pax_are_passed_over():
    data = archive([("n" * 150, b"x")], comment="path=elsewhere\n7 size=9\n", mtime="1.5")
    assert read(data) == ([("n" * 150, b"x")], None)


def test_only_files_are_members():
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as tar:
        for kind in (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo(f"kind {kind}")
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
        tar.addfile(tarfile.TarInfo("last"))
    assert read(held.getvalue()) == ([("last", b"")], None)


def test_a_member_that_nobody_reads_is_passed_over():
    data = archive([("a", b"x" * 5000), ("b", b"y")])
    assert [member.name for member in read_members([data])] == ["a", "b"]


def test_archives_one_after_the_other_are_one():
    both = archive([("a", b"1")]) + archive([("b", b"2")])
    assert read(both) == ([("a", b"1"), ("b", b"2")], None)


def test_an_archive_cut_anywhere_keeps_whole_members_and_says_where_it_ends():
    data = archive([("a", b"x" * 700), ("b", b"y" * 300)], tarfile.GNU_FORMAT)
    for size in range(1, 2560, 37):
        found, complaint = read(data[:size])
        assert complaint is not None
        assert [content for _, content in found if len(content) in (700, 300)] == [
            content for end, content in ((1212, b"x" * 700), (2348, b"y" * 300)) if size >= end
        ]


@pytest.mark.parametrize("place", [0, 124, 150, 156])
def test_a_damaged_header_ends_the_reading(place):
    data = bytearray(archive([("a", b""), ("b", b"")], tarfile.GNU_FORMAT))
    data[512 + place] ^= 0x41
    assert read(data) == ([("a", b"")], "no tar header at byte 512 of the archive")


def test_what_is_too_short_for_a_header_is_told_by_where_it_begins():
    with pytest.raises(CutShortError, match="no tar header at byte 0 of the archive"):
        list(read_members([b"no archive at all"]))


def test_a_header_cannot_ask_for_memory():
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 16 << 30
    _, complaint = read(info.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    assert "has a header of 17,179,869,184 bytes" in complaint


def test_sizes_beyond_eight_gibibytes_are_read():
    info = tarfile.TarInfo("huge")
    info.size = 9 << 30
    [member] = take_one(info.tobuf(tarfile.GNU_FORMAT))
    assert member.size == 9 << 30


def take_one(header):
    for member in read_members([header]):
        return [member]
    return []
