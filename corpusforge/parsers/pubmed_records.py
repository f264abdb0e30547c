"""PubMed files: a stream of bytes cut into records, one record in memory at a time."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a stretch of a PubMed file is."""

    ARTICLE = "article"
    BOOK = "book"
    DELETION = "deletion"  # an order to drop a PMID that an earlier file gave
    TRUNCATED = "truncated"  # the file ends here, before the end of its set of records
    FOREIGN = "foreign"  # the file holds neither a set nor a record: not PubMed, or empty


@dataclass(frozen=True, slots=True)
class Record:
    """One stretch of the file and where it starts, in decompressed bytes."""

    kind: Kind
    offset: int
    content: bytes  # as in the file; of a deletion its PMID, of a foreign file its beginning
    version: int = 1  # of a deletion: the version of the PMID that is taken back


KINDS = {
    b"PubmedArticle": Kind.ARTICLE,
    b"PubmedBookArticle": Kind.BOOK,
    b"DeleteCitation": Kind.DELETION,
    b"DeleteDocument": Kind.DELETION,
}
SETS = (b"PubmedArticleSet", b"PubmedBookArticleSet", b"BookDocumentSet")
# PubMed escapes "<" in text, so these tags are boundaries wherever they stand.
TAGS = b"(?:" + b"|".join([*SETS, *KINDS]) + b")"
BOUNDARY = re.compile(rb"</" + TAGS + rb">|<" + TAGS + rb"(?=[\s/>])")
SET_END = re.compile(rb"</(?:" + b"|".join(SETS) + rb")>\Z")
OPENING = re.compile(rb"<(\w+)[^>]*>?")
LONGEST = len(b"</PubmedBookArticleSet>")
COMMENT = re.compile(rb"<!--.*?-->", re.S)
DELETED = re.compile(rb"<PMID(?P<attributes>[^>]*)>\s*(?P<pmid>[^<]*?)\s*</PMID>")
VERSION = re.compile(rb"""Version\s*=\s*["'](\d{1,6})["']""")
SHOWN = 200  # bytes of a foreign file that its record holds


def split_records(blocks: Iterable[bytes]) -> Iterator[Record]:
    """Every record of one file, in order; how its bytes are cut into blocks does not matter.

    Nothing inside a set is passed over: a record ends at its end tag or where the next one
    starts, and a stretch between records that is neither blank nor a comment is a record too,
    which then cannot be parsed. So a lost tag costs one record and never its neighbours.
    Memory is bounded by the longest record plus one block.
    """
    inside, foreign, head = False, True, b""
    for stretch in _stretches(blocks):
        head = head or stretch.content[:SHOWN]
        content, offset = stretch.content, stretch.offset
        opening = OPENING.match(content)
        name = opening[1] if opening else b""
        if opening and name in SETS:
            inside, foreign = not opening[0].endswith(b"/>"), False
            content, offset = content[opening.end() :], offset + opening.end()
        elif name in KINDS:
            foreign = False
        known = inside or name in KINDS
        if end := SET_END.search(content):
            content, inside = content[: end.start()], False
        if KINDS.get(name) is Kind.DELETION:
            yield from _deletions(content, offset)
        elif stretch.cut and known and COMMENT.sub(b"", content).strip():
            yield Record(KINDS.get(name, Kind.ARTICLE), offset, content)
        if not stretch.cut and known:
            yield Record(Kind.TRUNCATED, offset, content)
    if foreign:
        yield Record(Kind.FOREIGN, 0, head)


def _deletions(block: bytes, offset: int) -> Iterator[Record]:
    for found in DELETED.finditer(block):
        version = VERSION.search(found["attributes"])
        number = int(version[1]) if version else 1
        yield Record(Kind.DELETION, offset + found.start(), found["pmid"], number)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Bytes from one boundary to the next: an opening tag starts one, a closing tag ends one."""

    offset: int
    content: bytes
    cut: bool  # it ends at a boundary rather than at the end of the file


def _stretches(blocks: Iterable[bytes]) -> Iterator[_Stretch]:
    buffer, offset, searched, started = bytearray(), 0, 0, False
    for block in blocks:
        buffer += block
        start = 0
        while found := BOUNDARY.search(buffer, searched):
            closing = buffer[found.start() + 1] == ord("/")
            cut = found.end() if closing else found.start()
            if cut > start:
                yield _Stretch(offset + start, bytes(buffer[start:cut]), cut=True)
            start, searched, started = cut, found.end(), True
        del buffer[:start]
        offset += start
        if not started:  # what precedes the first boundary is only shown, and may have any length
            hidden = max(0, len(buffer) - SHOWN - LONGEST)
            del buffer[SHOWN : SHOWN + hidden]
            offset += hidden
        searched = max(0, searched - start, len(buffer) - LONGEST)
    yield _Stretch(offset, bytes(buffer), cut=False)
