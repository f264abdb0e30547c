"""What the polite client promises: paced, patient, bounded, and silent about keys."""

import logging
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
import requests
from emulators.files import FileEmulator
from emulators.server import Reply

from corpusforge.errors import QuotaStop, Stopped
from corpusforge.sources.answers import Request, Verdict, judge_status
from corpusforge.sources.http import Client, GaveUpError, Identity, _next_address
from corpusforge.sources.network import Clock, NetworkConfig
from corpusforge.sources.secrets import Credential, Secret
from sources.fake_clock import FakeClock

KEY = "sEcReT-key-0001"
PAGE = b"all is well, " * 100


class Server(FileEmulator):
    """Files, and replies to the next requests that a test has put in `replies`."""

    replies = ()

    def reply(self, seen):
        if self.replies:
            return self.replies.pop(0)
        return super().reply(seen)


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def server(clock):
    with Server({"/page": PAGE, "/moved": "/page", "/round": "/round"}, clock=clock.now) as server:
        yield server


@pytest.fixture
def client(tmp_path, clock, server):
    return make_client(tmp_path, clock, server)


def make_client(folder, clock, server, **settings):
    config = NetworkConfig(**{"contact": "me@lab.example", "per_second": 1000.0} | settings)
    identity = Identity(server.url, (Credential("X-ELS-APIKey", Secret(KEY)),))
    return Client(config, folder, Random(0), identity, clock.clock)


def test_an_answer_comes_with_its_headers_and_the_server_learns_who_asks(client, server):
    answer = client.ask(Request(f"{server.url}/page", headers=(("Accept", "text/plain"),)))
    assert (answer.status, answer.body) == (200, PAGE)
    assert answer.headers["content-length"] == str(len(PAGE))
    [seen] = server.seen
    assert seen.headers["user-agent"].startswith("corpusforge/")
    assert seen.headers["user-agent"].endswith("(mailto:me@lab.example)")
    assert (seen.headers["accept"], seen.headers["x-els-apikey"]) == ("text/plain", KEY)


def test_parameters_are_encoded_once(client, server):
    client.ask(Request(f"{server.url}/page", (("cursor", "a+b/c=="), ("q", "x y"))))
    assert server.seen[0].target == "/page?cursor=a%2Bb%2Fc%3D%3D&q=x+y"


@pytest.mark.parametrize("fault", ["429", "500", "502", "drop"])
def test_a_fault_is_asked_again_after_a_random_pause(client, server, clock, fault):
    server.script.extend([fault, fault])
    assert client.ask(Request(f"{server.url}/page")).body == PAGE
    assert client.attempts == 3
    pauses = [pause for pause in clock.slept if pause > 0.001]
    assert len(pauses) == 2
    assert 0 < pauses[0] <= 1
    assert 0 < pauses[1] <= 2


def test_a_lasting_fault_is_given_up_without_a_last_pause(tmp_path, clock, server):
    client = make_client(tmp_path, clock, server, max_backoff_s=1.0)
    server.script.extend(["500"] * 20)
    with pytest.raises(GaveUpError, match=r"/page failed 6 times, .* with HTTP 500: <html>"):
        client.ask(Request(f"{server.url}/page"))
    assert len(server.seen) == 6
    assert len([pause for pause in clock.slept if pause > 0.001]) == 5


def test_nobody_there_is_given_up_too(tmp_path, clock):
    with Server({}) as server:
        pass
    client = make_client(tmp_path, clock, server, attempts=2)
    with pytest.raises(GaveUpError, match="failed 2 times, the last time with ConnectionError"):
        client.ask(Request(f"{server.url}/page"))


