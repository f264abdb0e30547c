"""The one polite HTTP client: paced, patient, bounded, and silent about keys.

Every attempt passes the limiter, so retries are paced like first tries, over all processes of a
run. For that reason retrying is done here and not by urllib3's `Retry`, which sleeps on its own,
inside one call, and knows neither the limiter nor a cap that ends the run. Redirects are followed
here too, with a key on the same host only unless the caller wants otherwise: `requests` strips
`Authorization` on the way to another host, but not `X-ELS-APIKey`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from threading import Event, Lock, local
from urllib.parse import urlencode, urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from corpusforge import __version__
from corpusforge.errors import QuotaStop, SourceError, Stopped
from corpusforge.sources.answers import (
    Answer,
    Judge,
    Keep,
    Request,
    Verdict,
    describe,
    judge_status,
)
from corpusforge.sources.limiter import Limiter
from corpusforge.sources.network import Clock, NetworkConfig
from corpusforge.sources.secrets import Credential, Scrubber
from corpusforge.sources.waits import delay_of, jitter

MAX_REDIRECTS = 5
BLOCK = 1 << 16  # bytes read at once
LOOK_S = 2.0  # of a sleep, between looks whether to stop
THROTTLED = (429, 503)  # what may carry a wait


class GaveUpError(SourceError):
    """One request failed as often as it may be tried."""

    def __init__(self, message: str, answered: bool = False) -> None:
        super().__init__(message)
        self.answered = answered  # the last time, though with an error; else nobody was there


@dataclass(frozen=True)
class Identity:
    """Who asks: the credentials, sent to the host of `home` and nowhere else."""

    home: str = ""
    credentials: tuple[Credential, ...] = ()
    roams: bool = False  # whether a redirect to another host is followed, without the credentials


class Client:
    """Asks the hosts of one source, from any number of threads.

    Args:
        config: How to ask.
        folder: Of the limiter's files, shared by all processes of a run.
        random: Makes the pauses; seeded by the caller.
        identity: Who asks.
        clock: Time, and the passing of it.
    """

    def __init__(
        self,
        config: NetworkConfig,
        folder: Path,
        random: Random,
        identity: Identity | None = None,
        clock: Clock | None = None,
    ) -> None:
        identity = identity or Identity()
        self.config = config
        self.scrubber = Scrubber(credential.secret for credential in identity.credentials)
        self.attempts = 0  # requests sent, also those without an answer
        self._folder = folder
        self._credentials = identity.credentials
        self._home = urlsplit(identity.home).netloc
        self._roams = identity.roams or not identity.credentials
        self._random = random
        self._clock = clock or Clock()
        self._limiters: dict[str, Limiter] = {}
        self._spent: tuple[str, float] | None = None  # why not to ask at all, and until when
        self._of_thread = local()  # its session: requests does not promise that one can be shared
        self._counting = Lock()
        self._stopped = Event()

    def stop(self) -> None:
        """Let no thread ask any more, nor sleep on; answers on their way still arrive."""
        self._stopped.set()

    def ask(
        self, request: Request, judge: Judge = judge_status, keep: Keep | None = None
    ) -> Answer:
        """The first answer that `judge` calls done.

        Args:
            request: What to ask.
            judge: Looks at each answer.
            keep: Gets each complete answer to store, before it is judged.

        Raises:
            QuotaStop: The quota is used up, or the server wants a longer pause than allowed.
            GaveUpError: Every attempt failed.
        """
        fault, answered = "", False
        for attempt in range(self.config.attempts):
            try:
                answer = self._exchange(request)
            except requests.RequestException as error:
                fault = f"{type(error).__name__}: {self.scrubber.text(str(error))}"
                answered = False
                self.back_off(attempt)
                continue
            if keep is not None:
                keep(request, answer)
            verdict = judge(answer)
            if verdict is Verdict.DONE:
                return answer
            fault, answered = describe(answer), True
            self.pause(request, answer, verdict, attempt)
        raise GaveUpError(
            f"{self.scrubber.text(request.url)} failed {self.config.attempts} times, the last time "
            f"with {fault}; the same command tries again",
            answered,
        )

    @contextmanager
    def stream(self, request: Request) -> Iterator[requests.Response]:
        """One attempt, with the limiter's turn held, and the body still to be read.

        Raises:
            requests.RequestException: No usable connection.
            QuotaStop: The host may not be asked now.
            Stopped: `stop` was called.
        """
        self.heed_stop()
        if self._spent is not None and self._spent[1] > self._clock.now():
            raise QuotaStop(*self._spent)
        url, params = request.url, request.params
        for _ in range(MAX_REDIRECTS + 1):
            sent = f"{url}?{urlencode(params)}"
            if self.scrubber.text(sent) != sent:
                raise requests.exceptions.InvalidURL("an address with a key would reach logs")
            with self._limiter(urlsplit(url).netloc).turn():
                with self._counting:
                    self.attempts += 1
                response = self._session().request(
                    request.method,
                    url,
                    params=list(params),
                    headers=dict(request.headers),
                    timeout=(self.config.connect_timeout_s, self.config.read_timeout_s),
                    allow_redirects=False,
                    stream=True,
                )
                with response:
                    target = _next_address(response, abroad=self._roams)
                    if target is None:
                        yield response
                        return
            url, params = target, ()
        raise requests.TooManyRedirects(f"more than {MAX_REDIRECTS} redirects from {request.url}")

    def _exchange(self, request: Request) -> Answer:
        with self.stream(request) as response:
            body = self._body(response)
            headers = self.scrubber.headers(response.headers)
            answer = Answer(response.status_code, headers, self.scrubber.data(body))
        if headers.get("x-ratelimit-remaining", headers.get("x-ratelimitremaining")) == "0":
            self._respect_end(request, answer)
        return answer

    def _body(self, response: requests.Response) -> bytes:
        deadline = self._clock.now() + self.config.total_timeout_s
        body = bytearray()
        for block in response.iter_content(BLOCK):
            body += block
            if len(body) > self.config.max_response_bytes:
                raise requests.RequestException(f"more than {len(body) - 1:,} bytes")
            if self._clock.now() > deadline:
                raise requests.Timeout(f"not complete after {self.config.total_timeout_s:,.0f} s")
        return bytes(body)

    def pause(self, request: Request, answer: Answer, verdict: Verdict, attempt: int) -> None:
        """Wait as the answer wants.

        Raises:
            QuotaStop: That is too long, or there is no point in waiting.
        """
        delay = None
        if verdict is not Verdict.RETRY or answer.status in THROTTLED:
            delay = delay_of(answer.headers, self._clock.now())
        come_back = None if delay is None else self._clock.now() + delay
        host = urlsplit(request.url).netloc
        if verdict is Verdict.STOP:
            raise QuotaStop(f"the quota of {host} is used up ({describe(answer)})", come_back)
        if delay is not None and delay > self.config.max_sleep_s:
            raise QuotaStop(
                f"{host} answers {answer.status} and wants a pause of {delay:,.0f} s, more than "
                f"max_sleep_s {self.config.max_sleep_s:,.0f}",
                come_back,
            )
        if delay:
            self._limiter(host).hold(delay)  # the next attempt waits for it, and all others
        else:
            self.back_off(attempt)

    def _respect_end(self, request: Request, answer: Answer) -> None:
        """This answer was the last one allowed: wait before the next request, not after it."""
        delay = delay_of(answer.headers, self._clock.now())
        if delay is None:
            return
        host = urlsplit(request.url).netloc
        if delay > self.config.max_sleep_s:
            self._spent = (f"the quota of {host} is used up", self._clock.now() + delay)
        else:
            self._limiter(host).hold(delay)

    def back_off(self, attempt: int) -> None:
        """Wait for a random time, but not after the last attempt."""
        if attempt < self.config.attempts - 1:
            config = self.config
            self._sleep(jitter(attempt, config.backoff_s, config.max_backoff_s, self._random))

    def _limiter(self, host: str) -> Limiter:
        if host not in self._limiters:
            clock = Clock(self._clock.now, self._sleep)
            self._limiters[host] = Limiter(self._folder, host, self.config, clock)
        return self._limiters[host]

    def _sleep(self, seconds: float) -> None:
        while seconds > 0:
            self.heed_stop()
            self._clock.sleep(min(seconds, LOOK_S))
            seconds -= LOOK_S
        self.heed_stop()

    def heed_stop(self) -> None:
        """Raise Stopped if `stop` was called: for who takes long to read an answer."""
        if self._stopped.is_set():
            raise Stopped("the fetch was stopped; the same command continues it")

    def _session(self) -> requests.Session:
        if not hasattr(self._of_thread, "session"):
            session = self._of_thread.session = requests.Session()
            session.headers["User-Agent"] = f"corpusforge/{__version__}{self.config.comment}"
            session.auth = self._sign  # also keeps requests from looking into ~/.netrc
            for scheme in ("https://", "http://"):
                session.mount(scheme, HTTPAdapter(max_retries=Retry(0, read=False)))
        session_of_thread: requests.Session = self._of_thread.session
        return session_of_thread

    def _sign(self, prepared: requests.PreparedRequest) -> requests.PreparedRequest:
        if urlsplit(prepared.url or "").netloc == self._home:
            for credential in self._credentials:
                prepared.headers[credential.header] = credential.prefix + credential.secret.reveal()
        return prepared


def _next_address(response: requests.Response, abroad: bool) -> str | None:
    """Where a redirect leads; None for everything else, and for an address not to be followed.

    Args:
        response: What came.
        abroad: Whether other hosts may be asked too, though never without the encryption so far.
    """
    location = response.headers.get("location")
    if not response.is_redirect or location is None:
        return None
    target = urljoin(response.url, location)
    here, there = urlsplit(response.url), urlsplit(target)
    if (here.scheme, here.netloc) == (there.scheme, there.netloc):
        return target
    return target if abroad and there.scheme in {here.scheme, "https"} else None
