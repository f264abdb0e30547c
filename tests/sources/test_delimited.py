"""Rows of tables, whatever stands inside their quotes."""

import csv
import io
import lzma
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.reasons import Reason
from corpusforge.sources.delimited import Row, read_arxiv_table, read_rows
from corpusforge.sources.records import Found, Lost

fields = st.text(string.ascii_letters + '",\t\n \u2028\u0085é', max_size=12)
tables = st.lists(st.lists(fields, min_size=3, max_size=3), max_size=6)
NAMES = ["one", "two", "three"]


def table(rows, delimiter="\t", end="\n"):
    held = io.StringIO(newline="")
    csv.writer(held, delimiter=delimiter, lineterminator=end).writerows(rows)
    return held.getvalue().encode()


@pytest.fixture
def read(tmp_path):
    """The rows of a file of these bytes."""

    def rows(content, reader=read_rows):
        (tmp_path / "table").write_bytes(content)
        return list(reader(tmp_path / "table"))

    return rows


@given(tables, st.sampled_from("\t,"), st.sampled_from(["\n", "\r\n"]))
def test_rows_are_those_that_were_written(tmp_path_factory, rows, delimiter, end):
    path = tmp_path_factory.mktemp("table") / "table"
    content = table([NAMES, *rows], delimiter, end)
    path.write_bytes(content)
    found = list(read_rows(path))
    assert [list(row.values.values()) for row in found] == rows
    for row in found:
        assert content[row.offset :].startswith(row.content)


def test_a_row_of_another_length_is_lost_alone(read):
    first, loss, last = read(b"one\ttwo\n1\t2\n3\n4\t5\n")
    assert (first.values, last.values) == ({"one": "1", "two": "2"}, {"one": "4", "two": "5"})
    assert (loss.key, loss.rejection.reason) == ("table@12", Reason.UNREADABLE)
    assert loss.rejection.detail == "a row of 1 fields; the first row names 2"


def test_a_last_row_cut_short_is_a_truncation(read):
    *_, loss = read(b'one\ttwo\n1\t2\n3\t"unfin')
    assert isinstance(loss, Row)  # every field is there: nothing tells that the last one is cut
    *_, loss = read(b"one\ttwo\n1\t2\n3")
    assert loss.rejection.reason is Reason.TRUNCATED


def test_a_row_that_is_not_utf_8_is_lost_alone(read):
    found = read(b"one\ttwo\n1\t\xff\n3\t4\n")
    assert [type(row) for row in found] == [Lost, Row]
    assert found[0].rejection.detail == "a row that is not UTF-8"


def test_a_cut_stream_gives_its_first_rows_and_one_loss(read):
    content = table([NAMES, *([f"{i}", "x", "y" * i] for i in range(500))])
    *rows, loss = read(lzma.compress(content)[:-40])
    assert [row.values["one"] for row in rows] == [str(i) for i in range(len(rows))]
    assert loss.rejection.reason is Reason.TRUNCATED


@pytest.mark.parametrize("content", [b"", b"\n\n", b"one\ttwo\n"])
def test_a_table_without_rows_gives_nothing(read, content):
    assert read(content) == []


def test_a_quote_that_is_never_closed_cannot_swallow_a_file(read, monkeypatch):
    monkeypatch.setattr("corpusforge.sources.delimited.LONGEST", 1000)
    found = read(b'one\ttwo\n1\t"open' + b"x\ty\n" * 600 + b"5\t6\n")
    assert found[0].rejection.reason is Reason.UNREADABLE
    assert "field larger than field limit" in found[0].rejection.detail
    assert found[-1].values == {"one": "5", "two": "6"}


def test_the_real_tables_of_arxiv(real_data):
    """Every id that a float damaged is repaired: none of these rows is without one."""
    found, counts = [], {}
    for path in sorted((real_data / "demo/arxiv_tsv").glob("*.xz")):
        records = list(read_arxiv_table(path))
        counts[path.name] = len(records)
        found += records
    losses = [record for record in found if isinstance(record, Lost)]
    papers = [record.paper for record in found if isinstance(record, Found)]
    assert {loss.rejection.reason for loss in losses} <= {Reason.PLACEHOLDER}
    assert len(papers) > 1000
    assert all(paper.title and paper.abstract and paper.year for paper in papers)
    assert not any(len(paper.arxiv.partition(".")[2]) > 5 for paper in papers)
