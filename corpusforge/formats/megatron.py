"""Token shard: the `.bin/.idx` pair that Megatron-LM and GPT-NeoX train from, version 1.

`<prefix>.bin` holds the token ids of all documents back to back, little-endian, with no header,
no padding and no checksum. `<prefix>.idx`, also little-endian, says where each document lies:

    offset        size   content
    0             9      magic, b"MMIDIDX" and two zero bytes
    9             8      version, 1 (uint64)
    17            1      token type: 8 is uint16, 4 is int32 (there is no code for uint32)
    18            8      sequences, N (uint64)
    26            8      document bounds, D = documents + 1 (uint64)
    34            4 N    tokens of each sequence (int32)
    34 + 4 N      8 N    where each sequence starts in the .bin, in bytes (int64)
    34 + 12 N     8 D    the sequence each document starts with; the first is 0, the last N (int64)

Here a sequence is a document, so D = N + 1 and the bounds are 0, 1, ... N: the .idx has
42 + 20 N bytes. Ids are uint16 if the vocabulary has at most 65,536 entries and int32 otherwise;
readers take the type from the header. Nothing after offset 34 is aligned (34 mod 4 = 2), so the
arrays are copied when read: `np.searchsorted` on an unaligned view copies it on every call.

The pair is committed by its .idx, which appears last: a .bin alone is an interrupted write.
"""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusforge.errors import FormatError
from corpusforge.formats.atomic import atomic_path
from corpusforge.formats.file_digest import FileRecord, check_written

MAGIC = b"MMIDIDX\x00\x00"
VERSION = 1
HEADER = struct.Struct("<9sQBQQ")
DTYPES: dict[int, np.dtype[Any]] = {8: np.dtype("<u2"), 4: np.dtype("<i4")}
TokenBatch = tuple[NDArray[Any], NDArray[Any]]
MAX_DOCUMENT_TOKENS = 2**31 - 1
DOCUMENTS_PER_WRITE = 256  # enough to lose numpy's cost per call among the tokens
DOCUMENTS_PER_PIECE = 1 << 16  # of the index, which is written in pieces: 20 bytes a document
WRITE_AGAIN = "An interrupted write or copy? Delete both files and write the shard again."


@dataclass(frozen=True, eq=False)
class Shard:
    """Read-only view of one shard; nothing is loaded until it is asked for."""

    prefix: Path
    tokens: NDArray[Any]  # (T,) uint16 or int32, memory-mapped
    documents: int

    def __len__(self) -> int:
        return self.documents

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """Tokens of each document, shape (D,)."""
        return np.fromfile(index_path(self.prefix), "<i4", self.documents, offset=HEADER.size)

    @cached_property
    def pointers(self) -> NDArray[np.int64]:
        """Byte of the .bin where each document starts, shape (D,)."""
        offset = HEADER.size + 4 * self.documents
        return np.fromfile(index_path(self.prefix), "<i8", self.documents, offset=offset)

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """Token offsets, shape (D + 1,); FormatError if lengths and pointers disagree."""
        bounds = np.zeros(self.documents + 1, np.int64)
        np.cumsum(self.lengths, dtype=np.int64, out=bounds[1:])
        wrong = np.flatnonzero(bounds[:-1] * self.tokens.itemsize != self.pointers)
        if wrong.size:
            i = int(wrong[0])
            raise FormatError(
                f"{index_path(self.prefix)}: document {i} starts at byte {self.pointers[i]}, but "
                f"the lengths before it add up to byte {bounds[i] * self.tokens.itemsize}. "
                f"{WRITE_AGAIN}"
            )
        return bounds

    def document(self, i: int) -> NDArray[Any]:
        """The tokens of document i, 0 <= i < D, as a view."""
        return self.tokens[self.bounds[i] : self.bounds[i + 1]]


@dataclass(frozen=True, eq=False)
class Written:
    """A new shard, and what its files hold, as read back from disk."""

    shard: Shard
    data: FileRecord
    index: FileRecord


def data_path(prefix: Path) -> Path:
    return prefix.with_name(prefix.name + ".bin")


def index_path(prefix: Path) -> Path:
    return prefix.with_name(prefix.name + ".idx")


