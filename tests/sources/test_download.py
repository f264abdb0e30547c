"""What a download promises: continued, checked, and not made twice."""

import gzip
import hashlib
from random import Random

import pytest
from emulators.files import FileEmulator

from corpusforge.errors import RunError, SourceError, Stopped
from corpusforge.sources.answers import Request
from corpusforge.sources.download import RefusedError, download, held, missing_bytes, size_of
from corpusforge.sources.http import Client, GaveUpError
from corpusforge.sources.network import NetworkConfig
from sources.fake_clock import FakeClock

CONTENT = Random(1).randbytes(300_000)
SHA256 = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
MD5 = f"md5:{hashlib.md5(CONTENT).hexdigest()}"


@pytest.fixture
def server():
    with FileEmulator({"/dump.gz": CONTENT}) as server:
        server.knobs.drop_after = 100_000
        yield server


@pytest.fixture
def client(tmp_path):
    config = NetworkConfig(per_second=1000.0, attempts=3)
    return Client(config, tmp_path / "limits", Random(0), clock=FakeClock().clock)


@pytest.fixture
def broken_off(client, server, tmp_path):
    """What a run left that was cut off inside the file."""
    server.script.extend(["drop", "500", "500", "500"])
    with pytest.raises(GaveUpError, match="without progress, the last time with HTTP 500"):
        download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz")
    assert names(tmp_path) == ["dump.gz.part", "dump.gz.part.json"]
    server.seen.clear()
    return tmp_path / "dump.gz.part"


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_file())


@pytest.mark.parametrize("promise", ["", SHA256, MD5])
def test_a_file_arrives_complete_with_its_facts(client, server, tmp_path, promise):
    target = tmp_path / "dump.gz"
    facts = download(client, f"{server.url}/dump.gz", target, promise)
    assert target.read_bytes() == CONTENT
    assert (facts.size, facts.digest) == (len(CONTENT), promise or SHA256)
    assert names(tmp_path) == ["dump.gz", "dump.gz.http.json"]


def test_a_broken_connection_is_continued_where_it_broke(client, server, tmp_path):
    server.script.extend(["drop", "drop", "500"])
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz", SHA256)
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT
    asked = [int(s.headers.get("range", "bytes=0-")[6:-1]) for s in server.seen]
    assert asked[0] == 0
    assert asked[1] > 0
    assert asked[2] == asked[3] > asked[1]


def test_any_number_of_breaks_is_survived_as_long_as_each_attempt_brings_something(
    client, server, tmp_path
):
    server.script.extend(["drop"] * 20)
    server.knobs.drop_after = 20_000
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz", SHA256)
    assert len(server.seen) > 3 * client.config.attempts
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT


def test_a_later_run_continues_too(client, server, tmp_path, broken_off):
    size = broken_off.stat().st_size
    assert missing_bytes(tmp_path / "dump.gz", len(CONTENT)) == len(CONTENT) - size
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz", SHA256)
    assert server.seen[0].headers["range"] == f"bytes={size}-"
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT


def test_a_stopped_client_leaves_what_arrived(client, server, tmp_path):
    server.knobs.drop_after = len(CONTENT)
    stop, client.heed_stop = client.heed_stop, lambda: stop() if client.attempts else None
    client.stop()
    with pytest.raises(Stopped, match="the same command continues it"):
        download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz")
    assert 0 < (tmp_path / "dump.gz.part").stat().st_size < len(CONTENT)


@pytest.mark.usefixtures("broken_off")
def test_a_file_that_changed_meanwhile_is_begun_anew(client, server, tmp_path):
    server.files["/dump.gz"] = CONTENT[::-1]
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz")
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize("lack", ["ranges", "validators"])
def test_a_server_that_cannot_continue_sends_all_of_it_again(client, server, tmp_path, lack):
    setattr(server.server, lack, False)
    server.script.extend(["drop", "drop"])
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz", SHA256)
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT
    assert ("range" in server.seen[1].headers) == (lack == "ranges")


@pytest.mark.usefixtures("broken_off")
def test_a_range_from_another_place_than_asked_for_is_not_used(client, server, tmp_path):
    server.server.skip = 7
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz")
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT
    assert server.statuses[206] == 1


