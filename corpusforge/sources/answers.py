"""A request, its answer, and what to do with that: values that hold no key."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum


@dataclass(frozen=True)
class Request:
    """What to ask, without who asks. Parameters are sent in this order, encoded once."""

    url: str
    params: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    method: str = "GET"  # or HEAD, whose answer has no body


@dataclass(frozen=True)
class Answer:
    """A complete response. Headers and body are scrubbed of keys."""

    status: int
    headers: dict[str, str]  # by lower-case name
    body: bytes = field(repr=False)


class Verdict(Enum):
    """What to do with an answer."""

    DONE = "done"  # an answer to the request, whatever it says
    RETRY = "retry"  # a fault: ask again after a random pause
    WAIT = "wait"  # too fast: ask again when the server wants
    STOP = "stop"  # the quota is used up


Judge = Callable[[Answer], Verdict]
Keep = Callable[[Request, Answer], None]


def judge_status(answer: Answer) -> Verdict:
    """The verdict that needs nothing but the status."""
    if answer.status == 429:
        return Verdict.WAIT
    return Verdict.RETRY if answer.status >= 500 else Verdict.DONE


def describe(answer: Answer) -> str:
    """Status and beginning of an answer, for messages."""
    words = " ".join(answer.body[:200].decode("utf-8", "replace").split())
    return f"HTTP {answer.status}: {words}" if words else f"HTTP {answer.status} and no body"
