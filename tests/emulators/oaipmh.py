"""An emulator of an OAI-PMH 2.0 repository: Identify, formats, sets, and lists of records.

What it does is in SOURCES.md, sections 7.3 and 13; `OaiKnobs` are the ways in which it can be
difficult. By default it behaves like arXiv: days, no total, and tokens that hold their list.
"""

import time
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from urllib.parse import parse_qsl, quote, unquote, urlencode
from xml.sax.saxutils import escape, quoteattr

from emulators.oaipmh_records import FORMATS, SETS, items_of, record_xml
from emulators.server import FAULTS, Emulator, Reply, run_from_command_line

PATH = "/oai2"
OAI_FAULTS = (*FAULTS, "503", "expire", "broken")
ARGUMENTS = {
    "Identify": set(),
    "ListMetadataFormats": {"identifier"},
    "ListSets": {"resumptionToken"},
    "ListRecords": {"metadataPrefix", "from", "until", "set", "resumptionToken"},
}
WORDS = {
    "badResumptionToken": "The value of the resumptionToken argument is invalid or expired.",
    "noRecordsMatch": "",
}
NOTICE = b"<br />\n<b>Notice</b>: Undefined index: creator<br />"


@dataclass
class OaiKnobs:
    """How the repository treats a harvester."""

    page: int = 50
    seconds: bool = False  # granularity; else days
    order: str = "datestamp"  # or identifier
    totals: bool = False  # completeListSize and cursor
    off_by: int = 0  # added to completeListSize
    stateless: bool = True  # tokens that hold their list, and so come again in another list
    dies_after: int | None = None  # pages of one list; then its tokens are dead
    error: str = "badResumptionToken"  # code that tells of a dead token
    end: str = "empty"  # of a list: the token is "empty", "absent", or leads to a page of "nothing"
    circle: bool = False  # a token brings the first page again
    poison: set = field(default_factory=set)  # numbers of documents whose page is always broken
    poison_status: int = 200  # 200 for XML that ends within it, or 500
    sets: bool = True
    earliest: str | None = None  # instead of the true one
    garbage: bytes = b""  # behind the last tag
    retry_s: int = 20  # of a 503
    dead: set = field(default_factory=set)  # tokens


class OaiError(Exception):
    """What is answered instead of a list: a code of section 3.6."""


