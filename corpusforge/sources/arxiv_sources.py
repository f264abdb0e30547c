"""What authors sent to arXiv: the bulk archives `arXiv_src_YYMM_NNN.tar`, and single submissions.

A member of a bulk archive is one submission: `0704.0001.gz`, which is the gzip of a tar of files or
of one file, or `0704.0002.pdf` from authors who sent no source. A single file is such a member,
named like `2101.00001v2.tar.gz`. Nothing is unpacked: of a submission its files of text are held,
everything else goes by, and what decompresses to more than a submission can be is refused.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import xxhash

from corpusforge.errors import ParseError
from corpusforge.parsers.identifiers import normal_arxiv
from corpusforge.parsers.latex import parse_latex
from corpusforge.parsers.latex_main import NoLatex
from corpusforge.parsers.latex_source import normal_path
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.byte_stream import ByteStream
from corpusforge.sources.compressed import CutShortError
from corpusforge.sources.parsed import loss_of
from corpusforge.sources.records import Found, Lost, Record
from corpusforge.sources.streams import read_stream, unpacked
from corpusforge.sources.tar_stream import BLOCK, read_members, starts_archive

LARGEST = 2 << 30  # bytes that a submission may decompress to; arXiv takes 50 MB, compressed
LARGEST_TEXT = 16 << 20  # bytes of all its files of text
LARGEST_FILE = 4 << 20  # of one of them; a longer one holds numbers, and goes by like a figure
TEXTS = (".tex", ".ltx", ".latex", ".txt", ".sty", ".bbl", ".inc", ".mac", ".macros")
README = "00readme"
ONLY_FILE = "main.tex"  # what the one file of a submission is called here; gzip tells no name
NAME = re.compile(r"(?:arxiv-)?(?P<id>.+?)(?:v(?P<version>[0-9]{1,4}))?(?:\.[a-z].*)?", re.I)
OLD = re.compile(r"(?P<archive>[a-z-]+)[_/]?(?P<number>[0-9]{7})", re.I)  # hep-th9901001
NO_SOURCE = {b"%PDF": "a PDF", b"%!PS": "PostScript", b"PK\3\4": "a Word file", b"<": "HTML"}


class _TooLargeError(Exception):
    """A submission comes to more bytes than are read of one."""

    def __init__(self, size: int, most: int, what: str) -> None:
        self.rejection = Rejection(
            Reason.UNREADABLE,
            observed=size,
            limit=most,
            detail=f"{size:,} bytes {what}; expected no more than {most:,} of one paper",
        )


def read_arxiv_sources(path: Path) -> Iterator[Record]:
    """Every submission of a bulk archive, or the one that a file is, as its name tells."""
    if submission_of(path.name) is not None:
        yield _submission(path.name, f"{path.name}@0", read_stream(path))
        return
    members = 0
    try:
        for member in read_members(read_stream(path)):
            members += 1
            blocks = unpacked(member.content.blocks(member.size))
            yield _submission(member.name, f"{path.name}@{member.name}", blocks)
    except CutShortError as error:
        detail = f"{path.name} {error}; fetch it again"
        yield Lost(f"{path.name}@end", Rejection(Reason.TRUNCATED, detail=detail))
        return
    if not members:
        detail = f"{path.name} holds no file; expected submissions such as 0704/0704.0001.gz"
        yield Lost(f"{path.name}@end", Rejection(Reason.UNREADABLE, detail=detail))


def submission_of(name: str) -> tuple[str, int] | None:
    """The arXiv id and the version that the name of a file tells; None if it tells no id.

    >>> submission_of("0704.0001.gz"), submission_of("arXiv-2101.00001v2.tar.gz")
    (('0704.0001', 1), ('2101.00001', 2))
    >>> submission_of("hep-th9901001.gz"), submission_of("arXiv_src_0704_001.tar")
    (('hep-th/9901001', 1), None)
    """
    found = NAME.fullmatch(name)
    if found is None:
        return None
    old = OLD.fullmatch(found["id"])
    arxiv = normal_arxiv(f"{old['archive']}/{old['number']}" if old else found["id"])
    return (arxiv, int(found["version"] or 1)) if arxiv else None


def _submission(name: str, key: str, blocks: Iterable[bytes]) -> Record:
    """The paper of one submission, or why there is none."""
    named = submission_of(name.rpartition("/")[2])
    if named is None:
        detail = f"{name} names no paper of arXiv; expected a name such as 0704.0001.gz"
        return Lost(key, Rejection(Reason.NO_IDENTIFIER, detail=detail))
    try:
        files = _files(ByteStream(_limited(blocks)))
        return Found(parse_latex(files, *named), _digest(files))
    except CutShortError as error:
        detail = f"{name} {error}; fetch it again"
        return Lost(key, Rejection(Reason.TRUNCATED, detail=detail))
    except _TooLargeError as error:
        return Lost(key, error.rejection)
    except NoLatex as error:
        return Lost(key, Rejection(Reason.NO_TEXT, detail=f"no LaTeX source: {error}"))
    except ParseError as error:
        return loss_of(error, key)


def _limited(blocks: Iterable[bytes]) -> Iterator[bytes]:
    size = 0
    for block in blocks:
        size += len(block)
        if size > LARGEST:
            raise _TooLargeError(size, LARGEST, "when decompressed")
        yield block


def _files(content: ByteStream) -> dict[str, bytes]:
    """The files of text of a submission, by path; of one that is no archive, that one."""
    head = content.read(BLOCK)
    for magic, what in NO_SOURCE.items():
        if head.lstrip().startswith(magic):
            raise NoLatex(f"the submission is {what}")
    whole = _joined(head, content)
    if not starts_archive(head):
        return {ONLY_FILE: _held(ByteStream(whole).read(LARGEST_FILE + 1))}
    files: dict[str, bytes] = {}
    held = 0
    for member in read_members(whole):
        path = normal_path(member.name)  # None leads out of the archive: such a file is no part
        if path is None or member.size > LARGEST_FILE or not _is_text(path):
            continue
        held += member.size
        if held > LARGEST_TEXT:
            raise _TooLargeError(held, LARGEST_TEXT, "of text")
        files[path] = member.content.read(member.size)
    return files


def _joined(head: bytes, rest: ByteStream) -> Iterator[bytes]:
    yield head
    while block := rest.read_some(1 << 20):
        yield block


def _held(text: bytes) -> bytes:
    if len(text) > LARGEST_FILE:
        raise _TooLargeError(len(text), LARGEST_FILE, "or more in the only file")
    return text


def _is_text(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name.startswith(README) or name.endswith(TEXTS) or "." not in name


def _digest(files: dict[str, bytes]) -> int:
    """xxh3-64 of the names and texts that were read, whatever figures are beside them."""
    digest = xxhash.xxh3_64()
    for path in sorted(files):
        digest.update(f"{path}\0{len(files[path])}\0".encode())
        digest.update(files[path])
    return digest.intdigest()
