"""Manifest: the file whose presence says that a stage is complete, and what it did."""

from pathlib import Path

import msgspec
from msgspec import Struct

from corpusforge.errors import FormatError
from corpusforge.formats.atomic import write_atomic
from corpusforge.pipeline.plan import Step
from corpusforge.pipeline.receipts import results_in_place
from corpusforge.work import Tally

NAME = "manifest.json"


class Manifest(Struct, frozen=True):
    """One complete stage."""

    stage: str
    version: int
    fingerprint: str
    config: msgspec.Raw
    inputs: dict[str, str]  # stage -> folder name
    tally: Tally
    seconds: float  # of the run that completed it


def write_manifest(step: Step, tally: Tally, seconds: float) -> Manifest:
    """Declare a step complete."""
    manifest = Manifest(
        stage=step.stage.name,
        version=step.stage.version,
        fingerprint=step.fingerprint,
        config=msgspec.Raw(msgspec.json.encode(step.config, order="deterministic")),
        inputs={name: folder.name for name, folder in step.inputs.stages.items()},
        tally=tally,
        seconds=round(seconds, 2),
    )
    encoded = msgspec.json.format(msgspec.json.encode(manifest))
    write_atomic(step.folder / NAME, encoded + b"\n")
    return manifest


def is_complete(step: Step) -> bool:
    """Whether a step has nothing left to do: it has a manifest, and no file of it is missing."""
    return read_manifest(step.folder) is not None and results_in_place(step.folder)


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a stage's folder, or None if the stage is not complete.

    Raises:
        FormatError: The file is there but is not a manifest.
    """
    path = folder / NAME
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as error:
        raise FormatError(f"{path}: {error}; delete {folder} and run the stage again") from error
