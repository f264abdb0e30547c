"""A landing file: responses of a server, as they came.

A landing zone is a folder of files `landing-00000.gz`, `landing-00001.gz`, …, read in this order.
Each is a sequence of gzip members (RFC 1952), one per response, so `zcat` shows them all. Files are
only ever appended to; a new one is begun when the last has reached `file_bytes`.

A member's header has one extra field, so that a file can be indexed without decompressing it:

    1f 8b 08 04            gzip, deflate, FEXTRA; mtime 0, no flags, operating system unknown
    28 00                  length of what follows: 40
    "CF" 24 00             subfield id, length of what follows: 36
    u64                    length of the whole member in bytes, little-endian
    16 bytes               key: xxh3-128 of the request, big-endian
    u32                    HTTP status
    u64                    received: milliseconds since the epoch

Its content, in UTF-8, is one line of JSON

    {"request": {"url": …, "params": [[name, value], …], "headers": [[name, value], …]},
     "status": …, "headers": {lower-case name: value}}

and after the newline the body, byte for byte as the server sent it (decompressed), but for keys,
which are replaced by `***` in all three.

A member is written by one `write` and synced, so a crash leaves at most the last one incomplete:
its length reaches beyond the end of the file, or its checksum is wrong. Readers ignore such a tail,
and the next writer cuts it off. A response of status 0, without headers and body, strikes out those
to the same request before it.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import xxhash
from msgspec import Struct

from corpusforge.errors import FormatError
from corpusforge.sources.answers import Answer, Request

MAGIC = bytes.fromhex("1f8b08040000000000ff")
HEADER = struct.Struct("<10sH2sHQ16sIQ")
SUBFIELD = b"CF"
TRAILER = struct.Struct("<II")
LEVEL = 6  # of deflate


class _Asked(Struct, frozen=True):
    url: str
    params: tuple[tuple[str, str], ...]
    headers: tuple[tuple[str, str], ...]


class _Line(Struct, frozen=True):
    request: _Asked
    status: int
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a response lies, and what its header says."""

    path: Path
    offset: int
    length: int  # of the whole member, in bytes
    key: bytes
    status: int
    received_ms: int  # since the epoch


@dataclass(frozen=True)
class Landed:
    """One response, and the request that it answers."""

    request: Request
    answer: Answer


def request_key(request: Request) -> bytes:
    """16 bytes that tell requests apart. The order of parameters does not matter."""
    asked = [request.url, sorted(request.params), sorted(request.headers)]
    return xxhash.xxh3_128_digest(msgspec.json.encode(asked))


def member_bytes(landed: Landed, received_ms: int) -> bytes:
    """The gzip member of one response."""
    request, answer = landed.request, landed.answer
    line = _Line(
        _Asked(request.url, request.params, request.headers), answer.status, answer.headers
    )
    content = msgspec.json.encode(line) + b"\n" + answer.body
    deflate = zlib.compressobj(LEVEL, wbits=-15)
    packed = deflate.compress(content) + deflate.flush()
    length = HEADER.size + len(packed) + TRAILER.size
    header = HEADER.pack(
        MAGIC, 40, SUBFIELD, 36, length, request_key(request), answer.status, received_ms
    )
    return header + packed + TRAILER.pack(zlib.crc32(content), len(content) & 0xFFFFFFFF)


def read_member(place: Place) -> Landed:
    """The response at a place.

    Raises:
        FormatError: The bytes there are not what their checksum promises.
    """
    with place.path.open("rb") as file:
        file.seek(place.offset)
        content = _content(file.read(place.length))
    if content is None:
        raise FormatError(
            f"{place.path} is damaged in the response at byte {place.offset:,}; copy the file "
            f"again, or delete it and fetch what was in it anew"
        )
    head, _, body = content.partition(b"\n")
    line = msgspec.json.decode(head, type=_Line)
    request = Request(line.request.url, line.request.params, line.request.headers)
    return Landed(request, Answer(line.status, line.headers, body))


def _content(member: bytes) -> bytes | None:
    """What a member holds, or None if it is damaged."""
    inflate = zlib.decompressobj(wbits=31)
    try:
        content = inflate.decompress(member)
    except zlib.error:
        return None
    return content if inflate.eof and not inflate.unused_data else None


def places(path: Path) -> Iterator[Place]:
    """The complete responses of one file, in order; a half-written one at its end is left out.

    Raises:
        FormatError: Something inside the file is not a response.
    """
    size = path.stat().st_size
    offset = 0
    with path.open("rb") as file:
        while size - offset >= HEADER.size:
            file.seek(offset)
            magic, _, name, _, length, key, status, received = HEADER.unpack(file.read(HEADER.size))
            if magic == bytes(len(MAGIC)):
                return  # some file systems have the length on disk before the bytes
            if magic != MAGIC or name != SUBFIELD or length <= HEADER.size:
                raise FormatError(
                    f"{path} is not a landing file at byte {offset:,}: expected a gzip member of "
                    f"corpusforge; another program wrote into it, so copy it again or delete it"
                )
            place = Place(path, offset, length, key, status, received)
            offset += length
            if offset > size or (size - offset < HEADER.size and not _is_complete(place)):
                return  # only the last one can be half-written
            yield place


def _is_complete(place: Place) -> bool:
    with place.path.open("rb") as file:
        file.seek(place.offset)
        return _content(file.read(place.length)) is not None


def landed_responses(path: Path) -> Iterator[Landed]:
    """The responses of one file, in order. Costs no quota.

    Raises:
        FormatError: A response is damaged.
    """
    return map(read_member, places(path))
