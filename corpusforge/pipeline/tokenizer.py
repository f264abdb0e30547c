"""The tokenizer of a corpus, and what was measured of it."""

from tokenizers import Tokenizer

from corpusforge.errors import ConfigError
from corpusforge.pipeline.plan import Plan
from corpusforge.stages.tokenizer_diagnostics import DIAGNOSTICS, Diagnostics, read_diagnostics
from corpusforge.stages.tokenizer_files import TOKENIZER


def tokenizer_of(plan: Plan) -> Tokenizer:
    """The tokenizer.

    Raises:
        ConfigError: It is not there yet.
    """
    path = plan.step("tokenizer").folder / TOKENIZER / "tokenizer.json"
    if not path.exists():
        raise ConfigError("there is no tokenizer; `corpusforge run PIPELINE` makes it")
    return Tokenizer.from_file(str(path))


def diagnostics_of(plan: Plan) -> Diagnostics:
    """How it spells documents that were held out of its training.

    Raises:
        ConfigError: It is not there, or nothing was measured.
    """
    path = plan.step("tokenizer").folder / DIAGNOSTICS
    if not path.exists():
        raise ConfigError(
            f"{path} does not exist; `corpusforge run PIPELINE --until tokenizer` makes it, "
            f"unless tokenizer.diagnostics is null"
        )
    return read_diagnostics(path)
