"""What an answer of an Elsevier API is: data, or one of the ways in which it says no.

Errors come in three envelopes (`service-error`, the gateway's `error-response`, and XML whatever
was asked for), sometimes in none, and sometimes with HTTP 200.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import msgspec

DATA = ("search-results", "abstracts-retrieval-response")
XML_FIELD = re.compile(rb"<(?:\w+:)?(?P<name>statusCode|statusText)>(?P<value>[^<]*)<")
SHOWN = 160  # characters of an unknown error


class Kind(Enum):
    """What an answer means."""

    DATA = "data"
    UNREADABLE = "unreadable"  # HTTP 200 without data: empty, cut, a page for people
    SERVER = "server"  # a fault on their side
    THROTTLE = "throttle"  # too many requests a second
    QUOTA = "quota"  # too many requests a week
    KEY = "key"  # no key, or a wrong one
    VIEW = "view"  # the key may not see this view or these fields
    API = "api"  # the key may not use this API
    CURSOR = "cursor"  # the key may not page with a cursor
    WINDOW = "window"  # beyond the results that may be paged through
    TOO_LONG = "too_long"  # the query makes too long an address
    NOT_FOUND = "not_found"
    QUERY = "query"  # the query is not understood


@dataclass(frozen=True)
class Envelope:
    """The kind of an answer, and the server's own words for it."""

    kind: Kind
    words: str = ""


def read_envelope(status: int, headers: Mapping[str, str], body: bytes) -> Envelope:
    """What an answer is.

    Args:
        status: Of HTTP.
        headers: By lower-case name.
        body: As sent.
    """
    try:
        content = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        content = None
    if status == 200 and isinstance(content, dict):
        data = [content[name] for name in DATA if isinstance(content.get(name), dict)]
        if data and "error" not in data[0]:
            return Envelope(Kind.DATA)
    words = _words(content, body)
    said = f"{words} {headers.get('x-els-status', '')}".upper()
    return Envelope(_kind(status, headers, said), words)


def _words(content: object, body: bytes) -> str:
    """Code and text of whichever error envelope this is, or the beginning of something else."""
    if isinstance(content, dict):
        service = content.get("service-error")
        status = service.get("status") if isinstance(service, dict) else None
        gateway = content.get("error-response")
        if isinstance(status, dict):
            return f"{status.get('statusCode')}: {status.get('statusText')}"
        if isinstance(gateway, dict):
            return f"{gateway.get('error-code')}: {gateway.get('error-message')}"
    found = {m["name"]: m["value"].decode("utf-8", "replace") for m in XML_FIELD.finditer(body)}
    if found:
        return ": ".join(found[name] for name in (b"statusCode", b"statusText") if name in found)
    return " ".join(body[:SHOWN].decode("utf-8", "replace").split())


def _kind(status: int, headers: Mapping[str, str], said: str) -> Kind:
    """By status, then by what is said; `said` is in upper case."""
    if status == 429:
        return _too_many(headers, said)
    # The first that holds counts. Badly merged entries redirect in circles: they are not there.
    rules = (
        (status >= 500, Kind.SERVER),
        (status in (413, 414), Kind.TOO_LONG),
        (status == 404 or "RESOURCE_NOT_FOUND" in said, Kind.NOT_FOUND),
        (300 <= status < 400, Kind.NOT_FOUND),
        ("CURSOR PARAMETER IS RESTRICTED" in said, Kind.CURSOR),
        ("AUTHORIZATION_ERROR" in said, Kind.VIEW),
        (status == 401 or "APIKEY_INVALID" in said, Kind.KEY),
        (status in (403, 407), Kind.API),
        ("EXCEEDS THE" in said, Kind.WINDOW),
        (status <= 200, Kind.UNREADABLE),
    )
    return next((kind for holds, kind in rules if holds), Kind.QUERY)


def _too_many(headers: Mapping[str, str], said: str) -> Kind:
    """Quota or throttle. A spent quota leaves Limit and Remaining out, but says when it resets."""
    if "QUOTA" in said:
        return Kind.QUOTA
    if "RATE_LIMIT" in said or "PER SECOND" in said or "THROTTL" in said:
        return Kind.THROTTLE
    silent = "x-ratelimit-reset" in headers and "x-ratelimit-remaining" not in headers
    spent = headers.get("x-ratelimit-remaining") == "0"
    return Kind.QUOTA if silent or spent else Kind.THROTTLE
