"""Whatever a line holds, a parser gives a paper or a ParseError, and nothing else."""

import json
from contextlib import suppress
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ParseError
from corpusforge.parsers import (
    arxiv,
    core,
    crossref,
    oag,
    openalex,
    pes2o,
    s2orc,
    semantic_scholar,
    unarxive,
)
from corpusforge.parsers.field_mapping import FieldMapping, mapped_json
from corpusforge.parsers.paper import MissingIdentifier, Paper

MAPPING = FieldMapping(source_id="id", title="title.0", authors="authors.name", year="year")
PARSERS = {
    "mag": (oag.parse_mag, oag.DECODER),
    "aminer": (oag.parse_aminer, oag.DECODER),
    "openalex": (openalex.parse_openalex, openalex.DECODER),
    "arxiv": (arxiv.parse_arxiv, arxiv.DECODER),
    "core": (core.parse_core, core.DECODER),
    "crossref": (crossref.parse_crossref, crossref.DECODER),
    "semantic scholar": (semantic_scholar.parse_semantic_scholar, semantic_scholar.DECODER),
    "s2orc": (s2orc.parse_s2orc, s2orc.DECODER),
    "pes2o": (pes2o.parse_pes2o, pes2o.DECODER),
    "unarxive": (unarxive.parse_unarxive, unarxive.DECODER),
    "mapped": (partial(mapped_json, mapping=MAPPING), oag.DECODER),
}
IDS = {"id": "W12", "coreId": "12", "DOI": "10.1000/x", "corpusid": 12, "paper_id": "0704.0001"}

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "a", "0"]) | st.text(max_size=3), inner, max_size=3
        )
    ),
    max_leaves=6,
)
every_parser = pytest.mark.parametrize("name", PARSERS)


@every_parser
@given(st.data())
def test_values_of_any_type_in_any_field(name, data):
    parse, decoder = PARSERS[name]
    kind = type(decoder.decode(b"{}"))
    fields = [field.encode_name for field in msgspec.structs.fields(kind)]
    record = data.draw(st.dictionaries(st.sampled_from(fields), values))
    with suppress(ParseError):
        assert isinstance(parse(json.dumps(record).encode()), Paper)


@every_parser
@given(st.binary(max_size=40))
def test_any_bytes(name, record):
    with suppress(ParseError):
        PARSERS[name][0](record)


HOSTILE = [b"", b"null", b"[]", b'"x"', b"7", b"{", b'{"id": "\xff"}', b'{"id": "\\ud800"}']
HOSTILE += [b"[" * 100_000, b'{"a":' * 100_000, b'{"id":1}{"id":2}', b"\xef\xbb\xbf{}", b"NaN"]


@every_parser
@pytest.mark.parametrize("record", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_record_is_refused(name, record):
    with pytest.raises(ParseError):
        PARSERS[name][0](record)


@every_parser
def test_a_record_without_an_id_is_refused_as_such(name):
    with pytest.raises(MissingIdentifier):
        PARSERS[name][0](b'{"title": "A title"}')


@every_parser
def test_null_in_every_field_is_an_absent_field(name):
    parse, decoder = PARSERS[name]
    kind = type(decoder.decode(b"{}"))
    fields = {field.encode_name: None for field in msgspec.structs.fields(kind)}
    own = IDS | ({"id": "0704.0001"} if name == "arxiv" else {})
    own |= {"id": "12"} if name in ("mag", "pes2o") else {}
    paper = parse(json.dumps(fields | own).encode())
    assert paper.source_id
    assert (paper.title, paper.abstract, paper.body, paper.authors) == ("", "", "", ())
