"""What the manifest of a CORE archive promises of its members: path, length and MD5.

A provider can have many millions of records, so a promise is held as two numbers: the hash of the
path, and the hash of path, length and MD5. An entry without a path is known by the last name of its
address instead, which is that of its file or the number of its record.
"""

import re
from array import array
from collections.abc import Iterable
from hashlib import md5

import numpy as np
import xxhash
from numpy.typing import NDArray

ENTRY = re.compile(rb"<(?:\w+:)?(?:md\b[^<>]*>|loc>(?P<loc>[^<>]*)</)")
ATTRIBUTE = re.compile(rb"""\b(hash|length|path)\s*=\s*["']([^"'<>]*)["']""")
ROOT = re.compile(r"\A(?:\./|/)+")
BY_NAME = "/"  # before a name without its folders: a path as it is compared never starts so
LONGEST_ENTRY = 1 << 16  # bytes that a tag can have; what comes before an open one is done with


class Manifest:
    """The promises of one manifest."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        """Read the manifest's XML."""
        paths, whole = array("Q"), array("Q")
        tail = address = b""
        self.nameless = 0  # entries that no member can be held against
        for block in blocks:
            tail += block
            last = 0
            for entry in ENTRY.finditer(tail):
                last = entry.end()
                if entry["loc"] is not None:
                    address = entry["loc"]
                    continue
                told = {found[1]: found[2] for found in ATTRIBUTE.finditer(entry[0])}
                path = _name_of(told.get(b"path", b""), address)
                address = b""
                self.nameless += bool(told) and not path
                if told and path:
                    digest = told.get(b"hash", b"").rpartition(b":")[2].lower()
                    paths.append(_path_hash(path))
                    whole.append(_hash(path, told.get(b"length", b""), digest))
            tail = tail[max(last, len(tail) - LONGEST_ENTRY) :]
        self._paths, self._whole = _sorted(paths), _sorted(whole)

    def __len__(self) -> int:
        """How many paths it lists."""
        repeated = np.count_nonzero(self._paths[1:] == self._paths[:-1])
        return len(self._paths) - int(repeated)

    def breaks(self, path: str, content: bytes) -> bool:
        """Whether a member is listed, but with another length or MD5."""
        digest = md5(content, usedforsecurity=False).hexdigest().encode()
        length = b"%d" % len(content)
        if any(_holds(self._whole, _hash(name, length, digest)) for name in _names(path)):
            return False
        return self.lists(path)

    def lists(self, path: str) -> bool:
        """Whether the archive should have a member of this path."""
        return any(_holds(self._paths, _path_hash(name)) for name in _names(path))


def member_path(name: str) -> str:
    """A path as it is compared: archives write "/a/b", "./a/b" and "a/b"."""
    return ROOT.sub("", name)


def _names(path: str) -> tuple[str, str]:
    """What a member may be listed under: its path, or the last name of an address."""
    return path, f"{BY_NAME}{path.rpartition('/')[2]}"


def _name_of(path: bytes, address: bytes) -> str:
    """What an entry lists a member under; empty if it does not say."""
    if path:
        return member_path(path.decode("utf-8", "replace"))
    last = address.strip().rstrip(b"/").rpartition(b"/")[2].decode("utf-8", "replace")
    if last.endswith(".json"):
        return f"{BY_NAME}{last}"
    return f"{BY_NAME}{last}.json" if last.isascii() and last.isdigit() else ""


def _hash(path: str, length: bytes, digest: bytes) -> int:
    return xxhash.xxh3_64_intdigest(b"\0".join((path.encode(), length, digest)))


def _path_hash(path: str) -> int:
    return xxhash.xxh3_64_intdigest(path.encode())


def _sorted(hashes: "array[int]") -> NDArray[np.uint64]:
    """In place: ten million promises are 160 MB, and a copy would be as much again."""
    values: NDArray[np.uint64] = np.asarray(hashes, np.uint64)
    values.sort()
    return values


def _holds(sorted_hashes: NDArray[np.uint64], value: int) -> bool:
    place = int(np.searchsorted(sorted_hashes, np.uint64(value)))
    return place < len(sorted_hashes) and int(sorted_hashes[place]) == value
