"""An emulator of the Crossref REST API: works by cursor, and by DOI.

What it does is in SOURCES.md, sections 9 and 13; `CrossrefKnobs` are the ways in which it can be
difficult. A cursor is a scroll on the server: it stays the same from page to page, every call with
it moves it on, whether or not the answer arrives, and it is forgotten after some minutes.
"""

import base64
import time
from collections import Counter
from dataclasses import dataclass, field

from emulators.crossref_records import item_of
from emulators.server import FAULTS, Emulator, Reply, run_from_command_line

WORKS = "/works"
MAX_ROWS = 1000
WINDOW = 10_000  # results that `offset` reaches
CROSSREF_FAULTS = (*FAULTS, "expire")  # the scroll is forgotten; elsewhere nothing happens
TOKEN_HEADER = "crossref-plus-api-token"
LIMITS = {"public": (5, 1), "polite": (10, 3), "plus": (150, 150)}  # a second, at once
FILTERS = {
    "has-abstract": lambda document, value: bool(document.abstract) == (value in ("1", "true")),
    "from-pub-date": lambda document, value: document.year >= int(value[:4]),
    "until-pub-date": lambda document, value: document.year <= int(value[:4]),
}
STACK = {"name": "class clojure.lang.ExceptionInfo", "stack": ["clojure.core$ex_info(core.clj:1)"]}


@dataclass
class CrossrefKnobs:
    """How the service treats a caller."""

    tokens: tuple = ("emulator-key-0001",)  # of Metadata Plus
    per_second: dict = field(default_factory=dict)  # pool -> requests; above it 429
    stateful: bool = True  # False: as until 2021, when each page had its own cursor
    lives_s: float = 300.0  # a scroll that is not used
    ends_early: int | None = None  # after so many results, nothing but empty pages
    early_ends: int = 1  # scrolls to which this happens
    lost: set = field(default_factory=set)  # DOIs that are not found, for a while
    echo_token: bool = False


@dataclass
class _Scroll:
    found: list
    position: int
    used: float  # seconds since the epoch


