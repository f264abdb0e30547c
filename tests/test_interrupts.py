"""How a request to stop is taken."""

import os
import signal
import time

import pytest

from corpusforge import interrupts
from corpusforge.errors import Stopped
from corpusforge.interrupts import SIGNALS, stop_at_once, stop_requests


def send(number):
    os.kill(os.getpid(), number)
    time.sleep(0.01)  # the handler runs between two instructions of this thread


@pytest.mark.parametrize("number", SIGNALS)
def test_any_of_the_signals_asks_to_stop_and_is_announced_once(number):
    announced = []
    with stop_requests(lambda: announced.append(number)) as stop:
        assert not stop.is_set()
        send(number)
        send(number)
        assert stop.is_set()
    assert announced == [number]


def test_a_later_ctrl_c_interrupts_as_usual(monkeypatch):
    monkeypatch.setattr(interrupts, "ECHO", 0.0)
    with stop_requests():
        send(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)


def test_a_later_sigterm_changes_nothing(monkeypatch):
    monkeypatch.setattr(interrupts, "ECHO", 0.0)
    with stop_requests() as stop:
        send(signal.SIGTERM)
        send(signal.SIGTERM)
        assert stop.is_set()


def test_the_handlers_before_are_put_back():
    before = [signal.getsignal(number) for number in SIGNALS]
    with stop_requests():
        pass
    assert [signal.getsignal(number) for number in SIGNALS] == before


@pytest.mark.parametrize("number", SIGNALS)
def test_work_without_an_end_in_sight_stops_at_once(number):
    done = []
    before = signal.getsignal(number)

    def work():
        with stop_at_once("it is kept"):
            done.append(1)
            send(number)
            done.append(2)

    with pytest.raises(Stopped, match="it is kept"):
        work()
    assert done == [1]
    assert signal.getsignal(number) == before