def test_a_throttle_is_waited_for_as_the_server_wants_by_every_process(
    client, server, clock, tmp_path
):
    server.replies = [Reply(429, b"", {"Retry-After": "30"})]
    other = make_client(tmp_path, clock, server)
    start = clock.now()
    client.ask(Request(f"{server.url}/page"))
    assert clock.now() - start == pytest.approx(30, abs=0.1)
    server.replies = [Reply(429, b"", {"Retry-After": "30"})]
    with pytest.raises(GaveUpError):
        make_client(tmp_path, clock, server, attempts=1).ask(Request(f"{server.url}/page"))
    held = clock.now()
    other.ask(Request(f"{server.url}/page"))
    assert clock.now() - held == pytest.approx(30, abs=0.1)


def test_t24_a_retry_after_of_twelve_hours_is_not_slept(client, server, clock):
    server.replies = [Reply(429, b"", {"Retry-After": "43200"})]
    with pytest.raises(
        QuotaStop, match="wants a pause of 43,200 s, more than max_sleep_s 900"
    ) as stop:
        client.ask(Request(f"{server.url}/page"))
    assert stop.value.come_back == pytest.approx(clock.now() + 43200)
    assert sum(clock.slept) < 1


def test_a_used_up_quota_stops_at_once(client, server):
    server.replies = [Reply(429, b"", {"X-RateLimit-Reset": "1700600000"})]
    judge = lambda answer: Verdict.STOP if answer.status == 429 else judge_status(answer)  # noqa: E731
    with pytest.raises(QuotaStop, match="run it again after 2023-11-21 20:53:20 UTC"):
        client.ask(Request(f"{server.url}/page"), judge)
    assert len(server.seen) == 1


def test_the_last_allowed_answer_is_used_and_the_next_request_waits(client, server, clock):
    last = {"X-RateLimit-Remaining": "0", "Retry-After": "100"}
    server.replies = [
        Reply(200, b"last", last),
        Reply(200, b"last", last | {"Retry-After": "9999"}),
    ]
    start = clock.now()
    assert client.ask(Request(f"{server.url}/page")).body == b"last"
    assert clock.now() == start
    assert client.ask(Request(f"{server.url}/page")).body == b"last"
    assert clock.now() - start == pytest.approx(100, abs=0.1)
    with pytest.raises(QuotaStop, match="is used up"):
        client.ask(Request(f"{server.url}/page"))
    assert len(server.seen) == 2


def test_redirects_are_followed_on_the_same_host_only(client, server):
    assert client.ask(Request(f"{server.url}/moved")).body == PAGE
    with Server({"/page": PAGE}) as elsewhere:
        server.files["/away"] = f"{elsewhere.url}/page"
        assert client.ask(Request(f"{server.url}/away")).status == 301
        assert elsewhere.seen == []


def test_a_client_that_may_roam_takes_its_key_to_no_other_host(tmp_path, clock, server):
    identity = Identity(server.url, (Credential("X-ELS-APIKey", Secret(KEY)),), roams=True)
    client = Client(NetworkConfig(per_second=1000.0), tmp_path, Random(0), identity, clock.clock)
    with Server({"/page": PAGE}) as elsewhere:
        server.files["/away"] = f"{elsewhere.url}/page"
        assert client.ask(Request(f"{server.url}/away")).body == PAGE
        assert server.seen[0].headers["x-els-apikey"] == KEY
        assert "x-els-apikey" not in elsewhere.seen[0].headers


@pytest.mark.parametrize(
    ("begin", "end", "followed"),
    [("https", "http", False), ("http", "https", True), ("https", "https", True)],
)
def test_a_redirect_never_leads_out_of_the_encryption(begin, end, followed):
    response = requests.Response()
    response.status_code, response.url = 301, f"{begin}://host/a"
    response.headers["location"] = f"{end}://other/b"
    assert _next_address(response, abroad=True) == (f"{end}://other/b" if followed else None)


def test_an_endless_redirect_is_a_fault(client, server):
    with pytest.raises(GaveUpError, match="TooManyRedirects: more than 5 redirects"):
        client.ask(Request(f"{server.url}/round"))


