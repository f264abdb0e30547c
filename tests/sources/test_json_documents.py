"""Files that are one JSON document: every record of it once, or one loss for the file."""

import gzip
import json

import pytest

from corpusforge.reasons import Reason
from corpusforge.sources import json_documents
from corpusforge.sources.json_documents import (
    read_core_document,
    read_crossref_document,
    read_semantic_scholar_document,
)
from corpusforge.sources.records import Found

WORKS = [{"DOI": f"10.1000/{i}", "title": [f"T{i}"]} for i in range(4)]
ENVELOPES = {
    "array": WORKS,
    "file": {"items": WORKS},
    "page": {"status": "ok", "message": {"total-results": 9, "items": WORKS}},
    "results": {"meta": {}, "results": WORKS},
    "data": {"total": 4, "data": [*WORKS, None]},
}


@pytest.fixture
def read(tmp_path):
    """What a reader gives of a document."""

    def records(content, reader=read_crossref_document):
        (tmp_path / "0.json.gz").write_bytes(content)
        return list(reader(tmp_path / "0.json.gz"))

    return records


@pytest.mark.parametrize("name", ENVELOPES)
@pytest.mark.parametrize("indent", [None, 2])
def test_every_record_of_an_envelope_is_read(read, name, indent):
    found = read(gzip.compress(json.dumps(ENVELOPES[name], indent=indent).encode()))
    assert [record.paper.doi for record in found] == [work["DOI"] for work in WORKS]


def test_a_bad_record_costs_only_itself(read):
    found = read(json.dumps({"items": [WORKS[0], {"title": ["U"]}, 7, WORKS[1]]}).encode())
    assert [getattr(record, "key", "found") for record in found] == [
        *("found", "0.json.gz@record 1", "0.json.gz@record 2", "found"),
    ]
    assert found[1].rejection.reason is Reason.NO_IDENTIFIER


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"7", b'{"items": 7}', b'{"items": [', b"[" * 9999]
)
def test_what_is_no_such_document_is_one_loss(read, content):
    [loss] = read(content)
    assert (loss.key, loss.rejection.reason) == ("0.json.gz@0", Reason.UNREADABLE)


def test_a_cut_stream_is_one_loss(read):
    [loss] = read(gzip.compress(json.dumps(WORKS).encode())[:-9])
    assert loss.rejection.reason is Reason.TRUNCATED


def test_a_document_that_is_too_long_is_not_held_in_memory(read, monkeypatch):
    monkeypatch.setattr(json_documents, "LONGEST", 100)
    [loss] = read(json.dumps(WORKS).encode())
    assert loss.rejection.limit == 100


def test_real_pages(real_data):
    samples = real_data / "samples"
    found = list(read_crossref_document(samples / "crossref/crossref_api_works.json"))
    assert [isinstance(record, Found) for record in found] == [True] * 3
    page = read_core_document(samples / "core/v3_search_works_response_2022.json")
    assert [record.paper.core for record in page] == ["722934", "17167962", "44593094"]


def test_papers_that_a_service_does_not_know_are_passed_over(read):
    content = json.dumps([{"paperId": "a1"}, None, {"paperId": "b2"}]).encode()
    found = read(content, read_semantic_scholar_document)
    assert [record.paper.source_id for record in found] == ["a1", "b2"]
