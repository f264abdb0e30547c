"""Scopus and CORE, from an emulator over HTTP to token shards."""

import os
import subprocess
import sys

import msgspec
import pytest
from emulators.core import CoreEmulator
from emulators.documents import generate
from emulators.scopus import ScopusEmulator

from corpusforge import Corpus

KEY = "emulator-key-0001"
KEYS = {"SCOPUS_API_KEY": KEY, "CORE_API_KEY": KEY}
EMULATORS = {"scopus": ScopusEmulator, "core": CoreEmulator}
PATHS = {"scopus": "", "core": "/v3"}
RECORDS = 60

pytestmark = pytest.mark.cluster


def write_pipeline(folder, kind, url):
    recipe = {
        "output": "output",
        "network": {"per_second": 1000, "backoff_s": 0.01, "max_sleep_s": 60},
        "stages": {
            "fetch": {"downloads": {"found": {"kind": kind, "query": "KEY(a)", "address": url}}},
            "extract": {
                "sources": {kind: {"kind": kind, "fetched": "found", "files": "landing-*.gz"}}
            },
            "clean": {"min_words": 1},
            "tokenizer": {"vocabulary": 300},
            "shards": {"split": [8, 1, 1]},
        },
    }
    path = folder / "pipeline.yaml"
    path.write_bytes(msgspec.yaml.encode(recipe))
    return path


def corpusforge(*words, keys=KEYS):
    environment = {name: value for name, value in os.environ.items() if name not in KEYS}
    return subprocess.run(
        [sys.executable, "-m", "corpusforge", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**environment, **keys},
    )


@pytest.fixture(params=sorted(EMULATORS))
def source(request, tmp_path):
    """A kind of source, the server that stands for it, and a pipeline that asks it."""
    with EMULATORS[request.param](generate(RECORDS)) as server:
        address = server.url + PATHS[request.param]
        yield request.param, server, write_pipeline(tmp_path, request.param, address)


def test_an_api_is_one_block_of_yaml_and_its_records_reach_the_shards(source):
    kind, _server, pipeline = source
    done = corpusforge("run", str(pipeline), "--executor", "serial")
    assert done.returncode == 0, done.stdout + done.stderr
    corpus = Corpus.open(pipeline)
    [extract] = [entry for entry in corpus.ledger() if entry.stage == "extract"]
    assert extract.tally.read >= RECORDS
    assert extract.tally.balances
    assert set(corpus.table("clean", ["source"])["source"].to_pylist()) == {kind}
    assert corpus.table("shards").num_rows > 0
    assert KEY not in done.stdout + done.stderr


def test_no_key_is_left_anywhere_in_the_results(source):
    _, _, pipeline = source
    assert corpusforge("fetch", str(pipeline)).returncode == 0
    files = [path for path in (pipeline.parent / "output").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_a_dry_run_says_what_would_be_asked_and_asks_nothing(source):
    _, _, pipeline = source
    done = corpusforge("fetch", str(pipeline), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "found: " in done.stdout
    assert "quota: " in done.stdout
    assert not (pipeline.parent / "output").exists()


def test_a_missing_scopus_key_says_where_to_get_one(tmp_path):
    with ScopusEmulator(generate(3)) as server:
        pipeline = write_pipeline(tmp_path, "scopus", server.url)
        done = corpusforge("fetch", str(pipeline), keys={})
    assert done.returncode == 1
    assert "Scopus needs a key" in done.stderr
    assert "SCOPUS_API_KEY" in done.stderr
