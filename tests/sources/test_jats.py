"""What a JATS file gives: one paper, or one loss that says why."""

import gzip

import pytest
import xxhash

from corpusforge.reasons import Reason
from corpusforge.sources.jats import read_jats
from corpusforge.sources.records import Found

ID = '<article-id pub-id-type="pmc">7</article-id>'


def document(ids=ID):
    return (
        f"<article><front><article-meta>{ids}<title-group><article-title>A title</article-title>"
        f"</title-group></article-meta></front><body><p>Text.</p></body></article>"
    ).encode()


@pytest.fixture
def record(tmp_path):
    """The one record of a file with these bytes."""

    def read(content):
        (tmp_path / "a.xml").write_bytes(content)
        [only] = read_jats(tmp_path / "a.xml")
        return only

    return read


@pytest.mark.parametrize("change", [bytes, gzip.compress])
def test_a_file_is_one_paper_with_the_digest_of_its_bytes(record, change):
    found = record(change(document()))
    assert isinstance(found, Found)
    assert (found.paper.pmcid, found.paper.title) == ("PMC7", "A title")
    assert found.digest == xxhash.xxh3_64_intdigest(document())


def test_a_compressed_file_cut_anywhere_is_truncated(record):
    content = gzip.compress(document())
    for size in range(2, len(content)):
        lost = record(content[:size])
        assert (lost.key, lost.rejection.reason) == ("a.xml@0", Reason.TRUNCATED)
        assert lost.rejection.detail == f"ends inside the compressed stream, at byte {size}"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(document()[:-20], id="cut"),
        pytest.param(b"", id="empty"),
        pytest.param(b"<html><body>503</body></html>", id="error page"),
        pytest.param(b"<!DOCTYPE html><p>not XML<br>", id="not XML"),
        pytest.param(document().replace(b"</front>", b""), id="malformed"),
        pytest.param(b"\x00\xff binary", id="binary"),
    ],
)
def test_what_is_no_article_is_unreadable_and_says_something(record, content):
    lost = record(content)
    assert (lost.key, lost.rejection.reason) == ("a.xml@0", Reason.UNREADABLE)
    assert lost.rejection.detail


def test_an_article_without_identifier_is_lost_by_its_title(record):
    lost = record(document(ids=""))
    assert lost.rejection.reason is Reason.NO_IDENTIFIER
    assert "'A title'" in lost.rejection.detail
