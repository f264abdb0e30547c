"""Files that are one JSON document with several records: saved pages of APIs, Crossref's files."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from corpusforge.errors import ParseError
from corpusforge.parsers.core import parse_core
from corpusforge.parsers.crossref import parse_crossref
from corpusforge.parsers.envelopes import records_in
from corpusforge.parsers.openalex import parse_openalex
from corpusforge.parsers.semantic_scholar import parse_semantic_scholar
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.compressed import CutShortError
from corpusforge.sources.parsed import Parser, loss_of, parsed
from corpusforge.sources.records import Lost, Reader, Record
from corpusforge.sources.streams import read_stream

LONGEST = 512 << 20  # bytes; Crossref puts 5,000 works into a file


def read_json_document(path: Path, parse: Parser) -> Iterator[Record]:
    """Every record of one file, or why the file cannot be read."""
    key = f"{path.name}@0"
    pieces, size = [], 0
    try:
        for block in read_stream(path):
            size += len(block)
            if size > LONGEST:
                detail = f"a document of more than {LONGEST:,} bytes; expected JSON lines"
                yield Lost(key, Rejection(Reason.UNREADABLE, limit=LONGEST, detail=detail))
                return
            pieces.append(block)
        records = records_in(b"".join(pieces))
    except CutShortError as error:
        detail = f"{path.name} {error}; fetch it again"
        yield Lost(key, Rejection(Reason.TRUNCATED, detail=detail))
        return
    except ParseError as error:
        yield loss_of(error, key)
        return
    for place, record in enumerate(records):
        yield parsed(record, f"{path.name}@record {place}", parse)


read_crossref_document: Reader = partial(read_json_document, parse=parse_crossref)
read_openalex_document: Reader = partial(read_json_document, parse=parse_openalex)
read_core_document: Reader = partial(read_json_document, parse=parse_core)
read_semantic_scholar_document: Reader = partial(read_json_document, parse=parse_semantic_scholar)
