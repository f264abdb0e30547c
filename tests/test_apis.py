"""Sources with an API, from an emulator over HTTP to token shards."""

import os
import subprocess
import sys
from dataclasses import dataclass

import msgspec
import pytest
from emulators.core import CoreEmulator
from emulators.crossref import CrossrefEmulator, CrossrefKnobs
from emulators.documents import generate
from emulators.openalex import OpenAlexEmulator, OpenAlexKnobs
from emulators.scopus import ScopusEmulator
from emulators.server import Knobs, Reply

from corpusforge import Corpus

KEY = "emulator-key-0001"
NAMES = ("SCOPUS_API_KEY", "CORE_API_KEY", "OPENALEX_API_KEY", "CROSSREF_PLUS_TOKEN")
KEYS = dict.fromkeys(NAMES, KEY)
RECORDS = 60
NOON = 1_699_963_200

pytestmark = pytest.mark.cluster


@dataclass(frozen=True)
class Api:
    """A kind of download: the server that stands for it, what to ask, and how to read it."""

    emulator: type
    ask: dict
    read: str  # kind of source
    path: str = ""  # of the API on its host


APIS = {
    "scopus": Api(ScopusEmulator, {"query": "KEY(a)"}, "scopus"),
    "core": Api(CoreEmulator, {"query": "KEY(a)"}, "core", "/v3"),
    "openalex": Api(
        OpenAlexEmulator, {"filter": "publication_year:2000-2030", "per_page": 10}, "openalex-api"
    ),
    "crossref": Api(CrossrefEmulator, {"filter": "from-pub-date:2000", "rows": 10}, "crossref-api"),
}


