"""A large file over HTTP: continued where it broke off, checked, and asked for again only if new.

Beside `target` stands `target.http.json` with what the server said of it. While it is fetched, the
bytes are in `target.part` and their facts in `target.part.json`; a later attempt, or a later run,
continues them if the server still has the same file.
"""

import hashlib
import os
from pathlib import Path

import msgspec
import requests
from msgspec import Struct

from corpusforge.errors import SourceError
from corpusforge.formats.atomic import write_atomic
from corpusforge.sources.answers import Answer, Request, Verdict, judge_status
from corpusforge.sources.http import BLOCK, Client, GaveUpError

OK, PARTIAL_CONTENT, NOT_MODIFIED, RANGE_WRONG = 200, 206, 304, 416


class FileFacts(Struct, frozen=True, kw_only=True):
    """What is known of a file."""

    url: str
    etag: str = ""
    last_modified: str = ""
    size: int | None = None
    sha256: str = ""


def download(client: Client, url: str, target: Path, sha256: str | None = None) -> FileFacts:
    """Bring a file, or find that the one here is still the server's.

    Args:
        client: Who asks.
        url: Of the file.
        target: Where it shall be; it appears there complete and checked.
        sha256: The promised one, if there is a promise.

    Raises:
        SourceError: The server does not have it, or sends other bytes than promised.
        GaveUpError: Attempts in a row, as many as allowed, brought nothing new.
        QuotaStop: The server wants a longer pause than allowed.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = _beside(target, ".part")
    failures = 0
    fault = ""
    while failures < client.config.attempts:
        before = part.stat().st_size if part.exists() else 0
        request = _request(url, target)
        try:
            with client.stream(request) as response:
                answer = Answer(
                    response.status_code, client.scrubber.headers(response.headers), b""
                )
                verdict = judge_status(answer)
                if verdict is Verdict.DONE:
                    if (facts := _receive(response, answer, url, target)) is not None:
                        return _checked(facts, target, sha256)
                    verdict = Verdict.RETRY
            fault = f"HTTP {answer.status}"
            client.pause(request, answer, verdict, failures)
        except requests.RequestException as error:
            fault = f"{type(error).__name__}: {client.scrubber.text(str(error))}"
            client.back_off(failures)
        grown = part.exists() and part.stat().st_size > before
        failures = 0 if grown else failures + 1
    raise GaveUpError(
        f"{client.scrubber.text(url)} failed {failures} times in a row without progress, the "
        f"last time with {fault}; what arrived is kept, and the same command continues it"
    )


def _request(url: str, target: Path) -> Request:
    """Ask for what is missing: the rest of a part, a newer file than the one here, or all."""
    headers = [("Accept-Encoding", "identity")]  # ranges count the bytes that are sent
    part, known = _read_facts(_beside(target, ".part.json")), _read_facts(_facts_path(target))
    size = _beside(target, ".part").stat().st_size if _beside(target, ".part").exists() else 0
    if part is not None and part.url == url and size and (tag := _validator(part)):
        headers += [("Range", f"bytes={size}-"), ("If-Range", tag)]
    elif known is not None and known.url == url and target.exists():
        if known.etag:
            headers.append(("If-None-Match", known.etag))
        if known.last_modified:
            headers.append(("If-Modified-Since", known.last_modified))
    return Request(url, headers=tuple(headers))


def _validator(facts: FileFacts) -> str:
    """What If-Range may carry: a strong tag, else the date (RFC 9110, section 13.1.5)."""
    return facts.etag if facts.etag and not facts.etag.startswith("W/") else facts.last_modified


def _receive(
    response: requests.Response, answer: Answer, url: str, target: Path
) -> FileFacts | None:
    """Take what a good answer brings; None if the same request should be made again.

    Raises:
        SourceError: The answer is that there is no such file.
    """
    part = _beside(target, ".part")
    if answer.status == NOT_MODIFIED:
        part.unlink(missing_ok=True)
        return _read_facts(_facts_path(target))
    if answer.status == RANGE_WRONG:
        part.unlink(missing_ok=True)
        return None
    if answer.status not in (OK, PARTIAL_CONTENT):
        raise SourceError(
            f"{url} answers HTTP {answer.status}, expected 200; correct the address or the "
            f"credentials, then run the same command again"
        )
    start = part.stat().st_size if answer.status == PARTIAL_CONTENT else 0
    length = answer.headers.get("content-length", "")
    facts = FileFacts(
        url=url,
        etag=answer.headers.get("etag", ""),
        last_modified=answer.headers.get("last-modified", ""),
        size=start + int(length) if length.isdigit() else None,
    )
    write_atomic(_beside(target, ".part.json"), msgspec.json.encode(facts))
    with part.open("ab" if start else "wb") as file:
        for block in response.iter_content(BLOCK):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    return facts


def _checked(facts: FileFacts, target: Path, sha256: str | None) -> FileFacts:
    """Put a complete part in its place, after a look at its size and digest."""
    part = _beside(target, ".part")
    arrived = part if part.exists() else target
    size = arrived.stat().st_size
    with arrived.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    wanted = sha256 or facts.sha256 or found
    if found != wanted or (facts.size is not None and size != facts.size):
        arrived.unlink()
        raise SourceError(
            f"{facts.url} gave {size:,} bytes with sha256 {found}, expected {facts.size} bytes "
            f"with {wanted}; they were deleted: run the same command again"
        )
    done = msgspec.structs.replace(facts, size=size, sha256=found)
    if arrived == part:
        os.replace(part, target)
        write_atomic(_facts_path(target), msgspec.json.encode(done))
        _beside(target, ".part.json").unlink(missing_ok=True)
    return done


def _beside(target: Path, suffix: str) -> Path:
    return target.with_name(target.name + suffix)


def _facts_path(target: Path) -> Path:
    return _beside(target, ".http.json")


def _read_facts(path: Path) -> FileFacts | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=FileFacts)
    except (OSError, msgspec.MsgspecError):
        return None
