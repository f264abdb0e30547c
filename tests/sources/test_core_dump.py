"""CORE's dump: each record once, held against its manifest, and every loss with its reason."""

import io
import json
import lzma
import subprocess
import sys
import tarfile
from collections import Counter
from functools import partial
from hashlib import md5
from random import Random

import pytest
import xxhash

from corpusforge.reasons import Reason
from corpusforge.sources.core_dump import read_core_dump
from corpusforge.sources.records import Found, Lost

EMPTY = (
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
    b'xmlns:rs="http://www.openarchives.org/rs/terms/">'
    b'<rs:md capability="resourcedump-manifest" at="2021-01-20T20:25:31.541226"/>%s</urlset>'
)


def record(core, **fields):
    own = {"coreId": str(core), "title": f"Title {core}", "abstract": f"Abstract of {core}."}
    return json.dumps(own | fields).encode()


def path_of(core):
    return f"/{core % 7}/{core % 11:02x}/{core}.json"


def entry(path, content, length=None):
    digest = md5(content).hexdigest()
    return (
        f"<url><loc>https://core.ac.uk/api-v2/articles/get/1</loc>"
        f'<rs:md hash="md5:{digest}" length="{length or len(content)}" '
        f'type="application/json" path="{path}"/></url>'
    ).encode()


entry_of = entry  # how a manifest lists a record


def provider(files, manifest_first=True, listed=None, prefix="", manifest=True):
    """The bytes of a tar of these (path, content)."""
    listing = EMPTY % b"".join(entry_of(*item) for item in (files if listed is None else listed))
    members = [(prefix + path, content) for path, content in files]
    about = [("manifest.xml", listing)] if manifest else []
    members = [*about, *members] if manifest_first else [*members, *about]
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return held.getvalue()


FILES = [(path_of(core), record(core)) for core in range(1, 40)]


@pytest.fixture
def read(tmp_path):
    """The records of an archive of these bytes."""

    def records(tar, compress=lzma.compress, name="86.tar.xz"):
        (tmp_path / name).write_bytes(compress(tar))
        return list(read_core_dump(tmp_path / name))

    return records


def cores(records):
    return [record.paper.core for record in records if isinstance(record, Found)]


def losses(records):
    return [record for record in records if isinstance(record, Lost)]


ALL = [str(core) for core in range(1, 40)]


@pytest.mark.parametrize("manifest_first", [True, False])
@pytest.mark.parametrize("prefix", ["", "."])
@pytest.mark.parametrize("compress", [lzma.compress, bytes])
def test_every_record_comes_once_in_order(read, compress, prefix, manifest_first):
    found = read(provider(FILES, manifest_first, prefix=prefix), compress)
    assert cores(found) == ALL
    assert losses(found) == []
    assert found[0].digest == xxhash.xxh3_64_intdigest(FILES[0][1])


@pytest.mark.parametrize("manifest_first", [True, False])
def test_a_member_that_is_not_what_the_manifest_promises_is_lost(read, manifest_first):
    """T15: another byte, and another length."""
    listed = [*FILES[2:], (FILES[0][0], record(77)), (*FILES[1], 9)]
    found = read(provider(FILES, manifest_first, listed))
    assert cores(found) == ALL[2:]
    assert [loss.key for loss in losses(found)] == [
        "86.tar.xz@1/01/1.json",
        "86.tar.xz@2/02/2.json",
    ]
    for loss in losses(found):
        assert loss.rejection.reason is Reason.UNREADABLE
        assert "the manifest promises another length or MD5" in loss.rejection.detail


def test_a_record_that_the_manifest_does_not_list_is_read(read):
    found = read(provider(FILES, listed=FILES[:-1]))
    assert (cores(found), losses(found)) == (ALL, [])


def test_records_that_are_listed_and_not_there_are_one_loss(read):
    found = read(provider(FILES[:-3], listed=FILES))
    [loss] = losses(found)
    assert (loss.rejection.reason, loss.rejection.observed) == (Reason.TRUNCATED, 36)
    assert loss.rejection.detail == "the manifest lists 3 records that the archive does not hold"


def by_address(last, path, content):
    """An entry without a path."""
    told = entry(path, content).replace(f' path="{path}"'.encode(), b"")
    return told.replace(b"/get/1<", f"/get/{last(path)}<".encode())


ADDRESSES = {
    "number": lambda path: path.rpartition("/")[2].removesuffix(".json"),
    "file": lambda path: path.rpartition("/")[2],
}


@pytest.mark.parametrize("last", ADDRESSES.values(), ids=ADDRESSES)
def test_entries_without_a_path_are_known_by_their_address(read, monkeypatch, last):
    monkeypatch.setattr(f"{__name__}.entry_of", partial(by_address, last))
    assert (cores(read(provider(FILES))), losses(read(provider(FILES)))) == (ALL, [])
    [short] = losses(read(provider(FILES[:-3], listed=FILES)))
    assert short.rejection.detail.startswith("the manifest lists 3 records that the archive does")
    [changed] = losses(read(provider(FILES, listed=[(FILES[0][0], record(77)), *FILES[1:]])))
    assert changed.key == "86.tar.xz@1/01/1.json"


def test_a_manifest_that_names_nothing_is_told_once_and_the_records_are_read(read, monkeypatch):
    monkeypatch.setattr(f"{__name__}.entry_of", partial(by_address, lambda _path: "?"))
    found = read(provider(FILES))
    assert cores(found) == ALL
    [loss] = losses(found)
    assert loss.key == "86.tar.xz@manifest"
    assert loss.rejection.detail.startswith("the manifest lists 39 records, but no path of any")


