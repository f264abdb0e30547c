"""Dumps of one JSON record per line: every line is a paper or a loss with its reason."""

import gzip
import json
import lzma

import pytest
import xxhash

from corpusforge.reasons import Reason
from corpusforge.sources.json_lines import (
    read_aminer,
    read_arxiv,
    read_core_lines,
    read_mag,
    read_openalex,
)
from corpusforge.sources.records import Found, Lost


def mag(number, **fields):
    index = {f"word{i}": [i] for i in range(number % 5 + 1)}
    abstract = json.dumps({"IndexLength": len(index), "InvertedIndex": index})
    return json.dumps({"id": number, "title": "T", "indexed_abstract": abstract} | fields).encode()


@pytest.fixture
def read(tmp_path):
    """What a reader gives of a file of these bytes."""

    def records(content, reader=read_mag):
        (tmp_path / "dump.txt").write_bytes(content)
        return list(reader(tmp_path / "dump.txt"))

    return records


def ids(records):
    return [r.paper.source_id if isinstance(r, Found) else r.rejection.reason for r in records]


@pytest.mark.parametrize("count", [1, 1999, 2000, 2001, 4001])
@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n\n"])
def test_no_number_of_records_loses_its_tail(read, count, ending):
    """T17: a published reader wrote full buffers of 2,000 only."""
    content = b"\n".join(mag(number) for number in range(1, count + 1)) + ending
    assert ids(read(gzip.compress(content))) == [str(number) for number in range(1, count + 1)]


def test_bad_lines_cost_only_themselves_and_say_where_and_why(read):
    good = mag(1)
    bad = [b'{"id": 2,', mag(3, indexed_abstract='{"a": [-1]}'), b'{"title": "T"}', b"\x00\xff"]
    found = read(b"\n".join([good, *bad, mag(4)]))
    assert ids(found) == [
        *("1", Reason.UNREADABLE, Reason.UNREADABLE, Reason.NO_IDENTIFIER),
        *(Reason.UNREADABLE, "4"),
    ]
    assert found[1].key == f"dump.txt@{len(good) + 1}"
    assert "expected one paper of the Open Academic Graph" in found[1].rejection.detail


def test_a_last_line_cut_short_is_a_truncation(read):
    assert ids(read(mag(1) + b"\n" + mag(2)[:-9])) == ["1", Reason.TRUNCATED]
    assert ids(read(mag(1) + b"\n" + mag(2)[:-9] + b"\n")) == ["1", Reason.UNREADABLE]


def test_a_cut_stream_keeps_its_first_records(read):
    *kept, loss = read(lzma.compress(b"\n".join(map(mag, range(1, 9))))[:-30])
    assert ids(kept) == [str(number) for number in range(1, len(kept) + 1)]
    assert isinstance(loss, Lost)
    assert loss.rejection.reason is Reason.TRUNCATED


@pytest.mark.parametrize("comma", [b"%s,\n", b"%s\n,", b"%s,\r\n"])
def test_an_array_with_a_record_per_line_is_read_like_lines(read, comma):
    """DBLP's citation network has "[", and a comma in front of each line or behind it."""
    body = b"".join(comma % json.dumps({"id": str(i)}).encode() for i in range(1, 4))
    content = b"[\n" + body.rstrip(b",\r\n") + b"\n]\n"
    assert ids(read(content, read_aminer)) == ["1", "2", "3"]


def test_a_digest_is_that_of_the_line(read):
    [found] = read(mag(1) + b"\n")
    assert found.digest == xxhash.xxh3_64_intdigest(mag(1))


def test_line_separators_inside_a_record_do_not_cut_it(read):
    record = json.dumps({"id": "0704.0001", "abstract": "a\u2028b\u0085c"}, ensure_ascii=False)
    [found] = read(record.encode(), read_arxiv)
    assert found.paper.source_id == "0704.0001"


def test_lines_of_core_end_in_carriage_returns(read):
    lines = b"\r\n".join(b'{"coreId": "%d", "language": null}' % i for i in (5, 6)) + b"\r\n"
    assert ids(read(lines, read_core_lines)) == ["5", "6"]


def test_a_placeholder_alone_is_no_text(read):
    words = {"No": [0], "abstract": [1], "available": [2]}
    work = {"id": "https://openalex.org/W1", "abstract_inverted_index": words}
    assert ids(read(json.dumps(work).encode(), read_openalex)) == [Reason.PLACEHOLDER]


def test_real_lines(real_data):
    path = real_data / "samples/arxiv/kaggle_arxiv-metadata-oai-snapshot.head.jsonl"
    found = list(read_arxiv(path))
    assert len(found) == 200
    assert sum(isinstance(record, Lost) for record in found) == 1
