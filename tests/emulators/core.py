"""An emulator of the CORE API v3: search and facets, works, original files.

What it does is in SOURCES.md, sections 2 and 13; `CoreKnobs` are the ways in which it can be
difficult.
"""

import base64
import json
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

from emulators.server import FAULTS, Emulator, Reply, run_from_command_line

SEARCH, WORKS, OUTPUTS = "/v3/search/works/", "/v3/works/", "/v3/outputs/"
FACETS = "/v3/search/works/aggregate"
FILE = re.compile(r"/v3/(works|outputs)/(\d+)/download")
BUCKETS = 100  # most that a facet shows
WINDOW = 10_000
FIRST_ID = 100_000
CORE_FAULTS = (*FAULTS, "expire")  # the scroll is forgotten; elsewhere nothing happens
PLACEHOLDER = "Not available for public API users."
YEAR = re.compile(r"\byearPublished\s*(>=|<=|:|>|<)\s*(\d{4})")
COMPARE = {
    ":": int.__eq__, ">": int.__gt__, "<": int.__lt__, ">=": int.__ge__, "<=": int.__le__
}  # fmt: skip
WORD = re.compile(r"\btitle:(\w+)")


@dataclass
class CoreKnobs:
    """How the service treats a caller."""

    keys: tuple = ("emulator-key-0001",)
    tokens: int | None = None  # in each window of time; None for no end
    window_s: float = 600.0
    scroll_cost: int = 3  # tokens; a download and facets cost as much
    blobs: str = ""  # address of the server that has the original files; "" for this one
    ends_early: int | None = None  # a scroll gives one empty page after so many results
    expiry_status: int = 404  # of a scroll that is forgotten; what CORE answers is not known
    beyond_status: int = 500  # of offset + limit beyond the window
    jitter: int = 0  # totalHits differs by up to so many
    spelling: str = "X-RateLimit-Remaining"  # CORE's documentation has X-RateLimitRemaining
    retry_header: bool = True
    dead_scrolls: set = field(default_factory=set)


