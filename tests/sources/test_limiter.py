"""What the limiter promises: pace and concurrency hold over processes."""

import multiprocessing
import time
from itertools import pairwise

import pytest

from corpusforge.errors import QuotaStop, RunError
from corpusforge.sources.limiter import Limiter
from corpusforge.sources.network import Clock, NetworkConfig
from sources.fake_clock import FakeClock


@pytest.fixture
def limiter(tmp_path):
    def make(time, **settings):
        config = NetworkConfig(**{"per_second": 4.0, "max_sleep_s": 10.0} | settings)
        return Limiter(tmp_path, "api.host:443", config, time.clock)

    return make


def test_requests_start_evenly_spaced(limiter):
    time = FakeClock()
    starts = []
    for _ in range(5):
        with limiter(time).turn():  # another process each time: the pace is on disk
            starts.append(time.now())
    assert [b - a for a, b in pairwise(starts)] == pytest.approx([0.25] * 4)


def test_after_a_pause_nobody_waits(limiter):
    time = FakeClock()
    with limiter(time).turn():
        time.time += 60
    with limiter(time).turn():
        assert time.slept == []


def test_a_hold_counts_for_all_and_never_shortens_another(limiter):
    time = FakeClock()
    limiter(time).hold(7)
    limiter(time).hold(1)
    with limiter(time).turn():
        assert time.slept == pytest.approx([7])


def test_a_longer_hold_than_allowed_stops_the_run(limiter):
    time = FakeClock()
    limiter(time).hold(11)
    with (
        pytest.raises(QuotaStop, match=r"api\.host:443 may not be asked for 11 s") as stop,
        limiter(time).turn(),
    ):
        pass
    assert stop.value.come_back == pytest.approx(time.now() + 11)


def test_a_damaged_file_means_that_anything_goes(limiter, tmp_path):
    (tmp_path / "api.host_443.next").write_bytes(b"\0\0half")
    time = FakeClock()
    with limiter(time).turn():
        assert time.slept == []


def test_only_so_many_run_at_once_and_a_hang_is_told(limiter):
    time = FakeClock()
    first, second = limiter(time, concurrency=1), limiter(time, concurrency=1)
    message = r"all 1 slots for .* stayed taken for 10 s"
    with first.turn(), pytest.raises(RunError, match=message), second.turn():
        pass
    with second.turn():
        pass


def _ask(folder, count, starts):
    config = NetworkConfig(per_second=200.0, concurrency=2)
    for _ in range(count):
        with Limiter(folder, "host", config, Clock()).turn():
            starts.put(time.monotonic())


@pytest.mark.cluster
def test_processes_share_the_pace(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    starts = spawn.Queue()
    processes = [spawn.Process(target=_ask, args=(tmp_path, 20, starts)) for _ in range(3)]
    for process in processes:
        process.start()
    times = sorted(starts.get(timeout=30) for _ in range(60))
    for process in processes:
        process.join(30)
    starts.close()
    starts.join_thread()
    assert times[-1] - times[0] >= 59 * 0.005 * 0.95
