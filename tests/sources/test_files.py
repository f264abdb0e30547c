"""Files of XML, and files that are read through a mapping."""

import gzip
import json
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpusforge.parsers.field_mapping import FieldMapping
from corpusforge.reasons import Reason
from corpusforge.sources.mapped import read_mapped
from corpusforge.sources.records import Found, Lost
from corpusforge.sources.xml_files import read_acl, read_tei

MAPPING = FieldMapping(source_id="key", title="name", abstract="about", year="when")
ROWS = [
    {"key": str(i), "name": f"Title {i}", "about": f"Abstract\n\nof {i}.", "when": 2000 + i, "x": 0}
    for i in range(700)
]
read = partial(read_mapped, mapping=MAPPING)


def as_json(rows):
    return "\n".join(map(json.dumps, rows)).encode()


def as_table(rows, delimiter):
    lines = [delimiter.join(rows[0])]
    lines += [delimiter.join(f'"{value}"' for value in row.values()) for row in rows]
    return "\n".join(lines).encode()


def as_parquet(rows):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), sink, row_group_size=100)
    return sink.getvalue().to_pybytes()


FORMATS = {
    "json": as_json,
    "json array": lambda rows: b"[" + as_json(rows).replace(b"}\n", b"},\n") + b"]",
    "json with a byte order mark": lambda rows: b"\xef\xbb\xbf" + as_json(rows),
    "csv": partial(as_table, delimiter=","),
    "tsv": partial(as_table, delimiter="\t"),
    "gzip": lambda rows: gzip.compress(as_json(rows)),
    "parquet": as_parquet,
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_papers_come_of_every_format(tmp_path, name):
    (tmp_path / "file").write_bytes(FORMATS[name](ROWS))
    papers = [record.paper for record in read(tmp_path / "file")]
    assert len(papers) == 700
    assert papers[9].source_id == "9"
    assert (papers[9].title, papers[9].abstract) == ("Title 9", "Abstract\n\nof 9.")
    assert (papers[9].year, papers[600].year) == (2009, None)


def test_a_digest_of_parquet_depends_on_the_mapped_fields_alone(tmp_path):
    for place, x in (("a", 1), ("b", 2)):
        (tmp_path / place).write_bytes(as_parquet([{**ROWS[0], "x": x}]))
    [one], [other] = read(tmp_path / "a"), read(tmp_path / "b")
    assert one == other
    (tmp_path / "c").write_bytes(as_parquet([{**ROWS[0], "name": "Another"}]))
    [changed] = read(tmp_path / "c")
    assert changed.digest != one.digest


def test_a_damaged_parquet_file_is_one_loss(tmp_path):
    (tmp_path / "cut.parquet").write_bytes(as_parquet(ROWS)[:-100])
    [loss] = read(tmp_path / "cut.parquet")
    assert loss.rejection.reason is Reason.TRUNCATED
    assert loss.rejection.detail.startswith("cut.parquet cannot be read from row 0 on:")


def test_a_row_without_its_key_is_lost_alone(tmp_path):
    (tmp_path / "f").write_bytes(as_parquet([{"key": "1"}, {"key": None}, {"key": "3"}]))
    found = list(read(tmp_path / "f"))
    assert [type(record) for record in found] == [Found, Lost, Found]
    assert (found[1].key, found[1].rejection.reason) == ("f@row 1", Reason.NO_IDENTIFIER)


COLLECTION = b"""<collection id="J18"><volume id="1"><paper id="1"><title>A</title></paper>
<paper id="x"><title>B</title></paper>
<paper id="3"><title>C</title></paper></volume></collection>"""


def test_a_collection_gives_every_paper_or_its_loss(tmp_path):
    (tmp_path / "J18.xml").write_bytes(COLLECTION)
    first, loss, last = read_acl(tmp_path / "J18.xml")
    assert (first.paper.source_id, last.paper.source_id) == ("J18-1001", "J18-1003")
    assert (loss.key, loss.rejection.reason) == ("J18.xml@paper 1", Reason.NO_IDENTIFIER)


@pytest.mark.parametrize("reader", [read_acl, read_tei])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (COLLECTION[:-30], Reason.UNREADABLE),
        (gzip.compress(COLLECTION)[:-9], Reason.TRUNCATED),
        (b"", Reason.UNREADABLE),
    ],
)
def test_a_file_that_cannot_be_read_is_one_loss(tmp_path, reader, content, reason):
    (tmp_path / "f.xml").write_bytes(content)
    [loss] = reader(tmp_path / "f.xml")
    assert (loss.key, loss.rejection.reason) == ("f.xml@0", reason)


def test_a_tei_document_is_named_by_its_file(real_data):
    [found] = read_tei(real_data / "samples/s2/grobid_tei_N18-3011.tei.xml")
    assert found.paper.source_id == "grobid_tei_N18-3011"