class OaiEmulator(Emulator):
    """Serves items as an OAI-PMH repository would.

    Args:
        items: See `items_of`. Tests may change them while the server runs.
        knobs: Faults of any server.
        oai: Difficulties of this one.
    """

    base = PATH

    def __init__(self, items, knobs=None, oai=None, clock=time.time):
        super().__init__(knobs, clock)
        self.oai = oai or OaiKnobs()
        self.items = list(items)
        self._lists = {}  # of tokens that do not hold their list

    @property
    def address(self):
        return self.url + PATH

    def reply(self, seen):
        if seen.path != PATH:
            return Reply(404, b"<html><body>Not Found</body></html>")
        try:
            content = self._answered(seen.params)
        except OaiError as error:
            code = str(error)
            content = f"<error code={quoteattr(code)}>{WORDS.get(code, 'see the protocol')}</error>"
        return content if isinstance(content, Reply) else self._document(content, seen.params)

    def _answered(self, params):
        """What stands inside the envelope."""
        verb = params.get("verb")
        if verb not in ARGUMENTS:
            raise OaiError("badVerb")
        if set(params) - ARGUMENTS[verb] - {"verb"}:
            raise OaiError("badArgument")
        return {
            "Identify": self._identify,
            "ListMetadataFormats": self._formats,
            "ListSets": self._sets,
            "ListRecords": self._records,
        }[verb](params)

    def fault_reply(self, fault, seen):
        if fault == "503":
            return Reply(503, b"Retry later", {"Retry-After": self.oai.retry_s})
        if fault == "expire":
            self.oai.dead.add(seen.params.get("resumptionToken"))
            return self.reply(seen)
        if fault == "broken":
            reply = self.reply(seen)
            return Reply(reply.status, reply.body.replace(b"</header>", b"<header>", 1))
        return super().fault_reply(fault, seen)

    def _document(self, content, params):
        now = datetime.fromtimestamp(self.now(), UTC)
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in params.items())
        body = (
            f'<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">\n'
            f"<responseDate>{now:%Y-%m-%dT%H:%M:%SZ}</responseDate>"
            f"<request{attributes}>{self.address}</request>\n{content}\n</OAI-PMH>\n"
        )
        return Reply(200, body.encode() + self.oai.garbage, {"Content-Type": "text/xml"})

    def _identify(self, _params):
        earliest = self.oai.earliest
        if earliest is None:
            earliest = self._stamp(min(item.datestamp for item in self.items))
        granularity = "YYYY-MM-DDThh:mm:ssZ" if self.oai.seconds else "YYYY-MM-DD"
        return (
            f"<Identify><repositoryName>Emulated</repositoryName><baseURL>{self.address}</baseURL>"
            f"<protocolVersion>2.0</protocolVersion><earliestDatestamp>{earliest}"
            f"</earliestDatestamp><deletedRecord>persistent</deletedRecord>"
            f"<granularity>{granularity}</granularity></Identify>"
        )

    def _formats(self, _params):
        formats = "".join(
            f"<metadataFormat><metadataPrefix>{prefix}</metadataPrefix>"
            f"<metadataNamespace>{namespace}</metadataNamespace></metadataFormat>"
            for prefix, namespace in FORMATS.items()
        )
        return f"<ListMetadataFormats>{formats}</ListMetadataFormats>"

    def _sets(self, _params):
        if not self.oai.sets:
            raise OaiError("noSetHierarchy")
        sets = "".join(f"<set><setSpec>{s}</setSpec><setName>{s}</setName></set>" for s in SETS)
        return f"<ListSets>{sets}</ListSets>"

    def _records(self, params):
        token = params.get("resumptionToken")
        skip = 0
        if token is not None:
            if len(params) > 2:
                raise OaiError("badArgument")
            params, skip = self._list_of(token)
        items = self._selected(params)
        skip = 0 if self.oai.circle else skip
        if skip >= len(items):
            raise OaiError("noRecordsMatch")
        page = items[skip : skip + self.oai.page]
        if {item.document.number for item in page} & self.oai.poison:
            return Reply(self.oai.poison_status, b"<OAI-PMH><ListRecords><record><header>")
        records = "".join(
            record_xml(item, params["metadataPrefix"], self._stamp(item.datestamp)) for item in page
        )
        return f"<ListRecords>{records}{self._token(params, skip, len(items))}</ListRecords>"

    def _selected(self, params):
        """The items of a list, in the order of this repository."""
        if "metadataPrefix" not in params:
            raise OaiError("badArgument")
        if params["metadataPrefix"] not in FORMATS:
            raise OaiError("cannotDisseminateFormat")
        if "set" in params and not self.oai.sets:
            raise OaiError("noSetHierarchy")
        since, until = (self._bound(params.get(name)) for name in ("from", "until"))
        if since and until and (len(since) != len(until) or since > until):
            raise OaiError("badArgument")
        wanted = params.get("set", "")
        found = [
            item
            for item in self.items
            if (not since or self._stamp(item.datestamp)[: len(since)] >= since)
            and (not until or self._stamp(item.datestamp)[: len(until)] <= until)
            and (not wanted or f"{item.set}:".startswith(f"{wanted}:"))
        ]
        if self.oai.order == "identifier":
            return sorted(found, key=lambda item: item.identifier)
        return sorted(found, key=lambda item: (item.datestamp, item.identifier))

    def _bound(self, text):
        """A day, or a second where the repository knows them."""
        if text is None:
            return None
        try:
            if len(text) == 10:
                return date.fromisoformat(text).isoformat()
            if not self.oai.seconds:
                raise OaiError("badArgument")
            return f"{datetime.strptime(text, '%Y-%m-%dT%H:%M:%SZ'):%Y-%m-%dT%H:%M:%SZ}"
        except ValueError:
            raise OaiError("badArgument") from None

    def _stamp(self, moment):
        return f"{moment:%Y-%m-%dT%H:%M:%SZ}" if self.oai.seconds else f"{moment:%Y-%m-%d}"

    def _token(self, params, skip, total):
        """What leads to the next page."""
        attributes = ""
        if self.oai.totals:
            attributes = f' completeListSize="{total + self.oai.off_by}" cursor="{skip}"'
        following = skip + self.oai.page
        if following >= total and self.oai.end != "nothing" and not self.oai.circle:
            absent = self.oai.end == "absent" or total <= self.oai.page
            return "" if absent and not self.oai.totals else f"<resumptionToken{attributes}/>"
        pages = params.get("pages", 0) + 1
        if self.oai.stateless:
            told = {k: v for k, v in params.items() if k not in ("verb", "pages")}
            token = quote(urlencode({**told, "skip": following, "pages": pages}))
        else:
            token = f"{len(self._lists)}/{following}+="
            self._lists[token] = ({**params, "pages": pages}, following)
        if self.oai.dies_after is not None and pages >= self.oai.dies_after:
            self.oai.dead.add(token)
        expiry = ' expirationDate="2099-01-01T00:00:00Z"'
        return f"<resumptionToken{attributes}{expiry}>{escape(token)}</resumptionToken>"

    def _list_of(self, token):
        """The arguments of a token's list, and how far it is."""
        if token in self.oai.dead:
            raise OaiError(self.oai.error)
        if token in self._lists:
            return self._lists[token]
        told = dict(parse_qsl(unquote(token)))
        if "skip" not in told:
            raise OaiError("badResumptionToken")
        pages, skip = int(told.pop("pages")), int(told.pop("skip"))
        return {**told, "pages": pages}, skip


def _from_options(documents, knobs, _options):
    return OaiEmulator(items_of(documents), knobs)


if __name__ == "__main__":
    run_from_command_line(_from_options, "An OAI-PMH repository, on this machine.")