def token_dtype(vocab_size: int) -> np.dtype[Any]:
    """The type that ids below `vocab_size` are stored as.

    Raises:
        ValueError: No id of such a vocabulary exists, or int32 cannot hold them all.
    """
    if not 1 <= vocab_size <= 2**31:
        raise ValueError(f"a vocabulary of {vocab_size} entries; expected 1 to {2**31}")
    return DTYPES[8] if vocab_size <= 65536 else DTYPES[4]


def write_shard(prefix: Path, documents: Iterable[NDArray[Any]], vocab_size: int) -> Shard:
    """Write documents as one shard, whole or not at all, and open it.

    Args:
        prefix: Path of the pair without `.bin` and `.idx`; an existing pair is replaced.
        documents: Token ids of each document, any integer type, shape (length,); may be empty.
        vocab_size: Ids run from 0 to `vocab_size - 1`, added tokens included.

    Raises:
        ValueError: An id is outside the vocabulary, or a document is too long for the format.
    """
    return write_batches(prefix, _batched(documents), vocab_size).shard


def write_batches(prefix: Path, batches: Iterable[TokenBatch], vocab_size: int) -> Written:
    """`write_shard` from batches: the ids of some documents back to back, and their lengths.

    Raises:
        ValueError: As in `write_shard`, or the lengths do not add up to the tokens.
        ContractError: A file on disk does not hold what was written to it.
    """
    dtype = token_dtype(vocab_size)
    lengths = [np.empty(0, "<i4")]
    written, indexed = sha256(), sha256()
    # Left in reverse: the .bin takes its place first, and the .idx only if that worked.
    with atomic_path(index_path(prefix)) as index, atomic_path(data_path(prefix)) as data:
        with data.open("wb") as file:
            for tokens, counts in batches:
                _check(tokens, counts, vocab_size)
                ids = np.ascontiguousarray(tokens, dtype).data
                written.update(ids)
                file.write(ids)
                lengths.append(counts.astype("<i4"))
        with index.open("wb") as file:
            for piece in _index(np.concatenate(lengths), dtype):
                indexed.update(piece)
                file.write(piece)
        # From here until the new .idx is in place there is no pair, rather than a mixed one.
        index_path(prefix).unlink(missing_ok=True)
    return Written(
        shard=open_shard(prefix),
        data=check_written(data_path(prefix), written.hexdigest()),
        index=check_written(index_path(prefix), indexed.hexdigest()),
    )


def open_shard(prefix: Path) -> Shard:
    """Map a shard.

    Raises:
        FormatError: A half is missing, this is not a version 1 shard with one sequence per
            document, or the sizes disagree.
    """
    data, index = data_path(prefix), index_path(prefix)
    for half, other in ((data, index), (index, data)):
        if not half.is_file():
            seen = f"{other.name} is there" if other.is_file() else "neither half exists"
            raise FormatError(f"{half} is missing ({seen}; a shard is both). {WRITE_AGAIN}")
    dtype, documents = _read_header(index)
    whole = data.stat().st_size // dtype.itemsize
    # An empty file cannot be mapped. A plain array, because np.memmap slices a third slower.
    mapped = np.memmap(data, dtype, "r", shape=(whole,)) if whole else np.empty(0, dtype)
    shard = Shard(prefix, mapped.view(np.ndarray), documents)
    promised = _promised_bytes(shard)
    if data.stat().st_size != promised:
        raise FormatError(
            f"{data} has {data.stat().st_size:,} bytes but its index promises {promised:,} "
            f"({promised // dtype.itemsize:,} tokens of {dtype.itemsize} bytes). {WRITE_AGAIN}"
        )
    return shard


def _promised_bytes(shard: Shard) -> int:
    """Where the last document ends in the .bin. Only `bounds` reads what lies before it."""
    if not shard.documents:
        return 0
    index, last = index_path(shard.prefix), shard.documents - 1
    length = np.fromfile(index, "<i4", 1, offset=HEADER.size + 4 * last)
    start = np.fromfile(index, "<i8", 1, offset=HEADER.size + 4 * shard.documents + 8 * last)
    return int(start[0]) + int(length[0]) * shard.tokens.itemsize


