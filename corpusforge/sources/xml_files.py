"""XML files of their own kind: collections of the ACL Anthology, and GROBID's TEI."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import xxhash

from corpusforge.errors import ParseError
from corpusforge.parsers.acl import parse_collection
from corpusforge.parsers.tei import parse_tei
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.compressed import CutShortError
from corpusforge.sources.parsed import loss_of, parsed
from corpusforge.sources.records import Found, Lost, Record
from corpusforge.sources.streams import read_stream

ENDINGS = (".gz", ".xml", ".grobid", ".tei")


def read_acl(path: Path) -> Iterator[Record]:
    """Every paper of one collection, or why the file cannot be read."""
    key = f"{path.name}@0"
    document = _whole(path)
    if isinstance(document, Lost):
        yield document
        return
    try:
        for place, entry in enumerate(parse_collection(document)):
            if isinstance(entry.paper, ParseError):
                yield loss_of(entry.paper, f"{path.name}@paper {place}")
            else:
                yield Found(entry.paper, xxhash.xxh3_64_intdigest(entry.content))
    except ParseError as error:
        yield loss_of(error, key)


def read_tei(path: Path) -> Iterator[Record]:
    """The one paper of a file; the name of the file, without its endings, is its id."""
    document = _whole(path)
    if isinstance(document, Lost):
        yield document
    else:
        yield parsed(document, f"{path.name}@0", partial(parse_tei, name=name_of(path)))


def name_of(path: Path) -> str:
    """The name of the PDF that a file was made of.

    >>> name_of(Path("texts/N18-3011.tei.xml")), name_of(Path("10.1000_1.grobid.tei.xml.gz"))
    ('N18-3011', '10.1000_1')
    """
    name = path.name
    while name.endswith(ENDINGS):
        name = name.rpartition(".")[0]
    return name


def _whole(path: Path) -> bytes | Lost:
    try:
        return b"".join(read_stream(path))
    except CutShortError as error:
        detail = f"{path.name} {error}; fetch it again"
        return Lost(f"{path.name}@0", Rejection(Reason.TRUNCATED, detail=detail))
