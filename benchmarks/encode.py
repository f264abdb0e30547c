"""Texts to token ids: the kernel against `tokenizers`, `tiktoken` and `kitoken`.

One 52,000-token byte-level BPE with GPT-2's words, trained once and kept in work/encode; real texts
of PubMed (the demo's), arXiv and eLife. Each side gets the same portions of text in turn, one
thread each, and the ids are compared document by document. "Cold" starts with an empty cache.

    corpusforge run pipelines/demo.yaml --until extract && python benchmarks/encode.py [MEGABYTES]

MEGABYTES of each source, 30 unless said otherwise.
"""

import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # before the libraries start their threads
os.environ["RAYON_NUM_THREADS"] = "1"

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import tiktoken
from bench_ftfy import arxiv, elife, pubmed
from kitoken import Kitoken
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from corpusforge.formats.vocabulary import open_tokenizer
from corpusforge.kernels.byte_level import byte_characters
from corpusforge.stages.encoder import open_encoder

FILE = Path(__file__).parents[1] / "work" / "encode" / "tokenizer.json"
SPECIALS = ["<|endoftext|>", "<|padding|>"]
VOCABULARY = 52_000
PORTION = 4_000_000  # characters that one side encodes before it is the next one's turn
# tiktoken's own form of GPT-2's expression, which it needs less time for.
EXPRESSION = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"


def up_to(texts, characters):
    """The first texts, of about so many characters."""
    chosen, size = [], 0
    for text in texts:
        if size >= characters:
            break
        chosen.append(text)
        size += len(text)
    return chosen


def portions(texts):
    start = size = 0
    for i, text in enumerate(texts, start=1):
        size += len(text)
        if size >= PORTION or i == len(texts):
            yield texts[start:i]
            start, size = i, 0


def trained(texts):
    """The file of the vocabulary; made if it is not there."""
    if not FILE.is_file():
        FILE.parent.mkdir(parents=True, exist_ok=True)
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            special_tokens=SPECIALS,
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            max_token_length=64,
            show_progress=False,
        )
        tokenizer.train_from_iterator(texts, trainer)
        tokenizer.save(str(FILE))
    return FILE


def for_tiktoken(file):
    """The same merges for tiktoken, which knows tokens by their bytes."""
    byte_of = {character: byte for byte, character in enumerate(byte_characters())}
    vocabulary = Tokenizer.from_file(str(file)).get_vocab()
    specials = {token: vocabulary.pop(token) for token in SPECIALS}
    ranks = {bytes(map(byte_of.get, token)): i for token, i in vocabulary.items()}
    return tiktoken.Encoding(
        "52k", pat_str=EXPRESSION, mergeable_ranks=ranks, special_tokens=specials
    )


def by_kernel(encoder, texts):
    """Ids as lists are made after the clock has stopped: shards take the arrays."""
    started = time.perf_counter()
    ids, bounds = encoder.encode(texts)
    seconds = time.perf_counter() - started
    return seconds, [ids[a:b].tolist() for a, b in pairwise(bounds.tolist())]


def by_library(encode, texts):
    started = time.perf_counter()
    ids = encode(texts)
    return time.perf_counter() - started, [getattr(i, "ids", i) for i in ids]


def sides(file):
    """Name and encoder of every side: portion as Arrow and as strings to seconds and ids."""
    tokenizer, byte_pairs = open_tokenizer(file), for_tiktoken(file)
    kitoken, kernel = Kitoken.from_tokenizers_file(str(file)), open_encoder(file)
    assert kernel.fallback is None
    kernel.encode(pa.array(["compiled before the clock starts, " + "x" * 300]))
    cold = open_encoder(file)

    def of_all(texts):
        return tokenizer.encode_batch_fast(texts, add_special_tokens=False)

    return {
        "tokenizers": lambda _, texts: by_library(of_all, texts),
        "tiktoken": lambda _, t: by_library(lambda t: list(map(byte_pairs.encode_ordinary, t)), t),
        "kitoken": lambda _, t: by_library(lambda t: [kitoken.encode(i, False) for i in t], t),
        "kernel, cold": lambda texts, _: by_kernel(cold, texts),
    }, cold


def seconds_of_threads(encoder, arrays, threads):
    """All portions by so many threads, each of which has met the words before."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(encoder.encode, [*arrays, *arrays]))
        started = time.perf_counter()
        list(pool.map(encoder.encode, [*arrays, *arrays]))
        return time.perf_counter() - started


def measure(name, texts, file):
    encoders, warm = sides(file)
    seconds, differing = dict.fromkeys(encoders, 0.0), dict.fromkeys(encoders, 0)
    parts = [(pa.array(part, pa.large_string()), part) for part in portions(texts)]
    for array, part in parts:
        wanted = None
        for side, encode in encoders.items():
            spent, ids = encode(array, part)
            seconds[side] += spent
            wanted = wanted or ids
            differing[side] += sum(a != b for a, b in zip(ids, wanted, strict=True))
    seconds["kernel, warm"] = sum(by_kernel(warm, array)[0] for array, _ in parts)
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{name}: {len(texts):,} documents, {megabytes:.1f} MB; one thread")
    for side, spent in seconds.items():
        ratios = ", ".join(
            f"{seconds[peer] / spent:.1f} x {peer}" for peer in list(seconds)[:3] if peer != side
        )
        differ = f", {differing[side]} documents differ" if side in differing else ""
        print(f"  {side:<13}{megabytes / spent:7.1f} MB/s   {ratios}{differ}")
    arrays = [array for array, _ in parts]
    one, two = (min(seconds_of_threads(warm, arrays, n) for _ in range(3)) for n in (1, 2))
    print(f"  two threads are {one / two:.2f} times as fast as one")


def main():
    characters = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 30_000_000
    texts = {source.__name__: source() for source in (pubmed, arxiv, elife)}
    # Trained on the first texts of each source, measured on the last ones.
    file = trained([text for every in texts.values() for text in up_to(every, 15_000_000)])
    last = {name: up_to(every[::-1], characters) for name, every in texts.items()}
    for name, some in last.items():
        measure(name, some, file)
    measure("all", [text for some in last.values() for text in some], file)


if __name__ == "__main__":
    main()
