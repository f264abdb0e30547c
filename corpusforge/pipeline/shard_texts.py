"""Token ids of documents back to their texts, each held against the digest in its provenance."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers.pre_tokenizers import ByteLevel

from corpusforge.errors import FormatError
from corpusforge.formats.token_table import TokenTable, token_table
from corpusforge.formats.vocabulary import open_tokenizer
from corpusforge.kernels.token_text import decode_runs
from corpusforge.tables.digests import digests


@dataclass(frozen=True, eq=False)
class Decoder:
    """How the ids of a byte-level tokenizer become texts."""

    table: TokenTable
    prefix_space: bool  # whether a text that starts without a blank was given one


@dataclass(frozen=True, eq=False)
class Texts:
    """Text i is data[spans[i, 0]:spans[i, 1]], UTF-8."""

    data: NDArray[np.uint8]
    spans: NDArray[np.int64]  # (D, 2)
    wrong: NDArray[np.bool_]  # (D,) where it is not the text that was encoded


def open_decoder(tokenizer: Path) -> Decoder | None:
    """The decoder of a `tokenizer.json`; None if its ids do not spell the bytes of a text.

    That is one that is not byte-level, or that puts blanks into a text and not only before it.

    Raises:
        ConfigError: There is no such file, or `tokenizers` does not understand it.
    """
    opened = open_tokenizer(tokenizer)
    table = token_table(opened)
    splitter = opened.pre_tokenizer
    spaced = "add_prefix_space=True" in repr(splitter)
    if table is None or (spaced and not isinstance(splitter, ByteLevel)):
        return None
    return Decoder(table, spaced)


def decode(
    decoder: Decoder, documents: Sequence[NDArray[Any]], wanted: NDArray[np.uint64]
) -> Texts:
    """The texts of documents.

    Args:
        decoder: Of the tokenizer that encoded them.
        documents: Ids of each, at least one document, without its end-of-document token.
        wanted: Digest of the text of each.

    Raises:
        FormatError: An id is none of the tokenizer's.
    """
    runs = np.cumsum([0, *map(len, documents)], dtype=np.int64)
    tokens, table = np.concatenate(documents), decoder.table
    known = len(table.bounds) - 1
    if tokens.size and not 0 <= int(tokens.min()) <= int(tokens.max()) < known:
        worst = int(tokens.min()) if tokens.min() < 0 else int(tokens.max())
        raise FormatError(
            f"an id is {worst}, but the tokenizer has {known:,}; is it the one that the shards "
            f"were made with? `corpusforge verify` says which file is damaged"
        )
    data, ends = decode_runs(tokens, runs, table.data, table.bounds)
    spans = np.stack([ends[:-1], ends[1:]], axis=1)
    wrong = digests(data, ends) != wanted
    if decoder.prefix_space:  # a blank before the text, where it had none
        for i in np.flatnonzero(wrong).tolist():
            own = spans[i] + [1, 0]
            if own[0] <= own[1] and digests(data, own)[0] == wanted[i]:
                spans[i], wrong[i] = own, False
    return Texts(data, spans, wrong)
