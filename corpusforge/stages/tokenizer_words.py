"""The words of a sample: the count and merge tasks of tokenizer.

Each partition's words go to one file per recipe, a batch whenever its table is full; then each
range of hashes is gathered from all files. So the memory of a task is bounded whatever the corpus,
and the words that come together are the same for any partitions. Texts are read once.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tokenizers import normalizers

from corpusforge.formats.atomic import atomic_path
from corpusforge.formats.word_counts import WordWriter, word_writer, words_between
from corpusforge.kernels.pretokens import unicode_classes
from corpusforge.kernels.word_counts import (
    Split,
    WordList,
    add_counted,
    count_pretokens,
    nothing_counted,
)
from corpusforge.stages.tokenizer_recipe import Recipe
from corpusforge.stages.tokenizer_sample import Draw
from corpusforge.tables.annotation import surviving_batches
from corpusforge.tables.text import text_buffers
from corpusforge.work import Tally, Task

LONGEST_WORD = 1000  # bytes; a longer one is a sequence or a dump, and costs its length squared
TABLE_BYTES = 64_000_000  # of words held at a time
_WORD_BYTES = 40  # of a table, beside the bytes of the word
_DOCUMENTS = 256  # counted between two looks at the size of the table
HELD_OUT = pa.schema(
    [("source", pa.string()), ("language", pa.string()), ("text", pa.large_string())]
)


def count(task: Task, draw: Draw, recipes: Sequence[Recipe]) -> Tally:
    """The words of the drawn documents of a partition, and the documents held out.

    The targets are the words by each recipe, and last the documents.
    """
    *word_files, held_file = task.targets
    tally = Tally()
    with ExitStack() as stack:
        counters = [
            Counter(recipe, stack.enter_context(word_writer(target)))
            for recipe, target in zip(recipes, word_files, strict=True)
        ]
        partial = stack.enter_context(atomic_path(held_file))
        held_out = stack.enter_context(pa.ipc.new_file(str(partial), HELD_OUT))
        for batch, annotation in surviving_batches(*task.sources):
            drawn, held = draw.places(batch)
            texts = batch["text"].take(pa.array(drawn))
            for counter in counters:
                counter.add(texts)
            held_out.write_batch(batch.select(HELD_OUT.names).take(pa.array(held)))
            size = pc.sum(annotation["text_bytes"].take(pa.array(drawn))).as_py() or 0
            tally += Tally(
                bytes_read=size,
                counts={
                    "sampled_documents": len(drawn),
                    "sampled_bytes": size,
                    "held_out_documents": len(held),
                },
            )
        for counter in counters:
            tally += counter.finish()
    return tally


class Counter:
    """Counts words by one recipe and writes them whenever there are many."""

    def __init__(self, recipe: Recipe, writer: WordWriter) -> None:
        self._recipe = recipe
        self._writer = writer
        self._table = nothing_counted()
        self._written = 0
        self._too_long = 0

    def add(self, texts: pa.LargeStringArray) -> None:
        split = Split(int(self._recipe.pattern), unicode_classes(), LONGEST_WORD)
        for first in range(0, len(texts), _DOCUMENTS):
            part = prepared(texts.slice(first, _DOCUMENTS), self._recipe)
            data, bounds = text_buffers(part)
            self._table, too_long = count_pretokens(self._table, data, bounds, split)
            self._too_long += too_long
            words = self._table.words
            if int(self._table.bounds[words]) + _WORD_BYTES * words > TABLE_BYTES:
                self._write()

    def _write(self) -> None:
        self._writer.write(self._table)
        self._written += self._table.words
        self._table = nothing_counted()

    def finish(self) -> Tally:
        """Write the rest; how many words were written, and how many were too long for that."""
        self._write()
        name = self._recipe.name
        return Tally(counts={f"{name}_words": self._written, f"{name}_too_long": self._too_long})


@cache
def _nfkc() -> normalizers.Normalizer:
    return normalizers.NFKC()


def prepared(texts: pa.LargeStringArray, recipe: Recipe) -> pa.LargeStringArray:
    """Texts as the tokenizer splits them: in its normal form, and with its blank before them."""
    if recipe.nfkc and not pc.all(pc.string_is_ascii(texts)).as_py():
        made = [
            text if text.isascii() else _nfkc().normalize_str(text) for text in texts.to_pylist()
        ]
        texts = pa.array(made, pa.large_string())
    if recipe.prefix_space:
        blank = pa.scalar(" ", pa.large_string())
        after = pc.binary_join_element_wise(blank, texts, pa.scalar("", pa.large_string()))
        texts = pc.if_else(pc.starts_with(texts, " "), texts, after)
    return texts


def merge(task: Task) -> Tally:
    """The words of a range of hashes, gathered from all partitions."""
    [folder], [target] = task.sources, task.targets
    low, high = map(int, task.arguments)
    table = nothing_counted()
    for path in sorted(folder.glob("[!.]*.arrow")):
        for part in words_between(path, low, high):
            table = add_counted(table, part)
    with word_writer(target) as writer:
        writer.write(table)
    return Tally()


def all_words(paths: Sequence[Path]) -> WordList:
    """The words of merged ranges."""
    parts = [part for path in paths for part in words_between(path, 0, 2**64)]
    pieces = [part.data[part.bounds[0] : part.bounds[-1]] for part in parts]
    sizes = [np.diff(part.bounds) for part in parts]
    bounds = np.zeros(1 + sum(map(len, sizes)), np.int64)
    np.cumsum(np.concatenate([*sizes, np.empty(0, np.int64)]), out=bounds[1:])
    return WordList(
        np.concatenate([*pieces, np.empty(0, np.uint8)]),
        bounds,
        np.concatenate([*(part.counts for part in parts), np.empty(0, np.int64)]),
    )
