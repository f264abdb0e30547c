"""The members of a tar archive as they come by: nothing is unpacked, nothing is written.

Python's `tarfile` keeps a record of every member that it passed, and allocates what a header asks
for; a provider's archive in a dump has millions of members. This reads ustar, GNU and pax headers
and holds one of them. A name is only ever compared, so where it leads does not matter.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from corpusforge.sources.byte_stream import ByteStream
from corpusforge.sources.compressed import CutShortError

BLOCK = 512
ZEROS = bytes(BLOCK)
LONGEST_HEADER = 1 << 20  # bytes of a long name or of pax fields
FILES = b"\0" + b"07"
LONG_NAME, PAX, PAX_GLOBAL, LONG_LINK = b"L", b"x", b"g", b"K"
NO_CONTENT = b"123456"  # links, devices, folders and pipes
PAX_FIELD = re.compile(rb"(\d{1,7}) (path|size)=")


@dataclass(frozen=True)
class Member:
    """One file of an archive. Its content is to be read before the next member is asked for."""

    name: str
    size: int
    content: ByteStream  # not limited to this member: read `size` bytes and no more


@dataclass(frozen=True)
class _Header:
    name: bytes
    size: int
    kind: bytes


def read_members(blocks: Iterable[bytes]) -> Iterator[Member]:
    """Every regular file, in order; archives that were written one after the other are one.

    Raises:
        CutShortError: The archive ends without its mark, inside a member, or goes on with bytes
            that are no header. What was given before is good.
    """
    stream = ByteStream(blocks)
    name, size, ended = b"", -1, False
    while block := stream.read(BLOCK):
        if block == ZEROS:
            ended = True
            continue
        ended = False
        header = _header(block, stream.offset - len(block))
        if header.kind in (LONG_NAME, PAX, PAX_GLOBAL, LONG_LINK):
            content = _small_content(stream, header)
            if header.kind == LONG_NAME:
                name = content.partition(b"\0")[0]
            elif header.kind == PAX:
                fields = _pax_fields(content)
                name = fields.get(b"path", name)
                size = int(fields.get(b"size", size))
            continue
        length = _length(header) if size < 0 else size
        start = stream.offset
        if header.kind in FILES:
            text = (name or header.name).decode("utf-8", "backslashreplace")
            yield Member(text, length, stream)
        rest = start + _padded(length) - stream.offset
        if stream.skip(rest) < rest:
            raise CutShortError(f"ends inside a member, at byte {stream.offset:,} of the archive")
        name, size = b"", -1
    if not ended:
        raise CutShortError(f"ends without its mark, at byte {stream.offset:,} of the archive")


def starts_archive(block: bytes) -> bool:
    """Whether the first bytes of something are the header of an archive's first member."""
    try:
        _header(block, 0)
    except CutShortError:
        return False
    return True


def _header(block: bytes, offset: int) -> _Header:
    # The sum counts its own eight bytes as blanks.
    total = sum(block[:148]) + sum(block[156:]) + 8 * ord(" ")
    told = block[148:156].strip(b" \0")
    if len(block) < BLOCK or not re.fullmatch(b"[0-7]{1,7}", told) or int(told, 8) != total:
        raise CutShortError(f"no tar header at byte {offset:,} of the archive")
    name, prefix = block[:100].partition(b"\0")[0], block[345:500].partition(b"\0")[0]
    if prefix and block[257:263] == b"ustar\0":
        name = prefix + b"/" + name
    return _Header(name, _number(block[124:136], offset), block[156:157])


def _number(field: bytes, offset: int) -> int:
    """Octal digits, or from 8 GiB on the number itself after a byte 0x80."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0") or b"0"
    if not re.fullmatch(b"[0-7]+", digits):
        raise CutShortError(f"no size of a member at byte {offset:,} of the archive: {field!r}")
    return int(digits, 8)


def _length(header: _Header) -> int:
    return 0 if header.kind in NO_CONTENT else header.size


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def _small_content(stream: ByteStream, header: _Header) -> bytes:
    if header.size > LONGEST_HEADER:
        raise CutShortError(
            f"has a header of {header.size:,} bytes at byte {stream.offset:,} of the archive; "
            f"names and fields have no more than {LONGEST_HEADER:,}"
        )
    return stream.read(_padded(header.size))[: header.size]


def _pax_fields(content: bytes) -> dict[bytes, bytes]:
    """Name and size, the fields that say where the next member ends and what it is called."""
    fields: dict[bytes, bytes] = {}
    start = 0
    while found := PAX_FIELD.match(content, start) or _other_field(content, start):
        end = start + int(found[1])
        if found.re is PAX_FIELD:
            fields[found[2]] = content[found.end() : end - 1]
        start = max(end, found.end())
    size = fields.get(b"size", b"0")
    return fields if size.isdigit() else {key: fields[key] for key in fields if key != b"size"}


def _other_field(content: bytes, start: int) -> re.Match[bytes] | None:
    return re.compile(rb"(\d{1,7}) [^=]+=").match(content, start)
