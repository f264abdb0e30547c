"""Vocabulary: what a `tokenizer.json` says about byte-level BPE, in arrays.

The file is that of the library `tokenizers`: a normalizer, a pre-tokenizer that splits a text into
words and spells each byte as one character, a model with an id for each token and the merges in
their order, and added tokens. What else a file may ask for is named in `uncovered`.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from corpusforge.errors import ConfigError
from corpusforge.kernels.bpe_merges import MOST_IDS
from corpusforge.kernels.byte_level import byte_characters
from corpusforge.kernels.pretokens import REGEX, Pattern

# Settings of the model that change the tokens, and what they are without effect.
_PLAIN = {
    "dropout": (None, 0.0),
    "continuing_subword_prefix": (None, ""),
    "end_of_word_suffix": (None, ""),
    "byte_fallback": (False,),
    "ignore_merges": (False,),
}


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Byte-level BPE whose words are those of a `Pattern`."""

    byte_ids: NDArray[np.uint32]  # (256,) the token of each byte
    merges: NDArray[np.uint32]  # (m, 3) left, right and made token, as they were learned
    pattern: Pattern  # of no account without merges
    add_prefix_space: bool  # a text that does not start with a blank gets one


class Uncovered(Exception):  # noqa: N818 (an answer, not a mistake)
    """What a tokenizer asks for that arrays here cannot say, in words."""


def open_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer of a file, as a corpus needs it: for whole texts, and nothing but text.

    A special token in a text is text: a paper that quotes "<|endoftext|>" must not end there.
    Truncation and padding are switched off.

    Raises:
        ConfigError: There is no such file, or `tokenizers` does not understand it.
    """
    if not path.is_file():
        raise ConfigError(f"{path} does not exist: expected a tokenizer.json; give its path")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # `tokenizers` raises no other class
        raise ConfigError(
            f"{path} is not a tokenizer: {error}; expected the tokenizer.json of the library "
            f"`tokenizers`; save it with that again"
        ) from error
    tokenizer.encode_special_tokens = True
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def id_count(tokenizer: Tokenizer) -> int:
    """One more than the largest id. Where ids leave gaps, there are fewer entries than that."""
    return 1 + max(tokenizer.get_vocab().values(), default=0)


def read_vocabulary(tokenizer: Tokenizer) -> Vocabulary:
    """The vocabulary of a tokenizer; its normalizer is for the caller to apply.

    Raises:
        Uncovered: It is not byte-level BPE with a known pattern, or asks for more than that.
    """
    # As the library writes it: complete, and in one form for all versions of the file.
    settings = json.loads(tokenizer.to_str())
    model = settings["model"]
    _check_model(model)
    for added in settings["added_tokens"]:
        if not added["special"]:
            raise Uncovered(f"it looks for the added token {added['content']!r} in texts")
    pattern, prefix = _splitting(settings["pre_tokenizer"], bool(model["merges"]))
    ids: dict[str, int] = model["vocab"]
    missing = [byte for byte, spelled in enumerate(byte_characters()) if spelled not in ids]
    if missing:
        raise Uncovered(f"it has no token for the byte {missing[0]:#04x}")
    if max(ids.values()) >= MOST_IDS or len(model["merges"]) >= MOST_IDS:
        raise Uncovered(f"its vocabulary has more than {MOST_IDS:,} tokens")
    merges = [(ids[left], ids[right], ids[left + right]) for left, right in model["merges"]]
    return Vocabulary(
        byte_ids=np.array([ids[spelled] for spelled in byte_characters()], np.uint32),
        merges=np.array(merges, np.uint32).reshape(-1, 3),
        pattern=pattern,
        add_prefix_space=prefix,
    )


def _check_model(model: dict[str, Any]) -> None:
    if model["type"] != "BPE":
        raise Uncovered(f"its model is {model['type']}, not BPE")
    for name, plain in _PLAIN.items():
        if model[name] not in plain:
            raise Uncovered(f"its model has {name} {model[name]!r}")


def _splitting(pre_tokenizer: dict[str, Any] | None, has_merges: bool) -> tuple[Pattern, bool]:
    """The pattern, and whether a blank is put before a text."""
    match _steps(pre_tokenizer):
        case [{"type": "ByteLevel", "use_regex": True, "add_prefix_space": prefix}]:
            return Pattern.GPT2, prefix
        case [{"type": "ByteLevel", "add_prefix_space": prefix}] if not has_merges:
            return Pattern.GPT2, prefix  # whatever the words, they are bytes
        case [
            {
                "type": "Split",
                "pattern": {"Regex": regex},
                "behavior": "Isolated",
                "invert": False,
            },
            {"type": "ByteLevel", "use_regex": False, "add_prefix_space": False},
        ] if regex in REGEX.values():
            return next(pattern for pattern in Pattern if REGEX[pattern] == regex), False
    raise Uncovered("its pre-tokenizer is none of those that the kernel knows")


def _steps(pre_tokenizer: dict[str, Any] | None) -> list[dict[str, Any]]:
    if pre_tokenizer is None:
        return []
    if pre_tokenizer["type"] == "Sequence":
        return list(pre_tokenizer["pretokenizers"])
    return [pre_tokenizer]
