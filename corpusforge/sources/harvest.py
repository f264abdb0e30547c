"""A source with an API, from its config to files that its reader reads.

Responses are landed in a zone that all pipelines share, because they cost quota: another pipeline,
or the same with another setting, asks only for what is not there. What this config needs of them is
then copied, in the order of its plan, into a folder of its own, beside a list of what did not come.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from corpusforge.formats.atomic import write_atomic
from corpusforge.lock import exclusive
from corpusforge.sources.core_api import core_credentials, fetch_core
from corpusforge.sources.core_originals import ORIGINALS, fetch_originals, originals_of
from corpusforge.sources.core_plan import CoreConfig, estimate_core
from corpusforge.sources.crossref_api import crossref_credentials, fetch_crossref
from corpusforge.sources.crossref_plan import CrossrefConfig, estimate_crossref
from corpusforge.sources.http import Client, Identity
from corpusforge.sources.ids import ids_of
from corpusforge.sources.landing import Landing, copy_members, landed_keys
from corpusforge.sources.landing_file import request_key
from corpusforge.sources.network import Clock, NetworkConfig
from corpusforge.sources.oai_api import fetch_oai, oai_credentials
from corpusforge.sources.oai_plan import OaiConfig, estimate_oai
from corpusforge.sources.openalex_api import fetch_openalex, openalex_credentials
from corpusforge.sources.openalex_plan import OpenAlexConfig, estimate_openalex
from corpusforge.sources.replay import Estimate, FetchSummary, Replay
from corpusforge.sources.scopus import fetch_scopus, scopus_credentials
from corpusforge.sources.scopus_plan import ScopusConfig, estimate_scopus
from corpusforge.sources.secrets import KEY_FILE, Credential, FindSecret, Secret, read_secret


@dataclass(frozen=True)
class Api:
    """What a harvest calls for one source. Each function gets a config of the type it is for."""

    fetch: Callable[[Any, Sequence[str], Replay], FetchSummary]
    estimate: Callable[[Any, Sequence[str], float], Estimate]
    credentials: Callable[[Any, FindSecret], tuple[Credential, ...]]


ApiConfig = ScopusConfig | CoreConfig | OpenAlexConfig | CrossrefConfig | OaiConfig
APIS: dict[type[ApiConfig], Api] = {
    ScopusConfig: Api(fetch_scopus, estimate_scopus, scopus_credentials),
    CoreConfig: Api(fetch_core, estimate_core, core_credentials),
    OpenAlexConfig: Api(fetch_openalex, estimate_openalex, openalex_credentials),
    CrossrefConfig: Api(fetch_crossref, estimate_crossref, crossref_credentials),
    OaiConfig: Api(fetch_oai, estimate_oai, oai_credentials),
}
MISSING = "missing.tsv"
KEY_SETTINGS = ("key", "token")  # hold names of keys
LIMITS = "limits"  # of requests a second, in the zone


@dataclass(frozen=True)
class Surroundings:
    """What a harvest needs to know that does not decide what it brings."""

    base: Path  # of relative paths in the config
    zone: Path  # of the responses of all pipelines
    network: NetworkConfig
    environment: Mapping[str, str] = field(repr=False)  # holds keys
    clock: Clock


def harvest(
    config: ApiConfig, folder: Path, around: Surroundings
) -> tuple[list[Path], FetchSummary]:
    """Bring what a config names; its landing files, and what they hold.

    Args:
        config: What to bring.
        folder: Of the landing files and of `missing.tsv`.
        around: Where and how.

    Raises:
        ConfigError: A key is missing or cannot be one, the file of ids cannot be read, or another
            run holds the zone.
        SourceError: The source refuses, or breaks a promise.
        QuotaStop: The quota is used up; the same call later goes on.
    """
    api = APIS[type(config)]
    credentials = api.credentials(config, partial(_find_secret, around.environment))
    identity = Identity(config.address, credentials)
    client = _client(around, identity)
    ids = ids_of(config, around.base)
    zone = _zone(config, around)
    with exclusive(zone):
        summary = api.fetch(config, ids, Replay(client, Landing(zone), around.clock.now))
        files = copy_members(summary.used, folder)
        if isinstance(config, CoreConfig) and config.originals:
            wanted = originals_of(config, summary.used)
            roaming = _client(around, replace(identity, roams=True))
            found, lost = fetch_originals(wanted, roaming, zone / ORIGINALS, folder / ORIGINALS)
            files += found
            sent, missing = summary.sent + roaming.attempts, (*summary.missing, *lost)
            summary = replace(summary, sent=sent, missing=missing)
    lines = ["\t".join(" ".join(cell.split()) for cell in row) for row in summary.missing]
    write_atomic(folder / MISSING, "".join(f"{line}\n" for line in lines).encode())
    return files, summary


def estimate(config: ApiConfig, around: Surroundings) -> Estimate:
    """What a harvest will ask for, without asking."""
    ids = ids_of(config, around.base)
    return APIS[type(config)].estimate(config, ids, around.network.per_second)


def landed_before(guess: Estimate, config: ApiConfig, around: Surroundings) -> int | None:
    """How many answers of an estimate are landed; None where only a fetch knows what it asks."""
    if guess.requests is None:
        return None
    keys = landed_keys(_zone(config, around))
    return sum(request_key(request) in keys for request in guess.asks) if keys else 0


def check_keys(config: ApiConfig, around: Surroundings) -> None:
    """See that a harvest will have the keys that it cannot do without.

    Raises:
        ConfigError: One is missing, or cannot be one.
    """
    APIS[type(config)].credentials(config, partial(_find_secret, around.environment))


def keys_found(config: ApiConfig, around: Surroundings) -> dict[str, bool]:
    """Whether each key that a config names is there, be it needed or not.

    Raises:
        ConfigError: What is there cannot be a key.
    """
    names = [getattr(config, setting, None) for setting in KEY_SETTINGS]
    find = partial(_find_secret, around.environment)
    return {name: find(name) is not None for name in names if name is not None}


def _zone(config: ApiConfig, around: Surroundings) -> Path:
    return around.zone / str(config.__struct_config__.tag)


def _client(around: Surroundings, identity: Identity) -> Client:
    return Client(around.network, around.zone / LIMITS, Random(os.getpid()), identity, around.clock)


def _find_secret(environment: Mapping[str, str], name: str) -> Secret | None:
    named = environment.get(KEY_FILE)
    return read_secret(name, environment, Path(named) if named else None)
