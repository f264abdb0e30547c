"""Files of a web server, from a config to the files themselves, several at a time.

They lie by their addresses in a store that all settings of a pipeline share, and the folder of a
download holds links to them: another setting brings nothing twice and keeps nothing twice. A file
that is there complete is not asked for again; delete it from the store to have it brought anew.
"""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

import xxhash

from corpusforge.errors import ConfigError, ParseError, SourceError
from corpusforge.lock import exclusive
from corpusforge.parsers.file_index import addresses, digest_of
from corpusforge.sources.answers import Request
from corpusforge.sources.at_once import all_at_once, place
from corpusforge.sources.download import download, held, missing_bytes, size_of
from corpusforge.sources.harvest import LIMITS, Surroundings
from corpusforge.sources.http import Client, GaveUpError
from corpusforge.sources.web_files_plan import (
    FilesConfig,
    Wanted,
    by_name,
    wanted_by_address,
    wanted_by_listing,
)

STORE = "files"  # in the zone


@dataclass(frozen=True)
class Look:
    """What can be known of a file before it is brought."""

    wanted: Wanted
    here: bool  # complete, so that nothing is asked
    size: int | None  # bytes, None if the server does not tell
    missing: int  # bytes to come, as far as known


def look_at_files(config: FilesConfig, around: Surroundings) -> list[Look]:
    """Every file that a config names, in order; asks for listings and sizes, brings nothing.

    Raises:
        ConfigError: Two files would have the same name.
        SourceError: A listing cannot be read, or has nothing that matches.
    """
    return _look_at_all(config, _client(around), around)


def fetch_files(
    config: FilesConfig, folder: Path, around: Surroundings
) -> tuple[list[Path], dict[str, int]]:
    """Bring the files of a config into a folder; where they are, and what that took.

    Raises:
        ConfigError: They do not fit on the disk, or another run holds the store.
        SourceError: Some are not there, or are not what was promised. All others are here then.
        QuotaStop: A server wants a longer pause than allowed.
    """
    store, client = around.zone / STORE, _client(around)
    with exclusive(store):
        looks = _look_at_all(config, client, around)
        _check_space(looks, store)
        bring = partial(_bring, client, store=store, algorithm=config.checksums)
        missing = [look.wanted for look in looks if not look.here]
        outcomes = all_at_once(bring, missing, client)
    failures = [outcome for outcome in outcomes if isinstance(outcome, SourceError)]
    if failures:
        raise SourceError(
            f"{len(failures):,} of {len(looks):,} files did not come, the first because "
            f"{failures[0]}"
        )
    placed = []
    for look in looks:
        placed.append(folder / look.wanted.name)
        place(_stored(store, look.wanted), placed[-1])
    return placed, {"requests": client.attempts, "here_before": len(looks) - len(missing)}


def _client(around: Surroundings) -> Client:
    return Client(around.network, around.zone / LIMITS, Random(os.getpid()), clock=around.clock)


def _look_at_all(config: FilesConfig, client: Client, around: Surroundings) -> list[Look]:
    files = list(wanted_by_address(config))
    for page in config.listings:
        files += wanted_by_listing(page, _links(client, page), config.files)
    look = partial(_look, client, store=around.zone / STORE, algorithm=config.checksums)
    return all_at_once(look, by_name(files), client)


def _look(client: Client, wanted: Wanted, store: Path, algorithm: str | None) -> Look:
    path = _stored(store, wanted)
    if _is_here(wanted, path, algorithm):
        return Look(wanted, True, path.stat().st_size, 0)
    size = size_of(client, wanted.url)
    return Look(wanted, False, size, missing_bytes(path, size or 0))


def _is_here(wanted: Wanted, path: Path, algorithm: str | None) -> bool:
    """Whether a file is complete, and its digest is one that was promised if any was."""
    facts = held(wanted.url, path, wanted.promise)
    checked = wanted.promise or algorithm is None
    return facts is not None and bool(checked or facts.digest.startswith(f"{algorithm}:"))


def _check_space(looks: Sequence[Look], store: Path) -> None:
    needed, free = sum(look.missing for look in looks), shutil.disk_usage(store).free
    if needed > free:
        raise ConfigError(
            f"{sum(not look.here for look in looks):,} files of {needed / 1e9:,.1f} GB are to come "
            f"into {store}, but only {free / 1e9:,.1f} GB are free there; make room, or set "
            f"`output` to a larger disk"
        )


def _bring(
    client: Client, wanted: Wanted, store: Path, algorithm: str | None
) -> SourceError | None:
    """Bring one file into the store; the error if it is that one file's own."""
    path = _stored(store, wanted)
    try:
        promise = wanted.promise
        if algorithm is not None and not promise:
            promise = f"{algorithm}:{_told_digest(client, wanted, algorithm)}"
        download(client, wanted.url, path, promise)
    except GaveUpError:
        raise  # nobody there: the other files would fail too, each after a long time
    except SourceError as error:
        return error
    return None


def _told_digest(client: Client, wanted: Wanted, algorithm: str) -> str:
    """The digest that the server has beside a file."""
    parts = urlsplit(wanted.url)
    beside = parts._replace(path=f"{parts.path}.{algorithm}").geturl()
    answer = client.ask(Request(beside))
    if answer.status != 200:
        raise SourceError(
            f"{beside} answers HTTP {answer.status}, expected the {algorithm} of {wanted.name}; "
            f"leave `checksums` out if there are none"
        )
    try:
        return digest_of(answer.body, Path(wanted.name).name, algorithm)
    except ParseError as error:
        raise SourceError(f"{beside}: {error}") from error


def _links(client: Client, page: str) -> list[str]:
    answer = client.ask(Request(page))
    if answer.status != 200:
        raise SourceError(
            f"{page} answers HTTP {answer.status}, expected a page with links to files; correct "
            f"`listings` in the pipeline file"
        )
    try:
        return addresses(answer.body)
    except ParseError as error:
        raise SourceError(f"{page}: {error}") from error


def _stored(store: Path, wanted: Wanted) -> Path:
    """Where a file lies; a folder for each address, since names may repeat."""
    host = urlsplit(wanted.url).netloc.replace(":", "_")
    return store / host / xxhash.xxh3_64_hexdigest(wanted.url.encode()) / Path(wanted.name).name
