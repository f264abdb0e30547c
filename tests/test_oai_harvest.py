"""A pipeline that harvests a repository: fetched over HTTP, extracted, killed and resumed."""

import os
import signal
import subprocess
import sys
import time

import msgspec
import pytest
from emulators.documents import generate
from emulators.oaipmh import OaiEmulator, OaiKnobs
from emulators.oaipmh_records import items_of
from emulators.server import Knobs

from corpusforge import Corpus

RECORDS = 120
ITEMS = items_of(generate(RECORDS), days=80)

pytestmark = pytest.mark.cluster


@pytest.fixture
def server():
    with OaiEmulator(ITEMS, Knobs(), OaiKnobs(page=10, stateless=False, totals=True)) as server:
        yield server


def write_pipeline(folder, server, **settings):
    download = {
        "kind": "oai-pmh",
        "address": server.address,
        "metadata_prefix": "arXiv",
        "from": "2023-01-01",
        "until": "2023-03-31",
    }
    recipe = {
        "output": "output",
        "network": {"per_second": 1000, "backoff_s": 0.01, "max_sleep_s": 60, "concurrency": 1},
        "stages": {
            "fetch": {"downloads": {"found": download | settings}},
            "extract": {
                "sources": {"arxiv": {"kind": "oai-pmh", "fetched": "found", "files": "*.gz"}}
            },
        },
    }
    folder.mkdir(exist_ok=True)
    path = folder / "pipeline.yaml"
    path.write_bytes(msgspec.yaml.encode(recipe))
    return path


def corpusforge(*words):
    command = [sys.executable, "-m", "corpusforge", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def fetched(pipeline):
    [folder] = pipeline.parent.glob("output/fetch-*/files/found")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_repository_is_one_block_of_yaml_and_its_records_are_extracted(server, tmp_path):
    pipeline = write_pipeline(tmp_path / "run", server)
    server.script.extend(["503", "", "expire", "truncate", "", "500", "broken"])
    server.oai.retry_s = 0
    done = corpusforge("run", pipeline, "--until", "extract", "--executor", "serial")
    assert done.returncode == 0, done.stdout + done.stderr
    corpus = Corpus.open(pipeline)
    [extract] = [entry for entry in corpus.ledger() if entry.stage == "extract"]
    assert extract.tally.balances
    table = corpus.table("extract", ["doc_id", "title", "abstract", "arxiv"]).to_pylist()
    wanted = {f"arxiv:{item.name}": (item.document.title, item.document.abstract) for item in ITEMS}
    # arXiv's abstracts are wrapped; clean joins their lines.
    told = {row["doc_id"]: (row["title"], " ".join(row["abstract"].split())) for row in table}
    assert told == wanted
    assert len(table) == RECORDS
    assert fetched(pipeline)["missing.tsv"] == b""


def test_a_dry_run_says_how_many_lists_are_asked_for_and_asks_nothing(server, tmp_path):
    done = corpusforge("fetch", write_pipeline(tmp_path / "run", server), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "2023-01-01 to 2023-03-31, by month" in done.stdout
    assert server.seen == []


def test_a_killed_harvest_goes_on_where_it_was_though_its_token_died(server, tmp_path):
    whole = write_pipeline(tmp_path / "whole", server)
    assert corpusforge("fetch", whole).returncode == 0
    asked = len(server.seen)
    server.seen.clear()
    server.knobs.latency_s = 0.1
    pipeline = write_pipeline(tmp_path / "killed", server)
    command = [sys.executable, "-m", "corpusforge", "fetch", str(pipeline)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        while len(server.seen) < 5 and process.poll() is None:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
    assert not list(pipeline.parent.glob("output/fetch-*/files/found.json"))
    server.knobs.latency_s = 0
    server.oai.dead.update(server._lists)
    before = len(server.seen)
    done = corpusforge("run", pipeline, "--until", "extract", "--executor", "serial")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(server.seen) <= asked + 3  # the one that was under way, the dead token, the overlap
    first = [seen.target for seen in server.seen[: before - 1]]
    assert not set(first) & {seen.target for seen in server.seen[before:]}
    ids = Corpus.open(pipeline).table("extract", ["doc_id"])["doc_id"].to_pylist()
    assert sorted(ids) == sorted(f"arxiv:{item.name}" for item in ITEMS)
