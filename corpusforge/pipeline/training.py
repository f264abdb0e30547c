"""The command that trains a pipeline's model, and the plan of what it will need."""

import shlex
import shutil
import sys
from pathlib import Path

import msgspec

from corpusforge.errors import ConfigError
from corpusforge.formats.atomic import write_atomic
from corpusforge.pipeline.manifest import is_complete
from corpusforge.pipeline.plan import Plan
from corpusforge.stages.tokenizer import wanted_ids
from corpusforge.stages.tokenizer_files import TOKENIZER
from corpusforge.training.config import TrainConfig
from corpusforge.training.corpus import open_corpus
from corpusforge.training.plan import plan_lines

LINES = 20  # of progress in a whole run, or more:
MOST_STEPS = 100  # between two of them


def training_command(plan: Plan, launcher: str | None, ranks: int | None = None) -> list[str]:
    """The words of the command; its config is written beside the model it makes.

    Args:
        plan: Its shards must be complete.
        launcher: Instead of `mpiexec -n RANKS`, such as "srun --mpi=pmi2 -n 8".
        ranks: How many share the work; None for as many as the pipeline file says.

    Raises:
        ConfigError: There are no shards, no training config, or no such launcher, or it is not to
            say how many ranks there are.
    """
    if launcher and ranks:
        raise ConfigError(
            f"--ranks {ranks} with --launcher {launcher!r}: the launcher starts the ranks, so its "
            f"own words say how many; leave --ranks out"
        )
    shards, tokenizer = plan.step("shards").folder, plan.step("tokenizer").folder
    settings = _settings(plan)
    if not is_complete(plan.step("shards")):
        raise ConfigError(f"{shards} is not complete; run `corpusforge run PIPELINE` first")
    config = plan.train_folder / "train.json"
    write_atomic(config, msgspec.json.format(msgspec.json.encode(settings)) + b"\n")
    return [
        *(_split(launcher) if launcher else _mpiexec(ranks or plan.config.cluster.ranks)),
        *(sys.executable, "-m", "mpi4py", "-m", "corpusforge.training"),
        *("--shards", str(shards), "--tokenizer", str(tokenizer / TOKENIZER)),
        *("--config", str(config), "--out", str(plan.train_folder)),
        *("--log-every", str(min(-(-settings.steps // LINES), MOST_STEPS))),
    ]


def training_plan(plan: Plan, ranks: int | None) -> list[str]:
    """What training will need, as a table; until there are shards, with the vocabulary wanted.

    Args:
        plan: Its shards need not be there.
        ranks: How many share the work; None for as many as the pipeline file says.

    Raises:
        ConfigError: There is no training config, or its batch does not divide among the ranks.
    """
    settings, shards = _settings(plan), plan.step("shards")
    if is_complete(shards):
        corpus = open_corpus(shards.folder).description
        vocab_size, tokens = corpus.vocab_size, corpus.splits["train"].tokens
    else:
        vocab_size, tokens = wanted_ids(plan.config.stages.tokenizer, plan.base), None
    return plan_lines(settings, vocab_size, tokens, ranks or plan.config.cluster.ranks)


def model_folder(plan: Plan) -> Path:
    """Where the trained model is.

    Raises:
        ConfigError: There is none.
    """
    folder = plan.train_folder / "model"
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not there; `corpusforge train PIPELINE` makes the model")
    return folder


def _settings(plan: Plan) -> TrainConfig:
    if plan.config.stages.train is None:
        raise ConfigError("the pipeline file has no stages.train; add a model to train")
    return plan.config.stages.train


def _split(launcher: str) -> list[str]:
    try:
        words = shlex.split(launcher)
    except ValueError as error:
        raise ConfigError(f"--launcher {launcher!r}: {error}") from error
    if not words or shutil.which(words[0]) is None:
        raise ConfigError(f"--launcher {launcher!r}: there is no such command on PATH")
    return words


def _mpiexec(ranks: int) -> list[str]:
    # The MPI that pip installed beside this Python is the one that mpi4py was installed for.
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise ConfigError(
            "there is no mpiexec; `pip install 'corpusforge[train]'` brings one, or give "
            "--launcher the command of this machine's MPI"
        )
    return [found, "-n", str(ranks)]
