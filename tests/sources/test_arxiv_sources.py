r"""Submissions to arXiv: each is a paper or a loss with its reason, and nothing is unpacked."""

import gzip
import io
import subprocess
import sys
import tarfile
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusforge.reasons import Reason
from corpusforge.sources import arxiv_sources
from corpusforge.sources.arxiv_sources import read_arxiv_sources
from corpusforge.sources.records import Found, Lost


def tex(text):
    return (
        rf"\documentclass{{a}}\title{{On {text}}}\begin{{document}}{text}\end{{document}}".encode()
    )


def tar(files):
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return held.getvalue()


def packed(*files):
    return gzip.compress(tar(files), mtime=0)


FIGURE = ("fig/a.eps", b"%!PS-Adobe" + bytes(50_000))
SUBMISSIONS = [
    ("0704/0704.0001.gz", packed(("main.tex", tex("A\\input{b}")), ("b.tex", b"B"), FIGURE)),
    ("0704/0704.0002.gz", gzip.compress(tex("alone"), mtime=0)),
    ("0704/hep-th9901001.gz", packed(("paper.tex", tex("old")))),
]


@pytest.fixture
def read(tmp_path):
    """The records of a file with these bytes."""

    def records(content, name="arXiv_src_0704_001.tar"):
        (tmp_path / name).write_bytes(content)
        found = list(read_arxiv_sources(tmp_path / name))
        assert [path.name for path in tmp_path.iterdir()] == [name]
        return found

    return records


def test_every_submission_of_a_bulk_archive_is_read(read):
    first, second, third = read(tar(SUBMISSIONS))
    assert [r.paper.source_id for r in (first, second, third)] == [
        "0704.0001",
        "0704.0002",
        "hep-th/9901001",
    ]
    assert (first.paper.body, second.paper.body, third.paper.body) == ("AB", "alone", "old")
    assert (first.paper.version, first.paper.year, third.paper.year) == (1, 2007, 1999)


@pytest.mark.parametrize(
    ("name", "source_id", "version"),
    [
        ("2101.00001v2.tar.gz", "2101.00001", 2),
        ("arXiv-2101.00001v12.tar.gz", "2101.00001", 12),
        ("2101.00001.gz", "2101.00001", 1),
        ("2101.00001", "2101.00001", 1),
        ("hep-th_9901001v3.tar.gz", "hep-th/9901001", 3),
        ("math9901001.tar", "math/9901001", 1),
    ],
)
def test_a_single_submission_is_named_by_its_file(read, name, source_id, version):
    for content in (SUBMISSIONS[0][1], gzip.decompress(SUBMISSIONS[0][1])):
        [found] = read(content, name)
        assert (found.paper.source_id, found.paper.version) == (source_id, version)
        assert found.paper.body == "AB"


def test_the_digest_is_that_of_the_texts_alone(read):
    files = [("main.tex", tex("A")), ("b.tex", b"B")]
    [one] = read(packed(*files), "2101.00001.gz")
    [same] = read(gzip.compress(tar([*files[::-1], FIGURE]), 1, mtime=9), "2101.00001.gz")
    [other] = read(packed(files[0], ("b.tex", b"C")), "2101.00001.gz")
    assert one.digest == same.digest != other.digest


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"%PDF-1.4 " + bytes(9_000), "a PDF"),
        (gzip.compress(b"%!PS-Adobe-3.0"), "PostScript"),
        (b"PK\3\4 word/document.xml", "a Word file"),
        (gzip.compress(b"\n<html><body>"), "HTML"),
        (packed(FIGURE), "none of 0 files of text"),
        (packed(("data.txt", b"1 2 3")), "none of 1 files of text"),
    ],
)
def test_a_submission_without_latex_has_no_text_and_its_neighbours_stay(read, content, what):
    first, loss, last = read(tar([SUBMISSIONS[0], ("0704/0704.9999.pdf", content), SUBMISSIONS[1]]))
    assert isinstance(first, Found)
    assert isinstance(last, Found)
    assert loss.key == "arXiv_src_0704_001.tar@0704/0704.9999.pdf"
    assert loss.rejection.reason is Reason.NO_TEXT
    assert loss.rejection.detail.startswith("no LaTeX source: ")
    assert what in loss.rejection.detail


def test_a_withdrawn_submission_is_a_placeholder(read):
    text = b"%auto-ignore\r\nThis paper has been withdrawn by the authors.\r\n"
    [loss] = read(gzip.compress(text), "2101.00001.gz")
    assert loss.rejection.reason is Reason.PLACEHOLDER


def test_a_member_that_is_not_named_for_a_paper_is_told(read):
    [loss] = read(tar([("0704/notes.gz", SUBMISSIONS[0][1])]))
    assert loss.rejection.reason is Reason.NO_IDENTIFIER
    assert "0704/notes.gz names no paper of arXiv; expected" in loss.rejection.detail


# --- damage


@pytest.mark.parametrize("part", [0.2, 0.5, 0.9])
def test_a_damaged_submission_costs_only_itself(read, part):
    name, content = "0704/0704.0009.gz", packed(("a.tex", tex(Random(1).randbytes(5000).hex())))
    cut = content[: int(len(content) * part)]
    first, loss, last = read(tar([SUBMISSIONS[0], (name, cut), SUBMISSIONS[1]]))
    assert isinstance(first, Found)
    assert isinstance(last, Found)
    assert loss.rejection.reason is Reason.TRUNCATED
    assert loss.rejection.detail.startswith(f"{name} ends inside the compressed stream, at byte ")