def test_an_archive_without_a_manifest_is_read(read):
    assert cores(read(provider(FILES, manifest=False))) == ALL


def test_a_provider_without_records_yields_nothing(read):
    assert read(provider([])) == []


@pytest.mark.parametrize("tar", [b"", bytes(1024)])
def test_an_archive_without_even_a_manifest_is_a_loss(read, tar):
    [loss] = read(tar)
    assert loss.rejection.reason in (Reason.TRUNCATED, Reason.UNREADABLE)


@pytest.mark.parametrize("part", [0.1, 0.4, 0.7, 0.97])
def test_a_truncated_archive_keeps_what_precedes_and_tells_the_loss(read, part):
    """T14. An xz stream that does not compress shows its members one by one."""
    noise = [
        (path_of(core), record(core, fullText=Random(core).randbytes(9000).hex()))
        for core in range(1, 40)
    ]
    whole = lzma.compress(provider(noise))
    found = read(whole[: int(len(whole) * part)], bytes)
    *kept, loss = found
    assert cores(kept) == ALL[: len(kept)]
    assert part < 0.3 or len(kept) > 0
    assert loss.rejection.reason is Reason.TRUNCATED
    assert "ends inside the compressed stream" in loss.rejection.detail


def test_one_malformed_member_costs_only_itself(read):
    files = [*FILES[:5], ("/x/1.json", b'{"coreId": "5'), ("/x/2.json", b"{}"), *FILES[5:]]
    found = read(provider(files))
    assert cores(found) == ALL
    reasons = [loss.rejection.reason for loss in losses(found)]
    assert reasons == [Reason.UNREADABLE, Reason.NO_IDENTIFIER]


def test_a_path_out_of_the_archive_is_refused_and_nothing_is_written(read, tmp_path):
    files = [("../../evil.json", record(1)), ("/a/../../evil.json", record(2)), FILES[5]]
    found = read(provider(files))
    assert cores(found) == ["6"]
    assert all("leads out of the archive" in loss.rejection.detail for loss in losses(found))
    assert [path.name for path in tmp_path.iterdir()] == ["86.tar.xz"]


def test_a_file_that_is_no_record_is_told(read):
    [loss] = losses(read(provider([("/a/paper.pdf", b"%PDF"), *FILES])))
    assert loss.key == "86.tar.xz@a/paper.pdf"


def test_a_placeholder_is_no_full_text(read):
    """T10."""
    text = "Not available for public API users."
    files = [
        ("/1.json", record(1, fullText=text)),
        ("/2.json", record(2, fullText=text, abstract="")),
    ]
    first, second = read(provider(files))
    assert (first.paper.abstract, first.paper.body) == ("Abstract of 1.", "")
    assert second.rejection.reason is Reason.PLACEHOLDER
    assert text in second.rejection.detail


def outer(members):
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return held.getvalue()


def test_the_whole_dump_is_read_provider_by_provider(read):
    tars = [("1.tar.xz", FILES[:10]), ("2.tar.xz", []), ("3.tar.xz", FILES[10:])]
    dump = outer([(f"tmp/{name}", lzma.compress(provider(files))) for name, files in tars])
    found = read(dump, name="resync_dump.tar.xz")
    assert (cores(found), losses(found)) == (ALL, [])


def test_a_damaged_provider_inside_the_dump_costs_only_its_own_rest(read):
    bad = lzma.compress(provider(FILES[:10]))[:-200]
    dump = outer([("1.tar.xz", bad), ("2.tar.xz", lzma.compress(provider(FILES[10:])))])
    found = read(dump, name="resync_dump.tar.xz")
    assert cores(found)[-29:] == ALL[10:]
    [loss] = losses(found)
    assert (loss.key, loss.rejection.reason) == (
        "resync_dump.tar.xz/1.tar.xz@end",
        Reason.TRUNCATED,
    )


def test_a_dump_cut_inside_a_provider_tells_both(read):
    dump = outer([("1.tar.xz", lzma.compress(provider(FILES)))])
    found = read(lzma.compress(dump)[:-300], bytes, name="resync_dump.tar.xz")
    assert Counter(loss.rejection.reason for loss in losses(found)) == {Reason.TRUNCATED: 2}


def test_the_dump_of_2018_has_a_record_per_line(read):
    lines = b"\r\n".join(content for _, content in FILES)
    found = read(outer([("86.json.xz", lzma.compress(lines))]), bytes, name="2018.tar")
    assert (cores(found), losses(found)) == (ALL, [])


MEMORY = """
import resource, sys
from pathlib import Path
from corpusforge.sources.core_dump import read_core_dump
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = sum(1 for record in read_core_dump(Path(sys.argv[1])))
print(found, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_memory_does_not_grow_with_the_archive(tmp_path):
    """600 MB of records: what is held is the dictionary of xz, one record and the manifest."""
    text = "0123456789 " * 60_000
    files = [(f"/{i}.json", record(i, fullText=text)) for i in range(1, 901)]
    path = tmp_path / "1.tar.xz"
    path.write_bytes(lzma.compress(provider(files), preset=0))
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(path)], capture_output=True, text=True, check=True
    )
    found, grown = map(int, done.stdout.split())
    assert found == 900
    assert grown < 60
