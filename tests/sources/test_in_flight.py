"""What several requests in flight promise: what one gives, and nothing answered is lost."""

import threading
from collections import Counter
from dataclasses import replace

import pytest
from emulators.core import CORE_FAULTS, CoreEmulator
from emulators.documents import generate
from emulators.scopus import ScopusEmulator, ScopusKnobs
from emulators.server import Knobs, Reply
from msgspec import structs

from corpusforge.errors import QuotaStop, SourceError
from corpusforge.parsers.core_api import parse_work
from corpusforge.sources import collection, core_api
from corpusforge.sources.ahead import WAITING
from corpusforge.sources.core_plan import CoreConfig
from corpusforge.sources.harvest import MISSING, Surroundings, harvest
from corpusforge.sources.landing import Landing
from corpusforge.sources.landing_file import landed_responses
from corpusforge.sources.network import NetworkConfig
from corpusforge.sources.scopus_plan import ScopusConfig
from sources.fake_clock import FakeClock

PAPERS = generate(120)
DOIS = [paper.doi for paper in PAPERS]
ABSENT = ["10.9999/none", "10.9999/poison"]
KEYS = {"SCOPUS_API_KEY": "emulator-key-0001", "CORE_API_KEY": "emulator-key-0001"}


def serve_scopus(clock, fault_rate=0.0, **scopus):
    knobs = Knobs(seed=5, fault_rate=fault_rate)
    return ScopusEmulator(PAPERS, knobs, ScopusKnobs(**scopus), clock=clock.now)


def serve_core(clock, fault_rate=0.0):
    knobs = Knobs(seed=5, fault_rate=fault_rate, faults=CORE_FAULTS)
    return CoreEmulator(PAPERS, knobs, clock=clock.now)


def fetch(config, folder, clock, concurrency):
    """A harvest into the folder; each call is another run."""
    network = NetworkConfig(per_second=1000.0, concurrency=concurrency, attempts=9)
    around = Surroundings(folder, folder / "zone", network, KEYS, clock.clock)
    return harvest(config, folder / "out", around)


def refuse_odd(server):
    """Let Scopus refuse batches of more than ten ids, and one id whatever the batch."""
    reply = server.reply

    def refuse(seen):
        query = seen.params["query"]
        return Reply(414, b"no") if query.count('("') > 10 or "poison" in query else reply(seen)

    server.reply = refuse


MANY = [*DOIS[:40], *ABSENT, *DOIS[40:]]
JOBS = {
    "scopus batches": (serve_scopus, ScopusConfig(ids=MANY), 120),
    "scopus retrieval": (serve_scopus, ScopusConfig(ids=MANY, ids_by="retrieval"), 120),
    "core ids": (serve_core, CoreConfig(ids=[*DOIS[:30], ABSENT[0], *DOIS[30:60]]), 60),
    "core offset": (serve_core, CoreConfig(query="carbon", limit=10), 120),
    "core scroll": (serve_core, CoreConfig(query="carbon", limit=10, paging="scroll"), 120),
}


def home_of(serve, server):
    return f"{server.url}/v3" if serve is serve_core else server.url


@pytest.mark.parametrize("job", JOBS)
def test_four_in_flight_give_the_files_that_one_gives(tmp_path, job):
    serve, config, records = JOBS[job]

    def run(concurrency):
        clock, folder = FakeClock(), tmp_path / str(concurrency)
        with serve(clock, fault_rate=0.1) as server:
            if job == "scopus batches":
                refuse_odd(server)
            home = home_of(serve, server)
            addressed = structs.replace(config, address=home)
            files, summary = fetch(addressed, folder, clock, concurrency)
        answers = [
            (
                landed.request.url.removeprefix(home),
                landed.request.params,
                landed.answer.status,
                landed.answer.body.replace(server.url.encode(), b""),
            )
            for path in files
            for landed in landed_responses(path)
        ]
        missing = (folder / "out" / MISSING).read_text()
        return [path.name for path in files], answers, missing, replace(summary, used=(), sent=0)

    names, answers, missing, summary = run(1)
    assert run(4) == (names, answers, missing, summary)
    assert len(names) == 1
    assert len(answers) >= records / 25
    assert (summary.records, summary.repeated) == (records, 0)
    assert [line.split("\t")[0] for line in missing.splitlines()] == [
        name for name in ABSENT if name in config.ids
    ]


