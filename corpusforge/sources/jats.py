"""JATS full texts, one article per file: PMC, eLife, PLOS and other publishers."""

from collections.abc import Iterator
from pathlib import Path

import xxhash

from corpusforge.errors import ParseError
from corpusforge.parsers.jats import parse_jats
from corpusforge.parsers.paper import MissingIdentifier
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.compressed import CutShortError, read_blocks
from corpusforge.sources.records import Found, Lost, Record


def read_jats(path: Path) -> Iterator[Record]:
    """The one paper of a file, or why it cannot be read."""
    key = f"{path.name}@0"
    try:
        document = b"".join(read_blocks(path))
        yield Found(parse_jats(document), xxhash.xxh3_64_intdigest(document))
    except CutShortError as error:
        yield Lost(key, Rejection(Reason.TRUNCATED, detail=str(error)))
    except MissingIdentifier as error:
        yield Lost(key, Rejection(Reason.NO_IDENTIFIER, detail=str(error)))
    except ParseError as error:
        yield Lost(key, Rejection(Reason.UNREADABLE, detail=str(error)))
