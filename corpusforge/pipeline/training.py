"""The command that trains a pipeline's model: an MPI launcher and what it starts."""

import shlex
import shutil
import sys
from pathlib import Path

import msgspec

from corpusforge.errors import ConfigError
from corpusforge.formats.atomic import write_atomic
from corpusforge.pipeline.manifest import is_complete
from corpusforge.pipeline.plan import Plan
from corpusforge.stages.tokenizer import TOKENIZER

LINES = 20  # of progress in a whole run


def training_command(plan: Plan, launcher: str | None) -> list[str]:
    """The words of the command; its config is written beside the model it makes.

    Args:
        plan: Its shards must be complete.
        launcher: Instead of `mpiexec -n RANKS`, such as "srun --mpi=pmi2 -n 8".

    Raises:
        ConfigError: There are no shards, no training config, or no such launcher.
    """
    shards, tokenizer = plan.step("shards").folder, plan.step("tokenizer").folder
    if plan.config.stages.train is None:
        raise ConfigError("the pipeline file has no stages.train; add a model to train")
    if not is_complete(plan.step("shards")):
        raise ConfigError(f"{shards} is not complete; run `corpusforge run PIPELINE` first")
    config = plan.train_folder / "train.json"
    write_atomic(config, msgspec.json.format(msgspec.json.encode(plan.config.stages.train)) + b"\n")
    return [
        *(_split(launcher) if launcher else _mpiexec(plan.config.cluster.ranks)),
        *(sys.executable, "-m", "mpi4py", "-m", "corpusforge.training"),
        *("--shards", str(shards), "--tokenizer", str(tokenizer / TOKENIZER)),
        *("--config", str(config), "--out", str(plan.train_folder)),
        *("--log-every", str(-(-plan.config.stages.train.steps // LINES))),
    ]


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
