"""Blocks of bytes, read like a file that cannot go back."""

from collections.abc import Iterable, Iterator


class ByteStream:
    """Gives the bytes of an iterable of blocks in the sizes asked for; holds one block."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        """Take the blocks; whatever they raise, `read` raises once, and is at the end then."""
        self._blocks = iter(blocks)
        self._block = b""
        self._start = 0
        self.offset = 0  # bytes given so far

    def read_some(self, most: int) -> bytes:
        """From 1 to `most` bytes; b"" at the end."""
        while self._start == len(self._block):
            following = next(self._blocks, None)
            if following is None:
                return b""
            self._block, self._start = following, 0
        piece = self._block[self._start : self._start + most]
        self._start += len(piece)
        self.offset += len(piece)
        return piece

    def read(self, size: int) -> bytes:
        """`size` bytes; fewer only at the end."""
        pieces = []
        while size and (piece := self.read_some(size)):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def blocks(self, size: int) -> Iterator[bytes]:
        """The following `size` bytes, piece by piece, as far as there are so many."""
        while size and (piece := self.read_some(size)):
            yield piece
            size -= len(piece)

    def skip(self, size: int) -> int:
        """Pass over so many bytes; how many there were."""
        return sum(map(len, self.blocks(size)))
