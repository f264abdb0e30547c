"""Extract: source files become papers, one per document, in the version that counts.

parse    per group of files   records in the order of the files; unreadable ones are rejects
resolve  per range of uids    of the records of one document the last version wins; deletions
                              apply to what came before them
select   per partition        superseded and deleted records become rejects
census   per source           papers by year and by provider, for the runner to judge the release
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import xxhash
from msgspec import Meta, Struct

from corpusforge.errors import SourceError
from corpusforge.formats.run import key_ranges
from corpusforge.parsers.field_mapping import FieldMapping
from corpusforge.sources.catalogue import Kind, reader_of
from corpusforge.stages.extract_census import CENSUS, add_up
from corpusforge.stages.extract_papers import parse
from corpusforge.stages.extract_versions import resolve, select
from corpusforge.stages.fetch import fetched_folder
from corpusforge.stages.stage import (
    SCRATCH,
    Inputs,
    Phase,
    Phases,
    Stage,
    part_name,
    partition_targets,
)
from corpusforge.work import Task

CLAIMS_PER_RANGE = 4_000_000  # 160 MB
ENDS = 1 << 16  # bytes at both ends of a file that its digest covers


class SourceConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Files of one format. Exactly one of `folder` and `fetched` says where they are."""

    kind: Annotated[Kind, Meta(description="Format of the files.")]
    files: Annotated[str, Meta(description="Glob pattern inside the folder.")]
    folder: Annotated[str | None, Meta(description="Folder, relative to the pipeline file.")] = None
    fetched: Annotated[str | None, Meta(description="Name of a download of fetch.")] = None
    licence: Annotated[
        str | None, Meta(description="SPDX id for records that do not state one.")
    ] = None
    mapping: Annotated[
        FieldMapping | None, Meta(description="Of kind `mapped`: which field is which.")
    ] = None

    def __post_init__(self) -> None:
        if (self.folder is None) == (self.fetched is None):
            raise ValueError("a source needs either folder or fetched")
        if not self.files or self.files.startswith(("/", "~")):
            raise ValueError(f"files: {self.files!r}: expected a pattern inside the folder")
        if (self.mapping is not None) != (self.kind == "mapped"):
            raise ValueError(f"kind: {self.kind} with mapping: only kind: mapped has one, and must")


class ExtractConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to read."""

    sources: Annotated[
        dict[str, SourceConfig], Meta(min_length=1, description="Name (of doc_ids) to source.")
    ]
    partition_bytes: Annotated[
        int, Meta(ge=1, description="A partition takes whole files until it has this many bytes.")
    ] = 16_000_000

    def __post_init__(self) -> None:
        for name in self.sources:
            if not name.replace("-", "").replace("_", "").isalnum():
                raise ValueError(f"source name {name!r} may hold letters, digits, - and _ only")


def source_files(name: str, source: SourceConfig, folder: Path) -> list[Path]:
    """The files of a source, ordered by name: later files win over earlier ones.

    Raises:
        SourceError: The folder is missing, or no file matches.
    """
    if not folder.is_dir():
        raise SourceError(
            f"source {name}: {folder} is not a folder; "
            f"correct `folder` in the pipeline file or put the files there"
        )
    files = sorted(path for path in folder.glob(source.files) if path.is_file())
    if not files:
        found = len(list(folder.iterdir()))
        raise SourceError(
            f"source {name}: no file in {folder} matches {source.files!r} "
            f"({found} other entries are there); correct `files` or put the files there"
        )
    return files


def evidence(config: ExtractConfig, base: Path) -> list[Any]:
    """Path, size and digest of both ends of every file that fetch did not bring.

    gzip ends in a checksum of the whole file. Of plain files, an edit that keeps the size and both
    ends is not seen; reading terabytes twice to see it would cost more than it is worth.
    """
    return [
        [name, path.relative_to(folder).as_posix(), path.stat().st_size, _ends_digest(path)]
        for name, source in sorted(config.sources.items())
        if source.folder is not None
        for folder in [base / source.folder]
        for path in source_files(name, source, folder)
    ]


def _ends_digest(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(ENDS)
        file.seek(max(0, path.stat().st_size - ENDS))
        return xxhash.xxh3_64_hexdigest(head + file.read(ENDS))


def phases(config: ExtractConfig, inputs: Inputs, out: Path) -> Phases:
    scratch = out / SCRATCH
    groups = _groups(config, inputs)
    stems = [part_name(i) for i in range(len(groups))]
    parsed = [scratch / "parsed" / f"{stem}.parquet" for stem in stems]
    lost = [scratch / "lost" / f"{stem}.parquet" for stem in stems]
    claims = [scratch / "claims" / f"{stem}.run" for stem in stems]
    providers = [scratch / "providers" / f"{stem}.json" for stem in stems]
    counted = yield Phase(
        "parse",
        partial(
            parse,
            readers={n: reader_of(s.kind, s.mapping) for n, s in config.sources.items()},
            licences={n: s.licence for n, s in config.sources.items()},
        ),
        [
            Task(stems[i], files, (parsed[i], lost[i], claims[i], providers[i]), (i, name))
            for i, (name, files) in enumerate(groups)
        ],
    )
    resolving = [
        Task(
            f"range-{i:05d}",
            (scratch / "claims",),
            (scratch / "losers" / f"range-{i:05d}.run",),
            key_range,
        )
        for i, key_range in enumerate(key_ranges(counted.counts.get("claims", 0), CLAIMS_PER_RANGE))
    ]
    yield Phase("resolve", resolve, resolving)
    losers, counted_in = scratch / "losers", scratch / CENSUS
    yield Phase(
        "select",
        select,
        [
            Task(
                stems[i],
                (parsed[i], lost[i], losers, providers[i]),
                (*partition_targets(out, stems[i]), counted_in / name / f"{stems[i]}.json"),
                (i,),
            )
            for i, (name, _) in enumerate(groups)
        ],
    )
    yield Phase(
        "census",
        add_up,
        [
            Task(name, (counted_in / name,), (out / CENSUS / f"{name}.json",))
            for name in sorted(config.sources)
        ],
    )


def _groups(config: ExtractConfig, inputs: Inputs) -> list[tuple[str, tuple[Path, ...]]]:
    """Which files make a partition: consecutive ones of a source, up to `partition_bytes`."""
    groups: list[tuple[str, tuple[Path, ...]]] = []
    for name, source in sorted(config.sources.items()):
        folder = (
            inputs.base / source.folder
            if source.folder is not None
            else fetched_folder(inputs.stages["fetch"], str(source.fetched))
        )
        group: list[Path] = []
        for path in source_files(name, source, folder):
            group.append(path)
            if sum(p.stat().st_size for p in group) >= config.partition_bytes:
                groups.append((name, tuple(group)))
                group = []
        if group:
            groups.append((name, tuple(group)))
    return groups


STAGE = Stage(
    name="extract",
    version=4,
    config=ExtractConfig,
    reads=("fetch",),
    phases=phases,
    evidence=evidence,
)
