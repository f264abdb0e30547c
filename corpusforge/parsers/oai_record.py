"""One record of an OAI-PMH list, in any of the formats that are read, to a paper."""

import msgspec
from lxml import etree

from corpusforge.errors import ParseError
from corpusforge.parsers.identifiers import normal_arxiv
from corpusforge.parsers.oai_arxiv import parse_arxiv_metadata, parse_arxiv_raw
from corpusforge.parsers.oai_dc import parse_dublin_core
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.xmldoc import first, local_name, read_xml

ARXIV = "oai:arXiv.org:"


def parse_oai_record(record: bytes) -> Paper:
    """The paper of one <record>; its id is the repository's own, of arXiv without "oai:arXiv.org:".

    Every paper is version 1. A deletion tells no version, so versions cannot say which records it
    takes back; their order can: a list of later dates has the later state of a record.

    Raises:
        MissingIdentifier: The header names no record.
        OnlyPlaceholder: All that the record has for a text says that there is none.
        ParseError: It has no metadata in a format that is read.
    """
    root = read_xml(record, "one <record>")
    header, metadata = first(root, "header/identifier"), first(root, "metadata")
    name = record_id("" if header is None else header.text or "")
    content = None if metadata is None else next(metadata.iterchildren("{*}*"), None)
    if content is None:
        raise ParseError(f"record {name!r} has no metadata, and is not marked as deleted")
    if not name:
        raise MissingIdentifier(f"a record with <{local_name(content)}> has no identifier")
    return msgspec.structs.replace(_paper(content, name), source_id=name, version=1)


def record_id(identifier: str) -> str:
    """How a document is called by the identifier of its record; "" if there is none.

    >>> record_id("oai:arXiv.org:hep-th/9901001"), record_id("oai:example.org:7")
    ('hep-th/9901001', 'oai:example.org:7')
    """
    bare = identifier.strip()
    own = normal_arxiv(bare[len(ARXIV) :]) if bare.lower().startswith(ARXIV.lower()) else None
    return own or bare


def _paper(content: etree._Element, name: str) -> Paper:
    match local_name(content):
        case "arXiv":
            return parse_arxiv_metadata(content)
        case "arXivRaw":
            return parse_arxiv_raw(content)
        case "dc":
            return parse_dublin_core(content, name)
        case other:
            raise ParseError(
                f"record {name!r} has its metadata as <{other}>; expected <arXiv>, <arXivRaw> or "
                f"<oai_dc:dc>: set `metadata_prefix` to one of them"
            )
