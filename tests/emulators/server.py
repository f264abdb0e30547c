"""What every emulator has: an HTTP server on the loopback, a log of requests, and faults."""

import argparse
import gzip
import json
import random
import sys
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from emulators.documents import generate, load

# What may happen to a request, beside being answered.
FAULTS = ("429", "500", "502", "drop", "truncate", "empty")


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    path: str  # decoded
    params: dict
    headers: dict  # by lower-case name
    target: str  # as sent
    method: str = "GET"
    body: bytes = b""


@dataclass
class Reply:
    """What is answered; a body that is not bytes is sent as JSON."""

    status: int
    body: object = b""
    headers: dict = field(default_factory=dict)


@dataclass
class Knobs:
    """What can go wrong, and how. Tests may change them while the server runs."""

    seed: int = 0
    fault_rate: float = 0.0  # share of requests that meet a random fault
    faults: tuple = FAULTS
    latency_s: float = 0.0
    drop_after: int = 200  # bytes of a body; of a short one, half
    gzip: bool = True
    skew_s: float = 0.0  # of the server's clock against the client's
    dates: bool = True  # whether responses have a Date


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that went away is no news; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Emulator:
    """A server that starts with `with` and is reached at `url`.

    Subclasses answer in `reply`, and say in `fault_reply` what a 429, 500 or 502 looks like.
    """

    base = ""  # path of the API on its host, part of the `address` in a pipeline file

    def __init__(self, knobs=None, clock=time.time):
        self.knobs = knobs or Knobs()
        self.script = deque()  # faults for the next requests; "" means none
        self.seen = []
        self.statuses = Counter()
        self._clock = clock
        self._random = random.Random(self.knobs.seed)
        self._lock = threading.Lock()

    def now(self):
        return self._clock() + self.knobs.skew_s

    def __enter__(self):
        self.start(0)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_error):
        self._server.shutdown()
        self._server.server_close()

    def start(self, port):
        self._server = _Server(("127.0.0.1", port), _handler_of(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def serve(self):
        self._server.serve_forever()

    def answer(self, seen):
        """The reply to a request, and the fault it meets."""
        with self._lock:
            self.seen.append(seen)
            fault = self._fault()
            if fault in ("", "drop", "truncate", "empty"):
                reply = self.reply(seen)
            else:
                reply = self.fault_reply(fault, seen)
            self.statuses[reply.status] += 1
            return reply, fault

    def _fault(self):
        if self.script:
            return self.script.popleft()
        if self._random.random() < self.knobs.fault_rate:
            return self._random.choice(self.knobs.faults)
        return ""

    def reply(self, seen):
        raise NotImplementedError

    def fault_reply(self, fault, seen):
        return Reply(int(fault), b"<html><body>fault</body></html>", {"Content-Type": "text/html"})


def _handler_of(emulator):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True  # else 40 ms for a delayed acknowledgement

        def do_GET(self):
            self._serve()

        def do_HEAD(self):
            self._serve()

        def do_POST(self):
            self._serve(self.rfile.read(int(self.headers.get("Content-Length", 0))))

        def _serve(self, body=b""):
            if emulator.knobs.latency_s:
                time.sleep(emulator.knobs.latency_s)
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            params = dict(parse_qsl(parts.query))
            seen = Seen(unquote(parts.path), params, headers, self.path, self.command, body)
            reply, fault = emulator.answer(seen)
            self._send(reply, fault, "gzip" in headers.get("accept-encoding", ""))

        def _send(self, reply, fault, compressible):
            body, headers = reply.body, dict(reply.headers)
            if not isinstance(body, bytes):
                body = json.dumps(body, ensure_ascii=False).encode()
                headers.setdefault("Content-Type", "application/json;charset=UTF-8")
            if fault == "truncate":
                body = body[: len(body) * 2 // 3]
            elif fault == "empty":
                body = b""
            if compressible and emulator.knobs.gzip and body and fault != "drop":
                body = gzip.compress(body, 1, mtime=0)
                headers["Content-Encoding"] = "gzip"
            self.send_response_only(reply.status)
            if emulator.knobs.dates:
                self.send_header("Date", self.date_time_string(emulator.now()))
            for name, value in headers.items():
                self.send_header(name, str(value))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if fault == "drop":
                self.close_connection = True
                body = body[: min(emulator.knobs.drop_after, len(body) // 2)]
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *_arguments):
            pass

    return Handler


def run_from_command_line(make, description):
    """Serve until Ctrl-C.

    Args:
        make: Documents, knobs and the rest of the options to an emulator.
        description: For `--help`.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--port", type=int, default=0, help="0 for any free one")
    parser.add_argument("--records", type=int, default=1000, help="papers to make")
    parser.add_argument("--documents", type=Path, help="JSON lines to serve instead")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--faults", type=float, default=0.0, help="share of requests, 0 to 1")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--key", default="emulator-key-0001", help="the key that is accepted")
    options = parser.parse_args()
    documents = load(options.documents) if options.documents else generate(options.records)
    knobs = Knobs(seed=options.seed, fault_rate=options.faults, latency_s=options.latency)
    emulator = make(documents, knobs, options)
    emulator.start(options.port)
    print(f"{emulator.url}{emulator.base} serves {len(documents):,} papers", flush=True)
    try:
        emulator.serve()
    except KeyboardInterrupt:
        print(f"answered {dict(sorted(emulator.statuses.items()))}")
