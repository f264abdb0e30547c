"""The bytes behind each id of a byte-level tokenizer, from its `tokenizer.json`."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from corpusforge.formats.vocabulary import id_count
from corpusforge.kernels.byte_level import byte_characters


@dataclass(frozen=True, eq=False)
class TokenTable:
    """Token t is data[bounds[t]:bounds[t + 1]]; added tokens are the text they are written as."""

    data: NDArray[np.uint8]
    bounds: NDArray[np.int64]  # (ids + 1,); an id that stands for nothing has no bytes


def token_table(tokenizer: Tokenizer) -> TokenTable | None:
    """The table of a byte-level tokenizer; None if it spells texts in another way."""
    if "ByteLevel" not in repr(tokenizer.decoder):
        return None
    spelled = {character: byte for byte, character in enumerate(byte_characters())}
    added = {i: token.content.encode() for i, token in tokenizer.get_added_tokens_decoder().items()}
    entries = [b""] * id_count(tokenizer)
    for token, i in tokenizer.get_vocab().items():
        if i in added:
            entries[i] = added[i]
        elif all(character in spelled for character in token):
            entries[i] = bytes(spelled[character] for character in token)
    bounds = np.cumsum([0, *map(len, entries)], dtype=np.int64)
    return TokenTable(np.frombuffer(b"".join(entries), np.uint8), bounds)