def test_a_key_goes_to_its_own_host_only(client):
    with Server({"/page": PAGE}) as elsewhere:
        client.ask(Request(f"{elsewhere.url}/page"))
        assert "x-els-apikey" not in elsewhere.seen[0].headers


def test_a_response_too_long_is_a_fault(tmp_path, clock, server):
    client = make_client(tmp_path, clock, server, attempts=1, max_response_bytes=1000)
    with pytest.raises(GaveUpError, match="more than 1,"):
        client.ask(Request(f"{server.url}/page"))


def test_a_response_that_drips_for_ever_is_a_fault(tmp_path, clock, server):
    client = make_client(tmp_path, clock, server, attempts=1, total_timeout_s=5)
    moments = iter(range(0, 10_000, 10))
    clock.now = lambda: next(moments)
    client._clock = clock.clock
    with pytest.raises(GaveUpError, match="Timeout: not complete after 5 s"):
        client.ask(Request(f"{server.url}/page"))


def test_t09_a_key_is_in_no_answer_no_message_and_no_log(client, server, caplog):
    caplog.set_level(logging.DEBUG)
    echo = {"X-ELS-APIKey": KEY, "Via": f"proxy {KEY}"}
    body = f'{{"@href": "https://host/?q=1&apiKey={KEY}", "other": "{KEY}"}}'.encode()
    server.replies = [Reply(200, body, echo)] + [Reply(500, body, echo)] * 6
    kept = []
    answer = client.ask(Request(f"{server.url}/page"), keep=lambda *pair: kept.append(pair))
    with pytest.raises(GaveUpError) as told:
        client.ask(Request(f"{server.url}/page"), keep=lambda *pair: kept.append(pair))
    assert answer.body == b'{"@href": "https://host/?q=1&apiKey=***", "other": "***"}'
    assert answer.headers["x-els-apikey"] == "***"
    shown = [str(told.value), repr(told.value), repr([answer for _, answer in kept]), caplog.text]
    chain = [str(told.value.__cause__), str(told.value.__context__), repr(vars(client))]
    assert [text for text in shown + chain if KEY in text] == []


@pytest.mark.parametrize("request_of", ["address", "parameter", "redirect"])
def test_t09_an_address_with_a_key_is_not_asked(client, server, caplog, request_of):
    caplog.set_level(logging.DEBUG)
    server.files["/trap"] = f"/page?apiKey={KEY}"
    request = {
        "address": Request(f"{server.url}/page?apiKey={KEY}"),
        "parameter": Request(f"{server.url}/page", (("q", f"x{KEY}"),)),
        "redirect": Request(f"{server.url}/trap"),
    }[request_of]
    with pytest.raises(GaveUpError, match="an address with a key would reach logs") as told:
        client.ask(request)
    assert {seen.path for seen in server.seen} <= {"/trap"}
    assert KEY not in str(told.value) + caplog.text


def test_a_client_that_is_stopped_sleeps_no_longer_and_asks_no_more(tmp_path, server):
    clock = FakeClock()
    client = make_client(tmp_path, clock, server)
    server.replies = [Reply(429, b"", {"Retry-After": "600"})]

    def sleep(seconds):
        clock.time += seconds
        if clock.time > 1_700_000_030:
            client.stop()

    client._clock = Clock(clock.now, sleep)
    start = clock.now()
    for _ in range(2):
        with pytest.raises(Stopped, match="was stopped; the same command continues it"):
            client.ask(Request(f"{server.url}/page"))
    assert clock.now() - start < 40
    assert len(server.seen) == 1


def test_requests_of_all_threads_are_counted(tmp_path, server):
    client = make_client(tmp_path, FakeClock(), server, concurrency=4)
    request = Request(f"{server.url}/page")
    with ThreadPoolExecutor(4) as pool:
        assert {a.body for a in pool.map(client.ask, [request] * 40)} == {PAGE}
    assert client.attempts == len(server.seen) == 40
