"""An emulator of the OpenAlex API: works by cursor, by page and by id.

What it does is in SOURCES.md, sections 5 and 13; `OpenAlexKnobs` are the ways in which it can be
difficult.
"""

import base64
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import urlencode

from emulators.openalex_records import FIELDS, number_of, work_of
from emulators.server import Emulator, Reply, run_from_command_line

WORKS = "/works"
WINDOW = 10_000  # results that `page` reaches
DAY = 86_400
COSTS = {"single": 0, "list": 1, "search": 10}  # in units of 0.0001 dollars
MARK = b"\xfb\xef\xff"


@dataclass
class OpenAlexKnobs:
    """How the service treats a caller."""

    keys: tuple = ("emulator-key-0001",)
    budget: int | None = None  # a day, for each key and for all without one; None for no end
    max_per_page: int = 200  # the documentation of 2026 has 100
    max_values: int = 50  # between | in a filter
    ends_early: int | None = None  # after so many results, an empty page without a cursor
    early_ends: int = 1  # times that this happens
    merged: dict = field(default_factory=dict)  # "W1" -> "W2", to which it is redirected
    echo_key: bool = False  # in the body and in a header


class OpenAlexEmulator(Emulator):
    """Serves documents as OpenAlex would.

    Args:
        documents: In the order in which a search finds them.
        knobs: Faults of any server.
        openalex: Difficulties of this one.
    """

    def __init__(self, documents, knobs=None, openalex=None, clock=time.time):
        super().__init__(knobs, clock)
        self.openalex = openalex or OpenAlexKnobs()
        self.documents = documents
        self.spent = Counter()  # (key, day) -> 0.0001 dollars

    def reply(self, seen):
        bearer = seen.headers.get("authorization", "").removeprefix("Bearer ")
        key = bearer or seen.params.get("api_key", "")
        if key and key not in self.openalex.keys:
            body = {"error": "Invalid or missing API key", "message": "API key not found"}
            return Reply(401, body)
        single = seen.path.startswith(f"{WORKS}/")
        cost = COSTS["single" if single else "search" if "search" in seen.params else "list"]
        account = (key, int(self.now() // DAY))
        if self._left(account) < cost:
            return self._over_budget(cost)
        self.spent[account] += cost
        if single:
            reply = self._single(seen, seen.path.removeprefix(f"{WORKS}/"))
        elif seen.path == WORKS:
            reply = self._list(seen.params)
        else:
            reply = not_found()
        reply.headers |= self._limits(self._left(account), cost)
        if self.openalex.echo_key and reply.status == 200:
            reply.headers["X-Api-Key"] = key
            reply.body["echo"] = [f"{self.url}{WORKS}?{urlencode({'api_key': key})}", key]
        return reply

    def fault_reply(self, fault, seen):
        if fault == "429":
            body = {
                "error": "Rate limit exceeded",
                "message": "You have exceeded the rate limit of 100 requests per second.",
                "retryAfter": 1,
            }
            return Reply(429, body, {"Retry-After": 1})
        if fault == "budget":
            return self._over_budget(1)
        return super().fault_reply(fault, seen)

    def _left(self, account):
        budget = self.openalex.budget
        return 10**6 if budget is None else budget - self.spent[account]

    def _until_midnight(self):
        return DAY - int(self.now() % DAY)

    def _limits(self, left, cost):
        return {
            "X-RateLimit-Limit": self.openalex.budget or 10**6,
            "X-RateLimit-Remaining": left,
            "X-RateLimit-Credits-Used": cost,
            "X-RateLimit-Reset": self._until_midnight(),
        }

    def _over_budget(self, cost):
        """As recorded in October 2026."""
        seconds = self._until_midnight()
        body = {
            "error": "Rate limit exceeded",
            "message": "Insufficient budget. This request costs more than what is left of today's.",
            "retryAfter": seconds,
            "costUsd": cost / 10_000,
            "dailyRemainingUsd": 0,
        }
        return Reply(429, body, self._limits(0, cost) | {"Retry-After": seconds})

    def _single(self, seen, name):
        if name in self.openalex.merged:
            target = f"{WORKS}/{self.openalex.merged[name]}"
            return Reply(301, b"", {"Location": f"{target}?{urlencode(seen.params)}"})
        kind, colon, value = name.partition(":")
        wanted = value.lower() if colon else name.lower()
        kind = kind if colon else "openalex"
        for document in self.documents:
            if wanted in names_of(document).get(kind, ()):
                return self._selected(Reply(200, work_of(document)), seen.params)
        return not_found()

    def _list(self, params):
        try:
            found = self._found(params)
            per_page = self._per_page(params)
            start = self._start(params, per_page)
        except ValueError as error:
            return invalid(str(error))
        page = found[start : start + per_page]
        ends_early = self.openalex.ends_early
        if "cursor" in params and ends_early is not None and start >= ends_early:
            page = page if self.openalex.early_ends == 0 else []
            self.openalex.early_ends = max(0, self.openalex.early_ends - 1)
        meta = {
            "count": len(found),
            "db_response_time_ms": 12,
            "page": None if "cursor" in params else start // per_page + 1,
            "per_page": per_page,
        }
        if "cursor" in params:
            meta["next_cursor"] = cursor_of(start + len(page)) if page else None
        body = {"meta": meta, "results": [work_of(d) for d in page], "group_by": []}
        return self._selected(Reply(200, body), params)

    def _per_page(self, params):
        per_page, largest = int(params.get("per_page", 25)), self.openalex.max_per_page
        if not 1 <= per_page <= largest:
            raise ValueError(f"per-page parameter must be between 1 and {largest}")
        return per_page

    def _start(self, params, per_page):
        if "cursor" in params:
            return position_of(params["cursor"])
        start = (int(params.get("page", 1)) - 1) * per_page
        if start + per_page > WINDOW:
            raise ValueError(f"Maximum results size of {WINDOW:,} records is exceeded.")
        return start

    def _found(self, params):
        words = params.get("search", "").lower().split()
        parts = [part for part in params.get("filter", "").split(",") if part]
        conditions = [self._condition(part) for part in parts]
        return [
            document
            for document in self.documents
            if all(word in f"{document.title} {document.abstract}".lower() for word in words)
            and all(FILTERS[name](document, values) for name, values in conditions)
        ]

    def _condition(self, part):
        """Field and values. Commas are between conditions, so no value may hold one."""
        name, colon, value = part.partition(":")
        values = value.lower().split("|")
        if not colon:
            raise ValueError(f"Invalid query parameter in {part}.")
        if name not in FILTERS:
            raise ValueError(f"{name} is not a valid field.")
        if len(values) > self.openalex.max_values:
            raise ValueError(
                f"Maximum number of values exceeded for {name}. Decrease values to "
                f"{self.openalex.max_values} or below"
            )
        return name, values

    def _selected(self, reply, params):
        wanted = params.get("select", "").split(",") if params.get("select") else FIELDS
        wrong = [name for name in wanted if name not in FIELDS]
        if wrong:
            return invalid(f"{wrong[0]} is not a valid select field. Valid fields: {FIELDS}")
        works = reply.body.get("results", [reply.body])
        cut = [{name: work[name] for name in wanted} for work in works]
        body = reply.body | {"results": cut} if "results" in reply.body else cut[0]
        return Reply(reply.status, body)


def names_of(document):
    """What a work can be asked for by, in the forms in which the API takes them."""
    number = f"w{number_of(document)}"
    doi = (document.doi or "").lower()
    return {
        "openalex": (number, f"https://openalex.org/{number}"),
        "doi": (doi, f"https://doi.org/{doi}") if doi else (),
        "pmid": (document.pmid,) if document.pmid else (),
    }


def year_holds(year, text):
    first, dash, last = text.partition("-")
    if dash:
        return int(first or 0) <= year <= int(last or 9999)
    return year > int(text[1:]) if text.startswith(">") else year == int(text)


def identifies(kind):
    return lambda document, values: bool(set(values) & set(names_of(document).get(kind, ())))


FILTERS = {
    "openalex": identifies("openalex"),
    "doi": identifies("doi"),
    "pmid": identifies("pmid"),
    "publication_year": lambda document, values: any(
        year_holds(document.year, text) for text in values
    ),
    "title.search": lambda document, values: any(text in document.title.lower() for text in values),
}


def not_found():
    """HTML, unlike every other error."""
    body = b"<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n"
    return Reply(404, body, {"Content-Type": "text/html; charset=utf-8"})


def invalid(message):
    return Reply(400, {"error": "Invalid query parameters error.", "message": message})


def cursor_of(position):
    """Where the next page starts: any number of calls with it give the same page.

    It begins with ++// and ends with =, so that it has to be encoded.
    """
    return base64.b64encode(MARK + json.dumps([f"{position:07d}"]).encode()).decode()


def position_of(cursor):
    if cursor == "*":
        return 0
    try:
        content = base64.b64decode(cursor, validate=True).removeprefix(MARK)
        return int(json.loads(content)[0])
    except ValueError:
        raise ValueError("Cursor value is invalid.") from None


def _from_options(documents, knobs, options):
    return OpenAlexEmulator(documents, knobs, OpenAlexKnobs(keys=(options.key,)))


if __name__ == "__main__":
    run_from_command_line(_from_options, "The OpenAlex API, on this machine.")
