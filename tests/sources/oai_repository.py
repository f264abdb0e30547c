"""An emulated OAI-PMH repository asked without a network, for tests with very many harvests."""

from emulators.oaipmh import PATH, OaiEmulator
from emulators.server import Seen

from corpusforge.parsers.oai import parse_page
from corpusforge.sources.answers import Answer, Verdict
from corpusforge.sources.http import GaveUpError
from corpusforge.sources.oai_api import fetch_oai
from corpusforge.sources.oai_plan import OaiConfig

NOW = 1_700_000_000.0  # 2023-11-14
ATTEMPTS = 3


class Repository(OaiEmulator):
    """Stands for client, landing zone and server; `fetch` is one run on them.

    The server does not start. `sent` and `replayed` count as a Replay does.
    """

    def __init__(self, items, oai):
        super().__init__(items, oai=oai, clock=lambda: NOW)
        self.url = "http://repository.example"
        self._landed = {}
        self._used = {}
        self.sent = self.replayed = 0

    def fetch(self, **settings):
        self.sent = self.replayed = 0
        self._used = {}
        self.seen.clear()
        self.config = OaiConfig(address=self.address, **settings)
        return fetch_oai(self.config, (), self)

    def came(self):
        """Identifier and datestamp of every record in the answers of the latest fetch."""
        pages = (parse_page(answer.body) for answer in self._used.values() if answer is not None)
        return {(r.identifier, r.datestamp) for page in pages for r in page.records}

    @property
    def used(self):
        return ()

    def now(self):
        return NOW

    def answer(self, request, judge=None):
        if judge is None:  # the server's side, of a Seen
            return super().answer(request)
        if request in self._landed:
            self.replayed += 1
        else:
            self._landed[request] = self._ask(request, judge)
        answer = self._landed[request]
        identify = dict(request.params)["verb"] == "Identify"
        self._used[request] = None if identify else answer
        return answer

    def _ask(self, request, judge):
        for _ in range(ATTEMPTS):
            self.sent += 1
            reply, fault = super().answer(Seen(PATH, dict(request.params), {}, ""))
            if fault in ("drop", "empty"):
                continue
            body = reply.body[: len(reply.body) * 2 // 3] if fault == "truncate" else reply.body
            answer = Answer(reply.status, {}, body)
            if judge(answer) is Verdict.DONE:
                return answer
        raise GaveUpError("failed 3 times")
