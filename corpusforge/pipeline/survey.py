"""What was seen of the world outside the pipeline: now, and when it was last run.

Input files decide fingerprints, so a run looks at all of them. Looking at results must not: inputs
are purged from scratch file systems, and there may be millions of them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from corpusforge.formats.atomic import write_atomic
from corpusforge.pipeline.config import STAGES, PipelineConfig, StagesConfig

NAME = "evidence.json"
Evidence = Mapping[str, list[Any]]


class _Memory(Struct, frozen=True):
    """What a run saw, and the recipe that made it look there."""

    recipe: msgspec.Raw
    evidence: dict[str, list[Any]]


def look(config: PipelineConfig, base: Path) -> Evidence:
    """What decides the output of each stage beside its recipe, seen now.

    Raises:
        SourceError: A source has no files.
    """
    return {
        stage.name: stage.evidence(getattr(config.stages, stage.name), base) for stage in STAGES
    }


def remember(output: Path, config: PipelineConfig, evidence: Evidence) -> None:
    """Keep what a run saw beside its results."""
    memory = _Memory(msgspec.Raw(_recipe(config.stages)), dict(evidence))
    write_atomic(output / NAME, msgspec.json.encode(memory))


def recall(output: Path, config: PipelineConfig) -> Evidence | None:
    """What the last run saw; None if there was none, or if it looked elsewhere."""
    try:
        memory = msgspec.json.decode((output / NAME).read_bytes(), type=_Memory)
    except (OSError, msgspec.MsgspecError):
        return None
    return memory.evidence if bytes(memory.recipe) == _recipe(config.stages) else None


def _recipe(stages: StagesConfig) -> bytes:
    """The settings that say where to look."""
    looked = [stages.fetch, stages.extract, stages.dedup.decontaminate, stages.dedup.against]
    return msgspec.json.encode(looked, order="deterministic")
