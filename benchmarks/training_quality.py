"""What cleaning and deduplication are worth to a model, for the same number of tokens.

Both models have the tokenizer of the clean corpus, so that nothing but the text differs. It spells
clean text a little shorter than what it was not made for; bits per byte of the same held-out text
are comparable all the same. The two of a seed train at the same time, on a thread each.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from training_setup import configured, run_job
from training_text import described, raw_shards

SEEDS = 3
SETTINGS = {"preset": "demo", "batch": 8, "precision": "bf16"}


def quality(bench):
    """Bits per byte of clean held-out text, trained before and after clean and dedup, per seed."""
    folders = {
        "before": raw_shards(bench.corpus, bench.shards, bench.scratch / "raw"),
        "after": bench.shards,
    }
    for name, folder in folders.items():
        print(f"  {name:<7}{described(folder)}")
    steps = bench.times(350, 8)
    settings = SETTINGS | {"steps": steps, "warmup": steps // 20}
    settings["evaluation_windows"] = bench.times(512, 16)
    found = {name: [] for name in folders}
    for seed in range(SEEDS):
        config = bench.written(f"seed-{seed}", settings | {"seed": seed})
        for name, value in zip(found, both(folders.values(), config), strict=True):
            found[name].append(value)
        last = ", ".join(f"{name} {values[-1]:.4f}" for name, values in found.items())
        print(f"  seed {seed}: {last} bits per byte", flush=True)
    tokens = steps * configured(settings).batch * configured(settings).sequence_length
    gains = np.array(found["before"]) - np.array(found["after"])
    seeds = {name: float(np.std(values, ddof=1)) for name, values in found.items()}
    print(
        f"after {tokens:,} tokens each, before - after: {gains.mean():+.4f} bits per byte (above "
        f"0 the clean text is worth more); deviation of the {SEEDS} differences "
        f"{gains.std(ddof=1):.4f}, between seeds {seeds['before']:.4f} before and "
        f"{seeds['after']:.4f} after"
    )
    return found | {"tokens": tokens}


def both(folders, config):
    """Bits per byte of the same text by the models of both folders."""
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda folder: run_job(1, 1, "learn", folder, config), folders))
    if len({answer["text"] for answer in answers}) > 1:
        sys.exit("the two models were not measured on the same text; make the shards again")
    return [answer["bits_per_byte"] for answer in answers]
