"""An emulator of a file server: ranges, validators, redirects."""

import hashlib
from email.utils import formatdate

from emulators.server import Emulator, Reply, run_from_command_line


class FileEmulator(Emulator):
    """Serves bytes by path.

    Args:
        files: Path to content. A content that is a string is where a 301 leads.
    """

    def __init__(self, files, knobs=None, **options):
        super().__init__(knobs, **options)
        self.files = files
        self.knobs.gzip = False  # ranges count the bytes that are sent

    def reply(self, seen):
        content = self.files.get(seen.path)
        if content is None:
            return Reply(404, b"no such file")
        if isinstance(content, str):
            return Reply(301, b"", {"Location": content})
        tag = f'"{hashlib.md5(content).hexdigest()}"'
        headers = {"ETag": tag, "Last-Modified": formatdate(0, usegmt=True)}
        if seen.headers.get("if-none-match") == tag:
            return Reply(304, b"", headers)
        begin = seen.headers.get("range", "").removeprefix("bytes=").removesuffix("-")
        if begin and seen.headers.get("if-range", tag) == tag:
            if int(begin) >= len(content):
                return Reply(416, b"", {"Content-Range": f"bytes */{len(content)}"})
            return Reply(206, content[int(begin) :], headers)
        return Reply(200, content, headers)


if __name__ == "__main__":
    run_from_command_line(
        lambda papers, knobs, _: FileEmulator(
            {f"/{p.number}.txt": p.abstract.encode() for p in papers}, knobs
        ),
        __doc__,
    )
