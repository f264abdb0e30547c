"""Which files a download of files means."""

from datetime import date

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ConfigError, SourceError
from corpusforge.sources.web_files_plan import (
    FileAddress,
    FilesConfig,
    Wanted,
    by_name,
    spelled_out,
    wanted_by_address,
    wanted_by_listing,
)

HOST = "https://host/pub"


@pytest.mark.parametrize("where", ["urls", "listings"])
def test_an_address_with_a_key_is_refused_without_being_quoted(where):
    with pytest.raises(ValueError, match="address with api_key= in it would be in every") as told:
        FilesConfig(**{where: [f"{HOST}/a.gz?v=1&api_key=sesame"]})
    assert "sesame" not in str(told.value)


@given(st.integers(0, 500), st.integers(0, 300), st.integers(1, 4))
def test_numbers_are_spelled_out_with_their_zeros(first, count, width):
    addresses = spelled_out(f"{HOST}/f{{{first:0{width}}..{first + count}}}.gz")
    assert addresses == [f"{HOST}/f{n:0{width}}.gz" for n in range(first, first + count + 1)]


def test_two_patterns_make_every_pair():
    assert spelled_out("h/{1..2}/{08..09}") == ["h/1/08", "h/1/09", "h/2/08", "h/2/09"]


@pytest.mark.parametrize(("pattern", "files"), [("{2..1}", "0"), ("{0..99999999}", "100,000,000")])
def test_numbers_that_go_backwards_or_on_for_ever_are_refused(pattern, files):
    with pytest.raises(ConfigError, match=rf"stands for {files} files, expected 1 to 100,000"):
        spelled_out(f"{HOST}/{pattern}.gz")


def test_a_name_is_the_last_part_of_an_address_unless_it_is_given():
    config = FilesConfig(
        urls=[
            f"{HOST}/a%20b.gz?download=1",
            FileAddress(url=f"{HOST}/123/content", name="c.gz", md5="0" * 32, sha256="1" * 64),
            FileAddress(url=f"{HOST}/d.gz", md5="0" * 32),
        ]
    )
    assert list(wanted_by_address(config)) == [
        Wanted("a b.gz", f"{HOST}/a%20b.gz?download=1"),
        Wanted("c.gz", f"{HOST}/123/content", f"sha256:{'1' * 64}"),
        Wanted("d.gz", f"{HOST}/d.gz", f"md5:{'0' * 32}"),
    ]


def test_a_listing_gives_the_files_that_match_each_once():
    hrefs = [
        "?C=N",
        "../",
        "a.gz",
        "a.gz.md5",
        "a.gz#top",
        "x=1/b.gz",
        "/other/c.gz",
        "ftp://h/d.gz",
    ]
    assert list(wanted_by_listing(f"{HOST}/index.html", hrefs, "*.gz")) == [
        Wanted("a.gz", f"{HOST}/a.gz"),
        Wanted("x=1/b.gz", f"{HOST}/x=1/b.gz"),
        Wanted("c.gz", "https://host/other/c.gz"),
    ]


def test_a_listing_without_a_match_shows_what_it_has():
    with pytest.raises(SourceError, match=r"links to 1 files, such as \['a.gz'\], but .* '\*.xml'"):
        list(wanted_by_listing(f"{HOST}/", ["a.gz"], "*.xml"))


def test_files_are_ordered_by_name_and_repeats_are_no_fault():
    a, b = Wanted("a", f"{HOST}/a"), Wanted("b", f"{HOST}/b")
    assert by_name([b, a, b]) == [a, b]


def test_two_files_of_one_name_are_refused():
    message = "https://host/pub/1 and https://host/pub/2 would both be called a; give one"
    with pytest.raises(ConfigError, match=message):
        by_name([Wanted("a", f"{HOST}/1"), Wanted("a", f"{HOST}/2")])


@pytest.mark.parametrize("name", ["", "../a", "a/../../b", "/etc/passwd", "a//b", ".", "a\0b"])
def test_a_name_cannot_lead_out_of_the_folder(name):
    with pytest.raises(ConfigError, match="which is no name of a file; give it a `name`"):
        by_name([Wanted(name, HOST)])


def test_a_listing_cannot_either():
    with pytest.raises(ConfigError, match="is no name of a file"):
        by_name(wanted_by_listing(f"{HOST}/", ["%2e%2e/%2e%2e/a.gz"], "*"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "files needs urls, or listings, or both"),
        ({"urls": ["ftp://host/a"]}, "matching regex"),
        ({"urls": [{"url": "https://h/a", "sha256": "0"}]}, "matching regex"),
        ({"urls": [{"url": "https://h/a", "sha1": "0"}]}, "unknown field `sha1`"),
        ({"urls": ["https://h/a"], "checksums": "crc"}, "Invalid enum value 'crc'"),
        ({"urls": ["https://h/a"], "as_of": date(2026, 1, 1)}, "as_of is about listings, but"),
    ],
)
def test_a_wrong_config_is_told(given, message):
    with pytest.raises(msgspec.ValidationError, match=message):
        msgspec.convert({"kind": "files"} | given, FilesConfig)
