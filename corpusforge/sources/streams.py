"""The bytes of a file in any compression that dumps come in: gzip, xz, bzip2, zstd or none."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

import zstandard

from corpusforge.sources.byte_stream import ByteStream
from corpusforge.sources.compressed import GZIP, PADDING, CutShortError, read_blocks

# Bytes given to a decompressor at once. zstd can make 128 KiB of four bytes, so 64 MiB of these;
# xz and bzip2 can make more, and are asked for `MOST` at a time.
PIECE = 2048
MOST = 1 << 20
DICTIONARY = 128 << 20  # bytes of memory that one xz stream may ask for; `xz -9` asks for 65 MiB


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Whole:
    """A decompressor that gives at once all that it makes of its input: zlib's and zstd's."""

    needs_input = True

    def __init__(self, stream: Any) -> None:  # noqa: ANN401  (two libraries, no common type)
        self._stream = stream

    @property
    def eof(self) -> bool:
        return bool(self._stream.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._stream.unused_data)

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return bytes(self._stream.decompress(data))


def _gzip() -> _Decompressor:
    return _Whole(zlib.decompressobj(wbits=31))


def _xz() -> _Decompressor:
    return lzma.LZMADecompressor(memlimit=DICTIONARY)


def _zstd() -> _Decompressor:
    return _Whole(zstandard.ZstdDecompressor().decompressobj())


FORMATS: tuple[tuple[bytes, Callable[[], _Decompressor]], ...] = (
    (GZIP, _gzip),
    (b"\xfd7zXZ\0", _xz),
    (b"BZh", bz2.BZ2Decompressor),
    (b"\x28\xb5\x2f\xfd", _zstd),
    *((bytes([0x50 | kind]) + b"\x2a\x4d\x18", _zstd) for kind in range(16)),  # skippable frames
)
LONGEST_MAGIC = max(len(magic) for magic, _ in FORMATS)


def read_stream(path: Path) -> Iterator[bytes]:
    """Decompressed blocks of at most 64 MiB; any number of members, streams or frames.

    What the file is, its first bytes say; its name does not count.

    Raises:
        CutShortError: After the last good block: damage, a stream that does not end, or bytes
            after the last one that are neither a stream nor zeros.
    """
    with path.open("rb") as file:
        opened = decompressor_for(file.read(LONGEST_MAGIC))
        if opened is not None:
            file.seek(0)
            yield from decompressed(file, opened)
            return
    yield from read_blocks(path)


def unpacked(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same of the blocks of a file inside another; raises like `read_stream`."""
    packed = ByteStream(blocks)
    head = packed.read(LONGEST_MAGIC)
    opened = decompressor_for(head)
    whole = ByteStream(_joined(head, packed))
    if opened is None:
        while block := whole.read_some(MOST):
            yield block
    else:
        yield from decompressed(whole, opened)


def _joined(head: bytes, rest: ByteStream) -> Iterator[bytes]:
    yield head
    while block := rest.read_some(MOST):
        yield block


def decompressor_for(head: bytes) -> Callable[[], _Decompressor] | None:
    """What makes decompressors for a file that starts with `head`; None for plain bytes."""
    return next((opened for magic, opened in FORMATS if head.startswith(magic)), None)


def decompressed(file: _Readable, opened: Callable[[], _Decompressor]) -> Iterator[bytes]:
    """Blocks of an open file of one format; raises like `read_stream`."""
    stream, piece, read = opened(), file.read(PIECE), 0
    while piece:
        read += len(piece)
        try:
            yield from filter(None, _made(stream, piece))
        except (zlib.error, lzma.LZMAError, OSError, zstandard.ZstdError) as error:
            raise CutShortError(f"damaged before byte {read:,}: {error}") from error
        rest = stream.unused_data
        read -= len(rest)
        piece = rest or file.read(PIECE)
        if stream.eof:
            while piece and not (kept := piece.lstrip(PADDING)):
                read += len(piece)
                piece = file.read(PIECE)
            if piece:
                read += len(piece) - len(kept)
                piece, stream = kept, opened()
    if not stream.eof:
        raise CutShortError(f"ends inside the compressed stream, at byte {read:,}")


def _made(stream: _Decompressor, piece: bytes) -> Iterator[bytes]:
    yield stream.decompress(piece, MOST)
    while not (stream.needs_input or stream.eof):
        yield stream.decompress(b"", MOST)