class CoreEmulator(Emulator):
    """Serves documents as CORE would.

    Args:
        documents: In the order in which a search finds them.
        knobs: Faults of any server.
        core: Difficulties of this one.
    """

    base = "/v3"

    def __init__(self, documents, knobs=None, core=None, clock=time.time):
        super().__init__(knobs, clock)
        self.core = core or CoreKnobs()
        self.documents = documents
        self.spent = Counter()  # window -> tokens
        self._found = {}
        self._by_id = {str(work_number(d)): d for d in documents}
        self._by_id |= {d.doi.lower(): d for d in documents if d.doi}

    def reply(self, seen):
        if seen.path.startswith("/blob/"):
            return self._blob(seen.path)
        token = seen.headers.get("authorization", "").removeprefix("Bearer ")
        token = token or seen.params.get("api_key", "")
        if token and token not in self.core.keys:
            return Reply(401, {"message": "Invalid API key"})
        if seen.path == SEARCH.rstrip("/") and seen.method == "GET":
            query = seen.target.partition("?")[2]
            return Reply(301, b"", {"Location": f"{SEARCH}?{query}"})
        params = seen.params | posted(seen.body)
        dear = {"scroll", "scrollId"} & params.keys() or FILE.fullmatch(seen.path)
        cost = self.core.scroll_cost if dear or seen.path == FACETS else 1
        if self.core.tokens is not None and self._left() < cost:
            return self.fault_reply("429", seen)
        self.spent[self._window()] += cost
        reply = self._route(seen.path, params, anonymous=not token)
        if self.core.tokens is not None:
            reply.headers[self.core.spelling] = self._left()
            reply.headers["X-RateLimit-Limit"] = self.core.tokens
            if self._left() == 0:
                reply.headers["X-RateLimit-Retry-After"] = self._retry_after()
        return reply

    def fault_reply(self, fault, seen):
        if fault == "429":
            retry = {"X-RateLimit-Retry-After": self._retry_after()}
            return Reply(429, b"", retry if self.core.retry_header and self.core.tokens else {})
        if fault == "expire":
            if "scrollId" not in seen.params:
                return self.reply(seen)
            self.core.dead_scrolls.add(position_of(seen.params["scrollId"])[0])
            return self.reply(seen)
        return super().fault_reply(fault, seen)

    def _window(self):
        return int(self.now() // self.core.window_s)

    def _left(self):
        return self.core.tokens - self.spent[self._window()]

    def _retry_after(self):
        moment = (self._window() + 1) * self.core.window_s
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%S+0000")

    def _route(self, path, params, anonymous):
        if path.rstrip("/") == SEARCH.rstrip("/"):
            return self._search(params, anonymous)
        if path == FACETS:
            return self._facets(params)
        if found := FILE.fullmatch(path):
            number = int(found[2]) // (5 if found[1] == "outputs" else 1)
            return Reply(301, b"", {"Location": f"{self.core.blobs}/blob/{number}.pdf"})
        document = self._by_id.get(path.removeprefix(WORKS).lower())
        if document is not None:
            return Reply(200, work_of(document, anonymous, False))
        return Reply(404, {"message": "Not found"})

    def _blob(self, path):
        document = self._by_id.get(path.removeprefix("/blob/").removesuffix(".pdf"))
        if document is not None and document.body:
            return Reply(200, pdf_of(document), {"Content-Type": "application/pdf"})
        body = b"<?xml version='1.0'?><Error><Code>BlobNotFound</Code></Error>"
        return Reply(404, body, {"Content-Type": "application/xml"})

    def _facets(self, params):
        """Counts by value, the most frequent ones; without a choice, in snake case."""
        found = self._matches(params["q"])
        names = params.get("aggregations") or ["year_published", "document_type"]
        return Reply(200, {"aggregations": {name: facet(found, name) for name in names}})

    def _search(self, params, anonymous):
        query = params["q"]
        if re.fullmatch(r'\s*"[^"]*"\s*', query):
            return Reply(500, {"message": "Server Error"})
        limit, offset = int(params.get("limit", 10)), int(params.get("offset", 0))
        found = self._matches(query)
        scroll = None
        if "scrollId" in params:
            name, offset = position_of(params["scrollId"])
            if name in self.core.dead_scrolls:
                return Reply(self.core.expiry_status, {"message": "No search context found"})
            scroll = scroll_of(name, min(offset + limit, len(found)))
        elif "scroll" in params:
            scroll = scroll_of(len(self.seen), min(limit, len(found)))
        elif offset + limit > WINDOW:
            return Reply(self.core.beyond_status, {"message": "Result window is too large"})
        page = found[offset : offset + limit]
        if scroll and self.core.ends_early is not None and offset >= self.core.ends_early:
            page, self.core.ends_early = [], None
        total = len(found) + self._random.randint(-self.core.jitter, self.core.jitter)
        without = params.get("exclude", params.get("exclude[]")) == "fullText"
        results = [work_of(document, anonymous, without) for document in page]
        body = {
            "totalHits": total, "limit": str(limit), "offset": offset, "scrollId": scroll,
            "results": results, "tooks": None, "esTook": None,
        }  # fmt: skip
        return Reply(200, body)

    def _matches(self, query):
        if query not in self._found:
            years = [(COMPARE[sign], int(year)) for sign, year in YEAR.findall(query)]
            words = [word.lower() for word in WORD.findall(query)]
            self._found[query] = [
                document
                for document in self.documents
                if all(compare(document.year, year) for compare, year in years)
                and all(word in document.title.lower() for word in words)
            ]
        return self._found[query]


def work_number(document):
    return FIRST_ID + document.number


def posted(body):
    """The parameters that a POST has in its JSON, as a GET would have them."""
    given = json.loads(body) if body else {}
    if "exclude" in given:
        given["exclude"] = "fullText" if "fullText" in given["exclude"] else ""
    return {name: value for name, value in given.items() if value not in (False, None)}


def facet(documents, name):
    values = {
        "yearpublished": lambda d: [d.year],
        "documenttype": lambda _: ["research"],
        "authors": lambda d: [f"{family}, {given}." for family, given in d.authors],
    }[name.replace("_", "").lower()]
    counts = Counter(str(value) for document in documents for value in values(document))
    return dict(counts.most_common(BUCKETS))


def pdf_of(document):
    """The original file, which nothing here could read but a test compares."""
    return f"%PDF-1.4\n% {document.title}\n{document.body}\n%%EOF\n".encode()


def place_of_file(document):
    """What a work says of its file: CORE's address of it, another server's, or nothing."""
    output = 5 * work_number(document)
    listed = [f"https://api.core.ac.uk/v3/outputs/{output}"]
    if document.number % 10 == 8:
        return {"downloadUrl": "", "outputs": []}
    if document.number % 10 == 5:
        return {"downloadUrl": "http://arxiv.org/abs/1010.1833", "outputs": listed}
    return {"downloadUrl": f"https://core.ac.uk/download/{output}.pdf", "outputs": listed}


def work_of(document, anonymous, without_full_text):
    """A work, with the oddities of real ones."""
    number = work_number(document)
    work = {
        "id": number,
        "title": document.title.replace(" ", "\n  ", 1),
        "abstract": document.abstract or (None, "", "No abstract available")[document.number % 3],
        "authors": [{"name": f"{family}, {given}."} for family, given in document.authors],
        "contributors": [""],
        "doi": document.doi,
        "arxivId": None,
        "magId": None,
        "pubmedId": document.pmid,
        "yearPublished": str(document.year) if document.number % 2 else document.year,
        "publishedDate": f"{document.year}-06-01T01:00:00",
        "language": {"code": "en", "name": "English"} if document.number % 5 else None,
        "documentType": "research",
        "publisher": "'Emulated Press'",
        "journals": [{"title": document.venue, "identifiers": []}],
        "identifiers": [{"identifier": str(5 * number), "type": "CORE_ID"}],
        **place_of_file(document),
    }
    if not without_full_text:
        work["fullText"] = PLACEHOLDER if anonymous else document.body
    return work


def scroll_of(name, position):
    return base64.b64encode(f"scroll:{name}:{position}+".encode()).decode()


def position_of(scroll):
    _, name, position = base64.b64decode(scroll).decode().rstrip("+").split(":")
    return int(name), int(position)


def _from_options(documents, knobs, options):
    return CoreEmulator(documents, knobs, CoreKnobs(keys=(options.key,)))


if __name__ == "__main__":
    run_from_command_line(_from_options, "The CORE API, on this machine.")
