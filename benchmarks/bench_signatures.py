"""MinHash signatures of real abstracts: the kernel against `datasketch` and `rensa`.

128 permutations, sets of 5 consecutive words, one thread, the same texts in one process run. Each
side gets the texts as it likes them best: the kernel an Arrow buffer, the others Python strings.

    corpusforge run pipelines/demo.yaml --until clean && python benchmarks/bench_signatures.py
"""

import os
import re
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from datasketch import MinHash
from rensa import RMinHash

from corpusforge import Corpus
from corpusforge.kernels.minhash import HashFamily, signatures, text_signatures
from corpusforge.kernels.shingles import letter_table, shingle_sets
from corpusforge.tables.text import text_buffers

PERMUTATIONS, WORDS, SEED = 128, 5, 1
DOCUMENTS = 4000
ROUNDS = 5
PIPELINE = Path(os.environ.get("PIPELINE", Path(__file__).parents[1] / "pipelines" / "demo.yaml"))
WORD = re.compile(r"[^\W_]+")


def word_ngrams(text):
    words = WORD.findall(text.lower())
    return {" ".join(words[i : i + WORDS]) for i in range(max(1, len(words) - WORDS + 1))}


def with_datasketch(texts):
    made = []
    for text in texts:
        minhash = MinHash(num_perm=PERMUTATIONS, seed=SEED, scheme="affine32")
        minhash.update_batch([gram.encode() for gram in word_ngrams(text)])
        made.append(minhash.hashvalues)
    return np.array(made)


def with_rensa(texts):
    made = []
    for text in texts:
        minhash = RMinHash(num_perm=PERMUTATIONS, seed=SEED)
        minhash.update(list(word_ngrams(text)))
        made.append(minhash.digest())
    return made


def best_seconds(work, rounds):
    """The fastest of some rounds: what the machine can do when nobody disturbs it."""
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def same_signatures(data, bounds, family):
    """Both given the same shingle hashes and permutations: equal, bit for bit?"""
    starts, shingles, _ = shingle_sets(data, bounds, letter_table(), WORDS)
    ours = signatures(starts, shingles, family)
    for d in range(len(starts) - 1):
        theirs = MinHash(PERMUTATIONS, seed=SEED, scheme="affine32", hashfunc=int)
        theirs.update_batch(shingles[starts[d] : starts[d + 1]].tolist())
        if not np.array_equal(theirs.hashvalues, ours[d]):
            return False
    return True


def main():
    texts = Corpus.open(PIPELINE).table("clean", ["text"])["text"].to_pylist()[:DOCUMENTS]
    column = pa.array(texts, pa.large_string())
    data, bounds = text_buffers(column)
    megabytes = (bounds[-1] - bounds[0]) / 1e6
    family = HashFamily.seeded(PERMUTATIONS, SEED)
    letters = letter_table()

    def with_kernel():
        return text_signatures(data, bounds, letters, WORDS, family)[0]

    with_kernel()  # compiled before the clock starts
    kernel = best_seconds(with_kernel, ROUNDS)
    peers = {
        "datasketch": best_seconds(lambda: with_datasketch(texts), 2),
        "rensa": best_seconds(lambda: with_rensa(texts), 2),
    }
    print(f"{len(texts):,} documents, {megabytes:.1f} MB, {PERMUTATIONS} permutations, one thread")
    print(f"kernel      {megabytes / kernel:8.1f} MB/s")
    for name, seconds in peers.items():
        ratio = seconds / kernel
        print(f"{name:<11} {megabytes / seconds:8.1f} MB/s   kernel is {ratio:.1f} times as fast")
    equal = same_signatures(data, bounds, family)
    print(f"signatures equal to datasketch's on the same shingles: {equal}")


if __name__ == "__main__":
    main()
