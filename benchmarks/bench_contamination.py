"""Looking for benchmarks in real abstracts: the kernel against `datatrove`'s n-gram filter.

Grams of 13 words, one thread, the same texts and items in one process run. Items are made of words
of the texts, in random order, and every tenth is a sentence of a text, so that there is something
to find. `datatrove` gets its index ready made, and stops at the first gram of a document, where the
kernel finds every gram, its item and its place. Only the filter is timed: beside it `datatrove`
reads and writes.

    corpusforge run pipelines/demo.yaml --until clean && python benchmarks/bench_contamination.py
"""

import os
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from datatrove.data import Document
from datatrove.pipeline.decont.n_grams import NGramsDecontConfig, NGramsDecontFilter
from datatrove.utils.hashing import HashConfig
from datatrove.utils.text import ngrams, simplify_text

from corpusforge import Corpus
from corpusforge.kernels.contamination import scan
from corpusforge.kernels.ngram_index import build_index
from corpusforge.tables.text import text_buffers

PIPELINE = Path(os.environ.get("PIPELINE", Path(__file__).parents[1] / "pipelines" / "demo.yaml"))
WORDS, MIN_WORDS = 13, 8
ITEMS = (1_000, 15_000, 100_000)  # 15,000: the size of MMLU
PEER_DOCUMENTS, ROUNDS = 1_000, 5


def best_seconds(rounds, work, *arguments):
    """Of the processor, the fastest of some rounds."""
    seconds = []
    for _ in range(rounds):
        started = time.thread_time()
        work(*arguments)
        seconds.append(time.thread_time() - started)
    return min(seconds)


def made_items(texts, number):
    """Questions of 8 to 60 words; real ones are not part of this repository."""
    random = np.random.default_rng(number)
    vocabulary = sorted({word for text in texts[:2000] for word in text.split()})
    items = []
    for i in range(number):
        if i % 10 == 0:
            words = texts[random.integers(len(texts))].split()
            start = random.integers(max(1, len(words) - 40))
            items.append(" ".join(words[start : start + 40]))
        else:
            size = random.integers(MIN_WORDS, 60)
            items.append(
                " ".join(vocabulary[w] for w in random.integers(len(vocabulary), size=size))
            )
    return items


def datatrove_filter(items):
    # Its default hash, xxhash, takes strings, and xxhash 4 does not.
    config = NGramsDecontConfig(n_grams=WORDS, hash_config=HashConfig(hash_fc="sha1"))
    made = NGramsDecontFilter(str(PIPELINE.parent), config)

    def words_of(text):
        return made.tokenizer.word_tokenize(simplify_text(text, made.config.norm_config))

    made._index_hashes = {  # as its indexer makes them; that one wants another package
        made.hash_func(" ".join(gram)): "items"
        for item in items
        for gram in ngrams(words_of(item), WORDS)
    }
    return made


def megabytes_of(texts):
    return sum(len(text.encode()) for text in texts) / 1e6


def filtered(peer, texts):
    return [peer.filter(Document(text=text, id="")) for text in texts]


def with_kernel(texts, number):
    """Look for so many items, and say how fast; MB/s."""
    items = text_buffers(pa.array(made_items(texts, number), pa.large_string()))
    owners = np.arange(number)
    index = build_index(*items, owners, WORDS)  # and compiled before the clock starts
    building = best_seconds(2, build_index, *items, owners, WORDS)
    column = text_buffers(pa.array(texts, pa.large_string()))
    documents = np.unique(scan(*column, index)["document"])
    speed = megabytes_of(texts) / best_seconds(ROUNDS, scan, *column, index)
    print(
        f"{number:>7,} items, {len(index):>9,} grams: built in {building:5.2f} s, "
        f"scan {speed:5.1f} MB/s, {len(documents):,} documents have some"
    )
    return speed


def main():
    texts = Corpus.open(PIPELINE).table("clean", ["text"])["text"].to_pylist()
    print(f"{len(texts):,} documents, {megabytes_of(texts):.1f} MB, grams of {WORDS} words")
    speeds = [with_kernel(texts, number) for number in ITEMS]
    few = texts[:PEER_DOCUMENTS]
    peer = datatrove_filter(made_items(texts, ITEMS[0]))
    theirs = megabytes_of(few) / best_seconds(2, filtered, peer, few)
    print(
        f"{ITEMS[0]:>7,} items, datatrove's filter: {theirs:.2f} MB/s; "
        f"the kernel is {speeds[0] / theirs:,.0f} times as fast"
    )


if __name__ == "__main__":
    main()
