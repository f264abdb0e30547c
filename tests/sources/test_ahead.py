"""What asking ahead promises: the order of the plan, a bound, and nothing left in flight."""

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.sources.ahead import WAITING, Ahead
from corpusforge.sources.answers import Request

STRANGER = Request("not planned")


def plan(count):
    return [Request(str(n)) for n in range(count)]


class Server:
    """Answers with the address; some requests take long, some fail. Notes what was asked."""

    def __init__(self, slow=(), broken=()):
        self.slow, self.broken = slow, broken
        self.asked = []
        self.answered = []
        self.most = 0
        self.stopped = threading.Event()
        self._lock = threading.Lock()

    def ask(self, request):
        with self._lock:
            self.asked.append(request)
            self.most = max(self.most, len(self.asked) - len(self.answered))
        if request in self.slow:
            time.sleep(0.002)
        with self._lock:
            self.answered.append(request)
        if request in self.broken:
            raise ConnectionError(request.url)
        return request.url

    def ahead(self, requests, width, works=False):
        return Ahead(self.ask, self.stopped.set, requests, width, works)


slow_ones = st.sets(st.integers(0, 19), max_size=4)


@given(st.integers(0, 20), st.integers(1, 5), slow_ones)
def test_answers_come_in_order_once_and_no_more_at_once_than_allowed(count, width, slow):
    requests = plan(count)
    server = Server([Request(str(n)) for n in slow])
    with server.ahead(requests, width) as ahead:
        for taken, request in enumerate(requests):
            assert ahead.take(request) == request.url
            assert len(server.asked) <= taken + 1 + WAITING * (width - 1)
    assert sorted(server.asked, key=requests.index) == requests
    assert server.most <= width
    assert not server.stopped.is_set()


@given(st.integers(1, 4), st.integers(0, 12), slow_ones)
def test_a_failure_is_met_in_its_turn_and_may_be_passed_over(width, bad, slow):
    requests = plan(13)
    server = Server([Request(str(n)) for n in slow], [requests[bad]])
    got = []
    with server.ahead(requests, width) as ahead:
        for request in requests:
            try:
                got.append(ahead.take(request))
            except ConnectionError as error:
                got.append(f"failed {error}")
    assert got == [f"failed {n}" if n == bad else str(n) for n in range(13)]


@given(st.integers(1, 4), st.integers(0, 12))
def test_when_the_block_is_left_nothing_is_in_flight_and_what_was_asked_is_answered(width, left_at):
    requests = plan(13)
    server = Server(requests)

    def leave_early():
        with server.ahead(requests, width) as ahead:
            for request in requests[:left_at]:
                ahead.take(request)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave_early()
    asked = list(server.asked)
    assert server.stopped.is_set()
    assert set(server.answered) == set(asked)
    assert len(asked) <= left_at + WAITING * (width - 1)
    assert not [t for t in threading.enumerate() if t.name.startswith("corpusforge-fetch")]
    assert server.asked == asked


def test_the_first_is_asked_alone_until_an_answer_has_come():
    requests = plan(9)
    server = Server(requests, requests[:3])
    with server.ahead(requests, 4) as ahead:
        for number in range(3):
            with pytest.raises(ConnectionError):
                ahead.take(requests[number])
            assert server.asked == requests[: number + 1]


def test_from_a_server_that_works_several_are_asked_at_once():
    requests = plan(9)
    server = Server()
    together = threading.Barrier(4, timeout=30)

    def meet(request):
        if request in requests[:4]:
            together.wait()
        return server.ask(request)

    with Ahead(meet, server.stopped.set, requests, 4, works=True) as ahead:
        assert [ahead.take(request) for request in requests] == [r.url for r in requests]


def test_one_at_a_time_asks_nothing_before_its_turn():
    requests = plan(5)
    server = Server()
    with server.ahead(requests, 1) as ahead:
        for number, request in enumerate(requests):
            ahead.take(request)
            assert server.asked == requests[: number + 1]


@given(st.integers(1, 4), st.integers(0, 5))
def test_a_request_that_was_not_planned_is_asked_in_between(width, when):
    requests = plan(6)
    server = Server()
    with server.ahead(requests, width) as ahead:
        for number, request in enumerate(requests):
            if number == when:
                assert ahead.take(STRANGER) == STRANGER.url
            assert ahead.take(request) == request.url
    assert len(server.asked) == 7