def write_pipeline(folder, urls):
    """A pipeline that asks these kinds at these addresses."""
    recipe = {
        "output": "output",
        "network": {"per_second": 1000, "backoff_s": 0.01, "max_sleep_s": 60},
        "stages": {
            "fetch": {
                "downloads": {
                    kind: {"kind": kind, "address": url + APIS[kind].path, **APIS[kind].ask}
                    for kind, url in urls.items()
                }
            },
            "extract": {
                "sources": {
                    kind: {"kind": APIS[kind].read, "fetched": kind, "files": "landing-*.gz"}
                    for kind in urls
                }
            },
            "clean": {"quality": "forge"},
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


@pytest.fixture(params=sorted(APIS))
def source(request, tmp_path):
    """A kind of source, the server that stands for it, and a pipeline that asks it."""
    with APIS[request.param].emulator(generate(RECORDS)) as server:
        yield request.param, server, write_pipeline(tmp_path, {request.param: server.url})


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
    kind, _, pipeline = source
    done = corpusforge("fetch", str(pipeline), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert f"{kind}: " in done.stdout
    assert "quota: " in done.stdout
    assert not (pipeline.parent / "output").exists()


def test_a_missing_scopus_key_says_where_to_get_one(tmp_path):
    with ScopusEmulator(generate(3)) as server:
        pipeline = write_pipeline(tmp_path, {"scopus": server.url})
        done = corpusforge("fetch", str(pipeline), keys={})
    assert done.returncode == 1
    assert "Scopus needs a key" in done.stderr
    assert "SCOPUS_API_KEY" in done.stderr


def test_t24_a_budget_that_is_used_up_for_hours_ends_the_command_with_status_69(tmp_path):
    with OpenAlexEmulator(
        generate(RECORDS), openalex=OpenAlexKnobs(budget=2), clock=lambda: NOON
    ) as server:
        pipeline = write_pipeline(tmp_path, {"openalex": server.url})
        done = corpusforge("fetch", str(pipeline))
    assert done.returncode == 69
    assert "is used up; what is fetched is kept" in done.stdout
    assert server.statuses == {200: 2}


def test_one_source_that_refuses_keeps_no_other_from_being_asked(tmp_path):
    with (
        OpenAlexEmulator(generate(RECORDS)) as openalex,
        ScopusEmulator(generate(RECORDS)) as scopus,
    ):
        openalex.reply = lambda _seen: Reply(400, {"error": "x", "message": "no such filter"})
        pipeline = write_pipeline(tmp_path, {"openalex": openalex.url, "scopus": scopus.url})
        failed = corpusforge("fetch", str(pipeline))
        assert failed.returncode == 1
        assert "fetch.download: 1 of 2 tasks failed (openalex: OpenAlex refuses" in failed.stderr
        asked = len(scopus.seen)
        assert asked == 3
        again = corpusforge("fetch", str(pipeline))
        assert "fetch.download: 1 of 1 tasks failed (openalex: " in again.stderr
        assert len(scopus.seen) == asked


def test_a_quota_of_one_source_is_waited_for_when_the_other_has_come(tmp_path):
    with (
        OpenAlexEmulator(
            generate(RECORDS), openalex=OpenAlexKnobs(budget=2), clock=lambda: NOON
        ) as openalex,
        ScopusEmulator(generate(RECORDS)) as scopus,
    ):
        pipeline = write_pipeline(tmp_path, {"openalex": openalex.url, "scopus": scopus.url})
        stopped = corpusforge("fetch", str(pipeline))
        assert stopped.returncode == 69
        assert "stopped: openalex: the quota of" in stopped.stdout
        assert len(scopus.seen) == 3


def test_a_dry_run_says_which_keys_are_there_and_shows_none(tmp_path):
    urls = {"scopus": "http://127.0.0.1:1", "core": "http://127.0.0.1:1"}
    pipeline = write_pipeline(tmp_path, urls)
    done = corpusforge("fetch", str(pipeline), "--dry-run", keys={"SCOPUS_API_KEY": KEY})
    assert done.returncode == 0, done.stderr
    assert "  key SCOPUS_API_KEY: found\n" in done.stdout
    assert "  key CORE_API_KEY: missing\n" in done.stdout
    assert KEY not in done.stdout + done.stderr


def test_a_few_records_without_any_abstract_end_well_but_with_a_warning(tmp_path, monkeypatch):
    monkeypatch.setitem(
        APIS, "scopus", Api(ScopusEmulator, {"query": "q", "max_without_abstract": 0.9}, "scopus")
    )
    with ScopusEmulator(generate(4)) as server:
        server.scopus.on_campus, server.scopus.silent_strip = False, True
        pipeline = write_pipeline(tmp_path, {"scopus": server.url})
        done = corpusforge("fetch", str(pipeline))
    assert done.returncode == 0, done.stderr
    assert "warning: scopus: none of 4 records has an abstract" in done.stdout


def test_openalex_and_crossref_come_together_through_faults_and_echoed_keys(tmp_path):
    papers = generate(RECORDS)
    knobs = Knobs(seed=1, fault_rate=0.2, faults=("500", "drop", "truncate"))
    with (
        OpenAlexEmulator(papers, knobs, OpenAlexKnobs(echo_key=True)) as openalex,
        CrossrefEmulator(papers, knobs, CrossrefKnobs(echo_token=True)) as crossref,
    ):
        pipeline = write_pipeline(tmp_path, {"openalex": openalex.url, "crossref": crossref.url})
        done = corpusforge("run", str(pipeline), "--until", "extract", "--executor", "serial")
        assert done.returncode == 0, done.stdout + done.stderr
    assert len(openalex.seen) > RECORDS / 10 < len(crossref.seen)
    table = Corpus.open(pipeline).table("extract", ["doc_id", "source", "doi", "title", "abstract"])
    rows = table.to_pylist()
    for source in ("openalex", "crossref"):
        came = {row["doi"]: (row["title"], row["abstract"]) for row in rows
                if row["source"] == source}  # fmt: skip
        assert came == {paper.doi: (paper.title, paper.abstract) for paper in papers}
    assert len({row["doc_id"] for row in rows}) == len(rows) == 2 * RECORDS
    files = [path for path in (tmp_path / "output").rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
