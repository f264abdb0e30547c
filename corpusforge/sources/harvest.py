"""A source with an API, from its config to files that its reader reads.

Responses are landed in a zone that all pipelines share, because they cost quota: another pipeline,
or the same with another setting, asks only for what is not there. What this config needs of them is
then copied, in the order of its plan, into a folder of its own, beside a list of what did not come.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from corpusforge.errors import ConfigError
from corpusforge.formats.atomic import write_atomic
from corpusforge.lock import exclusive
from corpusforge.sources.core_api import fetch_core
from corpusforge.sources.core_plan import CoreConfig, estimate_core
from corpusforge.sources.http import Client, Identity
from corpusforge.sources.landing import Landing, copy_members
from corpusforge.sources.network import Clock, NetworkConfig
from corpusforge.sources.replay import Estimate, FetchSummary
from corpusforge.sources.scopus import fetch_scopus
from corpusforge.sources.scopus_plan import ScopusConfig, estimate_scopus
from corpusforge.sources.secrets import Credential, read_secret

ApiConfig = ScopusConfig | CoreConfig
MISSING = "missing.tsv"
LIMITS = "limits"  # of requests a second, in the zone
KEY_FILE = "CORPUSFORGE_KEYS"  # environment variable that names the key file


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
    identity = Identity(config.address, _credentials(config, around.environment))
    client = Client(
        around.network, around.zone / LIMITS, Random(os.getpid()), identity, around.clock
    )
    ids = ids_of(config, around.base)
    zone = around.zone / str(config.__struct_config__.tag)
    with exclusive(zone):
        landing = Landing(zone)
        if isinstance(config, ScopusConfig):
            summary = fetch_scopus(config, ids, client, landing, around.clock.now)
        else:
            summary = fetch_core(config, ids, client, landing, around.clock.now)
        files = copy_members(summary.used, folder)
    lines = ["\t".join(" ".join(cell.split()) for cell in row) for row in summary.missing]
    write_atomic(folder / MISSING, "".join(f"{line}\n" for line in lines).encode())
    return files, summary


def estimate(config: ApiConfig, around: Surroundings) -> Estimate:
    """What a harvest will ask for, without asking."""
    ids = ids_of(config, around.base)
    if isinstance(config, ScopusConfig):
        return estimate_scopus(config, ids, around.network.per_second)
    return estimate_core(config, ids, around.network.per_second)


def ids_of(config: ApiConfig, base: Path) -> list[str]:
    """The ids of the config and of its file; empty lines and lines that start with # do not count.

    Raises:
        ConfigError: The file cannot be read.
    """
    ids = list(config.ids)
    if config.ids_file is not None:
        path = base / config.ids_file
        try:
            lines = path.read_text("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"ids_file {path} cannot be read ({type(error).__name__}): expected one id a line"
            ) from error
        ids += [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return ids


def _credentials(config: ApiConfig, environment: Mapping[str, str]) -> tuple[Credential, ...]:
    named = environment.get(KEY_FILE)
    key_file = Path(named) if named else None
    key = read_secret(config.key, environment, key_file)
    if isinstance(config, CoreConfig):
        return () if key is None else (Credential("Authorization", key, "Bearer "),)
    if key is None:
        raise ConfigError(
            f"Scopus needs a key, but neither the environment nor a key file (named by {KEY_FILE}) "
            f"has {config.key}: get one from dev.elsevier.com and export it"
        )
    token = read_secret(config.token, environment, key_file)
    institution = () if token is None else (Credential("X-ELS-Insttoken", token),)
    return (Credential("X-ELS-APIKey", key), *institution)
