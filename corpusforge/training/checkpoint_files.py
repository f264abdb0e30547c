"""What lies in the folder of one checkpoint, and whether it is still what was written.

    .metadata, __RANK_N.distcp   tensors, as `torch.distributed.checkpoint` writes them
    checkpoint.json              all else, and the size and digest of every file above

A damaged file is found by its bytes before any of them reaches a model: loading happens in place,
and a model of which one half is loaded trains on without complaint.
"""

from pathlib import Path
from typing import Any

import msgspec
import xxhash
from msgspec import Struct

from corpusforge.errors import FormatError
from corpusforge.formats.atomic import write_atomic
from corpusforge.training.noise import NoiseScale

DESCRIPTION = "checkpoint.json"
METADATA = ".metadata"  # written by rank 0, after the tensors of all ranks
CHUNK = 1 << 24  # bytes read at once


class Written(Struct, frozen=True):
    """A file as it was written."""

    bytes: int
    xxh3_128: str


class Description(Struct, frozen=True, kw_only=True):
    """What a checkpoint says about itself."""

    steps_done: int
    ranks: int  # that wrote it; any number may load it
    identity: dict[str, Any]  # of the run, see `Identity.record`
    scaler: dict[str, int | float]  # state of the gradient scaler, empty where there is none
    noise: NoiseScale
    files: dict[str, Written]


def written_by(folder: Path, rank: int) -> dict[str, Written]:
    """The files that one rank wrote into a checkpoint, by name."""
    files = sorted(folder.glob(f"__{rank}_*.distcp"))
    if rank == 0:
        files.append(folder / METADATA)
    return {file.name: _measure(file) for file in files}


def write_description(folder: Path, description: Description) -> None:
    """Complete a checkpoint: without this file it is none."""
    encoded = msgspec.json.format(msgspec.json.encode(description), indent=2)
    write_atomic(folder / DESCRIPTION, encoded + b"\n")


def read_description(folder: Path) -> Description:
    """What the checkpoint in a folder says about itself.

    Raises:
        FormatError: It says nothing, or nothing that can be understood.
    """
    path = folder / DESCRIPTION
    try:
        return msgspec.json.decode(path.read_bytes(), type=Description)
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}; {advice(folder)}") from error
    except msgspec.MsgspecError as error:
        raise FormatError(f"{path} is damaged: {error}; {advice(folder)}") from error


def damage(folder: Path, description: Description, rank: int, ranks: int) -> list[str]:
    """What is wrong with the files of a checkpoint, of which each rank looks at a part."""
    mine = sorted(description.files.items())[rank::ranks]
    return [found for name, promised in mine if (found := _difference(folder / name, promised))]


def advice(folder: Path) -> str:
    """What to do about a checkpoint that cannot be loaded, ending a sentence."""
    complete = {path.parent.name for path in folder.parent.glob(f"step-*[0-9]/{DESCRIPTION}")}
    others = complete - {folder.name}
    restart = f"delete {folder.parent} to start over"
    if not others:
        return restart
    latest = folder.parent / "LATEST"
    return f"write {max(others)} into {latest} to continue from there, or {restart}"


def _difference(file: Path, promised: Written) -> str | None:
    if not file.is_file():
        return f"{file.name} is missing"
    size = file.stat().st_size
    if size != promised.bytes:
        return f"{file.name} has {size:,} bytes of {promised.bytes:,}"
    if _measure(file) != promised:
        return f"{file.name} holds other bytes than were written"
    return None


def _measure(file: Path) -> Written:
    digest, size = xxhash.xxh3_128(), 0
    with file.open("rb") as content:
        while chunk := content.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return Written(size, digest.hexdigest())
