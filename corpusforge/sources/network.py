"""How the network is used: limits, patience, and the clock that both go by."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct

# Without a name and a password in front of the host: they would reach logs and manifests.
Address = Annotated[str, Meta(pattern="^https?://[^/@]+(/.*)?$")]


class NetworkConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How to ask. Nothing in it changes what is fetched, so it is never fingerprinted."""

    contact: Annotated[
        str, Meta(description="Mail address or page in the User-Agent, for the server's people.")
    ] = ""
    per_second: Annotated[
        float, Meta(gt=0, description="Requests a second to one host, over all processes.")
    ] = 5.0
    concurrency: Annotated[
        int, Meta(ge=1, description="Requests to one host at the same time, over all processes.")
    ] = 2
    attempts: Annotated[int, Meta(ge=1, description="Tries of one request before giving up.")] = 6
    max_sleep_s: Annotated[
        float, Meta(ge=0, description="A server that wants a longer pause stops the run.")
    ] = 900.0
    backoff_s: Annotated[
        float, Meta(gt=0, description="Upper end of the first random pause; then it doubles.")
    ] = 1.0
    max_backoff_s: Annotated[float, Meta(gt=0, description="Upper end of any of them.")] = 60.0
    connect_timeout_s: Annotated[float, Meta(gt=0, description="To reach the host.")] = 10.0
    read_timeout_s: Annotated[float, Meta(gt=0, description="Between two pieces of it.")] = 60.0
    total_timeout_s: Annotated[float, Meta(gt=0, description="For one whole response.")] = 600.0
    max_response_bytes: Annotated[int, Meta(ge=1, description="A longer response is an error.")] = (
        512_000_000
    )

    @property
    def comment(self) -> str:
        """The contact as it stands in a User-Agent: Crossref knows a mail address by `mailto:`."""
        if not self.contact:
            return ""
        is_mail = "@" in self.contact and ":" not in self.contact
        return f" (mailto:{self.contact})" if is_mail else f" ({self.contact})"


@dataclass(frozen=True)
class Clock:
    """Time, and the passing of it."""

    now: Callable[[], float] = time.time  # seconds since the epoch
    sleep: Callable[[float], None] = time.sleep
