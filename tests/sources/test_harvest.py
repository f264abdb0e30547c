"""What a harvest promises: quota is spent once for all pipelines, and keys come from outside."""

from typing import get_args

import pytest
from emulators.core import CoreEmulator
from emulators.documents import generate
from emulators.scopus import ScopusEmulator

from corpusforge.errors import ConfigError
from corpusforge.lock import exclusive
from corpusforge.sources.core_plan import CoreConfig
from corpusforge.sources.core_records import read_core
from corpusforge.sources.harvest import APIS, ApiConfig, Surroundings, estimate, harvest
from corpusforge.sources.landing_file import landed_responses
from corpusforge.sources.network import NetworkConfig
from corpusforge.sources.scopus_plan import ScopusConfig
from corpusforge.sources.scopus_records import read_scopus
from sources.fake_clock import FakeClock

KEYS = {"SCOPUS_API_KEY": "emulator-key-0001", "CORE_API_KEY": "emulator-key-0001"}


@pytest.fixture
def around(tmp_path):
    def make(environment=KEYS):
        network = NetworkConfig(per_second=1000.0)
        return Surroundings(tmp_path, tmp_path / "zone", network, environment, FakeClock().clock)

    return make


@pytest.fixture
def scopus():
    with ScopusEmulator(generate(60)) as server:
        yield server


def test_another_config_asks_only_for_what_is_not_landed(scopus, around, tmp_path):
    first = ScopusConfig(query="KEY(a)", address=scopus.url)
    harvest(first, tmp_path / "first", around())
    looser = ScopusConfig(query="KEY(a)", address=scopus.url, max_without_abstract=0.9)
    files, summary = harvest(looser, tmp_path / "looser", around())
    assert (summary.sent, summary.records) == (0, 60)
    other = ScopusConfig(query="KEY(b)", address=scopus.url)
    files, summary = harvest(other, tmp_path / "other", around())
    assert summary.sent == 3
    queries = {dict(r.request.params)["query"] for path in files for r in landed_responses(path)}
    assert queries == {"KEY(b)"}
    assert len([record for path in files for record in read_scopus(path)]) == 60


def test_the_files_hold_the_answers_in_the_order_of_the_plan_without_the_faults(
    scopus, around, tmp_path
):
    scopus.script.extend(["truncate", "", "empty", "500"])
    config = ScopusConfig(query="KEY(a)", address=scopus.url, paging="start")
    [path], _ = harvest(config, tmp_path / "out", around())
    starts = [dict(landed.request.params)["start"] for landed in landed_responses(path)]
    assert starts == ["0", "25", "50"]
    before = path.read_bytes()
    harvest(config, tmp_path / "out", around())
    assert path.read_bytes() == before


def test_what_did_not_come_is_listed_beside_the_files(scopus, around, tmp_path):
    (tmp_path / "dois.txt").write_text(f"# wanted\n\n{scopus.documents[0].doi}\n10.9999/none\n")
    config = ScopusConfig(ids_file="dois.txt", address=scopus.url)
    _, summary = harvest(config, tmp_path / "out", around())
    assert (tmp_path / "out" / "missing.tsv").read_text() == "10.9999/none\tno search result\n"
    assert summary.counts == {
        "requests": 1,
        "replayed": 0,
        "records": 1,
        "without_abstract": 0,
        "expected": 2,
        "missing": 1,
    }


def test_core_works_with_and_without_a_key(around, tmp_path):
    with CoreEmulator(generate(30)) as core:
        config = CoreConfig(query="carbon", address=f"{core.url}/v3")
        harvest(config, tmp_path / "anonymous", around({}))
        assert "authorization" not in core.seen[0].headers
        other = CoreConfig(query="wave", address=f"{core.url}/v3")
        files, _ = harvest(other, tmp_path / "known", around())
        assert core.seen[1].headers["authorization"] == "Bearer emulator-key-0001"
        assert any(record.paper.body for path in files for record in read_core(path))


def test_the_institutions_token_is_sent_where_there_is_one(scopus, around, tmp_path):
    environment = KEYS | {"SCOPUS_INSTTOKEN": "institution-0001"}
    harvest(ScopusConfig(query="q", address=scopus.url), tmp_path / "out", around(environment))
    assert scopus.seen[0].headers["x-els-insttoken"] == "institution-0001"


def test_keys_may_come_from_a_file(scopus, around, tmp_path):
    path = tmp_path / "keys"
    path.write_text("SCOPUS_API_KEY=emulator-key-0001\n")
    path.chmod(0o600)
    environment = {"CORPUSFORGE_KEYS": str(path)}
    harvest(ScopusConfig(query="q", address=scopus.url), tmp_path / "out", around(environment))
    assert scopus.statuses == {200: 3}


def test_without_a_key_scopus_is_not_even_asked(scopus, around, tmp_path):
    config = ScopusConfig(query="q", address=scopus.url)
    with pytest.raises(ConfigError, match=r"has SCOPUS_API_KEY: get one from dev\.elsevier\.com"):
        harvest(config, tmp_path / "out", around({}))
    assert scopus.seen == []


def test_every_api_that_a_config_can_name_has_its_functions():
    assert set(APIS) == set(get_args(ApiConfig))


def test_an_estimate_asks_nothing(around):
    assert estimate(ScopusConfig(ids=["10.1/a"] * 30), around()).requests == 2
    assert estimate(CoreConfig(ids=["1"] * 30), around()).requests == 30


def test_two_runs_do_not_ask_for_the_same_at_the_same_time(scopus, around, tmp_path):
    config = ScopusConfig(query="q", address=scopus.url)
    message = "zone/scopus is in use by process"
    with exclusive(tmp_path / "zone" / "scopus"), pytest.raises(ConfigError, match=message):
        harvest(config, tmp_path / "out", around())
    assert scopus.seen == []


def test_t09_what_is_passed_around_shows_no_key(around):
    assert "emulator-key-0001" not in repr(around())
