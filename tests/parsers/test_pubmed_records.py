"""What the splitter of PubMed files promises."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.parsers.pubmed_records import Kind, Record, split_records

PIECES = [
    b"<PubmedArticle>",
    b"</PubmedArticle>",
    b"<PubmedArticle Status='x'>",
    b"<PubmedBookArticle>",
    b"</PubmedBookArticle>",
    b"<PubmedArticleSet>",
    b"</PubmedArticleSet>",
    b"<DeleteCitation>",
    b"</DeleteCitation>",
    b"<PMID Version='2'>77</PMID>",
    b"<PubmedArticleSets>",
    b"<!-- note -->",
    b"text",
    b"\n ",
    b"<",
    b"x" * 300,
]
files = st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)
HEAD = b'<?xml version="1.0"?>\n<!DOCTYPE PubmedArticleSet>\n<PubmedArticleSet>\n'
TAIL = b"</PubmedArticleSet>\n"


def article(text):
    return b"<PubmedArticle>" + text + b"</PubmedArticle>"


def split(*blocks):
    return list(split_records(blocks))


def contents(kind, data):
    return [record.content for record in split(data) if record.kind is kind]


@given(files, st.lists(st.integers(0, 400)))
def test_the_cut_into_blocks_does_not_matter(data, cuts):
    bounds = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    blocks = [data[a:b] for a, b in pairwise(bounds)]
    assert split(*blocks) == split(data)


@given(files)
def test_one_byte_at_a_time_gives_the_same_records(data):
    assert split(*(data[i : i + 1] for i in range(len(data)))) == split(data)


@given(files)
def test_a_record_stands_in_the_file_at_its_offset(data):
    for record in split(data):
        start = (
            record.offset if record.kind is not Kind.DELETION else data.index(b"77", record.offset)
        )
        assert data.startswith(record.content, start)


@given(st.binary())
def test_any_bytes_can_be_split(data):
    split(data)


@given(st.lists(st.text("abc<&").map(lambda text: text.replace("<", "&lt;").encode()), max_size=8))
def test_every_record_of_a_sound_file_comes_back_in_order(texts):
    data = HEAD + b"\n".join(map(article, texts)) + TAIL
    assert [(r.kind, r.content) for r in split(data)] == [
        (Kind.ARTICLE, article(text)) for text in texts
    ]


def test_books_and_articles_are_told_apart():
    data = HEAD + article(b"a") + b"<PubmedBookArticle>b</PubmedBookArticle>" + TAIL
    assert [record.kind for record in split(data)] == [Kind.ARTICLE, Kind.BOOK]


def test_each_deleted_pmid_is_an_item_with_its_version():
    orders = (
        b'<DeleteCitation><PMID Version="1">11</PMID>\n<PMID Version="3">12</PMID></DeleteCitation>'
    )
    first, second = split(HEAD + orders + TAIL)
    assert (first.kind, first.content, first.version) == (Kind.DELETION, b"11", 1)
    assert (second.kind, second.content, second.version) == (Kind.DELETION, b"12", 3)


def test_a_pmid_inside_an_article_is_no_deletion():
    assert contents(Kind.DELETION, HEAD + article(b"<PMID>1</PMID>") + TAIL) == []


def test_documents_may_be_deleted_too():
    orders = b"<DeleteDocument><PMID>5</PMID></DeleteDocument>"
    assert contents(Kind.DELETION, b"<BookDocumentSet>" + orders + b"</BookDocumentSet>") == [b"5"]


def test_a_record_without_its_end_tag_does_not_take_its_neighbours_down():
    data = HEAD + article(b"1") + b"<PubmedArticle>2\n" + article(b"3") + TAIL
    expected = [article(b"1"), b"<PubmedArticle>2\n", article(b"3")]
    assert contents(Kind.ARTICLE, data) == expected


def test_a_record_without_its_start_tag_is_a_record_still():
    data = HEAD + article(b"1") + b"2</PubmedArticle>" + article(b"3") + TAIL
    assert contents(Kind.ARTICLE, data) == [article(b"1"), b"2</PubmedArticle>", article(b"3")]


def test_the_last_record_of_a_set_may_lack_its_end_tag():
    assert contents(Kind.ARTICLE, HEAD + b"<PubmedArticle>1\n" + TAIL) == [b"<PubmedArticle>1\n"]


def test_blanks_and_comments_between_records_are_no_records():
    data = HEAD + b"<!-- a -->\n" + article(b"1") + b"\n<!-- b -->\n" + TAIL
    assert contents(Kind.ARTICLE, data) == [article(b"1")]


def test_a_file_that_ends_inside_a_record_gives_what_there_was():
    *_, last = split(HEAD + article(b"1") + b"<PubmedArticle>cut he")
    assert last == Record(Kind.TRUNCATED, len(HEAD + article(b"1")), b"<PubmedArticle>cut he")


def test_a_file_that_ends_between_records_is_truncated_too():
    """Otherwise the records that never came would vanish without a word."""
    *_, last = split(HEAD + article(b"1") + b"\n")
    assert (last.kind, last.content) == (Kind.TRUNCATED, b"\n")


def test_a_file_that_ends_among_deletions_keeps_those_that_are_whole():
    found = split(HEAD + b"<DeleteCitation><PMID>5</PMID><PMID>6")
    assert [record.kind for record in found] == [Kind.DELETION, Kind.TRUNCATED]


@pytest.mark.parametrize("data", [b"", b"<html><body>503 Service Unavailable</body></html>", b"\0"])
def test_a_file_that_is_not_from_pubmed_says_so_with_its_beginning(data):
    assert split(data) == [Record(Kind.FOREIGN, 0, data)]


def test_a_complete_empty_set_gives_nothing():
    assert split(HEAD + TAIL) == []
    assert split(b"<PubmedArticleSet/>") == []


def test_sets_may_follow_one_another():
    data = HEAD + article(b"1") + TAIL + HEAD + article(b"2") + TAIL
    assert contents(Kind.ARTICLE, data) == [article(b"1"), article(b"2")]


def test_a_single_article_needs_no_set():
    assert split(article(b"1") + b"\n") == [Record(Kind.ARTICLE, 0, article(b"1"))]


def test_a_long_foreign_file_does_not_fill_the_memory():
    blocks = (b"<p>not found</p>" * 64 for _ in range(1000))
    [record] = split_records(blocks)
    assert len(record.content) <= 200
