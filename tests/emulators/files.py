"""An emulator of a file server: indexes, ranges, validators, redirects."""

import hashlib
from dataclasses import dataclass
from email.utils import formatdate
from urllib.parse import quote

from emulators.server import Emulator, Reply, run_from_command_line


@dataclass
class FileKnobs:
    """What the server can do."""

    heads: bool = True  # knows HEAD; else 405
    ranges: bool = True  # else every answer is the whole file
    validators: bool = True  # ETag and Last-Modified
    encoding: str = ""  # Content-Encoding that it claims for files, as Apache may for .gz
    skip: int = 0  # bytes by which ranges begin too late


class FileEmulator(Emulator):
    """Serves bytes by path, and at a path that ends in / an index of what is below it.

    Args:
        files: Path to content. A content that is a string is where a 301 leads.
        knobs: Faults of any server.
        server: What this one can do.
    """

    def __init__(self, files, knobs=None, server=None, **options):
        super().__init__(knobs, **options)
        self.files = files
        self.server = server or FileKnobs()
        self.knobs.gzip = False  # ranges count the bytes that are sent

    def reply(self, seen):
        if seen.method == "HEAD" and not self.server.heads:
            return Reply(405, b"")
        content = self.files.get(seen.path)
        if content is None and seen.path.endswith("/"):
            return Reply(200, self.index(seen.path), {"Content-Type": "text/html"})
        if content is None:
            return Reply(404, b"no such file")
        if isinstance(content, str):
            return Reply(301, b"", {"Location": content})
        return self._file(content, seen.headers)

    def index(self, folder):
        """A page as Apache's mod_autoindex makes it."""
        below = sorted(p.removeprefix(folder) for p in self.files if p.startswith(folder))
        rows = "".join(f'<a href="{quote(name)}">{name[:20]}..&gt;</a> 1.0M\n' for name in below)
        top = '<a href="?C=N;O=D">Name</a> <a href="/">Parent Directory</a><hr>'
        return f"<html><body><pre>{top}\n{rows}</pre></body></html>".encode()

    def _file(self, content, asked):
        tag = f'"{hashlib.md5(content).hexdigest()}"'
        headers = {}
        if self.server.validators:
            headers = {"ETag": tag, "Last-Modified": formatdate(0, usegmt=True)}
        if self.server.encoding:
            headers["Content-Encoding"] = self.server.encoding
        begin = asked.get("range", "").removeprefix("bytes=").removesuffix("-")
        if begin and self.server.ranges and asked.get("if-range", tag) == tag:
            start = int(begin) + self.server.skip
            if start >= len(content):
                return Reply(416, b"", {"Content-Range": f"bytes */{len(content)}"})
            where = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
            return Reply(206, content[start:], headers | where)
        return Reply(200, content, headers)


def sums_beside(files, algorithm="md5"):
    """The files, and beside each one with its digest, in the form of NCBI's."""
    beside = {
        f"{path}.{algorithm}": (
            f"{algorithm.upper()}({path.rpartition('/')[2]})= "
            f"{hashlib.new(algorithm, content).hexdigest()}\n"
        ).encode()
        for path, content in files.items()
    }
    return {**files, **beside}


if __name__ == "__main__":
    run_from_command_line(
        lambda papers, knobs, _: FileEmulator(
            {f"/{p.number}.txt": p.abstract.encode() for p in papers}, knobs
        ),
        __doc__,
    )
