"""What the pages of file servers say."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ParseError
from corpusforge.parsers.file_index import addresses, digest_of

MD5 = "0123456789abcdef0123456789ABCDEF"


def test_every_link_of_an_index_counts_in_its_order():
    page = (
        b'<!DOCTYPE html><html><body><pre><a href="?C=N;O=D">Name</a>\n<A HREF=b.gz>b</A> 12M\n'
        b"<a href='a%20b.gz.md5'>a b.gz.md5</a><a name=x>no link</a></pre>"
    )
    assert addresses(page) == ["?C=N;O=D", "b.gz", "a%20b.gz.md5"]


@pytest.mark.parametrize("name", ["entries", "files"])
def test_a_manifest_of_a_bucket_is_given_by_public_addresses(name):
    entry = {"url": "s3://openalex/data/jsonl/works/updated_date=2026-06-24/part_0000.gz"}
    other = {"url": "https://host/b.gz", "meta": {"content_length": 936733, "record_count": 499}}
    page = json.dumps({"date": "2026-06-25", name: [entry, other], "record_count": 2}).encode()
    day = "https://openalex.s3.amazonaws.com/data/jsonl/works/updated_date%3D2026-06-24"
    assert addresses(page) == [f"{day}/part_0000.gz", "https://host/b.gz"]


@pytest.mark.parametrize("page", [b"", b'{"urls": []}', b'{"entries": [{"url": 1}]}', b"{"])
def test_a_page_that_is_no_listing_is_told(page):
    message = rf"listing of {len(page)} bytes cannot be read: .*; expected HTML with links, or a"
    with pytest.raises(ParseError, match=message):
        addresses(page)


@given(st.binary())
def test_any_page_has_addresses_or_is_told(page):
    with suppress(ParseError):
        assert all(isinstance(address, str) for address in addresses(page))


@pytest.mark.parametrize(
    "sums",
    [
        f"MD5(pubmed26n0001.xml.gz)= {MD5}\n",
        f"{MD5}  pubmed26n0001.xml.gz\n",
        MD5,
        f"{'f' * 32}  other.gz\n{MD5} *pubmed26n0001.xml.gz\n",
    ],
)
def test_a_digest_is_read_in_every_common_form(sums):
    assert digest_of(sums.encode(), "pubmed26n0001.xml.gz", "md5") == MD5.lower()


def test_a_digest_of_another_length_is_none():
    assert digest_of(f"{MD5 * 2}  a.gz".encode(), "a.gz", "sha256") == (MD5 * 2).lower()
    with pytest.raises(ParseError, match=r"md5 of a\.gz cannot be read: its file has 0 of them"):
        digest_of(f"{MD5 * 2}  a.gz".encode(), "a.gz", "md5")


def test_of_two_digests_without_the_name_neither_is_taken():
    with pytest.raises(ParseError, match="has 2 of them and starts with b'ffff"):
        digest_of(f"{'f' * 32}  b.gz\n{MD5}  c.gz\n".encode(), "a.gz", "md5")
