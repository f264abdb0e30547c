"""A pipeline file: the recipe of one corpus, and where it runs."""

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
import yaml
from msgspec import Meta, Struct

from corpusforge.errors import ConfigError
from corpusforge.pipeline.choices import with_choices
from corpusforge.sources.network import NetworkConfig
from corpusforge.stages import clean, dedup, extract, fetch, shards, tokenizer
from corpusforge.stages.clean import CleanConfig
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.extract import ExtractConfig
from corpusforge.stages.fetch import Download, FetchConfig
from corpusforge.stages.shards import ShardsConfig
from corpusforge.stages.stage import Stage
from corpusforge.stages.tokenizer import TokenizerConfig
from corpusforge.training.config import TrainConfig
from corpusforge.training.preset import with_preset

STAGES: tuple[Stage, ...] = (
    fetch.STAGE,
    extract.STAGE,
    clean.STAGE,
    dedup.STAGE,
    tokenizer.STAGE,
    shards.STAGE,
)
KINDS = sorted(str(kind.__struct_config__.tag) for kind in get_args(Download))
DOWNLOADS = "`$.stages.fetch.downloads[...]"  # msgspec's path to any value of a dict
TRAIN = "train"  # the last step; MPI runs it, not Dask


class StagesConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The recipe. Everything in it decides the output, and is part of the fingerprints."""

    extract: ExtractConfig
    fetch: FetchConfig = FetchConfig()
    clean: CleanConfig = CleanConfig()
    dedup: DedupConfig = DedupConfig()
    tokenizer: TokenizerConfig = TokenizerConfig()
    shards: ShardsConfig = ShardsConfig()
    train: TrainConfig | None = None

    def __post_init__(self) -> None:
        for name, source in self.extract.sources.items():
            if source.fetched is not None and source.fetched not in self.fetch.downloads:
                known = ", ".join(sorted(self.fetch.downloads)) or "none"
                raise ValueError(
                    f"source {name} wants the download {source.fetched!r}, but fetch has {known}"
                )


class ClusterConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where tasks run. Nothing in it changes the output, so it is never fingerprinted."""

    kind: Annotated[
        Literal["local", "address", "scheduler-file"],
        Meta(description="Start worker processes here, or join a running Dask cluster."),
    ] = "local"
    workers: Annotated[int, Meta(ge=1, description="Worker processes of a local cluster.")] = 2
    memory: Annotated[
        str, Meta(description="Limit of each local worker; beyond it the worker is restarted.")
    ] = "1400MB"
    dashboard: Annotated[
        int, Meta(ge=0, le=65535, description="Port of the dashboard; 0 for any free one.")
    ] = 8787
    address: Annotated[str | None, Meta(description="Scheduler, such as tcp://host:8786.")] = None
    scheduler_file: Annotated[
        str | None, Meta(description="File the scheduler writes, relative to the pipeline file.")
    ] = None
    ranks: Annotated[int, Meta(ge=1, description="MPI ranks of training.")] = 2

    def __post_init__(self) -> None:
        if self.kind == "address" and self.address is None:
            raise ValueError("kind: address needs address, such as tcp://host:8786")
        if self.kind == "scheduler-file" and self.scheduler_file is None:
            raise ValueError("kind: scheduler-file needs scheduler_file")


class PipelineConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One corpus."""

    output: Annotated[str, Meta(description="Folder of results, relative to this file.")]
    stages: StagesConfig
    cluster: ClusterConfig = ClusterConfig()
    network: NetworkConfig = NetworkConfig()
    reject_budget: Annotated[
        dict[str, float],
        Meta(description="Share of a stage's records that may be rejected before the run fails."),
    ] = {}
    max_fall: Annotated[
        dict[str, float],
        Meta(
            description="By source: share of its papers, or of those of one year or provider, that "
            "may be gone since the last run; beyond it the run fails. 0.5 where none is given."
        ),
    ] = {}
    max_loss: Annotated[
        dict[str, float],
        Meta(
            description="By source: share of its documents that dedup may remove before the run "
            "fails. 0.9 where none is given."
        ),
    ] = {}

    def __post_init__(self) -> None:
        self._check_sources("max_fall", self.max_fall)
        self._check_sources("max_loss", self.max_loss)
        names = [stage.name for stage in STAGES]
        for name, share in self.reject_budget.items():
            if name not in names or not 0 <= share <= 1:
                raise ValueError(
                    f"reject_budget.{name}: {share} - expected one of {', '.join(names)} "
                    f"and a share from 0 to 1"
                )

    def _check_sources(self, setting: str, shares: dict[str, float]) -> None:
        for source, share in shares.items():
            if source not in self.stages.extract.sources or not 0 <= share <= 1:
                names = ", ".join(self.stages.extract.sources)
                raise ValueError(
                    f"{setting}.{source}: {share} - expected a source ({names}) and a share from "
                    f"0 to 1"
                )


def load_pipeline(path: Path) -> PipelineConfig:
    """Read a pipeline file.

    Raises:
        ConfigError: There is no such file, it is not YAML, or a value is wrong; the message names
            the key.
    """
    recipe: dict[str, Any] = {}
    try:
        recipe = yaml.load(path.read_bytes(), _StrictLoader)
        if recipe is None:
            raise ConfigError(f"{path} is empty; expected output: and stages:")
        return msgspec.convert(_with_train_preset(recipe), PipelineConfig)
    except OSError as error:
        raise ConfigError(f"{path.absolute()} cannot be read: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: {' '.join(str(error).split())}") from error
    except msgspec.MsgspecError as error:
        told = with_choices(_with_name(str(error), recipe), PipelineConfig)
        raise ConfigError(f"{path}: {told}") from error


def _with_train_preset(recipe: dict[str, Any]) -> dict[str, Any]:
    """The recipe with the settings that a preset of training stands for."""
    match recipe:
        case {"stages": {"train": dict(train)}}:
            return {**recipe, "stages": {**recipe["stages"], "train": with_preset(train)}}
    return recipe


def _with_name(message: str, recipe: dict[str, Any]) -> str:
    """What msgspec says of a recipe, with the name of the download that it is about."""
    if DOWNLOADS not in message:
        return message
    for name, wanted in recipe["stages"]["fetch"]["downloads"].items():
        try:
            msgspec.convert(wanted, Download)
        except msgspec.ValidationError:
            kinds = ""
            if not isinstance(wanted, dict) or wanted.get("kind") not in KINDS:
                kinds = f"; a download is of kind {', '.join(KINDS)}"
            return message.replace(DOWNLOADS, DOWNLOADS.replace("[...]", f".{name}")) + kinds
    return message


class _StrictLoader(yaml.SafeLoader):
    """YAML in which a key given twice is an error; PyYAML would let the second one win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        for key, _ in node.value:
            if keys.count(key.value) > 1 and key.value != "<<":
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} is given twice", key.start_mark
                )
        return super().construct_mapping(node, deep)
