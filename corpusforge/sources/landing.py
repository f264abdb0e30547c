"""The landing zone: every response that cost quota, before anything reads it.

`landing_file` says how the files look.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from corpusforge.formats.atomic import atomic_path
from corpusforge.sources.answers import Answer, Request
from corpusforge.sources.landing_file import (
    Landed,
    Place,
    member_bytes,
    places,
    read_member,
    request_key,
)

PATTERN = "landing-*.gz"
FILE_BYTES = 64_000_000  # a file of this size gives a task of extract enough to do
STRUCK_OUT = Answer(0, {}, b"")


def copy_members(
    selected: Sequence[Place], folder: Path, file_bytes: int = FILE_BYTES
) -> list[Path]:
    """New landing files with these responses, in this order; files there before are replaced.

    Args:
        selected: From any landing files.
        folder: Of the new ones; made if need be.
        file_bytes: A file is full at this size.
    """
    written: list[Path] = []
    rest = list(reversed(selected))
    while rest:
        path = folder / f"landing-{len(written):05d}.gz"
        with atomic_path(path) as partial, partial.open("wb") as file:
            while rest and file.tell() < file_bytes:
                place = rest.pop()
                with place.path.open("rb") as source:
                    source.seek(place.offset)
                    file.write(source.read(place.length))
        written.append(path)
    for path in set(folder.glob(PATTERN)) - set(written):
        path.unlink()
    return written


def landed_keys(folder: Path) -> set[bytes]:
    """Of the requests whose latest answer is in a landing zone; changes nothing there."""
    latest = {place.key: place for path in sorted(folder.glob(PATTERN)) for place in places(path)}
    return {key for key, place in latest.items() if place.status != STRUCK_OUT.status}


class Landing:
    """A landing zone to append to, from any number of threads of one process.

    Whoever runs a fetch holds its folder, so no other process writes there.

    Args:
        folder: Of the files; made if need be.
        file_bytes: A file of at least this size is not appended to.
    """

    def __init__(self, folder: Path, file_bytes: int = FILE_BYTES) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._file_bytes = file_bytes
        self._index: dict[bytes, Place] = {}
        self._writing = Lock()
        for path in self.files():
            end = 0
            for place in places(path):
                self._index[place.key] = place
                end = place.offset + place.length
            if end < path.stat().st_size:
                os.truncate(path, end)

    def __len__(self) -> int:
        return len(self._index)

    def files(self) -> list[Path]:
        """The files, in order."""
        return sorted(self.folder.glob(PATTERN))

    def find(self, request: Request) -> Answer | None:
        """The latest answer to a request, if there is one and it is not struck out."""
        place = self.place(request)
        if place is None or place.status == STRUCK_OUT.status:
            return None
        return read_member(place).answer

    def place(self, request: Request) -> Place | None:
        """Where the latest answer to a request lies."""
        return self._index.get(request_key(request))

    def append(self, request: Request, answer: Answer, received_ms: int) -> None:
        """Store a response; when this returns it is on disk."""
        member = member_bytes(Landed(request, answer), received_ms)
        key = request_key(request)
        with self._writing:
            path, offset = self._write(member)
            place = Place(path, offset, len(member), key, answer.status, received_ms)
            self._index[key] = place

    def _write(self, member: bytes) -> tuple[Path, int]:
        """Where it is now, on disk."""
        path = self._last_file()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            offset = os.fstat(descriptor).st_size
            written = os.write(descriptor, member)
            if written < len(member):
                os.ftruncate(descriptor, offset)
                raise OSError(
                    f"only {written:,} of {len(member):,} bytes fit into {path}; make room, then "
                    f"run the same command again"
                )
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return path, offset

    def _last_file(self) -> Path:
        files = self.files()
        number = max(0, len(files) - 1)
        if files and files[-1].stat().st_size >= self._file_bytes:
            number += 1
        return self.folder / f"landing-{number:05d}.gz"
