"""What a download of files promises: all of them, checked, once, whatever breaks in between."""

import hashlib
import os
import shutil
from collections import Counter, namedtuple
from datetime import date

import msgspec
import pytest
from emulators.files import FileEmulator, sums_beside
from emulators.server import Reply

from corpusforge.errors import ConfigError, QuotaStop, SourceError
from corpusforge.lock import exclusive
from corpusforge.sources.harvest import Surroundings
from corpusforge.sources.http import GaveUpError
from corpusforge.sources.network import NetworkConfig
from corpusforge.sources.web_files import fetch_files, look_at_files
from corpusforge.sources.web_files_plan import FilesConfig
from sources.fake_clock import FakeClock

CONTENTS = {f"/pub/p{n:02}.gz": bytes([n]) * (1000 + n) for n in range(12)}
BYTES = sum(map(len, CONTENTS.values()))


@pytest.fixture
def server():
    with FileEmulator(sums_beside(CONTENTS)) as server:
        yield server


@pytest.fixture
def around(tmp_path):
    network = NetworkConfig(per_second=100_000.0, attempts=3, concurrency=4)
    return Surroundings(tmp_path, tmp_path / "zone", network, {}, FakeClock().clock)


@pytest.fixture
def config(server):
    return FilesConfig(listings=[f"{server.url}/pub/"], files="*.gz", checksums="md5")