class Meeting(CoreEmulator):
    """Answers the first request at once, and the others only when four are there together."""

    def __init__(self, documents, clock):
        super().__init__(documents, clock=clock)
        self.together = threading.Barrier(4, timeout=30)

    def answer(self, seen):
        if self.seen:
            self.together.wait()
        return super().answer(seen)


@pytest.mark.parametrize(
    ("config", "requests"),
    [(CoreConfig(ids=DOIS[:13]), 1 + 3 * 4), (CoreConfig(query="carbon", limit=10), 1 + 2 * 4)],
)
def test_four_requests_are_on_their_way_together(tmp_path, config, requests):
    clock = FakeClock()
    with Meeting(PAPERS[:90], clock.now) as server:
        config = structs.replace(config, address=home_of(serve_core, server))
        _, summary = fetch(config, tmp_path, clock, 4)
    assert summary.sent == requests
    assert summary.missing == ()


def landed_statuses(folder, name):
    files = Landing(folder / "zone" / name).files()
    return Counter(landed.answer.status for path in files for landed in landed_responses(path))


def test_a_used_up_quota_loses_nothing_that_was_answered(tmp_path):
    clock = FakeClock()
    with serve_scopus(clock, quota={"abstract": 30}) as server:
        config = ScopusConfig(ids=DOIS, ids_by="retrieval", address=server.url)
        with pytest.raises(QuotaStop, match="is used up"):
            fetch(config, tmp_path, clock, 4)
        assert len(server.seen) <= 30 + 1 + 3 * WAITING
        assert landed_statuses(tmp_path, "scopus") == {200: 30}
        server.scopus.quota = {"abstract": 120}
        clock.time += 8 * 86400
        _, summary = fetch(config, tmp_path, clock, 4)
        assert (summary.replayed, summary.records) == (30, 120)
        assert server.statuses[200] == 120


def test_ctrl_c_loses_nothing_that_was_answered(tmp_path, monkeypatch):
    clock = FakeClock()

    taken = []

    def interrupt_the_twentieth(content):
        taken.append(content)
        if len(taken) == 20:
            raise KeyboardInterrupt
        return parse_work(content)

    monkeypatch.setattr(core_api, "parse_work", interrupt_the_twentieth)
    with serve_core(clock) as server:
        config = CoreConfig(ids=DOIS, address=home_of(serve_core, server))
        with pytest.raises(KeyboardInterrupt):
            fetch(config, tmp_path, clock, 4)
        asked = len(server.seen)
        assert 20 <= asked <= 20 + 3 * WAITING
        assert landed_statuses(tmp_path, "core") == {200: asked}
        _, summary = fetch(config, tmp_path, clock, 4)
        assert (summary.replayed, summary.records) == (asked, 120)
        assert server.statuses[200] == 120


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_service_that_goes_down_is_given_up_soon(tmp_path, concurrency):
    clock = FakeClock()
    with serve_core(clock) as server:
        config = CoreConfig(ids=DOIS, address=home_of(serve_core, server))
        server.script.extend([""] * 10 + ["500"] * 999)
        with pytest.raises(SourceError, match="failed 9 times"):
            fetch(config, tmp_path, clock, concurrency)
        failed = collection.MAX_IN_A_ROW + (concurrency - 1) * WAITING
        assert len(server.seen) <= 10 + 9 * failed


def test_a_silent_loss_of_abstracts_strikes_out_also_what_was_in_flight(tmp_path):
    clock = FakeClock()
    with serve_scopus(clock, on_campus=False, silent_strip=True) as server:
        config = ScopusConfig(ids=DOIS, ids_by="retrieval", address=server.url)
        with pytest.raises(SourceError, match="50 of 50 records came without abstract"):
            fetch(config, tmp_path, clock, 4)
        server.scopus.on_campus = True
        _, summary = fetch(config, tmp_path, clock, 4)
    assert (summary.replayed, summary.records) == (0, 120)
    assert summary.without_abstract == sum(not paper.abstract for paper in PAPERS)
