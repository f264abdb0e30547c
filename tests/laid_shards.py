"""Shards written byte by byte as the format says, without the package and without waiting."""

import struct

import numpy as np

CODES = {np.dtype("<u2"): 8, np.dtype("<i4"): 4}


def lay_shard(prefix, documents, dtype="<u2"):
    """Write documents (lists of ids) as one shard; its path without `.bin` and `.idx`."""
    dtype = np.dtype(dtype)
    tokens = np.concatenate([np.empty(0, dtype), *(np.array(ids, dtype) for ids in documents)])
    tokens.astype(dtype).tofile(prefix.with_name(prefix.name + ".bin"))
    lay_index(prefix, np.array([len(ids) for ids in documents], np.int64), dtype)
    return prefix


def lay_index(prefix, lengths, dtype):
    """Write the `.idx` of documents of these lengths."""
    n, dtype = len(lengths), np.dtype(dtype)
    with prefix.with_name(prefix.name + ".idx").open("wb") as file:
        file.write(struct.pack("<9sQBQQ", b"MMIDIDX\0\0", 1, CODES[dtype], n, n + 1))
        lengths.astype("<i4").tofile(file)
        ((np.cumsum(lengths) - lengths) * dtype.itemsize).astype("<i8").tofile(file)
        np.arange(n + 1, dtype="<i8").tofile(file)
