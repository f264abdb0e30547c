"""The bytes of a plain or gzip file, in blocks, as far as they can be read."""

import zlib
from collections.abc import Iterator
from pathlib import Path

BLOCK = 1 << 20
GZIP = b"\x1f\x8b"


class CutShortError(Exception):
    """The file is damaged or ends early; the blocks before this point are good."""


def read_blocks(path: Path) -> Iterator[bytes]:
    """Decompressed blocks of at most a few MiB; any number of gzip members, or plain bytes.

    Raises:
        CutShortError: After the last good block.
    """
    with path.open("rb") as file:
        block = file.read(BLOCK)
        if not block.startswith(GZIP):
            while block:
                yield block
                block = file.read(BLOCK)
            return
        member = zlib.decompressobj(wbits=31)
        while block:
            try:
                data = member.decompress(block)
            except zlib.error as error:
                raise CutShortError(f"damaged before byte {file.tell():,}: {error}") from error
            if data:
                yield data
            block = member.unused_data or file.read(BLOCK)
            if member.eof and block:
                member = zlib.decompressobj(wbits=31)
        if not member.eof:
            raise CutShortError(f"ends inside the compressed stream, at byte {file.tell():,}")
