"""The bytes of a plain or gzip file, in blocks, as far as they can be read."""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

BLOCK = 1 << 16  # bytes read at once; deflate makes at most 1,032 bytes of one
GZIP = b"\x1f\x8b"
PADDING = b"\0"  # some archives fill the last disk block with it, after the last member


class CutShortError(Exception):
    """The file is damaged or ends early; what it gave before is all that can be decompressed.

    Damage inside a gzip member may show itself only after some wrong bytes, at the latest at the
    checksum that ends the member.
    """


def read_blocks(path: Path) -> Iterator[bytes]:
    """Decompressed blocks of at most 65 MiB; any number of gzip members, or plain bytes.

    Raises:
        CutShortError: After the last good block: damage, a member that does not end, or bytes
            after the last member that are neither a member nor zeros.
    """
    with path.open("rb") as file:
        block = file.read(BLOCK)
        if block.startswith(GZIP):
            yield from _decompressed(block, file)
            return
        while block:
            yield block
            block = file.read(BLOCK)


def _decompressed(block: bytes, file: BinaryIO) -> Iterator[bytes]:
    member = zlib.decompressobj(wbits=31)
    while block:
        try:
            data = member.decompress(block)
        except zlib.error as error:
            raise CutShortError(f"damaged before byte {file.tell():,}: {error}") from error
        if data:
            yield data
        block = member.unused_data or file.read(BLOCK)
        if member.eof:
            while block and not (block := block.lstrip(PADDING)):
                block = file.read(BLOCK)
            if block:
                member = zlib.decompressobj(wbits=31)
    if not member.eof:
        raise CutShortError(f"ends inside the compressed stream, at byte {file.tell():,}")
