"""Text from an exported model: token by token, each drawn from what the model expects.

The model is read from the folder that training wrote, with nothing but this package: its shape
from config.json, its weights, and its tokenizer. The same model, prompt, seed and number of threads
give the same text.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

from corpusforge.errors import ConfigError, FormatError
from corpusforge.training.mlstm import MLSTM
from corpusforge.training.model import Model
from corpusforge.training.neox import ROTARY_BASE, NeoX
from corpusforge.training.shapes import MLSTMConfig, ModelConfig, NeoXConfig


@dataclass(frozen=True, eq=False)
class Exported:
    """A trained model, its tokenizer, and what both agree on."""

    model: Model
    tokenizer: Tokenizer
    length: int  # tokens of the windows that it was trained on
    end: int  # id that ends every document


@dataclass(frozen=True)
class Sampling:
    """How the next token is drawn; numbers that say nothing are a ConfigError."""

    tokens: int = 100  # at most; a document that ends sooner is complete
    temperature: float = 1.0  # below 1 prefers the likely ones, 0 takes the likeliest
    top_k: int | None = None  # only among so many of the likeliest
    seed: int = 0

    def __post_init__(self) -> None:
        k = 1 if self.top_k is None else self.top_k
        if self.tokens < 1 or self.temperature < 0 or k < 1 or self.seed < 0:
            raise ConfigError(
                f"tokens={self.tokens}, temperature={self.temperature}, top_k={self.top_k}, "
                f"seed={self.seed}: give at least 1 token, a temperature and a seed of at least 0, "
                f"and a top_k of at least 1 or none"
            )


def shape_of(config: dict[str, Any]) -> ModelConfig:
    """The shape that the content of a config.json tells.

    Raises:
        KeyError: It tells none.
        ValueError: It is that of another kind of model.
    """
    if config["model_type"] == "mlstm":
        return MLSTMConfig(
            hidden=config["hidden_size"],
            embedding=config["embedding_size"],
            reset=config["reset"],
        )
    if config["model_type"] != "gpt_neox" or config["rotary_emb_base"] != ROTARY_BASE:
        raise ValueError(f"model_type {config['model_type']!r}")
    return NeoXConfig(
        layers=config["num_hidden_layers"],
        hidden=config["hidden_size"],
        heads=config["num_attention_heads"],
        rotary_fraction=config["rotary_pct"],
        parallel_residual=config["use_parallel_residual"],
    )


def open_model(folder: Path) -> Exported:
    """The model in a folder that training exported.

    Raises:
        ConfigError: The folder is not there, or holds a model of another kind.
        FormatError: The weights are damaged, or not those of the model that config.json describes.
    """
    path = folder / "config.json"
    try:
        config = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        shape, rows = shape_of(config), int(config["vocab_size"])
        length, end = int(config["max_position_embeddings"]), int(config["eos_token_id"])
        tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text("utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{error.filename} cannot be read: {error.strerror}; give the folder `model` of a "
            f"finished run"
        ) from error
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError) as error:
        raise ConfigError(
            f"{path} is not what training exports ({error}); GPT-NeoX and mLSTM models of this "
            f"package can be opened"
        ) from error
    with torch.device("meta"):  # weights are read, not drawn
        model = NeoX(shape, rows) if isinstance(shape, NeoXConfig) else MLSTM(shape, rows)
    _load(model, folder / "model.safetensors")
    return Exported(model.eval(), tokenizer, length, end)


def generate(exported: Exported, prompt: str, sampling: Sampling) -> str:
    """A prompt and its continuation; an empty prompt starts a document."""
    ids = exported.tokenizer.encode(prompt, add_special_tokens=False).ids
    drawn = list(_drawn(exported, ids or [exported.end], sampling))
    return str(exported.tokenizer.decode([*ids, *drawn]))


@torch.no_grad()
def _drawn(exported: Exported, ids: list[int], sampling: Sampling) -> Iterator[int]:
    """Ids that go on from some, up to the end of the document."""
    random = torch.Generator().manual_seed(sampling.seed)
    known = exported.tokenizer.get_vocab_size()  # the embedding has more rows
    seen, new, memory = list(ids), ids, None
    for _ in range(sampling.tokens):
        if isinstance(exported.model, MLSTM):
            logits, memory = exported.model(torch.tensor([new]), None, memory)
        else:
            # Positions are relative, so a window that moves along is one it was trained on.
            logits = exported.model(torch.tensor([seen[-exported.length :]]))
        token = _draw(logits[0, -1, :known].double(), sampling, random)
        if token == exported.end:
            return
        yield token
        new = [token]
        seen += new


def _draw(logits: Tensor, sampling: Sampling, random: torch.Generator) -> int:
    """The id of one token."""
    if sampling.temperature == 0:
        return int(logits.argmax())
    if sampling.top_k is not None and sampling.top_k < len(logits):
        least = logits.topk(sampling.top_k).values[-1]
        logits = logits.masked_fill(logits < least, -torch.inf)
    chances = (logits / sampling.temperature).softmax(0)
    return int(torch.multinomial(chances, 1, generator=random))


def _load(model: Model, path: Path) -> None:
    try:
        model.load_state_dict(load_file(path), assign=True)
    except (OSError, RuntimeError, SafetensorError) as error:
        raise FormatError(
            f"{path} does not hold the weights that config.json describes "
            f"({str(error).splitlines()[0]}); copy the folder again, or delete it and DONE beside "
            f"it and run the training once more"
        ) from error
