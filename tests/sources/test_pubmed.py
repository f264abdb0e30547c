"""What a PubMed file gives: every record once, as a paper, a loss or a withdrawal."""

import gzip

import pytest
import xxhash

from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.pubmed import read_pubmed
from corpusforge.sources.records import Found, Lost, Withdrawn

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<PubmedArticleSet>\n'
TAIL = "</PubmedArticleSet>\n"


def article(pmid, title="A title."):
    name = f'<PMID Version="1">{pmid}</PMID>' if pmid else ""
    return (
        f"<PubmedArticle><MedlineCitation>{name}<Article><Journal><Title>J</Title></Journal>"
        f"<ArticleTitle>{title}</ArticleTitle></Article></MedlineCitation></PubmedArticle>\n"
    )


BOOK = (
    '<PubmedBookArticle><BookDocument><PMID Version="1">9</PMID><Book><BookTitle>A book'
    "</BookTitle></Book></BookDocument></PubmedBookArticle>\n"
)
DELETION = '<DeleteCitation><PMID Version="2">7</PMID><PMID>8</PMID></DeleteCitation>\n'


@pytest.fixture
def records(tmp_path):
    """The records of a file with this text."""

    def read(text, change=bytes):
        (tmp_path / "p.xml.gz").write_bytes(change(text.encode()))
        return list(read_pubmed(tmp_path / "p.xml.gz"))

    return read


def pmids(found):
    return [r.paper.pmid if isinstance(r, Found) else type(r).__name__ for r in found]


def whole(*parts):
    return HEAD + "".join(parts) + TAIL


@pytest.mark.parametrize("change", [bytes, gzip.compress])
def test_every_record_comes_in_the_order_of_the_file(records, change):
    found = records(whole(article(1), BOOK, article(2), DELETION), change)
    assert pmids(found) == ["1", "9", "2", "Withdrawn", "Withdrawn"]
    assert found[3:] == [Withdrawn("7", 2), Withdrawn("8", 1)]


def test_a_digest_is_that_of_the_bytes_of_its_record(records):
    text = article(1).strip()
    [one, other] = records(whole(text, article(2)))
    assert one.digest == xxhash.xxh3_64_intdigest(text.encode())
    assert one.digest != other.digest


def test_a_malformed_record_costs_itself_and_never_its_neighbours(records):
    broken = article(2).replace("</Article>", "")
    [first, lost, last] = records(whole(article(1), broken, article(3)))
    assert pmids([first, last]) == ["1", "3"]
    assert lost.rejection.reason is Reason.UNREADABLE
    place = (HEAD + article(1)).encode()
    assert lost.key in (f"p.xml.gz@{len(place)}", f"p.xml.gz@{len(place) - 1}")


def test_a_record_without_pmid_is_lost_by_its_title(records):
    [lost, found] = records(whole(article(None, "Nameless."), article(2)))
    assert (lost.rejection.reason, found.paper.pmid) == (Reason.NO_IDENTIFIER, "2")
    assert "'Nameless.' has no PMID" in lost.rejection.detail


def test_a_file_cut_anywhere_gives_what_precedes_the_cut_and_one_loss(tmp_path):
    content = gzip.compress(whole(*(article(i, f"T{i * i}") for i in range(1, 6))).encode())
    path = tmp_path / "cut.xml.gz"
    for size in range(2, len(content)):
        path.write_bytes(content[:size])
        *papers, lost = read_pubmed(path)
        assert pmids(papers) == [str(i + 1) for i in range(len(papers))]
        assert isinstance(lost, Lost)
        assert lost.rejection == Rejection(
            Reason.TRUNCATED,
            detail=f"cut.xml.gz ends inside the compressed stream, at byte {size}; fetch it again",
        )
    assert len(papers) == 5


def test_a_missing_checksum_is_one_loss_after_every_paper(tmp_path):
    (tmp_path / "cut.xml.gz").write_bytes(gzip.compress(whole(article(1)).encode())[:-8])
    [paper, lost] = read_pubmed(tmp_path / "cut.xml.gz")
    assert paper.paper.pmid == "1"
    assert (lost.key, lost.rejection.reason) == ("cut.xml.gz@end", Reason.TRUNCATED)
    assert lost.rejection.detail.startswith("cut.xml.gz ends inside the compressed stream")


def test_bytes_after_the_last_member_are_one_loss(tmp_path):
    content = gzip.compress(whole(article(1)).encode())
    (tmp_path / "p.xml.gz").write_bytes(content + b"garbage")
    [paper, lost] = read_pubmed(tmp_path / "p.xml.gz")
    assert paper.paper.pmid == "1"
    assert lost.rejection.reason is Reason.TRUNCATED
    assert "p.xml.gz damaged before byte" in lost.rejection.detail


def test_a_plain_file_that_ends_in_a_record_is_one_loss(records):
    [found, lost] = records(HEAD + article(1) + article(2)[:60])
    assert found.paper.pmid == "1"
    assert lost.rejection.detail == "the file ends in a record"


@pytest.mark.parametrize("change", [bytes, gzip.compress])
def test_an_empty_file_is_one_loss(records, change):
    [lost] = records("", change)
    assert lost.rejection.reason is Reason.UNREADABLE
    assert lost.rejection.detail == "the file is empty"


def test_an_error_page_is_one_loss_that_shows_how_it_starts(records):
    [lost] = records("<!DOCTYPE html><html><body>503 Service Unavailable</body></html>")
    assert lost.rejection.reason is Reason.UNREADABLE
    assert lost.rejection.detail.startswith("not a PubMed file: it starts with '<!DOCTYPE html>")


def test_a_file_with_an_empty_set_has_no_records_and_no_losses(records):
    assert records(whole()) == []


def test_reading_a_file_twice_gives_the_same(tmp_path):
    (tmp_path / "p.xml").write_text(whole(article(1), article(None), BOOK, DELETION))
    assert list(read_pubmed(tmp_path / "p.xml")) == list(read_pubmed(tmp_path / "p.xml"))