def test_a_run_that_was_killed_between_the_last_byte_and_the_check_asks_for_nothing_again(
    client, server, tmp_path, broken_off
):
    broken_off.write_bytes(CONTENT)
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz", SHA256)
    assert server.statuses[416] == 1
    assert len(server.seen) == 1
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT


@pytest.mark.parametrize("size", [1_000, len(CONTENT)])
def test_a_damaged_part_is_noticed_by_the_digest_and_begun_anew(
    client, server, tmp_path, broken_off, size
):
    broken_off.write_bytes(b"x" * size)
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz", SHA256)
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_begun_anew(client, server, tmp_path, broken_off):
    broken_off.write_bytes(b"x" * (len(CONTENT) + 1))
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz")
    assert (tmp_path / "dump.gz").read_bytes() == CONTENT


def test_a_file_that_is_here_is_not_asked_for_again(client, server, tmp_path):
    url, target = f"{server.url}/dump.gz", tmp_path / "dump.gz"
    first = download(client, url, target)
    for promise in ("", SHA256, MD5):  # the last one is computed
        assert download(client, url, target, promise) == first
    assert len(server.seen) == 1


def test_a_file_is_not_here_if_it_is_damaged_or_from_elsewhere_or_not_as_promised(
    client, server, tmp_path
):
    url, target = f"{server.url}/dump.gz", tmp_path / "dump.gz"
    download(client, url, target)
    assert held(url, target) is not None
    assert held(f"{url}?other", target) is None
    assert held(url, target, f"sha256:{'0' * 64}") is None
    assert held(url, target, f"md5:{'0' * 32}") is None
    target.write_bytes(CONTENT[:-1])
    assert held(url, target) is None
    download(client, url, target)
    assert target.read_bytes() == CONTENT


def test_bytes_are_kept_as_they_are_sent_even_if_the_server_calls_them_encoded(
    client, server, tmp_path
):
    server.server.encoding = "gzip"
    server.files["/dump.gz"] = packed = gzip.compress(CONTENT)
    download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz")
    assert (tmp_path / "dump.gz").read_bytes() == packed


def test_other_bytes_than_promised_are_deleted(client, server, tmp_path):
    wrong = f"sha256:{'0' * 64}"
    with pytest.raises(SourceError, match=rf"300,000 bytes with {SHA256}, expected .* {wrong}"):
        download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz", wrong)
    assert not any("dump.gz" in name and "json" not in name for name in names(tmp_path))
    assert len(server.seen) == 1


def test_a_full_disk_is_told_with_the_file(client, server, tmp_path):
    (tmp_path / "dump.gz.part").symlink_to("/dev/full")
    message = r"dump\.gz could not be written \(No space left on device\); what arrived is kept"
    with pytest.raises(RunError, match=message):
        download(client, f"{server.url}/dump.gz", tmp_path / "dump.gz")
    assert len(server.seen) == 1


def test_a_missing_file_is_told(client, server, tmp_path):
    with pytest.raises(RefusedError, match=r"/none answers HTTP 404, expected 200") as refused:
        download(client, f"{server.url}/none", tmp_path / "none")
    assert refused.value.status == 404


def test_a_redirect_is_followed_to_another_host(client, server, tmp_path):
    with FileEmulator({"/away": f"{server.url}/dump.gz"}) as elsewhere:
        facts = download(client, f"{elsewhere.url}/away", tmp_path / "dump.gz", SHA256)
        assert facts.url == f"{elsewhere.url}/away"
        assert size_of(client, f"{elsewhere.url}/away") == len(CONTENT)


def test_a_size_is_known_beforehand_if_the_server_tells_it(client, server):
    assert size_of(client, f"{server.url}/dump.gz") == len(CONTENT)
    assert [seen.method for seen in server.seen] == ["HEAD"]
    assert size_of(client, f"{server.url}/none") is None
    server.server.heads = False
    assert size_of(client, f"{server.url}/dump.gz") is None
    assert len(server.seen) == 3


def test_to_ask_for_a_size_is_as_patient_as_to_ask_for_a_file(client, server):
    server.script.extend(["429"])
    assert size_of(client, f"{server.url}/dump.gz") == len(CONTENT)


def test_a_request_for_the_head_brings_no_body(client, server):
    answer = client.ask(Request(f"{server.url}/dump.gz", method="HEAD"))
    assert (answer.status, answer.body) == (200, b"")
