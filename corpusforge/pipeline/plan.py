"""What a pipeline file amounts to: a step per stage, each in a folder named by its fingerprint."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from corpusforge.errors import ConfigError
from corpusforge.pipeline.config import STAGES, TRAIN, PipelineConfig, load_pipeline
from corpusforge.pipeline.survey import Evidence, look, recall
from corpusforge.stages.stage import Inputs, Stage


@dataclass(frozen=True)
class Step:
    """A stage with its settings, its inputs and its folder."""

    stage: Stage
    config: msgspec.Struct
    fingerprint: str
    inputs: Inputs
    folder: Path


@dataclass(frozen=True)
class Plan:
    """The steps of one corpus, in order."""

    config: PipelineConfig
    base: Path  # folder of the pipeline file
    output: Path
    evidence: Evidence  # what was seen of the world outside, by stage
    steps: tuple[Step, ...]

    def step(self, name: str) -> Step:
        """The step of a stage.

        Raises:
            ConfigError: There is no such stage.
        """
        for step in self.steps:
            if step.stage.name == name:
                return step
        names = ", ".join(step.stage.name for step in self.steps)
        raise ConfigError(f"there is no stage {name!r}; stages are {names}")

    def until(self, name: str | None) -> tuple[Step, ...]:
        """The steps up to and including a stage; all of them without one."""
        if name is None:
            return self.steps
        return self.steps[: self.steps.index(self.step(name)) + 1]

    @property
    def train_folder(self) -> Path:
        """Where training puts its model: named by its config and the shards it reads."""
        train = self.config.stages.train
        name = fingerprint(TRAIN, 1, train and train.recipe, [self.steps[-1].fingerprint])
        return self.output / f"{TRAIN}-{name}"


def fingerprint(
    stage: str,
    version: int,
    config: msgspec.Struct | None,
    inputs: Sequence[str],
    evidence: Sequence[Any] = (),
) -> str:
    """12 hex digits naming the output of one stage.

    Args:
        stage: Stage name.
        version: The stage's own version: raised by hand whenever its output changes.
        config: The whole config. Settings that cannot change the output (workers, memory,
            progress) must live elsewhere.
        inputs: Fingerprints of the stages read, in declared order.
        evidence: What of the world outside the pipeline decides the output.
    """
    recipe = [stage, version, config, list(inputs), list(evidence)]
    return blake2b(msgspec.json.encode(recipe, order="deterministic"), digest_size=6).hexdigest()


def output_folder(config: PipelineConfig, base: Path) -> Path:
    """Where the results of a pipeline file in `base` go."""
    return (base / os.path.expandvars(config.output)).expanduser().resolve()


def make_plan(config: PipelineConfig, base: Path, evidence: Evidence) -> Plan:
    """Fingerprint every stage. Pure: `evidence` holds what was seen of the world, by stage."""
    output = output_folder(config, base)
    steps: dict[str, Step] = {}
    for stage in STAGES:
        settings = getattr(config.stages, stage.name)
        name = fingerprint(
            stage.name,
            stage.version,
            settings,
            [steps[read].fingerprint for read in stage.reads],
            evidence[stage.name],
        )
        folders = {read: steps[read].folder for read in stage.reads}
        lineage = _lineage([steps[read] for read in stage.reads])
        inputs = Inputs(base, folders, config.network, lineage)
        steps[stage.name] = Step(stage, settings, name, inputs, output / f"{stage.name}-{name}")
    return Plan(config, base, output, evidence, tuple(steps.values()))


def _lineage(read: Sequence[Step]) -> dict[str, str]:
    """Fingerprints of these steps and of all that they depend on."""
    before = {name: made for step in read for name, made in step.inputs.lineage.items()}
    return before | {step.stage.name: step.fingerprint for step in read}


def open_plan(path: Path) -> Plan:
    """Read a pipeline file, look at its input files, and plan a run.

    Raises:
        ConfigError: The file is wrong.
        SourceError: A source has no files.
    """
    config, base = load_pipeline(path), path.absolute().parent
    return make_plan(config, base, look(config, base))


def reopen_plan(path: Path) -> Plan:
    """The plan of the last run with this pipeline file, without a look at its input files.

    Raises:
        ConfigError: The file is wrong.
        SourceError: It was never run, and a source has no files.
    """
    config, base = load_pipeline(path), path.absolute().parent
    evidence = recall(output_folder(config, base), config)
    return make_plan(config, base, look(config, base) if evidence is None else evidence)
