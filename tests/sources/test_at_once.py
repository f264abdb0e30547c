"""What several files at a time promise: all results in order, or the first error."""

import os
import threading
from random import Random

import pytest
from emulators.files import FileEmulator

from corpusforge.errors import SourceError, Stopped
from corpusforge.sources.answers import Request
from corpusforge.sources.at_once import all_at_once, place
from corpusforge.sources.http import Client
from corpusforge.sources.network import NetworkConfig


@pytest.fixture
def client(tmp_path):
    return Client(NetworkConfig(concurrency=3, per_second=1000.0), tmp_path / "limits", Random(0))


def test_results_come_in_order_and_so_many_run_at_a_time_but_no_more(client):
    together = threading.Barrier(3)
    running, most = [], []

    def work(number):
        running.append(number)
        most.append(len(running))
        together.wait(10)  # breaks unless three run at a time
        running.remove(number)
        return number * number

    assert all_at_once(work, range(12), client) == [n * n for n in range(12)]
    assert max(most) == 3


@pytest.mark.parametrize("error", [SourceError("2 failed"), KeyboardInterrupt()])
def test_the_first_error_is_raised_and_what_is_under_way_ends_soon(client, error):
    begun, failed = [], threading.Event()

    def work(number):
        begun.append(number)
        if number == 2:
            failed.set()
            raise error
        failed.wait(10)
        while True:
            client.heed_stop()

    with pytest.raises(type(error)):
        all_at_once(work, range(1000), client)
    assert len(begun) < 1000
    with FileEmulator({}) as server, pytest.raises(Stopped):
        client.ask(Request(f"{server.url}/"))


def test_a_placed_file_is_the_same_file_and_takes_the_place_of_another(tmp_path):
    stored, target = tmp_path / "stored", tmp_path / "folder" / "target"
    stored.write_bytes(b"new")
    target.parent.mkdir()
    target.write_bytes(b"old")
    for _ in range(2):
        place(stored, target)
        assert os.path.samefile(stored, target)
    assert [path.name for path in target.parent.iterdir()] == ["target"]
