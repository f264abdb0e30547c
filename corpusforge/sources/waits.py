"""When to ask a server again: what its headers say, and how long to wait when they say nothing."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random

LATEST_DELAY = 10**8  # seconds; a larger number is a moment: 10**8 s since the epoch is 1973
EARLIEST_MILLISECONDS = 10**11  # since the epoch, as seconds the year 5138
SKEW_MARGIN = 60.0  # seconds, where the server does not tell its own time
# In the order in which they count. Elsevier's Reset is the end of the quota's week, so a
# Retry-After beside it is the nearer answer.
WAIT_HEADERS = ("retry-after", "x-ratelimit-retry-after", "x-ratelimit-reset")


def moment_of(text: str, now: float) -> float | None:
    """Seconds since the epoch that a header value means, or None if it means nothing.

    Known forms: seconds from now, seconds or milliseconds since the epoch, an HTTP date, ISO 8601
    with or without a zone ("2019-08-26 05:51:01" is UTC).

    >>> moment_of("120", now=1000.0), moment_of("1631249428000", now=0.0)
    (1120.0, 1631249428.0)
    """
    text = text.strip()
    number = _number(text)
    if number is not None:
        if number > EARLIEST_MILLISECONDS:
            return number / 1000
        return number if number > LATEST_DELAY else now + number
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            date = read(text)
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return None


def _number(text: str) -> float | None:
    whole, _, fraction = text.partition(".")
    if whole.isascii() and whole.isdigit() and (not fraction or fraction.isdigit()):
        return float(text)
    return None


def delay_of(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait as the server's headers want it, or None if they do not say.

    A moment is compared with the server's own clock, its Date header. Without one, a margin is
    added for clocks that differ.

    Args:
        headers: By lower-case name.
        now: Seconds since the epoch, here.
    """
    server_now = moment_of(headers.get("date", ""), now) if headers.get("date") else None
    for name in WAIT_HEADERS:
        value = headers.get(name, "")
        moment = moment_of(value, server_now or now)
        if moment is None:
            continue
        relative = (_number(value.strip()) or LATEST_DELAY + 1) <= LATEST_DELAY
        margin = 0.0 if relative or server_now is not None else SKEW_MARGIN
        return max(0.0, moment - (server_now or now)) + margin
    return None


def jitter(attempt: int, base_s: float, max_s: float, random: Random) -> float:
    """Full jitter: evenly from 0 to base * 2**attempt seconds, at most `max_s`.

    Brooker (2015), "Exponential Backoff and Jitter": clients that failed together do not come back
    together.
    """
    return random.uniform(0.0, min(max_s, base_s * 2.0 ** min(attempt, 30)))
