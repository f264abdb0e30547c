"""CORE's dump since 2020: a tar of one `{provider}.tar.xz` each, or those one by one.

A provider's archive holds one JSON file per record, and a manifest that lists them with length and
MD5. Archives are read as they come by. So that every record can be held against the manifest, an
archive that has it at its end is read twice; inside the outer tar that cannot be, and records
that come before their manifest are read without that check. An archive with a manifest that lists
nothing is what CORE has of a provider without records: it yields nothing. The dump of 2018, a tar
of `{repository}.json.xz` with a record per line, is read too.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from corpusforge.parsers.core import parse_core
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.compressed import CutShortError
from corpusforge.sources.core_manifest import Manifest, member_path
from corpusforge.sources.lines import Line, split_lines
from corpusforge.sources.parsed import parsed
from corpusforge.sources.records import Lost, Record
from corpusforge.sources.streams import read_stream, unpacked
from corpusforge.sources.tar_stream import Member, read_members

MANIFEST = "manifest.xml"
LONGEST = 64 << 20  # bytes of a record; a full text is some MB at most
ARCHIVES = (".tar.xz", ".tar.gz", ".tar.zst", ".tar.bz2", ".tar", ".tgz")
LINES = (".json.xz", ".json.gz", ".jsonl.gz", ".jsonl.xz", ".jsonl")


def read_core_dump(path: Path) -> Iterator[Record]:
    """Every record of one archive, of one provider or of all."""
    manifest = _manifest_ahead(path)
    yield from _Archive(path.name, manifest).read(read_stream(path))


def _manifest_ahead(path: Path) -> Manifest | None:
    """The manifest of a provider's archive, wherever it stands; None of an archive of archives."""
    try:
        for member in read_members(read_stream(path)):
            if member_path(member.name) == MANIFEST:
                return Manifest(member.content.blocks(member.size))
            if member.name.endswith((*ARCHIVES, *LINES)):
                return None
    except CutShortError:
        return None  # told when the records are read
    return None


class _Archive:
    """One archive on its way past."""

    def __init__(self, name: str, manifest: Manifest | None) -> None:
        self._name = name
        self._provider = _provider(name)
        self._manifest = manifest
        self._listed = self._unchecked = self._members = 0

    def read(self, blocks: Iterable[bytes]) -> Iterator[Record]:
        try:
            for member in read_members(blocks):
                self._members += 1
                yield from self._member(member)
        except CutShortError as error:
            yield self._lost("end", Reason.TRUNCATED, f"{self._name} {error}; fetch it again")
            return
        yield from self._missing()

    def _member(self, member: Member) -> Iterator[Record]:
        path = member_path(member.name)
        if path == MANIFEST:
            if self._manifest is None:
                self._manifest = Manifest(member.content.blocks(member.size))
            return
        if self._manifest is not None:
            self._listed += self._manifest.lists(path)
        if path.endswith(ARCHIVES):
            archive = _Archive(f"{self._name}/{path}", None)
            yield from archive.read(unpacked(member.content.blocks(member.size)))
        elif path.endswith(LINES):
            yield from _lines(f"{self._name}/{path}", member)
        elif ".." in path.split("/"):
            yield self._lost(path, Reason.UNREADABLE, "the path leads out of the archive")
        elif not path.endswith(".json"):
            yield self._lost(path, Reason.UNREADABLE, "neither a record (.json) nor the manifest")
        elif member.size > LONGEST:
            detail = f"a record of {member.size:,} bytes; expected no more than {LONGEST:,}"
            yield self._lost(path, Reason.UNREADABLE, detail)
        else:
            yield self._record(path, member)

    def _record(self, path: str, member: Member) -> Record:
        content = member.content.read(member.size)
        if len(content) < member.size:
            raise CutShortError(f"ends inside {path}")
        if self._manifest is None:
            self._unchecked += 1
        elif self._manifest.breaks(path, content):
            detail = f"{len(content):,} bytes, but the manifest promises another length or MD5"
            return self._lost(path, Reason.UNREADABLE, detail)
        return parsed(content, f"{self._name}@{path}", parse_core, provider=self._provider)

    def _missing(self) -> Iterator[Lost]:
        """What an archive that was read to its end does not have."""
        if not self._members:
            yield self._lost("end", Reason.UNREADABLE, "the archive is empty: not even a manifest")
        elif self._manifest is not None:
            missing = len(self._manifest) - self._listed - self._unchecked
            if missing > 0:
                detail = f"the manifest lists {missing:,} records that the archive does not hold"
                rejection = Rejection(Reason.TRUNCATED, self._listed, len(self._manifest), detail)
                yield Lost(f"{self._name}@end", rejection)
            if self._manifest.nameless and not len(self._manifest):
                detail = (
                    f"the manifest lists {self._manifest.nameless:,} records, but no path of any: "
                    f"nothing in this archive could be held against it"
                )
                yield self._lost("manifest", Reason.UNREADABLE, detail)

    def _lost(self, place: str, reason: Reason, detail: str) -> Lost:
        return Lost(f"{self._name}@{place}", Rejection(reason, detail=detail))


def _provider(name: str) -> str:
    """Whose archive it is, as every dump calls it: "86" of dump.tar/86.tar.xz and of 86.json.xz."""
    last = name.rpartition("/")[2]
    return next((last.removesuffix(s) for s in (*ARCHIVES, *LINES) if last.endswith(s)), last)


def _lines(name: str, member: Member) -> Iterator[Record]:
    provider = _provider(name)
    for line in split_lines(unpacked(member.content.blocks(member.size)), name):
        if isinstance(line, Line):
            key = f"{name}@{line.offset}"
            yield parsed(line.content, key, parse_core, line.ended, provider)
        else:
            yield line
