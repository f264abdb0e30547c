"""Index: what dedup remembers of the documents it kept, to hold later ones against them.

    manifest.json                    written last: parameters, and size and digest of every file
    gone.run                         addresses of documents that count no more
    forgotten.run                    the same, of `forget`; the only file that ever changes
    gen-000/facts/part-00000.arrow   `formats.facts` of the kept documents of one partition
    gen-000/sets/part-00000.arrow    `formats.shingle_sets` of all of them
    gen-000/claims/range-00000.run   `formats.run`: their claims by key, then by `near` and uid

A generation is what one run added; later indexes link to it. A document's address is the same in
all of them: bit 63, then 11 bits of generation, 20 of partition, and 32 of row.

Of 161,562 arXiv abstracts an index takes 1,614 bytes each: 779 of claims, 660 of shingles (four for
a word) and 175 of facts. No text is in it, but who wrote what is.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import xxhash
from msgspec import Struct
from numpy.typing import NDArray

from corpusforge.errors import FormatError
from corpusforge.formats.atomic import atomic_path
from corpusforge.formats.run import open_run, write_run

FORMAT = 1
MANIFEST, GONE, FORGOTTEN = "manifest.json", "gone.run", "forgotten.run"
FACTS, SETS, CLAIMS = "facts", "sets", "claims"
FIRST_PART = 1 << 31  # numbers of partitions from here on are of an index
FIRST_ADDRESS = np.uint64(1 << 63)
PARTS, GENERATIONS = 1 << 20, 1 << 11
ADDRESS = np.dtype("<u8")
BLOCK = 1 << 24


class File(Struct, frozen=True):
    """What a file must be."""

    bytes: int
    digest: str  # xxh3-128


class Generation(Struct, frozen=True):
    """What one run added, or one task of it."""

    documents: int
    files: dict[str, File]  # by path within the index


class Parameters(Struct, frozen=True):
    """What must agree for two documents to be compared as if they were in one run."""

    scheme: int  # of hash functions, claims and facts
    shingle_words: int
    bands: int
    rows: int
    seed: int
    keep: tuple[str, ...]
    sources: tuple[str, ...]


class Manifest(Struct, frozen=True):
    """A whole index."""

    format: int
    parameters: Parameters
    generations: tuple[Generation, ...]
    gone: File


@dataclass(frozen=True)
class Index:
    """An index that was found whole."""

    folder: Path
    manifest: Manifest
    digest: str  # of the manifest, and of what was forgotten since
    documents: int  # that still count

    def size(self, kind: str = "") -> int:
        """Bytes of the files of FACTS, SETS or CLAIMS, or of all three."""
        files = [item for g in self.manifest.generations for item in g.files.items()]
        return sum(file.bytes for path, file in files if kind in path)


def part_number(generation: int, part: int) -> int:
    """The number that stands for a partition of an index, FIRST_PART or more.

    Raises:
        ValueError: More partitions or generations than an address can tell apart.
    """
    if generation >= GENERATIONS or part >= PARTS:
        raise ValueError(
            f"partition {part:,} of generation {generation:,}: an index holds {PARTS:,} "
            f"partitions in each of {GENERATIONS:,} generations; start one without `against`"
        )
    return FIRST_PART | generation * PARTS | part


def generation_name(generation: int) -> str:
    """Folder of a generation."""
    return f"gen-{generation:03d}"


def part_path(folder: Path, kind: str, number: int) -> Path:
    """File of FACTS or SETS of a partition of an index."""
    generation, part = divmod(number - FIRST_PART, PARTS)
    return folder / generation_name(generation) / kind / f"part-{part:05d}.arrow"


def claim_runs(folder: Path) -> list[Path]:
    """The runs of claims of all generations, in order."""
    return sorted(folder.glob(f"gen-*/{CLAIMS}/[!.]*.run"))


def open_index(folder: Path) -> Index:
    """An index, after a look at its manifest and at the size of every file.

    Raises:
        FormatError: It is none, it was never finished, or a file is missing or not as long as it
            was. What else may be damaged is for `damaged_files` to find.
    """
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
        manifest = msgspec.json.decode(content, type=Manifest)
    except OSError as error:
        raise FormatError(
            f"{folder} is no index, or was never finished: {MANIFEST} cannot be read "
            f"({error.strerror}); a dedup stage with keep_index: true leaves one in its folder, "
            f"as `index`"
        ) from error
    except msgspec.MsgspecError as error:
        raise FormatError(f"{path} is not the manifest of an index: {error}") from error
    if manifest.format != FORMAT:
        raise FormatError(
            f"{folder} is an index of format {manifest.format}, expected {FORMAT}; make it anew "
            f"with keep_index: true"
        )
    for name, file in files_of(manifest).items():
        size = _size(folder / name)
        if size != file.bytes:
            found = "is missing" if size < 0 else f"has {size:,} bytes, expected {file.bytes:,}"
            raise FormatError(
                f"{folder} is damaged: {name} {found}; delete that stage folder and run its "
                f"pipeline again, or copy the index anew"
            )
    forgotten = folder / FORGOTTEN
    digest = xxhash.xxh3_128(content)
    if forgotten.exists():
        digest.update(forgotten.read_bytes())
    documents = sum(g.documents for g in manifest.generations) - len(gone_in(folder))
    return Index(folder, manifest, digest.hexdigest(), documents)


def files_of(manifest: Manifest) -> dict[str, File]:
    """Every file of an index but its manifest, by path."""
    generations = [item for g in manifest.generations for item in g.files.items()]
    return {GONE: manifest.gone, **dict(generations)}


def damaged_files(index: Index) -> list[str]:
    """Files whose content is not what was written; reads the whole index."""
    return [
        name
        for name, file in files_of(index.manifest).items()
        if describe(index.folder / name).digest != file.digest
    ]


def describe(path: Path) -> File:
    """Size and digest of a file."""
    digest = xxhash.xxh3_128()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return File(path.stat().st_size, digest.hexdigest())


def gone_in(folder: Path) -> NDArray[np.uint64]:
    """Addresses that count no more, ascending: superseded ones and forgotten ones."""
    runs = [path for name in (GONE, FORGOTTEN) if (path := folder / name).exists()]
    return np.unique(np.concatenate([open_run(path, ADDRESS).keys for path in runs]))


def write_addresses(target: Path, addresses: NDArray[Any]) -> None:
    """Write gone.run or forgotten.run."""
    write_run(target, addresses, addresses)


def link_file(source: Path, target: Path) -> None:
    """The same file under another name; a copy where the file system has no links."""
    with atomic_path(target) as partial:
        try:
            os.link(source, partial)
        except OSError:
            shutil.copyfile(source, partial)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
