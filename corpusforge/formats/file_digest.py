"""What a file holds in 32 bytes, read from the disk and not from what was meant to be written."""

import os
from hashlib import file_digest
from pathlib import Path

from msgspec import Struct

from corpusforge.errors import ContractError


class FileRecord(Struct, frozen=True):
    """The size and the digest of one file."""

    bytes: int
    sha256: str  # in hexadecimal, as `sha256sum` prints it


def file_record(path: Path) -> FileRecord:
    """Read a file and record it."""
    with path.open("rb") as file:
        # What is on the disk counts, and not the copy in memory; a hint that a system may ignore.
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        digest = file_digest(file, "sha256").hexdigest()
        return FileRecord(file.tell(), digest)


def check_written(path: Path, written: str) -> FileRecord:
    """Read back a file that was just written.

    Args:
        path: The file, already synced.
        written: SHA-256 of the bytes that were given to the system.

    Raises:
        ContractError: The disk returns other bytes.
    """
    found = file_record(path)
    if found.sha256 != written:
        raise ContractError(
            f"{path} does not hold what was written to it: its SHA-256 is {found.sha256}, expected "
            f"{written}; the disk or the file system returned other bytes: check it, then run the "
            f"same command again"
        )
    return found