class CrossrefEmulator(Emulator):
    """Serves documents as Crossref would.

    Args:
        documents: In the order in which a search finds them.
        knobs: Faults of any server.
        crossref: Difficulties of this one.
    """

    def __init__(self, documents, knobs=None, crossref=None, clock=time.time):
        super().__init__(knobs, clock)
        self.crossref = crossref or CrossrefKnobs()
        self.documents = documents
        self.pools = Counter()
        self._scrolls = {}
        self._moments = []

    def reply(self, seen):
        token = seen.headers.get(TOKEN_HEADER, "").removeprefix("Bearer ")
        if token and token not in self.crossref.tokens:
            return Reply(401, b"Invalid token", {"Content-Type": "text/plain"})
        agent = seen.headers.get("user-agent", "")
        polite = "mailto" in seen.params or "mailto:" in agent
        pool = "plus" if token else "polite" if polite else "public"
        self.pools[pool] += 1
        if self._too_fast(pool):
            return self.fault_reply("429", seen)
        if seen.path == WORKS:
            reply = self._list(seen.params)
        elif seen.path.startswith(f"{WORKS}/"):
            reply = self._single(seen.path.removeprefix(f"{WORKS}/").lower())
        else:
            reply = not_found()
        limit, at_once = LIMITS[pool]
        reply.headers |= {
            "X-Api-Pool": pool,
            "X-Rate-Limit-Limit": limit,
            "X-Rate-Limit-Interval": "1s",
            "X-Concurrency-Limit": at_once,
        }
        if self.crossref.echo_token and reply.status == 200:
            reply.headers["Crossref-Plus-API-Token"] = f"Bearer {token}"
            reply.body["message"]["echo"] = token
        return reply

    def fault_reply(self, fault, seen):
        if fault == "429":
            return Reply(429, b"<html><body>Too Many Requests</body></html>", {
                "Content-Type": "text/html"
            })  # fmt: skip
        if fault == "500":
            return failed_inside("Response Exception")
        if fault == "expire":
            self._scrolls.pop(seen.params.get("cursor"), None)
            return self.reply(seen)
        return super().fault_reply(fault, seen)

    def _too_fast(self, pool):
        now = self.now()
        self._moments = [moment for moment in self._moments if moment > now - 1] + [now]
        return len(self._moments) > self.crossref.per_second.get(pool, 10**6)

    def _single(self, doi):
        for document in self.documents:
            if document.doi and document.doi.lower() == doi and doi not in self.crossref.lost:
                return Reply(200, message_of("work", item_of(document)))
        return not_found()

    def _list(self, params):
        rows, offset = int(params.get("rows", 20)), int(params.get("offset", 0))
        parts = [part.partition(":") for part in params.get("filter", "").split(",") if part]
        wrong = [f"Filter {name} specified but there is none" for name, *_ in parts
                 if name not in FILTERS]  # fmt: skip
        if rows > MAX_ROWS:
            wrong.append(f"Integer specified as {rows} but must be at most {MAX_ROWS}")
        if offset + rows > WINDOW:
            wrong.append(f"Offset specified as {offset} but must be at most {WINDOW}")
        if wrong:
            return invalid(wrong[0])
        found = [document for document in self.documents if matches(document, params, parts)]
        if "cursor" in params:
            return self._scrolled(params["cursor"], found, rows)
        return page_of(found, offset, rows, None)

    def _scrolled(self, cursor, found, rows):
        if " " in cursor:
            return failed_inside(f"Unable to parse 'cursorMark': {cursor}")
        if cursor == "*":
            cursor = cursor_of(len(self._scrolls))
            self._scrolls[cursor] = _Scroll(found, 0, self.now())
        scroll = self._scrolls.get(cursor)
        if scroll is None or scroll.used < self.now() - self.crossref.lives_s:
            return cursor_invalid(cursor)
        begin, total = scroll.position, len(scroll.found)
        ends_early = self.crossref.ends_early
        if ends_early is not None and ends_early <= begin < total and self.crossref.early_ends:
            self.crossref.early_ends -= 1
            begin = total
        following = min(begin + rows, total)
        if self.crossref.stateful:
            scroll.position, scroll.used = following, self.now()
        else:  # as Solr did it: this cursor stays here, and another one stands behind the page
            cursor = cursor_of(len(self._scrolls))
            self._scrolls[cursor] = _Scroll(scroll.found, following, self.now())
        return page_of(scroll.found, begin, rows, cursor)


def cursor_of(number):
    """A cursor with all that has to be encoded: it begins with ++// and ends with ==."""
    return base64.b64encode(b"\xfb\xef\xff" + f"scroll-{number:06d}".encode()).decode()


def page_of(found, begin, rows, cursor):
    message = {
        "facets": {},
        "total-results": len(found),
        "items": [item_of(document) for document in found[begin : begin + rows]],
        "items-per-page": rows,
        "query": {"start-index": 0, "search-terms": None},
    }
    if cursor is not None:
        message["next-cursor"] = cursor
    return Reply(200, message_of("work-list", message))


def matches(document, params, parts):
    words = params.get("query", "").lower().split()
    return all(word in document.title.lower() for word in words) and all(
        FILTERS[name](document, value) for name, _, value in parts
    )


def message_of(kind, message):
    return {"status": "ok", "message-type": kind, "message-version": "1.0.0", "message": message}


def not_found():
    return Reply(404, b"Resource not found.", {"Content-Type": "text/plain;charset=utf-8"})


def failed(status, kind, error):
    return Reply(status, {"status": "failed", "message-type": kind, "message": [error]})


def invalid(message):
    error = {"type": "parameter-not-allowed", "value": "", "message": message}
    return failed(400, "validation-failure", error)


def cursor_invalid(cursor):
    """As recorded in June 2026."""
    text = "Cursor specified but it is invalid"
    error = {"type": "cursor-invalid", "value": cursor, "message": text}
    return failed(404, "resource-failure", error)


def failed_inside(description):
    message = STACK | {"description": description}
    return Reply(500, {"status": "error", "message-type": "exception", "message": message})


def _from_options(documents, knobs, options):
    return CrossrefEmulator(documents, knobs, CrossrefKnobs(tokens=(options.key,)))


if __name__ == "__main__":
    run_from_command_line(_from_options, "The Crossref API, on this machine.")
