"""A table of a JATS article as text: its caption, and its rows where every cell has one place."""

from collections.abc import Iterator

from lxml import etree

from corpusforge.parsers.markup import cited_line
from corpusforge.parsers.raw_text import ROW
from corpusforge.parsers.xmldoc import local_name

CELLS = {"td", "th"}
MOST_CELLS = 10_000  # a larger table is data


def table_rows(wrap: etree._Element) -> str:
    """The rows of all tables in a <table-wrap>, as lines of " | "-separated cells.

    A table with cells that span others says by its layout what they belong to: no text could. Of
    that one, and of pictures of tables, nothing is told.
    """
    rows = list(_rows(wrap))
    plain = len({len(row) for row in rows}) == 1 and len(rows[0]) > 1 and len(rows) > 1
    plain = plain and sum(map(len, rows)) <= MOST_CELLS
    if not plain or any(_spans(cell) for row in rows for cell in row):
        return ""
    return ROW.join(" | ".join(map(cited_line, row)) for row in rows)


def _rows(wrap: etree._Element) -> Iterator[list[etree._Element]]:
    for row in wrap.iter("{*}tr"):
        yield [cell for cell in row if local_name(cell) in CELLS]


def _spans(cell: etree._Element) -> bool:
    return cell.get("colspan", "1") != "1" or cell.get("rowspan", "1") != "1"
