"""A file mapped into memory without keeping it open.

Python's own mmap keeps a descriptor of every file for as long as it is mapped (until 3.13 without
a choice), and most systems allow a process 1,024 of them; a corpus may have more shards than that.
The system call itself needs none once it has returned. Linux allows 65,530 mappings.
"""

import ctypes
import mmap
import os
import weakref
from pathlib import Path

from corpusforge.errors import FormatError

_FAILED = ctypes.c_void_p(-1).value
_LIBC = ctypes.CDLL(None, use_errno=True)
_MMAP, _MUNMAP, _MADVISE = _LIBC.mmap, _LIBC.munmap, _LIBC.madvise
_MMAP.restype = ctypes.c_void_p
_MMAP.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
]
_MUNMAP.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_MADVISE.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class MappedFile:
    """The first bytes of a file, for reading, until it is closed or forgotten."""

    def __init__(self, path: Path, size: int) -> None:
        """Map `size` bytes, at least 1.

        Raises:
            FormatError: The file is shorter: reading what is not there would end the process.
            OSError: The file cannot be opened or mapped.
        """
        descriptor = os.open(path, os.O_RDONLY)
        try:
            actual = os.fstat(descriptor).st_size
            if actual < size:
                raise FormatError(
                    f"{path} has {actual:,} bytes but had {size:,} when it was opened. Was it "
                    f"written again meanwhile? Start the program anew"
                )
            address = _MMAP(None, size, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, 0)
            if address == _FAILED:
                code = ctypes.get_errno()
                raise OSError(code, os.strerror(code), str(path))
        finally:
            os.close(descriptor)
        self.address: int = address
        self.size = size
        self._release = weakref.finalize(self, _MUNMAP, address, size)
        self._release.atexit = False  # the system does it, and a thread may still be reading

    def close(self) -> None:
        """Give the memory back; the address must not be used any more."""
        self._release()

    def will_need(self, offset: int, length: int) -> None:
        """Ask for bytes to be read from disk ahead of their use, without waiting for them."""
        begin = offset - offset % mmap.PAGESIZE
        # Advice: it may be refused, and nothing is wrong then.
        _MADVISE(self.address + begin, offset + length - begin, mmap.MADV_WILLNEED)
