"""What the original files of CORE's works promise: each once, or a word on why it is not there."""

from collections import Counter
from random import Random

import pytest
from emulators.core import CoreEmulator, CoreKnobs, pdf_of, work_number
from emulators.documents import generate
from emulators.files import FileEmulator
from emulators.server import Reply

from corpusforge.errors import QuotaStop, SourceError
from corpusforge.sources.core_originals import Original, fetch_originals
from corpusforge.sources.core_plan import CoreConfig, estimate_core
from corpusforge.sources.core_records import read_core
from corpusforge.sources.harvest import Surroundings, harvest
from corpusforge.sources.http import Client, GaveUpError, Identity
from corpusforge.sources.network import NetworkConfig
from corpusforge.sources.secrets import Credential, Secret
from sources.fake_clock import FakeClock

KEY = "emulator-key-0001"
PAPERS = generate(30)
FILES = {str(work_number(paper)): pdf_of(paper) for paper in PAPERS if paper.body}
NAMELESS = {str(work_number(paper)) for paper in PAPERS if paper.number % 10 == 8}
NOT_THERE = {str(work_number(paper)) for paper in PAPERS} - FILES.keys() - NAMELESS


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def blobs():
    """CORE's file server, on another host."""
    with FileEmulator({f"/blob/{name}.pdf": content for name, content in FILES.items()}) as server:
        yield server


@pytest.fixture
def core(clock, blobs):
    with CoreEmulator(PAPERS, core=CoreKnobs(blobs=blobs.url), clock=clock.now) as server:
        yield server


@pytest.fixture
def fetch(core, clock, tmp_path):
    network = NetworkConfig(per_second=100_000.0, concurrency=3)
    around = Surroundings(tmp_path, tmp_path / "zone", network, {"CORE_API_KEY": KEY}, clock.clock)
    config = CoreConfig(query="carbon", limit=10, originals=True, address=f"{core.url}/v3")
    return lambda folder="out": harvest(config, tmp_path / folder, around)


def downloads(core):
    return Counter(seen.path for seen in core.seen if seen.path.endswith("/download"))


def test_every_file_comes_beside_the_answers_named_by_its_work(fetch, core, blobs, tmp_path):
    paths, summary = fetch()
    originals = {path.stem: path.read_bytes() for path in paths if path.parent.name == "originals"}
    assert originals == FILES
    records = [record for path in paths if path.suffix == ".gz" for record in read_core(path)]
    assert len(records) == len(PAPERS)
    missing = dict(summary.missing)
    assert missing.keys() == NOT_THERE | NAMELESS
    assert {missing[name] for name in NAMELESS} == {"CORE names no file of this work"}
    assert {missing[name] for name in NOT_THERE} == {
        "CORE's file server answers HTTP 404: it does not have the file"
    }
    rows = (tmp_path / "out" / "missing.tsv").read_text().splitlines()
    listed = [row.split("\t")[0] for row in rows]
    assert sorted(listed) == sorted(missing)
    assert summary.sent == len(core.seen) + len(blobs.seen)


def test_the_key_goes_to_the_api_and_not_to_the_file_server(fetch, core, blobs):
    fetch()
    assert {seen.headers.get("authorization") for seen in core.seen} == {f"Bearer {KEY}"}
    assert not any("authorization" in seen.headers for seen in blobs.seen)


def test_files_on_the_same_host_come_too(fetch, core):
    core.core.blobs = ""
    paths, _ = fetch()
    assert {path.stem for path in paths if path.suffix == ".pdf"} == FILES.keys()


def test_nothing_is_asked_twice_whether_it_came_or_not(fetch, core, blobs):
    first, before = fetch("one")
    core.seen.clear()
    blobs.seen.clear()
    second, after = fetch("other")
    assert (core.seen, blobs.seen, after.sent) == ([], [], 0)
    assert after.missing == before.missing
    assert [path.name for path in second] == [path.name for path in first]


