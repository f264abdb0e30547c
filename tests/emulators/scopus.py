"""An emulator of the Scopus APIs: search, and retrieval of abstracts.

What it does is in SOURCES.md, sections 1 and 13; `ScopusKnobs` are the ways in which it can be
difficult.
"""

import base64
import math
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlencode

from emulators.scopus_query import matcher
from emulators.scopus_records import eid_of, entry_of, retrieval_of
from emulators.server import Emulator, Reply, run_from_command_line

SEARCH, ABSTRACT = "/content/search/scopus", "/content/abstract/"
MAX_COUNT = {"STANDARD": 200, "COMPLETE": 25}
WINDOW = 5000
WEEK = 7 * 86400
TOKEN = b"\x02\x82Q\xfb\xef\xbe"  # gives "+" and "/" in base64


@dataclass
class ScopusKnobs:
    """How the service treats a caller."""

    keys: dict = field(default_factory=lambda: {"emulator-key-0001": True})  # key -> entitled
    on_campus: bool = True  # off campus, nobody is entitled
    silent_strip: bool = False  # off campus, abstracts are left out with HTTP 200 and no word
    quota: dict = field(default_factory=lambda: {"search": 20_000, "abstract": 10_000})  # a week
    per_second: float | None = None  # above it: 429 RATE_LIMIT_EXCEEDED
    reset_format: str = "ms"  # of X-RateLimit-Reset: s, ms or text
    omit_cursor: bool = False  # leave `cursor` out of the response, as for LIMIT-TO queries
    key_in_links: bool = True
    noise: str = "mixed"  # copyright statements: none, prefix, suffix, glued or mixed


