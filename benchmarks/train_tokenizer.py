"""Tokenizer training: counting and merging here against `tokenizers`, on the same sample.

Both sides get the same texts in one process run and learn 52,000 entries by the rules of GPT-2;
vocabulary and merges must be equal. Ours runs on one thread, as one task of the stage does;
`tokenizers` once as well, and once on all cores. `gigabpe` joins in where it is installed; it reads
files and splits them at line breaks, so its merges are counted that are among the others'. The
memory of counting is that of new processes, for some texts and for eight times as many.

    corpusforge run pipelines/demo.yaml --until clean && python benchmarks/train_tokenizer.py
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from corpusforge import Corpus
from corpusforge.kernels.bpe_training import learn_merges
from corpusforge.kernels.pretokens import Pattern, unicode_classes
from corpusforge.kernels.word_counts import Split, WordList, count_pretokens, nothing_counted
from corpusforge.stages.tokenizer_files import SPECIALS, tokenizer_of
from corpusforge.stages.tokenizer_recipe import PRESETS
from corpusforge.stages.tokenizer_training import MAX_TOKEN
from corpusforge.stages.tokenizer_words import LONGEST_WORD
from corpusforge.tables.text import text_buffers

ENTRIES = 52_000
ROUNDS = 3
PIPELINE = Path(os.environ.get("PIPELINE", Path(__file__).parents[1] / "pipelines" / "demo.yaml"))

# The count task of the stage, on as many made texts as asked for, none of which is another.
COUNT = """
import sys
from pathlib import Path
from random import Random
import pyarrow as pa
from corpusforge.formats.word_counts import word_writer
from corpusforge.memory import forget_peak, peak_memory
from corpusforge.stages.tokenizer_recipe import PRESETS
from corpusforge.stages.tokenizer_words import Counter
megabytes, target = int(sys.argv[1]), Path(sys.argv[2])
with word_writer(target) as writer:
    counter = Counter(PRESETS["gpt2"], writer)
    for number in range(megabytes):
        draw = Random(number)
        words = ["".join(draw.choices("abcdefghij", k=7)) for _ in range(125_000)]
        counter.add(pa.array([" ".join(words)], pa.large_string()))
    counted = counter.finish()
print(peak_memory(), sum(counted.counts.values()))
"""


def ours(column):
    """The tokenizer, and the seconds of counting and of merging."""
    started = time.perf_counter()
    data, bounds = text_buffers(column)
    split = Split(int(Pattern.GPT2), unicode_classes(), LONGEST_WORD)
    table, left_out = count_pretokens(nothing_counted(), data, bounds, split)
    counted = time.perf_counter()
    words = WordList(table.data, table.bounds[: table.words + 1], table.counts[: table.words])
    merges = learn_merges(words, ENTRIES, len(SPECIALS), MAX_TOKEN)
    seconds = (counted - started, time.perf_counter() - counted)
    assert left_out == 0, "a word beyond the cap: the two sides would not have the same sample"
    return tokenizer_of(PRESETS["gpt2"], merges), seconds, table.words


def theirs(texts):
    """What `BpeTrainer` learns, and its seconds."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=ENTRIES,
        special_tokens=list(SPECIALS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        max_token_length=MAX_TOKEN,
        show_progress=False,
    )
    started = time.perf_counter()
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer, time.perf_counter() - started


def with_gigabpe(texts, folder):
    """The merges that `gigabpe` learns of the same texts as a file, and its seconds."""
    import gigabpe  # noqa: PLC0415  (where it is installed)

    path = folder / "texts.txt"
    path.write_text("\n".join(texts))
    started = time.perf_counter()
    _, merges = gigabpe.train_bpe(
        [str(path)],
        ENTRIES,
        special_tokens=list(SPECIALS),
        max_token_length=MAX_TOKEN,
        pretokenizer="bytelevel",
    )
    return {tuple(pair) for pair in merges}, time.perf_counter() - started


def peak_of_counting(megabytes, folder):
    """Most resident bytes of a process that counts the words of so many made megabytes."""
    command = [sys.executable, "-c", COUNT, str(megabytes), str(folder / f"{megabytes}.arrow")]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return list(map(int, done.stdout.split()))


def show(name, seconds, megabytes, ratio):
    print(f"{name:<34}{seconds:7.2f} s {megabytes / seconds:7.1f} MB/s   {ratio}")


def main():
    column = Corpus.open(PIPELINE).table("clean", ["text"])["text"].combine_chunks()
    column = column.cast(pa.large_string())
    texts = column.to_pylist()
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    ours(column)  # compiled before the clock starts
    made = [ours(column) for _ in range(ROUNDS)]
    (tokenizer, seconds, words), best = made[0], min(sum(seconds) for _, seconds, _ in made)
    print(f"{len(texts):,} documents, {megabytes:.1f} MB, {words:,} distinct words, {ENTRIES:,}")
    show(
        "ours, one thread", best, megabytes, f"counting {seconds[0]:.2f}, merging {seconds[1]:.2f}"
    )
    for threads in (1, os.cpu_count()):
        os.environ["RAYON_NUM_THREADS"] = str(threads)
        os.environ["TOKENIZERS_PARALLELISM"] = str(threads > 1).lower()
        theirs_made, took = theirs(texts)
        show(f"tokenizers, {threads} threads", took, megabytes, f"ours is {took / best:.1f} times")
    print(f"vocabulary and merges equal: {theirs_made.to_str() == tokenizer.to_str()}")
    with tempfile.TemporaryDirectory() as folder:
        if find_spec("gigabpe"):
            merges, took = with_gigabpe(texts, Path(folder))
            own = {tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]}
            show("gigabpe, all cores", took, megabytes, f"ours is {took / best:.1f} times")
            print(f"of its {len(merges):,} merges {len(own & merges):,} are ours")
        for size in (32, 256):
            peak, counted = peak_of_counting(size, Path(folder))
            print(f"counting {size} MB: {peak / 1e6:.0f} MB at most, {counted:,} words written")


if __name__ == "__main__":
    main()
