"""What a download promises: continued, checked, and not made twice."""

import hashlib
from random import Random

import pytest
from emulators.files import FileEmulator

from corpusforge.errors import SourceError
from corpusforge.sources.download import download
from corpusforge.sources.http import Client, GaveUpError
from corpusforge.sources.network import NetworkConfig
from sources.fake_clock import FakeClock

CONTENT = Random(1).randbytes(300_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server():
    with FileEmulator({"/dump.gz": CONTENT}) as server:
        server.knobs.drop_after = 100_000
        yield server


@pytest.fixture
def client(tmp_path):
    config = NetworkConfig(per_second=1000.0, attempts=3)
    return Client(config, tmp_path / "limits", Random(0), clock=FakeClock().clock)


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_file())


def test_a_file_arrives_complete_with_its_facts(client, server, tmp_path):
    target = tmp_path / "dump.gz"
    facts = download(client, f"{server.url}/dump.gz", target, SHA256)
    assert target.read_bytes() == CONTENT
    assert (facts.size, facts.sha256) == (len(CONTENT), SHA256)
    assert names(tmp_path) == ["dump.gz", "dump.gz.http.json"]


def test_a_broken_connection_is_continued_where_it_broke(client, server, tmp_path):
    server.script.extend(["drop", "drop", "500"])
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz", SHA256)
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT
    asked = [int(s.headers.get("range", "bytes=0-")[6:-1]) for s in server.seen]
    assert asked[0] == 0
    assert asked[1] > 0
    assert asked[2] == asked[3] > asked[1]


def test_a_later_run_continues_too(client, server, tmp_path):
    server.script.extend(["drop", "500", "500", "500"])
    with pytest.raises(GaveUpError, match="without progress, the last time with HTTP 500"):
        download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz", SHA256)
    assert names(tmp_path) == ["dump.gz.part", "dump.gz.part.json"]
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz", SHA256)
    assert int(server.seen[-1].headers["range"][6:-1]) > 0
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT


def test_a_file_that_changed_meanwhile_is_begun_anew(client, server, tmp_path):
    server.script.extend(["drop", "500", "500", "500"])
    with pytest.raises(GaveUpError):
        download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz")
    server.files["/dump.gz"] = CONTENT[::-1]
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz")
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT[::-1]


def test_a_file_that_did_not_change_is_not_sent_again(client, server, tmp_path):
    first = download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz")
    assert download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz") == first
    assert server.statuses == {200: 1, 304: 1}
    server.files["/dump.gz"] = b"new"
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz")
    assert (tmp_path / "dump.gz").read_bytes() == b"new"


def test_a_part_that_is_complete_already_is_not_trusted_blindly(client, server, tmp_path):
    server.script.extend(["drop", "500", "500", "500"])
    with pytest.raises(GaveUpError):
        download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz")
    with (tmp_path / "dump.gz.part").open("ab") as file:
        file.truncate(0)
        file.write(b"x" * len(CONTENT))
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz", SHA256)
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT


def test_other_bytes_than_promised_are_deleted(client, server, tmp_path):
    with pytest.raises(SourceError, match=rf"sha256 {SHA256}, expected .* with {'0' * 64}"):
        download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz", "0" * 64)
    assert not any("dump.gz" in name and "json" not in name for name in names(tmp_path))


def test_a_missing_file_is_told(client, server, tmp_path):
    with pytest.raises(SourceError, match=r"/none answers HTTP 404, expected 200"):
        download(client, f"{server.url}/none", tmp_path / "none")
