"""Large shapes on one GPU: the share of its peak that training is, and the share spent waiting.

Needs no pipeline: the text is made up, with documents as long as abstracts and longer, and every
token attends within its document. Without a GPU the same code runs on tiny shapes, and measures
nothing.
"""

import gc

import numpy as np
import torch
from training_job import pace
from training_setup import alone, configured
from training_text import made_up_shards

from corpusforge.training.config import padded_vocabulary
from corpusforge.training.corpus import open_corpus
from corpusforge.training.data import windows_of
from corpusforge.training.material import Material
from corpusforge.training.pace import measured_peak
from corpusforge.training.size import flops_per_token
from corpusforge.training.trainer import DTYPES

PROMISED = {
    "H100": 989e12,
    "H200": 989e12,
}  # operations/s, dense, bf16 and fp16, of the data sheets
FORGE_S = {"preset": "forge-s", "batch": 16, "learning_rate": 1e-4}
MLSTM = {"preset": "mlstm-4096"}
# 4 windows at a time keep about 50 GB of activations; computed again, 16 keep fewer.
KEPT = {"activation_checkpointing": False, "accumulate": 4}
WAYS = {
    "forge-s": (FORGE_S, 52_000, KEPT),
    "forge-s, compiled": (FORGE_S, 52_000, KEPT | {"compile": True}),
    "forge-s, computed again": (FORGE_S, 52_000, {"accumulate": 1}),
    "mlstm-4096": (MLSTM, 258, {}),
    "mlstm-4096, compiled": (MLSTM, 258, {"compile": True}),
}
TINY = {
    "neox": {"model": {"layers": 2, "hidden": 64, "heads": 2}, "sequence_length": 64, "batch": 8},
    "mlstm": {"model": {"hidden": 32, "embedding": 8}, "sequence_length": 16, "batch": 4},
}


def gpu(bench):
    """forge-s at bf16 with document masks, and mLSTM 4096 at fp16, on one GPU; about 5 minutes."""
    here = torch.cuda.is_available()
    if not here:
        print("not measured: no GPU here; the same on tiny shapes, to see that it works:")
    steps, found = bench.times(12, 3) if here else 2, {}
    with alone("cuda:0" if here else "cpu") as world:
        for name, way in WAYS.items():
            if not here and "compiled" in name:  # which takes half a minute
                continue
            try:
                found[name] = measured(bench, way, steps, world)
            except RuntimeError as error:  # such as too little memory: the others may still run
                print(f"{name}: {type(error).__name__}: {str(error)[:500]}", flush=True)
            else:
                print(f"{name}: {lines_of(found[name])}" if here else f"  {name}: done", flush=True)
            gc.collect()  # DDP and its model hold each other
            torch.cuda.empty_cache()
    return found if here else {}


def measured(bench, way, steps, world):
    """How fast it was, beside what the device can do."""
    material = made_up(bench, way, tiny=world.device.type == "cpu")
    if world.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    found, config = pace(material, world, steps, whole_windows=False), material.config
    speed = found["tokens"] / float(np.median(found["seconds"]))
    peak = measured_peak(world.device, DTYPES[config.precision])
    model = torch.cuda.get_device_name() if world.device.type == "cuda" else "CPU"
    rows, length = padded_vocabulary(material.corpus.description.vocab_size), config.sequence_length
    return found | {
        "tokens_per_second": speed,
        "precision": config.precision,
        "batch": [config.batch, length],
        "promised": next((rate for key, rate in PROMISED.items() if key in model), peak),
        "measured": peak,
        "flops": speed * flops_per_token(config.model, rows, length),
        "flops_causal": speed * flops_per_token(config.model, rows, length // 2),
        "gigabytes": torch.cuda.max_memory_allocated() / 1e9,
    }


def lines_of(found):
    """The figures in words."""
    flops, promised, peak = found["flops"], found["promised"], found["measured"]
    windows, length = found["batch"]
    return (
        f"{found['tokens_per_second']:,.0f} tokens/s in {found['precision']}, {windows} x {length} "
        f"a step, {found['gigabytes']:.0f} GB, waited {found['waited']:.3%}; asked < 1 %\n"
        f"  {flops / promised:.1%} of the {promised / 1e12:,.0f} Tflop/s promised, "
        f"{found['flops_causal'] / promised:.1%} if each token's pairs are those before it; "
        f"{flops / peak:.1%} of {peak / 1e12:,.0f} measured; asked of forge-s >= 45 %"
    )


def made_up(bench, way, tiny):
    """Material of made-up text, with no text to measure the model on."""
    settings, vocab_size, execution = way
    config = configured(settings | {"execution": execution})
    kind = "neox" if "forge-s" in settings["preset"] else "mlstm"
    if tiny:
        config, vocab_size = configured(settings | TINY[kind] | {"execution": execution}), 258
    folder = bench.scratch / f"{kind}-{vocab_size}"
    if not folder.exists():
        tokens = config.batch * config.sequence_length * 40
        made_up_shards(folder, tokens, vocab_size)
    corpus = open_corpus(folder)
    windows = windows_of(corpus.prefixes("train"), config.sequence_length)
    return Material(config, corpus, folder, windows, windows, None, None)
