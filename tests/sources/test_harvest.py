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
from corpusforge.sources.crossref_plan import CrossrefConfig
from corpusforge.sources.harvest import (
    APIS,
    ApiConfig,
    Surroundings,
    check_keys,
    estimate,
    harvest,
    keys_found,
    landed_before,
)
from corpusforge.sources.landing_file import landed_responses
from corpusforge.sources.network import NetworkConfig
from corpusforge.sources.openalex_plan import OpenAlexConfig
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
    numbers = [str(n) for n in range(1, 31)]
    assert estimate(ScopusConfig(ids=numbers), around()).requests == 2
    assert estimate(CoreConfig(ids=numbers), around()).requests == 30


@pytest.mark.parametrize("by", ["search", "retrieval"])
def test_what_an_estimate_says_is_what_is_asked_for(scopus, around, tmp_path, by):
    names = [form for n in range(60) for form in (f"10.5555/{n}.A", f"doi:10.5555/{n}.a")]
    config = ScopusConfig(ids=[*names, "no id"], ids_by=by, address=scopus.url)
    guess = estimate(config, around())
    assert landed_before(guess, config, around()) == 0
    _, summary = harvest(config, tmp_path / "out", around())
    assert summary.sent == guess.requests == len(scopus.seen) == (3 if by == "search" else 60)
    assert summary.expected == 61
    assert guess.what.startswith("61 ids")
    longer = ScopusConfig(ids=[*config.ids, *map(str, range(1, 30))], ids_by=by, address=scopus.url)
    same = {"search": 2, "retrieval": 60}[by]  # the last batch is fuller now
    assert landed_before(estimate(longer, around()), longer, around()) == same


@pytest.mark.parametrize(
    ("config", "requests", "what"),
    [
        (CoreConfig(ids=["10.1000/A", "https://doi.org/10.1000/a", "PMID:7"]), 1, "2 works by id"),
        (CrossrefConfig(ids=["10.1000/A", "doi:10.1000/a", "x"]), 1, "2 works by DOI"),
        (OpenAlexConfig(ids=["W1", "https://openalex.org/w1", "W2"]), 1, "2 works by id"),
    ],
)
def test_an_estimate_counts_an_id_once_and_what_is_none_not_at_all(around, config, requests, what):
    guess = estimate(config, around())
    assert (guess.requests, guess.what) == (requests, what)
    assert len(list(guess.asks)) == requests


def test_how_much_of_a_search_is_landed_is_not_known(around):
    config = ScopusConfig(query="q")
    assert landed_before(estimate(config, around()), config, around()) is None


def test_keys_are_looked_for_without_being_shown(around):
    found = keys_found(ScopusConfig(query="q"), around())
    assert found == {"SCOPUS_API_KEY": True, "SCOPUS_INSTTOKEN": False}
    assert keys_found(CrossrefConfig(query="q"), around()) == {"CROSSREF_PLUS_TOKEN": False}
    check_keys(CoreConfig(query="q"), around({}))  # does without
    with pytest.raises(ConfigError, match="Scopus needs a key"):
        check_keys(ScopusConfig(query="q"), around({}))


def test_two_runs_do_not_ask_for_the_same_at_the_same_time(scopus, around, tmp_path):
    config = ScopusConfig(query="q", address=scopus.url)
    message = "zone/scopus is in use by process"
    with exclusive(tmp_path / "zone" / "scopus"), pytest.raises(ConfigError, match=message):
        harvest(config, tmp_path / "out", around())
    assert scopus.seen == []


def test_t09_what_is_passed_around_shows_no_key(around):
    assert "emulator-key-0001" not in repr(around())
