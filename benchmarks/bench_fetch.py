"""10,000 Scopus and 10,000 CORE records from emulators that answer with 5 % random faults.

Counted are the records lost and repeated, and the requests against the smallest number that could
bring them. Then the same with the fetching process killed ten times at random moments: each time
another process goes on from the landing zone, with no other memory. At last, how much faster lists
of ids and searches by offset come with several requests in flight, from emulators that take 50 ms
for an answer.

    python benchmarks/bench_fetch.py [RECORDS]

Exits with 1 if a record is lost or read twice, or if the requests exceed 1.15 times the minimum; of
those in flight when a process is killed, all but one are not counted.
"""

import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from emulators.core import CORE_FAULTS, CoreEmulator, work_number
from emulators.documents import generate
from emulators.scopus import ScopusEmulator, ScopusKnobs
from emulators.scopus_records import eid_of
from emulators.server import Knobs

from corpusforge.sources.core_api import fetch_core
from corpusforge.sources.core_plan import CoreConfig
from corpusforge.sources.core_records import read_core
from corpusforge.sources.http import Client, Identity
from corpusforge.sources.landing import Landing
from corpusforge.sources.network import NetworkConfig
from corpusforge.sources.records import Found
from corpusforge.sources.replay import Replay
from corpusforge.sources.scopus import fetch_scopus
from corpusforge.sources.scopus_plan import ScopusConfig
from corpusforge.sources.scopus_records import read_scopus
from corpusforge.sources.secrets import Credential, Secret

KEY = "emulator-key-0001"
FAULT_RATE = 0.05
MAX_RATIO = 1.15
KILLS = 10
SEEDS = (1, 2, 3)
LATENCY_S = 0.05
IN_FLIGHT = (1, 2, 4, 8)
GAIN_REQUESTS = 100  # of each fetch whose gain is measured


def network(in_flight):
    return NetworkConfig(
        per_second=2000.0, concurrency=in_flight, backoff_s=0.01, max_backoff_s=0.05, attempts=8
    )


@dataclass(frozen=True)
class Job:
    """One source: how it is served, fetched and read, and the fewest requests for n records."""

    name: str
    page: int
    in_flight: int
    serve: object
    fetch: object
    read: object
    source_id: object

    def fewest(self, records):
        return ceil(records / self.page)


def serve_scopus(documents, seed, rate=FAULT_RATE, latency_s=0.0):
    knobs = Knobs(seed=seed, fault_rate=rate, latency_s=latency_s)
    quota = {"search": 10**6, "abstract": 10**6}
    return ScopusEmulator(documents, knobs, ScopusKnobs(quota=quota))


def serve_core(documents, seed, rate=FAULT_RATE, latency_s=0.0):
    knobs = Knobs(seed=seed, fault_rate=rate, faults=CORE_FAULTS, latency_s=latency_s)
    return CoreEmulator(documents, knobs)


def replay_of(url, folder, in_flight, header, prefix=""):
    identity = Identity(url, (Credential(header, Secret(KEY), prefix),))
    client = Client(network(in_flight), folder / "limits", random.Random(0), identity)
    return Replay(client, Landing(folder / "landing"), time.time)


def fetch_from_scopus(**settings):
    def fetch(url, folder, in_flight):
        ids = [] if "query" in settings else (folder / "ids").read_text().split()
        config = ScopusConfig(ids=ids, address=url, **settings)
        fetch_scopus(config, ids, replay_of(url, folder, in_flight, "X-ELS-APIKey"))

    return fetch


def fetch_from_core(**settings):
    def fetch(url, folder, in_flight):
        ids = [] if "query" in settings else (folder / "ids").read_text().split()
        config = CoreConfig(ids=ids, address=f"{url}/v3", **settings)
        fetch_core(config, ids, replay_of(url, folder, in_flight, "Authorization", "Bearer "))

    return fetch


SCOPUS_SEARCH = fetch_from_scopus(query="KEY(carbon)")
SCOPUS_IDS = fetch_from_scopus()
SCOPUS_RETRIEVAL = fetch_from_scopus(ids_by="retrieval")
CORE_AUTO = fetch_from_core(query="carbon")
CORE_SCROLL = fetch_from_core(query="carbon", paging="scroll")
CORE_IDS = fetch_from_core()
READ_SCOPUS = (read_scopus, eid_of)
READ_CORE = (read_core, lambda document: str(work_number(document)))
JOBS = (
    Job("Scopus, cursor", 25, 1, serve_scopus, SCOPUS_SEARCH, *READ_SCOPUS),
    Job("Scopus, by DOI", 25, 4, serve_scopus, SCOPUS_IDS, *READ_SCOPUS),
    Job("CORE, auto", 100, 4, serve_core, CORE_AUTO, *READ_CORE),
    Job("CORE, scroll", 100, 1, serve_core, CORE_SCROLL, *READ_CORE),
)
WITH_GAIN = (
    Job("Scopus, 25 DOIs a request", 25, 1, serve_scopus, SCOPUS_IDS, *READ_SCOPUS),
    Job("Scopus, retrieval", 1, 1, serve_scopus, SCOPUS_RETRIEVAL, *READ_SCOPUS),
    Job("CORE, works by DOI", 1, 1, serve_core, CORE_IDS, *READ_CORE),
    Job("CORE, search by offset", 100, 1, serve_core, CORE_AUTO, *READ_CORE),
)


