"""Diagnostics: how a tokenizer spells documents that it was not trained on.

diagnostics.json holds one row per tokenizer and group of text. Groups are all of it, each source,
each language, and each kind of text (see `tokenizer_kinds`), whose finds are encoded one by one.
"""

from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct
from numpy.typing import NDArray
from tokenizers import Tokenizer

from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.facts import mapped_batches
from corpusforge.formats.vocabulary import id_count
from corpusforge.stages.encoder import open_encoder
from corpusforge.stages.tokenizer_kinds import KINDS, finds
from corpusforge.stages.tokenizer_words import HELD_OUT
from corpusforge.work import Tally, Task

DIAGNOSTICS = "diagnostics.json"
THIS, OTHER = "this", "gpt2"


class DiagnosticsConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is measured of a tokenizer."""

    bytes: Annotated[
        int,
        Meta(ge=1, description="Text to hold out of training and measure on; a tenth at most."),
    ] = 2_000_000
    compare: Annotated[
        bool,
        Meta(description="Learn as large a vocabulary by GPT-2's rules too, and measure both."),
    ] = True


class Spelling(Struct, frozen=True):
    """What became of the text of one group."""

    tokenizer: str  # "this", or "gpt2" for the one that it is compared with
    group: str  # "all", "source", "language" or "kind"
    name: str  # of the source, language or kind
    documents: int  # with such text
    bytes: int
    words: int  # between white space
    tokens: int
    single_bytes: int  # tokens that are one byte

    @property
    def bytes_per_token(self) -> float:
        return self.bytes / max(1, self.tokens)

    @property
    def tokens_per_word(self) -> float:
        return self.tokens / max(1, self.words)

    @property
    def single_share(self) -> float:
        """Of the tokens, 0 to 1, that are one byte."""
        return self.single_bytes / max(1, self.tokens)


class Vocabulary(Struct, frozen=True):
    """How much of a vocabulary the text that was held out uses."""

    tokenizer: str
    entries: int
    unused: int


class Diagnostics(Struct, frozen=True):
    """The whole of diagnostics.json."""

    documents: int  # held out
    bytes: int
    vocabularies: list[Vocabulary]
    spellings: list[Spelling]


def read_diagnostics(path: Path) -> Diagnostics:
    """What `diagnose` wrote."""
    return msgspec.json.decode(path.read_bytes(), type=Diagnostics)


def diagnose(task: Task) -> Tally:
    """Measure one or two tokenizers on the documents held out."""
    folder, *tokenizers = task.sources
    batches = [b for p in sorted(folder.glob("[!.]*.arrow")) for b in mapped_batches(p, HELD_OUT)]
    documents = pa.Table.from_batches(batches, HELD_OUT)
    texts = documents["text"].to_pylist()
    pieces = {kind: [finds(kind, text) for text in texts] for kind in KINDS}
    vocabularies, spellings = [], []
    for name, path in zip((THIS, OTHER), tokenizers, strict=False):
        speller = _Speller(path)
        whole = speller.counts([[text] for text in texts])
        used = int(speller.used.sum())
        vocabularies.append(Vocabulary(name, speller.entries, speller.entries - used))
        spellings.append(_spelling(name, "all", "all", whole))
        for group in ("source", "language"):
            values = np.array([str(value) for value in documents[group].to_pylist()], object)
            spellings += [
                _spelling(name, group, value, whole[values == value])
                for value in sorted(set(values))
            ]
        spellings += [
            _spelling(name, "kind", kind, speller.counts(found)) for kind, found in pieces.items()
        ]
    made = Diagnostics(len(texts), spellings[0].bytes, vocabularies, spellings)
    write_atomic(task.targets[0], msgspec.json.format(msgspec.json.encode(made)) + b"\n")
    return Tally()


class _Speller:
    """One tokenizer, and which of its entries have been used."""

    def __init__(self, path: Path) -> None:
        self._encoder = open_encoder(path)
        tokenizer = Tokenizer.from_file(str(path))
        self._single = _single_bytes(tokenizer)
        self.entries: int = tokenizer.get_vocab_size()
        self.used = np.zeros(len(self._single), np.bool_)

    def counts(self, documents: list[list[str]]) -> NDArray[np.int64]:
        """Documents with text, bytes, words, tokens and single bytes of each, shape (D, 5).

        Args:
            documents: Pieces of text of each, every one encoded by itself.
        """
        pieces = [piece for own in documents for piece in own]
        owners = np.repeat(np.arange(len(documents)), [len(own) for own in documents])
        ids, bounds = self._encoder.encode(pa.array(pieces, pa.large_string()))
        self.used[ids] = True
        single = np.concatenate([[0], np.cumsum(self._single[ids])])
        made = np.zeros((len(documents), 5), np.int64)
        made[owners, 0] = 1
        np.add.at(made[:, 1], owners, [len(piece.encode()) for piece in pieces])
        np.add.at(made[:, 2], owners, [len(piece.split()) for piece in pieces])
        np.add.at(made[:, 3], owners, np.diff(bounds))
        np.add.at(made[:, 4], owners, np.diff(single[bounds]))
        return made


def _single_bytes(tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """Which tokens are one byte: of one character in a byte-level vocabulary, or like <0x0A>."""
    byte_level = '"ByteLevel"' in tokenizer.to_str()
    made = np.zeros(id_count(tokenizer), np.bool_)
    for token, i in tokenizer.get_vocab().items():
        made[i] = len(token) == 1 if byte_level else token.startswith("<0x") and len(token) == 6
    return made


def _spelling(tokenizer: str, group: str, name: str, counts: NDArray[np.int64]) -> Spelling:
    return Spelling(tokenizer, group, name, *counts.sum(axis=0).tolist())