class ScopusEmulator(Emulator):
    """Serves documents as Scopus would.

    Args:
        documents: In the order in which a search finds them.
        knobs: Faults of any server.
        scopus: Difficulties of this one.
    """

    def __init__(self, documents, knobs=None, scopus=None, clock=time.time):
        super().__init__(knobs, clock)
        self.scopus = scopus or ScopusKnobs()
        self.documents = documents
        self.spent = Counter()  # (key, api) -> requests this week
        self._moments = []
        self._found = {}
        self._by_id = {}
        for document in documents:
            names = (eid_of(document), document.doi, document.pmid)
            self._by_id |= {name.lower(): document for name in names if name}

    def reply(self, seen):
        key = seen.headers.get("x-els-apikey") or seen.params.get("apiKey")
        api = "search" if seen.path == SEARCH else "abstract"
        if key is None:
            text = "Invalid API Key"
            error = service_error(401, "AUTHENTICATION_ERROR", text)
            return Reply(401, error.body, {"X-ELS-Status": f"AUTHENTICATION_ERROR - {text}"})
        if key not in self.scopus.keys:
            return gateway_error(401, "APIKEY_INVALID", "The provided apiKey is invalid.")
        if self._too_fast():
            return self.fault_reply("429", seen)
        if self.spent[key, api] >= self.scopus.quota[api]:
            return self._quota_exceeded()
        self.spent[key, api] += 1
        entitled = self.scopus.keys[key] and self.scopus.on_campus
        if seen.path == SEARCH:
            reply = self._search(seen, key, entitled)
        elif seen.path.startswith(ABSTRACT):
            reply = self._retrieve(seen, entitled)
        else:
            reply = service_error(
                404, "RESOURCE_NOT_FOUND", "The resource specified cannot be found."
            )
        left = self.scopus.quota[api] - self.spent[key, api]
        limits = {
            "X-RateLimit-Limit": self.scopus.quota[api],
            "X-RateLimit-Remaining": left,
            "X-RateLimit-Reset": self._reset(),
            "X-ELS-APIKey": key,
            "X-ELS-Status": "OK",
        }
        as_json = "json" in seen.params.get("httpAccept", seen.headers.get("accept", ""))
        if reply.status == 200 and not as_json:
            return Reply(
                200, b"<?xml version='1.0'?><search-results/>", {"Content-Type": "text/xml"}
            )
        return Reply(reply.status, reply.body, reply.headers | limits)

    def fault_reply(self, fault, seen):
        if fault == "429":
            return gateway_error(429, "RATE_LIMIT_EXCEEDED", "Too many requests per second")
        if fault == "500":
            return service_error(500, "GENERAL_SYSTEM_ERROR", "Error calling Solr Search Service")
        return super().fault_reply(fault, seen)

    def _too_fast(self):
        now = self.now()
        self._moments = [moment for moment in self._moments if moment > now - 1] + [now]
        return self.scopus.per_second is not None and len(self._moments) > self.scopus.per_second

    def _reset(self):
        moment = math.floor(self.now() / WEEK) * WEEK + WEEK
        if self.scopus.reset_format == "text":
            return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S")
        return moment * (1000 if self.scopus.reset_format == "ms" else 1)

    def _quota_exceeded(self):
        """As captured in 2019: XML whatever was asked for, and no Limit or Remaining."""
        body = (
            b"<service-error><status><statusCode>QUOTA_EXCEEDED</statusCode>"
            b"<statusText>Quota Exceeded</statusText></status></service-error>"
        )
        headers = {
            "X-ELS-Status": "QUOTA_EXCEEDED - Quota Exceeded",
            "X-RateLimit-Reset": self._reset(),
            "Content-Type": "text/xml;charset=UTF-8",
        }
        return Reply(429, body, headers)

    def _search(self, seen, key, entitled):
        params = seen.params
        view = params.get("view", "STANDARD")
        count = int(params.get("count", 25))
        cursor = params.get("cursor")
        if view == "COMPLETE" and not entitled and not self.scopus.silent_strip:
            return not_authorized()
        if cursor is not None and not entitled:
            return service_error(
                403, "AUTHORIZATION_ERROR", "Use of the cursor parameter is restricted"
            )
        start = int(params.get("start", 0)) if cursor is None else position_of(cursor)
        if start is None:
            return service_error(400, "INVALID_INPUT", "Invalid cursor")
        if count > MAX_COUNT[view] or (cursor is None and start + count > WINDOW + count - 1):
            text = "Exceeds the maximum number allowed for the service level"
            return service_error(400, "INVALID_INPUT", text)
        found = self._matches(params["query"], params.get("date"))
        page = found[start : start + count]
        shown = view == "COMPLETE" and entitled
        results = {
            "opensearch:totalResults": str(len(found)),
            "opensearch:startIndex": str(start),
            "opensearch:itemsPerPage": str(len(page)),
            "opensearch:Query": {
                "@role": "request", "@searchTerms": params["query"], "@startPage": str(start)
            },
            "link": self._links(params, start, count, len(found), key),
        }  # fmt: skip
        if cursor is not None and not self.scopus.omit_cursor:
            results["cursor"] = {"@current": cursor, "@next": token_of(start + len(page))}
        results["entry"] = [
            entry_of(document, view, shown, self.scopus.noise) for document in page
        ] or [{"@_fa": "true", "error": "Result set was empty"}]
        return Reply(200, {"search-results": results})

    def _links(self, params, start, count, total, key):
        starts = {"self": start, "first": 0}
        if start:
            starts["prev"] = max(0, start - count)
        if start + count < total:
            starts["next"] = start + count
        starts["last"] = max(0, min(total, WINDOW) - count)  # as Scopus does: not on a page's edge
        shown = {"apiKey": key} if self.scopus.key_in_links else {}
        return [
            {
                "@_fa": "true",
                "@ref": name,
                "@href": f"{self.url}{SEARCH}?{urlencode(params | {'start': at, **shown})}",
                "@type": "application/json",
            }
            for name, at in starts.items()
        ]

    def _matches(self, query, date):
        if (query, date) not in self._found:
            wanted = matcher(query, date)
            self._found[query, date] = [d for d in self.documents if wanted(d)]
        return self._found[query, date]

    def _retrieve(self, seen, entitled):
        kind, _, name = seen.path.removeprefix(ABSTRACT).partition("/")
        name = f"2-s2.0-{name}" if kind == "scopus_id" else name
        view = seen.params.get("view", "META_ABS")
        if view == "FULL" and not entitled and not self.scopus.silent_strip:
            return not_authorized()
        document = self._by_id.get(name.lower())
        if document is None:
            text = "The resource specified cannot be found."
            return service_error(404, "RESOURCE_NOT_FOUND", text)
        shown = view != "META" and entitled
        return Reply(200, retrieval_of(document, view, shown, self.scopus.noise))


def service_error(status, code, text):
    return Reply(status, {"service-error": {"status": {"statusCode": code, "statusText": text}}})


def gateway_error(status, code, text):
    body = {"error-response": {"error-code": code, "error-message": text}}
    return Reply(status, body, {"Content-Type": "application/json"})


def not_authorized():
    text = "The requestor is not authorized to access the requested view or fields of the resource"
    return service_error(401, "AUTHORIZATION_ERROR", text)


def token_of(position):
    return base64.b64encode(TOKEN + f"2-s2.0-{position:06d}".encode()).decode()


def position_of(cursor):
    """Where a cursor stands; None for one that was encoded twice, or not at all."""
    if cursor == "*":
        return 0
    try:
        token = base64.b64decode(cursor, validate=True)
    except ValueError:
        return None
    return int(token[len(TOKEN) + 7 :]) if token.startswith(TOKEN) else None


def _from_options(documents, knobs, options):
    return ScopusEmulator(documents, knobs, ScopusKnobs(keys={options.key: True}))


if __name__ == "__main__":
    run_from_command_line(_from_options, "The Scopus APIs, on this machine.")