def test_tokens_that_run_out_stop_the_fetch_and_a_later_one_goes_on(fetch, core, clock):
    core.core.tokens, core.core.window_s = 25, 86_400.0
    runs = 1
    while True:
        try:
            paths, _ = fetch()
            break
        except QuotaStop:
            clock.sleep(86_400.0)
            runs += 1
    assert runs > 3
    assert {path.stem for path in paths if path.suffix == ".pdf"} == FILES.keys()
    assert core.statuses[301] == len(FILES) + len(NOT_THERE)


def test_a_broken_connection_is_continued(fetch, blobs):
    blobs.script.extend(["drop"] * 5)
    paths, _ = fetch()
    assert {p.stem: p.read_bytes() for p in paths if p.suffix == ".pdf"} == FILES
    assert any("range" in seen.headers for seen in blobs.seen)


def test_what_is_no_pdf_is_told_and_not_kept(fetch, blobs, tmp_path):
    name = min(FILES)
    blobs.files[f"/blob/{name}.pdf"] = b"<html>Sign in</html>"
    paths, summary = fetch()
    assert name not in {path.stem for path in paths}
    why = dict(summary.missing)[name]
    assert why == "what came is no PDF: it starts with b'<html>Sign in</html>'"
    assert not list((tmp_path / "zone").rglob(f"{name}.pdf"))


class Grumpy(FileEmulator):
    """A file server that refuses some paths."""

    def __init__(self, files, refused):
        super().__init__(files)
        self.refused = refused

    def reply(self, seen):
        status = self.refused.get(seen.path)
        return super().reply(seen) if status is None else Reply(status, b"no")


def originals_from(refused, tmp_path, count=12):
    """Fetch files 0 to count - 1 one after the other from a server that refuses some of them."""
    files = {f"/{n}": b"%PDF-1.4 of " + str(n).encode() for n in range(count)}
    with Grumpy(files, {f"/{n}": status for n, status in refused.items()}) as server:
        config = NetworkConfig(per_second=100_000.0, concurrency=1, attempts=2)
        identity = Identity(server.url, (Credential("Authorization", Secret(KEY)),))
        client = Client(config, tmp_path / "limits", Random(0), identity, FakeClock().clock)
        wanted = [Original(str(n), f"{server.url}/{n}") for n in range(count)]
        return fetch_originals(wanted, client, tmp_path / "store", tmp_path / "out")


@pytest.mark.parametrize("status", [403, 451, 500])
def test_a_file_that_is_refused_is_listed_and_asked_for_again_next_time(tmp_path, status):
    paths, missing = originals_from({3: status, 7: status}, tmp_path)
    assert len(paths) == 10
    assert [name for name, _ in missing] == ["3", "7"]
    assert all(f"HTTP {status}" in why for _, why in missing)
    paths, missing = originals_from({}, tmp_path)
    assert (len(paths), missing) == (12, ())


@pytest.mark.parametrize(("status", "error"), [(403, SourceError), (500, GaveUpError)])
def test_if_files_fail_one_after_the_other_it_is_not_the_files(tmp_path, status, error):
    with pytest.raises(error, match=f"HTTP {status}"):
        originals_from(dict.fromkeys(range(4, 12), status), tmp_path)
    paths, _ = originals_from({}, tmp_path)
    assert len(paths) == 12


def test_a_key_that_is_refused_ends_the_fetch_at_once(tmp_path):
    with pytest.raises(SourceError, match=r"/2 answers HTTP 401, expected 200; correct .* cred"):
        originals_from({2: 401}, tmp_path)


def test_an_estimate_counts_the_files():
    with_files = CoreConfig(ids=["1", "2"], originals=True)
    assert estimate_core(with_files, with_files.ids, 1.0).requests == 4
    assert "one for each file" in estimate_core(CoreConfig(query="q", originals=True), [], 1.0).what
