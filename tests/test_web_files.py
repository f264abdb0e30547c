"""Files of a web server, over the command line: what would come, what comes, what a kill costs."""

import os
import signal
import subprocess
import sys
import time

import msgspec
import pytest
from corpora import Record, pubmed_file
from emulators.files import FileEmulator, sums_beside

from corpusforge import Corpus

pytestmark = pytest.mark.cluster
RECORDS = 40
PATHS = [f"/pubmed/{folder}/pubmed26n{n:04}.xml" for n, folder in enumerate(["base"] * 3 + ["new"])]
FILES = {
    path: pubmed_file([Record(str(1 + n * RECORDS + i), f"On {n} and {i}") for i in range(RECORDS)])
    for n, path in enumerate(PATHS)
}


@pytest.fixture
def server():
    with FileEmulator(sums_beside(FILES)) as server:
        yield server


@pytest.fixture
def pipeline(server, tmp_path):
    listings = [f"{server.url}/pubmed/{folder}/" for folder in ("base", "new")]
    download = {"kind": "files", "listings": listings, "files": "*.xml", "checksums": "md5"}
    recipe = {
        "output": "output",
        "network": {"per_second": 1000, "backoff_s": 0.01, "concurrency": 2},
        "stages": {
            "fetch": {"downloads": {"pubmed": download}},
            "extract": {
                "sources": {"pubmed": {"kind": "pubmed", "fetched": "pubmed", "files": "*.xml"}}
            },
        },
    }
    path = tmp_path / "pipeline.yaml"
    path.write_bytes(msgspec.yaml.encode(recipe))
    return path


def corpusforge(*words):
    return subprocess.Popen(
        [sys.executable, "-m", "corpusforge", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(process):
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    return output


def test_a_dry_run_says_how_many_bytes_would_come_and_brings_none(server, pipeline):
    told = finish(corpusforge("fetch", str(pipeline), "--dry-run"))
    total = sum(map(len, FILES.values()))
    line = f"pubmed: 4 files, {total:,} bytes; 0 are here, {total:,} bytes are to come"
    assert told.splitlines()[0] == line
    for path, content in FILES.items():
        assert f"{len(content):,}  {path.rpartition('/')[2]}" in told
    assert {seen.method for seen in server.seen if seen.path in FILES} == {"HEAD"}


def test_a_fetch_that_was_killed_brings_only_the_rest_and_all_records_arrive(server, pipeline):
    """The server stalls inside a file; by then others are complete. kill -9, then once more."""
    server.knobs.latency_s = 0.2
    process = corpusforge("fetch", str(pipeline))
    store = pipeline.parent / "output" / "landing" / "files"
    deadline = time.monotonic() + 60
    while not list(store.glob("*/*/*.xml")):
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    here = {path.name for path in store.glob("*/*/*.xml")}
    assert 0 < len(here) < len(FILES)
    server.knobs.latency_s = 0.0
    server.seen.clear()
    finish(corpusforge("run", str(pipeline), "--until", "extract", "--executor", "serial"))
    asked = {seen.path.rpartition("/")[2] for seen in server.seen}
    assert not asked & here
    assert Corpus.open(pipeline).table("extract").num_rows == RECORDS * len(FILES)
