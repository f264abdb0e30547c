"""Packages of PubMed Central: their articles are read, the rest goes by."""

import gzip
import io
import lzma
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import xxhash
from corpora import Record, jats_file
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusforge.reasons import Reason
from corpusforge.sources import pmc_packages
from corpusforge.sources.jats import read_jats
from corpusforge.sources.pmc_packages import read_pmc_package
from corpusforge.sources.records import Found, Lost


def article(number):
    return jats_file(Record(f"PMC{number}", f"Title {number}", "An abstract. " * 50))


def tar(files):
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return held.getvalue()


PACKAGE = [
    ("PMC7/fig1.jpg", b"\xff\xd8\xff" + bytes(5_000)),
    ("PMC7/1471-2105-9-1.nxml", article(7)),
    ("PMC7/1471-2105-9-1.pdf", b"%PDF-1.4"),
    ("PMC7/1471-2105-9-1-S1.xml", b"<table>a supplement</table>"),
    ("PMC7/license.txt", b"CC BY"),
]
BULK = [(f"PMC000xxxxxx/PMC{number}.xml", article(number)) for number in range(1, 31)]


@pytest.fixture
def read(tmp_path):
    """The records of an archive with these bytes."""

    def records(content, name="PMC7.tar.gz"):
        (tmp_path / name).write_bytes(content)
        found = list(read_pmc_package(tmp_path / name))
        assert [path.name for path in tmp_path.iterdir()] == [name]
        return found

    return records


def numbers(records):
    return [record.paper.pmcid for record in records if isinstance(record, Found)]


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bytes])
def test_of_a_package_the_article_is_read_and_nothing_else(read, tmp_path, compress):
    [found] = read(compress(tar(PACKAGE)))
    assert found.digest == xxhash.xxh3_64_intdigest(article(7))
    alone = tmp_path / "article.nxml"
    alone.write_bytes(article(7))
    assert [found] == list(read_jats(alone))


def test_a_bulk_archive_gives_every_article(read):
    found = read(gzip.compress(tar(BULK)), "oa_comm_xml.PMC000xxxxxx.baseline.2024-12-18.tar.gz")
    assert numbers(found) == [f"PMC{number}" for number in range(1, 31)]
    assert len(found) == 30


def test_versions_in_names_are_articles_too(read):
    assert numbers(read(tar([("PMC7.1/PMC7.1.xml", article(7))]))) == ["PMC7"]


@pytest.mark.parametrize("part", [0.1, 0.45, 0.7])
def test_an_archive_cut_short_keeps_what_could_be_read_and_has_one_loss(read, part):
    whole = tar(BULK)
    cut = int(len(whole) * part)
    *kept, loss = read(whole[:cut])
    assert numbers(kept) == [f"PMC{number}" for number in range(1, len(kept) + 1)]
    assert len(kept) == whole[:cut].count(b"</article>")
    assert isinstance(loss, Lost)
    assert (loss.key, loss.rejection.reason) == ("PMC7.tar.gz@end", Reason.TRUNCATED)
    assert loss.rejection.detail.startswith("PMC7.tar.gz ends inside ")
    assert loss.rejection.detail.endswith("; fetch it again")


def test_a_compressed_archive_cut_short_says_where(read):
    content = gzip.compress(tar(BULK))
    *kept, loss = read(content[:-100])
    assert all(isinstance(record, Found) for record in kept)
    assert loss.rejection.detail == (
        f"PMC7.tar.gz ends inside the compressed stream, at byte {len(content) - 100:,}; "
        f"fetch it again"
    )


def test_an_article_that_cannot_be_read_costs_only_itself(read):
    files = [BULK[0], ("PMC9/broken.nxml", article(9)[:-30]), ("PMC8.xml", b"<article/>"), BULK[1]]
    first, broken, nameless, last = read(tar(files))
    assert numbers([first, last]) == ["PMC1", "PMC2"]
    assert (broken.key, broken.rejection.reason) == (
        "PMC7.tar.gz@PMC9/broken.nxml",
        Reason.UNREADABLE,
    )
    assert nameless.rejection.reason is Reason.NO_IDENTIFIER


def test_an_article_longer_than_any_is_passed_over(read, monkeypatch):
    monkeypatch.setattr(pmc_packages, "LONGEST", 5_000)
    loss, found = read(tar([("PMC1.xml", bytes(6_000)), BULK[1]]))
    assert numbers([found]) == ["PMC2"]
    assert (loss.rejection.observed, loss.rejection.limit) == (6_000, 5_000)


@pytest.mark.parametrize("files", [[], [PACKAGE[0], PACKAGE[3]]])
def test_an_archive_without_an_article_is_a_loss(read, files):
    [loss] = read(tar(files))
    assert loss.rejection.reason is Reason.UNREADABLE
    assert "PMC7.tar.gz holds no article; expected a file such as" in loss.rejection.detail


@pytest.mark.parametrize("content", [b"", b"Article File,Retracted\n"])
def test_what_is_no_archive_is_a_loss(read, content):
    [loss] = read(content)
    assert loss.rejection.reason is Reason.TRUNCATED


def test_a_name_that_leads_out_of_the_archive_is_only_a_name(read):
    [found] = read(tar([("../../PMC7.xml", article(7))]))
    assert found.paper.pmcid == "PMC7"


def test_a_package_of_real_articles_gives_what_the_files_give(read, real_data):
    paths = sorted((real_data / "samples" / "jats").glob("*.nxml"))[:4]
    records = read(gzip.compress(tar([(f"PMC1/{p.name}", p.read_bytes()) for p in paths])))
    assert records == [record for path in paths for record in read_jats(path)]


@settings(max_examples=60)
@given(st.data())
def test_whatever_happened_to_a_file_reading_it_gives_records(data):
    content = bytearray(tar(PACKAGE))
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = data.draw(st.sampled_from([bytes(content), gzip.compress(content)]) | st.binary())
    with TemporaryDirectory() as folder:
        path = Path(folder) / data.draw(st.sampled_from(["a.tar.gz"]))
        path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
        records = list(read_pmc_package(path))
    assert records
    assert all(isinstance(record, Found | Lost) for record in records)