def _read_header(index: Path) -> tuple[np.dtype[Any], int]:
    """Token type and number of documents, after checking the index against its own header."""
    with index.open("rb") as file:
        head = file.read(HEADER.size)
    if len(head) < HEADER.size or not head.startswith(MAGIC):
        raise FormatError(
            f"{index} is not the index of a token shard: it starts with {head[:9]!r}, "
            f"expected {MAGIC!r}. {WRITE_AGAIN}"
        )
    _, version, code, sequences, bounds = HEADER.unpack(head)
    if version != VERSION or code not in DTYPES:
        raise FormatError(
            f"{index} has version {version} and token type {code}; expected version {VERSION} "
            f"and type 8 (uint16) or 4 (int32). {WRITE_AGAIN}"
        )
    if bounds != sequences + 1:
        raise FormatError(
            f"{index} has {sequences:,} sequences and {bounds:,} document bounds; expected "
            f"{sequences + 1:,}, one sequence per document. Write it with one `add_document` per "
            f"sequence."
        )
    expected, actual = HEADER.size + 12 * sequences + 8 * bounds, index.stat().st_size
    if actual != expected:
        raise FormatError(
            f"{index} has {actual:,} bytes but its header promises {expected:,} "
            f"({sequences:,} documents). {WRITE_AGAIN}"
        )
    return DTYPES[code], sequences


def _index(lengths: NDArray[np.int32], dtype: np.dtype[Any]) -> Iterator[bytes]:
    """The bytes of the .idx, in pieces; the reference's loop over documents takes 26 s for 200 M.

    Only the lengths are held whole, 4 of the 20 bytes a document has in the index.
    """
    n = len(lengths)
    code = next(code for code, known in DTYPES.items() if known == dtype)
    yield HEADER.pack(MAGIC, VERSION, code, n, n + 1)
    pieces = [slice(at, at + DOCUMENTS_PER_PIECE) for at in range(0, n, DOCUMENTS_PER_PIECE)]
    for piece in pieces:
        yield lengths[piece].tobytes()
    before = 0  # tokens; a Python integer, so that bytes beyond 2**31 are no matter
    for piece in pieces:
        ends = before + np.cumsum(lengths[piece], dtype=np.int64)
        yield ((ends - lengths[piece]) * dtype.itemsize).astype("<i8").tobytes()
        before = int(ends[-1])
    for piece in pieces:
        yield np.arange(piece.start, min(piece.stop, n), dtype="<i8").tobytes()
    yield np.array([n], "<i8").tobytes()


def _check(tokens: NDArray[Any], lengths: NDArray[Any], vocab_size: int) -> None:
    """Refuse what the file cannot hold, before a cast that would wrap it silently."""
    if tokens.dtype.kind not in "iu" and tokens.size:
        raise ValueError(f"token ids of type {tokens.dtype}; expected integers")
    if lengths.size and (lengths.min() < 0 or lengths.max() > MAX_DOCUMENT_TOKENS):
        worst = int(lengths.min() if lengths.min() < 0 else lengths.max())
        raise ValueError(
            f"a document of {worst:,} tokens; the format holds 0 to {MAX_DOCUMENT_TOKENS:,}"
        )
    if int(lengths.sum(dtype=np.int64)) != tokens.size:
        raise ValueError(f"{tokens.size} tokens, but lengths that add up to {lengths.sum()}")
    if tokens.size and (tokens.min() < 0 or tokens.max() >= vocab_size):
        worst = int(tokens.min() if tokens.min() < 0 else tokens.max())
        raise ValueError(
            f"token id {worst} is outside the vocabulary of {vocab_size} entries "
            f"(0 to {vocab_size - 1}); does vocab_size count the added tokens?"
        )


def _batched(documents: Iterable[NDArray[Any]]) -> Iterator[TokenBatch]:
    rest = iter(documents)
    while group := list(islice(rest, DOCUMENTS_PER_WRITE)):
        # An empty document may be of any type, and would turn the ids into its type.
        filled = [document for document in group if len(document)]
        tokens = np.concatenate(filled) if filled else np.empty(0, np.int64)
        yield tokens, np.array([len(document) for document in group], np.int64)