def test_a_submission_whose_archive_is_cut_is_not_half_read(read):
    inner = tar([("main.tex", tex(r"\input{b}")), ("b.tex", bytes(9_000))])
    [loss] = read(gzip.compress(inner[:3_000]), "2101.00001.gz")
    assert loss.rejection.reason is Reason.TRUNCATED


def test_a_bulk_archive_cut_anywhere_keeps_what_precedes_and_says_so(read):
    whole = tar(SUBMISSIONS)
    for size in range(1, len(whole) - 1024, 997):
        *kept, last = read(whole[:size])
        assert isinstance(last, Lost)
        assert last.key == "arXiv_src_0704_001.tar@end"
        assert last.rejection.reason is Reason.TRUNCATED
        assert last.rejection.detail.endswith("; fetch it again")
        bodies = [record.paper.body for record in kept if isinstance(record, Found)]
        assert bodies == ["AB", "alone", "old"][: len(bodies)]
        lost = [record for record in kept if isinstance(record, Lost)]
        assert all(record.rejection.reason is Reason.TRUNCATED for record in lost)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", Reason.TRUNCATED), (bytes(1024), Reason.UNREADABLE), (b"no tar", Reason.TRUNCATED)],
)
def test_an_archive_of_nothing_is_a_loss(read, content, reason):
    [loss] = read(content)
    assert (loss.key, loss.rejection.reason) == ("arXiv_src_0704_001.tar@end", reason)


# --- hostile submissions


def test_names_that_lead_out_of_the_archive_are_no_files_of_it(read):
    main = tex(r"a\input{../evil}\input{/etc/passwd}b")
    files = [("../evil.tex", b"EVIL"), ("/../../evil.tex", b"EVIL"), ("sub/main.tex", main)]
    [found] = read(packed(*files), "2101.00001.gz")
    assert found.paper.body == "ab"


def test_links_are_no_files(read):
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
            info = tarfile.TarInfo("main.tex")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    [loss] = read(gzip.compress(held.getvalue()), "2101.00001.gz")
    assert loss.rejection.reason is Reason.NO_TEXT


def test_what_decompresses_to_more_than_a_submission_is_refused(read, monkeypatch):
    monkeypatch.setattr(arxiv_sources, "LARGEST", 100_000)
    bomb = packed(("main.tex", tex("x")), ("zeros.dat", bytes(1_000_000)))
    first, loss, last = read(tar([SUBMISSIONS[0], ("0704/0704.6666.gz", bomb), SUBMISSIONS[1]]))
    assert (first.paper.body, last.paper.body) == ("AB", "alone")
    assert (loss.rejection.reason, loss.rejection.limit) == (Reason.UNREADABLE, 100_000)
    assert "bytes when decompressed; expected no more than 100,000" in loss.rejection.detail


def test_more_text_than_a_paper_has_is_refused(read, monkeypatch):
    monkeypatch.setattr(arxiv_sources, "LARGEST_TEXT", 1_000)
    files = [("main.tex", tex("x")), ("a.tex", bytes(600)), ("b.tex", bytes(600))]
    [loss] = read(packed(*files), "2101.00001.gz")
    assert (loss.rejection.reason, loss.rejection.limit) == (Reason.UNREADABLE, 1_000)
    assert "bytes of text; expected no more than 1,000 of one paper" in loss.rejection.detail


def test_one_file_too_long_goes_by_like_a_figure_but_for_the_only_one(read, monkeypatch):
    monkeypatch.setattr(arxiv_sources, "LARGEST_FILE", 1_000)
    long = tex("x" * 2_000)
    [found] = read(packed(("main.tex", tex("a")), ("data.tex", long)), "2101.00001.gz")
    assert found.paper.body == "a"
    [loss] = read(gzip.compress(long), "2101.00001.gz")
    assert (loss.rejection.reason, loss.rejection.limit) == (Reason.UNREADABLE, 1_000)


MEMORY = """
import resource, sys
from pathlib import Path
from corpusforge.sources.arxiv_sources import read_arxiv_sources
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
kinds = [type(record).__name__ for record in read_arxiv_sources(Path(sys.argv[1]))]
print(*kinds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_memory_does_not_grow_with_what_a_submission_decompresses_to(tmp_path):
    """3 GB of zeros in 3 MB, and 400 MB of figures beside a paper."""
    zeros = gzip.compress(bytes(64 << 20), 1)
    figures = packed(("main.tex", tex("a")), *((f"{i}.eps", bytes(40 << 20)) for i in range(10)))
    bomb = ("2101/2101.00001.gz", zeros * 48)
    (tmp_path / "a.tar").write_bytes(tar([bomb, ("2101/2101.00002.gz", figures)]))
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(tmp_path / "a.tar")],
        capture_output=True,
        text=True,
        check=True,
    )
    *kinds, grown = done.stdout.split()
    assert kinds == ["Lost", "Found"]
    assert int(grown) < 60


@settings(max_examples=60)
@given(st.data())
def test_whatever_happened_to_a_file_reading_it_gives_records(data):
    content = bytearray(tar(SUBMISSIONS))
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = data.draw(st.sampled_from([bytes(content), gzip.compress(content)]) | st.binary())
    with TemporaryDirectory() as folder:
        path = Path(folder) / data.draw(st.sampled_from(["a.tar", "2101.00001.gz"]))
        path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
        records = list(read_arxiv_sources(path))
    assert records
    assert all(isinstance(record, Found | Lost) for record in records)