def fetch_in_a_process(job, url, folder):
    """Start a process that fetches; fork, because it needs nothing that is not here."""
    process = multiprocessing.get_context("fork").Process(
        target=job.fetch, args=(url, folder, job.in_flight)
    )
    process.start()
    return process


def run_to_the_end(job, url, folder):
    process = fetch_in_a_process(job, url, folder)
    process.join()
    if process.exitcode:
        raise SystemExit(f"{job.name}: the fetch failed")


def run_with_kills(job, url, folder, emulator, draw):
    """Kill the process at ten random moments, spread over the whole fetch."""
    share = job.fewest(len(emulator.documents)) / (KILLS + 1)
    for kill in range(KILLS):
        process = fetch_in_a_process(job, url, folder)
        began, before = time.perf_counter(), len(emulator.seen)
        wanted = before + max(1, int(draw.uniform(0.5, 1.0) * share))
        while process.is_alive() and len(emulator.seen) < wanted:
            time.sleep(0.0005)
        # A random moment of the next two requests, not the one at which a request just arrived.
        one = (time.perf_counter() - began) / (wanted - before)
        time.sleep(draw.uniform(0, 2 * one))
        process.kill()
        process.join()
        if process.exitcode == 0:
            raise SystemExit(f"{job.name}: ended before kill {kill + 1}")
    run_to_the_end(job, url, folder)


def measure(job, documents, seed, kills):
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch, job.serve(documents, seed) as emulator:
        folder = Path(scratch)
        (folder / "ids").write_text("\n".join(document.doi for document in documents))
        began = time.perf_counter()
        if kills:
            run_with_kills(job, emulator.url, folder, emulator, draw)
        else:
            run_to_the_end(job, emulator.url, folder)
        seconds = time.perf_counter() - began
        landing = Landing(folder / "landing")
        found = Counter(
            record.paper.source_id
            for path in landing.files()
            for record in job.read(path)
            if isinstance(record, Found)
        )
        landed = sum(path.stat().st_size for path in landing.files())
        sent, statuses = len(emulator.seen), dict(sorted(emulator.statuses.items()))
    wanted = {job.source_id(document) for document in documents}
    lost, twice = len(wanted - set(found)), sum(count - 1 for count in found.values())
    allowed = kills * KILLS * (job.in_flight - 1)
    ratio = (sent - allowed) / job.fewest(len(documents))
    print(
        f"{job.name:15} {'10 kills' if kills else 'no kill ':8} seed {seed}: {lost} lost, "
        f"{twice} twice, {sent} requests = {ratio:.3f} x minimum, {seconds:.1f} s, "
        f"{landed / 1e6:.1f} MB landed, statuses {statuses}",
        flush=True,
    )
    return lost == 0 and twice == 0 and ratio <= MAX_RATIO


def show_gain(job, documents):
    """Time the same fetch with more and more requests in flight."""
    wanted = documents[: job.page * GAIN_REQUESTS]
    seconds = {}
    for in_flight in IN_FLIGHT:
        with (
            tempfile.TemporaryDirectory() as scratch,
            job.serve(wanted, 0, rate=0.0, latency_s=LATENCY_S) as emulator,
        ):
            folder = Path(scratch)
            (folder / "ids").write_text("\n".join(document.doi for document in wanted))
            began = time.perf_counter()
            run_to_the_end(replace(job, in_flight=in_flight), emulator.url, folder)
            seconds[in_flight] = time.perf_counter() - began
            requests = len(emulator.seen)
    gains = ", ".join(f"{n} in flight {seconds[1] / seconds[n]:.1f} x" for n in IN_FLIGHT[1:])
    print(f"{job.name:25} {requests} requests, one by one {seconds[1]:.1f} s; {gains}", flush=True)


def main():
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    documents = generate(records)
    good = [
        measure(job, documents, seed, kills)
        for job in JOBS
        for kills in (False, True)
        for seed in SEEDS
    ]
    print(f"{sum(good)} of {len(good)} runs keep the promise")
    print(f"answers after {LATENCY_S * 1000:.0f} ms:")
    for job in WITH_GAIN:
        show_gain(job, documents)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
