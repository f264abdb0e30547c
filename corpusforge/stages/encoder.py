"""Encoder: texts to token ids, by a kernel where it gives the ids of `tokenizers`, else by that."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.normalizers import Normalizer

from corpusforge.errors import ConfigError
from corpusforge.formats.vocabulary import Uncovered, Vocabulary, open_tokenizer, read_vocabulary
from corpusforge.kernels.bpe import encode_texts
from corpusforge.kernels.bpe_cache import Cache, empty_cache
from corpusforge.kernels.bpe_merges import Merges, merge_table
from corpusforge.kernels.normal_form import Form, replaced, stable_characters, unstable_spans
from corpusforge.kernels.pretokens import unicode_classes
from corpusforge.tables.text import text_buffers

CACHE_SLOTS = 1 << 17  # 8 MB a thread; with twice as many the encoder is no faster

Ids = tuple[NDArray[np.uint32], NDArray[np.int64]]
Buffers = tuple[NDArray[np.uint8], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Encoder:
    """One tokenizer. Any number of threads may encode with it at once."""

    fallback: str | None  # why `tokenizers` does the work; None: a kernel does, many times faster
    _encode: Callable[[pa.Array], Ids]
    normalized: Callable[[pa.Array], Buffers]  # what the ids of texts decode to: bytes and bounds

    def encode(self, texts: pa.Array) -> Ids:
        """The ids of each text, equal to those of `tokenizers`.

        A special token in a text is text; none is added at its start or end.

        Args:
            texts: string or large_string, without nulls.

        Returns:
            ids (n,), and bounds (D + 1,): text i has ids[bounds[i]:bounds[i + 1]].

        Raises:
            ValueError: Another type, or a null.
            ConfigError: The tokenizer has no token for something in a text.
        """
        return self._encode(texts.cast(pa.large_string()) if texts.type == pa.string() else texts)


def open_encoder(path: Path) -> Encoder:
    """The encoder of a `tokenizer.json`.

    Raises:
        ConfigError: There is no such file, or `tokenizers` does not understand it.
    """
    return encoder_of(open_tokenizer(path))


def encoder_of(tokenizer: Tokenizer) -> Encoder:
    """The encoder of a tokenizer from `open_tokenizer`."""
    normalized = _normalizing(tokenizer)
    try:
        vocabulary = read_vocabulary(tokenizer)
    except Uncovered as reason:
        return Encoder(str(reason), lambda texts: _by_library(tokenizer, texts), normalized)
    if len(vocabulary.merges) == 0:
        return Encoder(None, lambda texts: _bytes(vocabulary, normalized(texts)), normalized)
    kernel = _Kernel(vocabulary)
    return Encoder(None, lambda texts: kernel.encode(normalized(texts)), normalized)


class _Kernel:
    """What the threads share, and a cache of words for each of them."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.merges: Merges = merge_table(vocabulary.byte_ids, vocabulary.merges)
        self.own = threading.local()

    def encode(self, texts: Buffers) -> Ids:
        cache: Cache | None = getattr(self.own, "cache", None)
        if cache is None:
            cache = self.own.cache = empty_cache(CACHE_SLOTS)
        splitting = int(self.vocabulary.pattern), unicode_classes()
        return encode_texts(*_prefixed(self.vocabulary, texts), self.merges, splitting, cache)


def _bytes(vocabulary: Vocabulary, texts: Buffers) -> Ids:
    """One id a byte."""
    data, bounds = _prefixed(vocabulary, texts)
    return vocabulary.byte_ids[data[bounds[0] : bounds[-1]]], bounds - bounds[0]


def _by_library(tokenizer: Tokenizer, texts: pa.Array) -> Ids:
    _buffers(texts)  # refuses what the kernel would refuse
    try:
        encodings = tokenizer.encode_batch_fast(texts.to_pylist(), add_special_tokens=False)
    except Exception as error:  # `tokenizers` raises no other class
        raise ConfigError(
            f"the tokenizer cannot encode a text ({error}); it needs a token for what it does not "
            f"know, or for each byte: take one that has it"
        ) from error
    ids = [np.array(encoding.ids, np.uint32) for encoding in encodings]
    bounds = np.zeros(len(ids) + 1, np.int64)
    np.cumsum([len(i) for i in ids], out=bounds[1:])
    return np.concatenate([*ids, np.empty(0, np.uint32)]), bounds


def _normalizing(tokenizer: Tokenizer) -> Callable[[pa.Array], Buffers]:
    """What makes texts what the tokenizer's normalizer makes of them."""
    normalizer = tokenizer.normalizer
    if normalizer is None:
        return _buffers
    form = json.loads(tokenizer.to_str())["normalizer"]["type"]
    if form in get_args(Form):
        return lambda texts: _normal_form(_buffers(texts), form, normalizer)

    def normalized(texts: pa.Array) -> Buffers:
        _buffers(texts)
        every = [normalizer.normalize_str(text) for text in texts.to_pylist()]
        return _buffers(pa.array(every, pa.large_string()))

    return normalized


def _buffers(texts: pa.Array) -> Buffers:
    data, bounds = text_buffers(texts)
    return _read_only(data), bounds


def _read_only(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The same bytes; were they as those of Arrow now and then, kernels would be compiled twice."""
    same = data.view()
    same.flags.writeable = False
    return same


def _normal_form(texts: Buffers, form: Form, normalizer: Normalizer) -> Buffers:
    """Texts in a Unicode normal form; only what it may change is shown to the normalizer."""
    data, bounds = texts
    spans = unstable_spans(data, bounds, stable_characters(form))
    if len(spans) == 0:
        return texts
    made: dict[bytes, bytes] = {}  # the same few characters again and again
    others = []
    for start, end in spans.tolist():
        span = data[start:end].tobytes()
        if span not in made:
            made[span] = normalizer.normalize_str(span.decode()).encode()
        others.append(made[span])
    other_bounds = np.zeros(len(others) + 1, np.int64)
    np.cumsum([len(other) for other in others], out=other_bounds[1:])
    return _replaced(texts, spans, np.frombuffer(b"".join(others), np.uint8), other_bounds)


def _prefixed(vocabulary: Vocabulary, texts: Buffers) -> Buffers:
    """Texts that start with a blank, if they are to; an empty one stays empty."""
    data, bounds = texts
    if not vocabulary.add_prefix_space or len(data) == 0:
        return texts
    starts = bounds[:-1][np.diff(bounds) > 0]
    starts = starts[data[starts] != ord(" ")]
    blanks = np.full(len(starts), ord(" "), np.uint8)
    spans = np.stack([starts, starts], axis=1)
    return _replaced(texts, spans, blanks, np.arange(len(starts) + 1))


def _replaced(
    texts: Buffers, spans: NDArray[np.int64], others: NDArray[np.uint8], bounds: NDArray[np.int64]
) -> Buffers:
    """`replaced`, with read-only bytes."""
    data, made_bounds = replaced(*texts, spans, _read_only(others), bounds)
    return _read_only(data), made_bounds
