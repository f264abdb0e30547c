"""Dumps of one JSON record per line: OAG, OpenAlex, CORE 2018, arXiv, Semantic Scholar, …"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from corpusforge.parsers.arxiv import parse_arxiv
from corpusforge.parsers.core import parse_core
from corpusforge.parsers.crossref import parse_crossref
from corpusforge.parsers.oag import parse_aminer, parse_mag
from corpusforge.parsers.openalex import parse_openalex
from corpusforge.parsers.pes2o import parse_pes2o
from corpusforge.parsers.s2orc import parse_s2orc
from corpusforge.parsers.semantic_scholar import parse_semantic_scholar
from corpusforge.parsers.unarxive import parse_unarxive
from corpusforge.sources.lines import Line, read_lines
from corpusforge.sources.parsed import Parser, parsed
from corpusforge.sources.records import Lost, Reader, Record

ENVELOPES = {b"[", b"]", b"[]"}  # lines around the records of a file that is one array
COMMA = b", \t\r\xef\xbb\xbf"  # between two records of such a file; a byte order mark
OF_AN_ARRAY = (b",", b",\r", b"]", b"]\r")  # no line of JSON lines ends like this


def read_json_lines(path: Path, parse: Parser) -> Iterator[Record]:
    """The record of every line of one file.

    A last line without its end that cannot be read counts as cut short. A file that is one JSON
    array with a record per line, as DBLP's is, is read like one without the brackets.

    Args:
        path: Plain, gzip, xz, bzip2 or zstd.
        parse: From the bytes of one record.
    """
    for line in read_lines(path):
        if isinstance(line, Lost):
            yield line
        elif line.content.startswith(b"{") and not line.content.endswith(OF_AN_ARRAY):
            yield parsed(line.content, _key(path, line), parse, line.ended)
        elif content := _bare(line.content):
            yield parsed(content, _key(path, line), parse, line.ended)


def _key(path: Path, line: Line) -> str:
    return f"{path.name}@{line.offset}"


def _bare(content: bytes) -> bytes:
    bare = content.strip(COMMA)
    if bare in ENVELOPES:
        return b""
    bare = bare.removeprefix(b"[") if bare.startswith(b"[{") else bare
    return bare.removesuffix(b"]") if bare.endswith(b"}]") else bare


read_mag: Reader = partial(read_json_lines, parse=parse_mag)
read_aminer: Reader = partial(read_json_lines, parse=parse_aminer)
read_openalex: Reader = partial(read_json_lines, parse=parse_openalex)
read_core_lines: Reader = partial(read_json_lines, parse=parse_core)
read_arxiv: Reader = partial(read_json_lines, parse=parse_arxiv)
read_semantic_scholar: Reader = partial(read_json_lines, parse=parse_semantic_scholar)
read_s2orc: Reader = partial(read_json_lines, parse=parse_s2orc)
read_pes2o: Reader = partial(read_json_lines, parse=parse_pes2o)
read_crossref: Reader = partial(read_json_lines, parse=parse_crossref)
read_unarxive: Reader = partial(read_json_lines, parse=parse_unarxive)
