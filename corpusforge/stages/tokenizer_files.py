"""Tokenizer folder: what `AutoTokenizer.from_pretrained` of transformers opens.

tokenizer.json           the tokenizer itself, as `tokenizers` reads it
tokenizer_config.json    its class and its special tokens
special_tokens_map.json  the special tokens again, for older readers
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from corpusforge.formats.atomic import write_atomic
from corpusforge.kernels.bpe_training import Merges
from corpusforge.kernels.byte_level import byte_characters
from corpusforge.kernels.pretokens import REGEX, Pattern
from corpusforge.stages.tokenizer_recipe import Recipe

END_OF_TEXT = "<|endoftext|>"
PADDING = "<|padding|>"
SPECIALS = (END_OF_TEXT, PADDING)  # ids 0 and 1
ROLES = {"bos_token": END_OF_TEXT, "eos_token": END_OF_TEXT, "pad_token": PADDING}
TOKENIZER = "tokenizer"  # the folder
NAMES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")


def tokenizer_of(recipe: Recipe, merges: Merges) -> Tokenizer:
    """A byte-level BPE with these merges, as `BpeTrainer` would have left it."""
    spelling = byte_characters()
    names = list(SPECIALS)
    names += ["".join(spelling[byte] for byte in token) for token in merges.tokens[len(SPECIALS) :]]
    pairs = [(names[left], names[right]) for left, right in merges.pairs.tolist()]
    model = models.BPE({name: i for i, name in enumerate(names)}, pairs)
    tokenizer = Tokenizer(model)
    if recipe.nfkc:
        tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = _pre_tokenizer(recipe)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(SPECIALS))
    return tokenizer


def _pre_tokenizer(recipe: Recipe) -> pre_tokenizers.PreTokenizer:
    if recipe.pattern == Pattern.GPT2:
        return pre_tokenizers.ByteLevel(add_prefix_space=recipe.prefix_space)
    split = pre_tokenizers.Split(Regex(REGEX[recipe.pattern]), "isolated")
    return pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )


def write_tokenizer(targets: tuple[Path, ...], tokenizer: bytes, tokens: Mapping[str, str]) -> None:
    """Write the files of `NAMES`; `tokens` are its special ones by what `transformers` calls them.

    Its `eos_token` ends a document.
    """
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **tokens,
        "clean_up_tokenization_spaces": False,
    }
    write_atomic(targets[0], tokenizer)
    write_atomic(targets[1], _json(settings))
    write_atomic(targets[2], _json(tokens))


def _json(values: Mapping[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(values), indent=2) + b"\n"


def end_of_text(tokenizer_json: Path) -> str:
    """The token that ends a document, by the settings beside a tokenizer, if there are any."""
    settings = tokenizer_json.with_name(NAMES[1])
    if not settings.is_file():
        return END_OF_TEXT
    return msgspec.json.decode(settings.read_bytes())["eos_token"]
