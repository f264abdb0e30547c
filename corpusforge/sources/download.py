"""A large file over HTTP: continued where it broke off, checked, and brought once.

Beside `target` stands `target.http.json` with what the server said of it. While it is fetched, the
bytes are in `target.part` and their facts in `target.part.json`; a later attempt, or a later run,
continues them if the server still has the same file.
"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec
import requests
from msgspec import Struct
from urllib3.exceptions import HTTPError

from corpusforge.errors import RunError, SourceError
from corpusforge.formats.atomic import write_atomic
from corpusforge.sources.answers import Answer, Request, Verdict, describe, judge_status
from corpusforge.sources.http import BLOCK, THROTTLED, Client, GaveUpError

OK, PARTIAL_CONTENT, RANGE_WRONG = 200, 206, 416
IDENTITY = ("Accept-Encoding", "identity")  # ranges and lengths count the bytes that are sent


class RefusedError(SourceError):
    """The server does not give the file."""

    def __init__(self, message: str, status: int) -> None:
        self.status = status  # HTTP
        super().__init__(message)


class FileFacts(Struct, frozen=True, kw_only=True):
    """What is known of a file."""

    url: str
    etag: str = ""
    last_modified: str = ""
    size: int | None = None
    digest: str = ""  # such as "sha256:00ff…"


@dataclass(frozen=True)
class _Fault:
    """Why an attempt brought no complete file, though the server answered."""

    answer: Answer
    what: str


def held(url: str, target: Path, promise: str = "") -> FileFacts | None:
    """What is known of a file that is here already, or None if it must be brought.

    Args:
        url: Where it is from.
        target: Where it is.
        promise: Its digest, as `FileFacts` has it, or "" if nobody promised one.
    """
    facts = _read_facts(_beside(target, ".http.json"))
    if facts is None or facts.url != url or _size(target) != facts.size:
        return None
    if promise in ("", facts.digest):
        return facts
    algorithm = promise.partition(":")[0]
    known = facts.digest.startswith(algorithm)
    return None if known or _digest(target, algorithm) != promise else facts


def missing_bytes(target: Path, size: int) -> int:
    """How many bytes of a file of this size are still to come, as far as can be known."""
    return max(0, size - (_size(_beside(target, ".part")) or _size(target) or 0))


def size_of(client: Client, url: str) -> int | None:
    """Bytes of a file as its server tells them beforehand, or None if it does not."""
    request = Request(url, headers=(IDENTITY,), method="HEAD")
    answer = client.ask(request, _judge_head)
    length = answer.headers.get("content-length", "")
    return int(length) if answer.status == OK and length.isdigit() else None


def _judge_head(answer: Answer) -> Verdict:
    # Servers that do not know HEAD answer with many things; they know GET.
    return Verdict.WAIT if answer.status in THROTTLED else Verdict.DONE


def download(client: Client, url: str, target: Path, promise: str = "") -> FileFacts:
    """Bring a file, unless it is here.

    Args:
        client: Who asks.
        url: Of the file.
        target: Where it shall be; it appears there complete and checked.
        promise: Its digest, such as "sha256:00ff…", or "" if nobody promised one.

    Raises:
        RefusedError: The server does not have it, or not for us.
        SourceError: The server sends other bytes than promised.
        GaveUpError: Attempts in a row, as many as allowed, brought nothing new.
        QuotaStop: The server wants a longer pause than allowed.
        RunError: The client was stopped, or the disk is full; what arrived is kept.
    """
    if (facts := held(url, target, promise)) is not None:
        return facts
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    part = _beside(target, ".part")
    failures, fault = 0, ""
    while failures < client.config.attempts:
        before = _size(part) or 0
        request = _request(url, target)
        try:
            outcome = _attempt(client, request, target, promise)
            if isinstance(outcome, FileFacts):
                return outcome
            fault = outcome.what
            verdict = judge_status(outcome.answer)
            client.pause(
                request,
                outcome.answer,
                Verdict.RETRY if verdict is Verdict.DONE else verdict,
                failures,
            )
        except (requests.RequestException, HTTPError) as error:
            fault = f"{type(error).__name__}: {client.scrubber.text(str(error))}"
            client.back_off(failures)
        except OSError as error:
            raise RunError(
                f"{target} could not be written ({error.strerror}); what arrived is kept: make "
                f"room, then run the same command again"
            ) from error
        failures = 0 if (_size(part) or 0) > before else failures + 1
    raise GaveUpError(
        f"{client.scrubber.text(url)} failed {failures} times in a row without progress, the "
        f"last time with {fault}; what arrived is kept, and the same command continues it"
    )


def _request(url: str, target: Path) -> Request:
    """Ask for the rest of a part if it can be continued, else for all of it."""
    headers = [IDENTITY]
    facts, size = _read_facts(_beside(target, ".part.json")), _size(_beside(target, ".part"))
    if facts is not None and facts.url == url and size and (tag := _validator(facts)):
        headers += [("Range", f"bytes={size}-"), ("If-Range", tag)]
    return Request(url, headers=tuple(headers))


def _validator(facts: FileFacts) -> str:
    """What If-Range may carry: a strong tag, else the date (RFC 9110, section 13.1.5)."""
    return facts.etag if facts.etag and not facts.etag.startswith("W/") else facts.last_modified


def _attempt(client: Client, request: Request, target: Path, promise: str) -> FileFacts | _Fault:
    """One request, and what came of it.

    Raises:
        RefusedError: There is no such file.
        SourceError: The server sent other bytes than promised.
    """
    with client.stream(request) as response:
        answer = Answer(response.status_code, client.scrubber.headers(response.headers), b"")
        if judge_status(answer) is not Verdict.DONE:
            return _Fault(answer, describe(answer))
        if answer.status not in (OK, PARTIAL_CONTENT, RANGE_WRONG):
            raise RefusedError(
                f"{client.scrubber.text(request.url)} answers HTTP {answer.status}, expected 200; "
                f"correct the address or the credentials, then run the same command again",
                answer.status,
            )
        facts = _receive(client, request, response, answer, target)
    if facts is None:
        _beside(target, ".part").unlink()
        return _Fault(answer, f"HTTP {answer.status} and other bytes than were asked for")
    try:
        return _checked(facts, target, promise)
    except SourceError as error:
        if answer.status == OK:
            raise
        return _Fault(answer, str(error))  # the parts may be of two files: begin anew


def _receive(
    client: Client, request: Request, response: requests.Response, answer: Answer, target: Path
) -> FileFacts | None:
    """Take what a good answer brings, as it is sent; None if it does not go on where the part ends.

    Not by `iter_content`, which unpacks what a server calls encoded, such as every `.gz` file.
    """
    part = _beside(target, ".part")
    start = (_size(part) or 0) if answer.status != OK else 0
    unit, _, sent = answer.headers.get("content-range", "").partition(" ")
    if answer.status == RANGE_WRONG:
        # Nothing is after the end: the part is complete, and If-Range says of the same file.
        known = _read_facts(_beside(target, ".part.json"))
        return known if (unit, sent) == ("bytes", f"*/{start}") else None
    if answer.status == PARTIAL_CONTENT and not sent.startswith(f"{start}-"):
        return None
    length = answer.headers.get("content-length", "")
    facts = FileFacts(
        url=request.url,
        etag=answer.headers.get("etag", ""),
        last_modified=answer.headers.get("last-modified", ""),
        size=start + int(length) if length.isdigit() else None,
    )
    write_atomic(_beside(target, ".part.json"), msgspec.json.encode(facts))
    with part.open("ab" if start else "wb") as file:
        for block in response.raw.stream(BLOCK, decode_content=False):
            file.write(block)
            client.heed_stop()
        file.flush()
        os.fsync(file.fileno())
    return facts


def _checked(facts: FileFacts, target: Path, promise: str) -> FileFacts:
    """Put a complete part in its place, after a look at its size and digest.

    Raises:
        SourceError: They are not what was promised; the part is gone.
    """
    part = _beside(target, ".part")
    size = _size(part)
    found = _digest(part, promise.partition(":")[0] or "sha256")
    if (promise and found != promise) or facts.size not in (None, size):
        part.unlink()
        wanted = "any number of" if facts.size is None else f"{facts.size:,}"
        raise SourceError(
            f"{facts.url} gave {size:,} bytes with {found}, expected {wanted} bytes with "
            f"{promise or 'any digest'}; they were deleted: run the same command again, and if the "
            f"file was replaced at its source correct what the pipeline file promises"
        )
    done = msgspec.structs.replace(facts, size=size, digest=found)
    write_atomic(_beside(target, ".http.json"), msgspec.json.encode(done))
    os.replace(part, target)  # second: a part is continued, but a file without facts begun anew
    _beside(target, ".part.json").unlink(missing_ok=True)
    return done


def _digest(path: Path, algorithm: str) -> str:
    with path.open("rb") as file:
        return f"{algorithm}:{hashlib.file_digest(file, algorithm).hexdigest()}"


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.exists() else None


def _beside(target: Path, suffix: str) -> Path:
    return target.with_name(target.name + suffix)


def _read_facts(path: Path) -> FileFacts | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=FileFacts)
    except (OSError, msgspec.MsgspecError):
        return None
