"""How many bytes of text each token stands for, read from a byte-level BPE `tokenizer.json`.

A byte-level tokenizer spells each byte as one character, so an ordinary token has as many bytes as
its entry has characters. Tokens that were added as special stand for no text at all.
"""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from corpusforge.errors import ConfigError


def tokenizer_file(path: Path) -> Path:
    """The `tokenizer.json` that a folder or a file name means.

    Raises:
        ConfigError: There is none.
    """
    file = path / "tokenizer.json" if path.is_dir() else path
    if not file.is_file():
        raise ConfigError(
            f"{file} does not exist: --tokenizer takes a tokenizer.json or the folder with one"
        )
    return file


def byte_lengths(file: Path, vocab_size: int) -> NDArray[np.int64]:
    """Bytes of text per token, shape (vocab_size,).

    Raises:
        ConfigError: Not a byte-level BPE, or one whose ids are not those of the shards.
    """
    vocabulary, added = _entries(file)
    lengths = np.zeros(vocab_size, np.int64)
    ids = {*vocabulary.values(), *(entry["id"] for entry in added)}
    if len(ids) != vocab_size or max(ids) >= vocab_size:
        raise ConfigError(
            f"{file} has {len(ids)} tokens with ids up to {max(ids)}, but the shards were made "
            f"with {vocab_size}; give the tokenizer that the shards were made with"
        )
    for token, i in vocabulary.items():
        lengths[i] = len(token)
    for entry in added:
        lengths[entry["id"]] = 0 if entry["special"] else len(entry["content"].encode())
    return lengths


def token_text(file: Path, i: int) -> str | None:
    """How an added token is written, such as `<|endoftext|>`; None if id `i` was not added."""
    _, added = _entries(file)
    return next((str(entry["content"]) for entry in added if entry["id"] == i), None)


def _entries(file: Path) -> tuple[dict[str, int], list[dict[str, Any]]]:
    try:
        whole = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise ConfigError(f"{file} is not a tokenizer.json: {error}") from error
    model = whole.get("model", {})
    if model.get("type") != "BPE" or '"ByteLevel"' not in msgspec.json.encode(whole).decode():
        raise ConfigError(
            f"{file} holds a {model.get('type')} model without a byte-level decoder; bits per "
            f"byte need a byte-level BPE, which the tokenizer stage trains"
        )
    return model["vocab"], whole.get("added_tokens", [])