def contents(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.gz")}


WANTED = {path.removeprefix("/pub/"): content for path, content in CONTENTS.items()}


def asked(server):
    return Counter((seen.method, seen.path) for seen in server.seen)


def test_a_folder_of_a_server_arrives_with_every_digest_checked(server, around, config, tmp_path):
    files, counts = fetch_files(config, tmp_path / "out", around)
    assert contents(tmp_path / "out") == WANTED
    assert files == [tmp_path / "out" / name for name in sorted(WANTED)]
    each = {(m, p) for p in CONTENTS for m, p in [("HEAD", p), ("GET", p), ("GET", f"{p}.md5")]}
    assert asked(server) == Counter({("GET", "/pub/"), *each})
    assert counts == {"requests": 1 + 3 * len(CONTENTS), "here_before": 0}


def test_another_setting_asks_only_for_what_is_new_and_keeps_nothing_twice(
    server, around, config, tmp_path
):
    fetch_files(config, tmp_path / "out", around)
    server.files |= sums_beside({"/pub/p99.gz": b"new"})
    server.seen.clear()
    later = msgspec.structs.replace(config, as_of=date(2026, 1, 1))
    _, counts = fetch_files(later, tmp_path / "other", around)
    assert contents(tmp_path / "other") == WANTED | {"p99.gz": b"new"}
    new = [("HEAD", "/pub/p99.gz"), ("GET", "/pub/p99.gz"), ("GET", "/pub/p99.gz.md5")]
    assert asked(server) == Counter([("GET", "/pub/"), *new])
    assert counts["here_before"] == len(CONTENTS)
    assert os.path.samefile(tmp_path / "out" / "p00.gz", tmp_path / "other" / "p00.gz")


@pytest.mark.parametrize("seed", range(3))
def test_a_fetch_that_is_stopped_again_and_again_gets_there(server, around, tmp_path, seed):
    """The server drops connections, is overloaded, and is gone for a while."""
    server.files = sums_beside({path: content * 50 for path, content in CONTENTS.items()})
    server.knobs.fault_rate, server.knobs.faults = 0.4, ("drop", "500", "429")
    server._random.seed(seed)
    config = FilesConfig(urls=[f"{server.url}/pub/p{{00..11}}.gz"], checksums="md5")
    runs = 0
    while True:
        runs += 1
        assert runs < 100
        try:
            fetch_files(config, tmp_path / "out", around)
            break
        except GaveUpError:
            server.knobs.fault_rate *= 0.9
    assert contents(tmp_path / "out") == {n: content * 50 for n, content in WANTED.items()}


def test_a_file_that_is_not_what_was_promised_does_not_keep_the_others_away(
    server, around, config, tmp_path
):
    server.files["/pub/p03.gz"] = b"other bytes"
    with pytest.raises(
        SourceError, match=r"1 of 12 files did not come, the first because .*p03"
    ) as e:
        fetch_files(config, tmp_path / "out", around)
    assert hashlib.md5(CONTENTS["/pub/p03.gz"]).hexdigest() in str(e.value)
    assert not (tmp_path / "out").exists()
    server.files["/pub/p03.gz"] = CONTENTS["/pub/p03.gz"]
    server.seen.clear()
    fetch_files(config, tmp_path / "out", around)
    assert {path for _, path in asked(server)} == {"/pub/", "/pub/p03.gz", "/pub/p03.gz.md5"}


def test_a_server_that_is_gone_ends_the_fetch_instead_of_every_file(around, tmp_path):
    with FileEmulator({}) as server:
        config = FilesConfig(urls=[f"{server.url}/{{000..999}}.gz"])
    with pytest.raises(GaveUpError, match="failed 3 times"):
        fetch_files(config, tmp_path / "out", around)


def test_a_server_that_wants_a_long_pause_is_left_alone(server, around, config, tmp_path):
    server.fault_reply = lambda *_: Reply(429, b"", {"Retry-After": "86400"})
    server.script.extend(["", "429"])
    with pytest.raises(QuotaStop, match="wants a pause of 86,400 s"):
        fetch_files(config, tmp_path / "out", around)


def test_files_that_do_not_fit_are_not_begun(server, around, config, tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")(10**6, 0, BYTES - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)
    with pytest.raises(ConfigError, match=r"12 files of 0\.0 GB .* only 0\.0 GB are free there"):
        fetch_files(config, tmp_path / "out", around)
    assert ("GET", "/pub/p00.gz") not in asked(server)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage._replace(free=BYTES))
    fetch_files(config, tmp_path / "out", around)


def test_digests_asked_for_later_are_checked_too(server, around, config, tmp_path):
    plain = FilesConfig(listings=config.listings, files=config.files)
    fetch_files(plain, tmp_path / "plain", around)
    server.seen.clear()
    fetch_files(config, tmp_path / "checked", around)
    assert {p for m, p in asked(server) if m == "GET"} == {"/pub/", *(f"{p}.md5" for p in CONTENTS)}


@pytest.mark.parametrize(
    ("sums", "message"),
    [(None, "md5 answers HTTP 404, expected the md5 of p00.gz"), (b"?", "its file has 0 of them")],
)
def test_a_digest_that_is_not_there_is_told(server, around, tmp_path, sums, message):
    server.files |= {"/pub/p00.gz.md5": sums}
    config = FilesConfig(urls=[f"{server.url}/pub/p00.gz"], checksums="md5")
    with pytest.raises(SourceError, match=message):
        fetch_files(config, tmp_path / "out", around)


@pytest.mark.parametrize(
    ("page", "message"),
    [(None, "answers HTTP 404, expected a page with links"), (b"{}", "expected HTML with links")],
)
def test_a_listing_that_is_not_there_is_told(server, around, tmp_path, page, message):
    server.files |= {"/index": page}
    with pytest.raises(SourceError, match=message):
        fetch_files(FilesConfig(listings=[f"{server.url}/index"]), tmp_path / "out", around)


def test_folders_below_a_listing_are_kept_apart(around, tmp_path):
    files = {f"/data/day={n}/part_000.gz": bytes([n]) for n in range(3)}
    with FileEmulator(files) as server:
        config = FilesConfig(listings=[f"{server.url}/data/"], files="*/part_*.gz")
        fetch_files(config, tmp_path / "out", around)
    assert contents(tmp_path / "out") == {p.removeprefix("/data/"): c for p, c in files.items()}


def test_a_look_tells_what_is_here_and_how_much_is_to_come(server, around, config, tmp_path):
    looks = look_at_files(config, around)
    assert [look.wanted.name for look in looks] == sorted(WANTED)
    assert sum(look.missing for look in looks) == BYTES
    assert not any(seen.method == "GET" for seen in server.seen[1:])
    fetch_files(config, tmp_path / "out", around)
    looks = look_at_files(config, around)
    assert all(look.here and look.missing == 0 for look in looks)
    assert sum(look.size for look in looks) == BYTES


def test_a_size_that_the_server_does_not_tell_stops_nothing(server, around, config, tmp_path):
    server.server.heads = False
    assert {look.size for look in look_at_files(config, around)} == {None}
    fetch_files(config, tmp_path / "out", around)
    assert contents(tmp_path / "out") == WANTED


def test_files_are_copied_where_there_are_no_links(around, config, tmp_path, monkeypatch):
    def link(*_paths):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    fetch_files(config, tmp_path / "out", around)
    assert contents(tmp_path / "out") == WANTED


def test_two_runs_do_not_write_into_one_store(server, around, config, tmp_path):
    with exclusive(around.zone / "files"), pytest.raises(ConfigError, match="is in use by process"):
        fetch_files(config, tmp_path / "out", around)
    assert server.seen == []
